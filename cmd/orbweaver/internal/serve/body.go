package serve

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

// maxBody is the maximum size of a body, in bytes, unless its route has another one.
const maxBody = 1 << 20

// Media types of bodies.
const (
	jsonType = "application/json"
	tomlType = "application/toml"
	listType = "text/plain"
)

// readBody reads the body of a request, which may be empty, and checks its media type, its size,
// and that JSON is well-formed.
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
	allowed, most := c.route.bodies()
	if err != nil || !slices.Contains(allowed, media) || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return api.NewProblem(http.StatusUnsupportedMediaType, "the body must be %s", strings.Join(allowed, " or "))
	}
	rest, err := io.ReadAll(io.LimitReader(c.Body, int64(most)))
	if n+len(rest) > most {
		return api.NewProblem(http.StatusRequestEntityTooLarge, "the body is larger than %d MiB", most>>20)
	}
	if err != nil {
		return api.NewProblem(http.StatusBadRequest, "the body could not be read")
	}
	c.media, c.body = media, append(first, rest...)
	if media != jsonType || most > maxBody { // whoever reads a larger one checks it, with other limits
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

// bodies returns the media types of which the body may be, and its maximum size in bytes.
func (r *route) bodies() (media []string, most int) {
	media, most = r.Media, r.Most
	if media == nil {
		media = []string{jsonType}
	}
	if most == 0 {
		most = maxBody
	}
	return media, most
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

// members returns a handler of the members of the body, which must be an object.
func members(handle func(*call, []strictjson.Member) error) func(*call) error {
	return func(c *call) error {
		fields, err := c.members()
		if err != nil {
			return err
		}
		return handle(c, fields)
	}
}

// texts returns a handler of a body whose members have the given names, must all be there, and are
// strings. null is the empty string.
func texts(handle func(*call, map[string]string) error, names ...string) func(*call) error {
	return members(func(c *call, fields []strictjson.Member) error {
		values, err := textsOf(fields, names)
		if err != nil {
			return err
		}
		return handle(c, values)
	})
}

func textsOf(fields []strictjson.Member, names []string) (map[string]string, error) {
	values := map[string]string{}
	var faults []api.Fault
	for _, f := range fields {
		var text string
		switch {
		case !slices.Contains(names, f.Name):
			faults = append(faults, api.Fault{Field: f.Name, Message: "unknown member \"" + f.Name + "\""})
		case strictjson.Decode(f.Value, &text) != nil:
			faults = append(faults, api.Fault{Field: f.Name, Message: "use a string"})
		}
		values[f.Name] = text
	}
	for _, name := range names {
		if _, ok := values[name]; !ok {
			faults = append(faults, api.Fault{Field: name, Message: "it is missing"})
		}
	}
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return values, nil
}
