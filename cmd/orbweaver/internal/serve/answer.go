package serve

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// answer returns what answers with a status and an object that a service returned, or with its
// error: c.answer(http.StatusOK)(service.Get(id)).
func (c *call) answer(status int) func(value any, err error) error {
	return func(value any, err error) error {
		if err != nil {
			return err
		}
		return c.object(status, "application/json", value)
	}
}

func (c *call) object(status int, contentType string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return c.raw(status, contentType, append(text, '\n'))
}

// setVersion sets the version of the object that an answer has, which clients may change.
func setVersion(w http.ResponseWriter, version int64) {
	w.Header().Set("ETag", strconv.Quote(strconv.FormatInt(version, 10)))
}

// done answers a request that has no other answer than that it was done.
func done(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// ifMatch returns the versions of the field If-Match (RFC 9110, section 13.1.1), nil without it. A
// tag that no answer had stays as it was sent, and matches no version.
func ifMatch(h http.Header) service.Condition {
	values := h.Values("If-Match")
	if len(values) == 0 {
		return nil
	}
	versions := service.Condition{}
	for tag := range strings.SplitSeq(strings.Join(values, ","), ",") {
		tag = strings.TrimSpace(tag)
		if version, err := strconv.Unquote(tag); err == nil && tag[0] == '"' {
			tag = version
		} else if tag != "*" {
			tag = strconv.Quote(tag)
		}
		versions = append(versions, tag)
	}
	return versions
}

func (c *call) raw(status int, contentType string, body []byte) error {
	if c.Context().Err() != nil {
		c.w.(*countingWriter).status = statusGone
		return nil
	}
	c.w.Header().Set("Content-Type", contentType)
	c.w.WriteHeader(status)
	if c.Method != http.MethodHead {
		_, _ = c.w.Write(body) // the client may be gone
	}
	return nil
}

// statusGone is logged and counted if a client goes away before its answer is complete.
const statusGone = 499

// fail writes an error as a problem. What is not the client's fault is logged, too.
func (c *call) fail(err error) {
	if c.Context().Err() != nil { // nobody reads the answer; what failed is a consequence
		c.w.(*countingWriter).status = statusGone
		return
	}
	if c.w.(*countingWriter).status != 0 { // the answer has begun
		c.server.log.printf("%s %s: %v", c.Method, c.URL.Path, err)
		panic(http.ErrAbortHandler) // so that the client sees that it is cut short
	}
	p := problemOf(err)
	if limit, ok := errors.AsType[*auth.LimitError](err); ok {
		c.w.Header().Set("Retry-After", strconv.Itoa(int(limit.After/time.Second)))
		p = api.NewProblem(http.StatusTooManyRequests, "%v", limit)
	}
	if p.Status == http.StatusInternalServerError {
		c.server.log.printf("%s %s: %v", c.Method, c.URL.Path, err)
	}
	_ = c.problem(p)
}

func problemOf(err error) *api.Problem {
	var p *api.Problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, store.ErrNotFound), errors.Is(err, findings.ErrNotFound):
		return api.NewProblem(http.StatusNotFound, "not found")
	case errors.Is(err, store.ErrActive):
		p = api.NewProblem(http.StatusConflict, "a run of the project is queued or running")
		p.Type = "orbweaver:run-in-progress"
		return p
	case runs.IsFull(err):
		return api.NewProblem(http.StatusInsufficientStorage, "the disk of the server is full")
	}
	return api.NewProblem(http.StatusInternalServerError, "the server could not answer; its log tells why")
}

// countingWriter remembers what was answered.
type countingWriter struct {
	http.ResponseWriter
	status int
	size   int64
}

func (w *countingWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	if w.size += int64(n); err != nil {
		w.status = statusGone
	}
	return n, err
}

// Unwrap lets http.ResponseController find the connection.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func part[T any](c *call, list func(ctx context.Context, after string, limit int) (*api.List[T], error)) error {
	q := c.query()
	limit := q.limit()
	if err := q.problem(); err != nil {
		return err
	}
	return c.answer(http.StatusOK)(list(c.Context(), q.text("after"), limit))
}
