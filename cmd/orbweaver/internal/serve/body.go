package serve

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

// maxBody is the maximum size of a body, in bytes.
const maxBody = 1 << 20

// readBody reads the body of a request, which may be empty, and checks that JSON is
// well-formed.
func (c *call) readBody() error {
	if c.Body == nil || c.Method == http.MethodGet || c.Method == http.MethodHead {
		return nil
	}
	first := make([]byte, 1)
	n, err := io.ReadFull(c.Body, first)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return api.NewProblem(http.StatusBadRequest, "the body could not be read")
	}
	media, parameters, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	charset := parameters["charset"]
	want, most := "application/json", maxBody
	if c.route.Text > 0 {
		want, most = "text/plain", c.route.Text
	}
	if err != nil || media != want || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return api.NewProblem(http.StatusUnsupportedMediaType, "the body must be %s", want)
	}
	rest, err := io.ReadAll(io.LimitReader(c.Body, int64(most)))
	if n+len(rest) > most {
		return api.NewProblem(http.StatusRequestEntityTooLarge, "the body is larger than %d MiB", most>>20)
	}
	if err != nil {
		return api.NewProblem(http.StatusBadRequest, "the body could not be read")
	}
	c.body = append(first, rest...)
	if c.route.Text > 0 {
		return nil
	}
	if err := strictjson.Check(c.Context(), c.body); err != nil {
		if c.Context().Err() != nil {
			return c.Context().Err()
		}
		return api.NewProblem(http.StatusBadRequest, "the body is not well-formed JSON: %v", err)
	}
	return nil
}

// members returns the members of the body in order. The body must be an object.
func (c *call) members() ([]strictjson.Member, error) {
	all, err := strictjson.Members(c.body)
	if len(bytes.TrimSpace(c.body)) == 0 {
		return nil, api.NewProblem(http.StatusBadRequest, "the body is empty")
	}
	if err != nil {
		return nil, api.Invalid(api.Fault{Field: "", Message: "the body must be an object"})
	}
	return all, nil
}
