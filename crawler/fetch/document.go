package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Document is a Fetcher that knows one document, which it holds in memory:
// standard input has no address that could be asked. It is safe for concurrent
// use as long as nobody changes its fields.
type Document struct {
	URL         urinorm.URL // what it answers for; a fragment makes no difference
	ContentType string
	Body        []byte
	Path        string // how it is called in reports, "-" for standard input
}

// ReadDocument reads a document from r, standard input say, up to one byte more
// than limit, so that whoever reads the Body can tell that it was cut. A limit
// of 0 or less is none.
func ReadDocument(r io.Reader, limit int64) ([]byte, error) {
	if limit > 0 {
		r = io.LimitReader(r, limit+1)
	}
	return io.ReadAll(r)
}

// Holds reports whether u is the document.
func (d *Document) Holds(u urinorm.URL) bool {
	return !u.IsZero() && u.WithoutFragment().String() == d.URL.WithoutFragment().String()
}

// Fetch answers with the document; any other URL is a Fault of kind file-missing.
func (d *Document) Fetch(ctx context.Context, req *Request) (*Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !d.Holds(req.URL) {
		return nil, &Fault{Kind: "file-missing", Op: "open", Target: req.URL.Printed(), Err: errors.New("there is nothing beside the document itself"), Requests: 1}
	}
	resp := &Response{ContentType: d.ContentType, Size: int64(len(d.Body)), Requests: 1, Path: d.Path}
	if req.Need == Content {
		resp.Body = io.NopCloser(bytes.NewReader(d.Body))
	}
	return resp, nil
}
