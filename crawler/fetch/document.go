package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Document is a Fetcher for a single document in memory, such as standard input, which
// has no address to request. It is safe for concurrent use as long as its fields are
// not changed.
type Document struct {
	URL         urinorm.URL // of the document; the fragment is ignored
	ContentType string
	Body        []byte
	Path        string // the name in reports, "-" for standard input

	Other Fetcher // gets the requests for other URLs; nil if there are none
}

// ReadDocument reads a document from r, for example standard input. It reads at most
// one byte more than limit, so that readers of the Body can detect a longer document. A
// limit of 0 or less means no limit.
func ReadDocument(r io.Reader, limit int64) ([]byte, error) {
	if limit > 0 {
		r = io.LimitReader(r, limit+1)
	}
	return io.ReadAll(r)
}

// holds reports whether u is the URL of the document.
func (d *Document) holds(u urinorm.URL) bool {
	return !u.IsZero() && u.WithoutFragment().String() == d.URL.WithoutFragment().String()
}

// CloseIdleConnections calls the other fetcher.
func (d *Document) CloseIdleConnections() {
	if c, ok := d.Other.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Identity calls the other fetcher. The document has no identity, because every run reads it
// again.
func (d *Document) Identity(req *Request) (traffic.Identity, bool) {
	k, ok := d.Other.(CacheableFetcher)
	if !ok || d.holds(req.URL) {
		return traffic.Identity{}, false
	}
	return k.Identity(req)
}

// ExpiryNote calls the other fetcher.
func (d *Document) ExpiryNote(notAfter time.Time) (Note, bool) {
	k, ok := d.Other.(CacheableFetcher)
	if !ok {
		return Note{}, false
	}
	return k.ExpiryNote(notAfter)
}

// Fetch returns the document. Any other URL is requested from the other fetcher; without one,
// Fetch returns a Fault of kind file-missing.
func (d *Document) Fetch(ctx context.Context, req *Request) (*Response, error) {
	if d.Other != nil && !d.holds(req.URL) {
		return d.Other.Fetch(ctx, req)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !d.holds(req.URL) {
		return nil, &Fault{Kind: "file-missing", Op: "open", Target: req.URL.Printed(), Err: errors.New("only the document itself is available"), Requests: 1}
	}
	resp := &Response{ContentType: d.ContentType, Size: int64(len(d.Body)), Requests: 1, Path: d.Path}
	if req.Need == Content {
		resp.Body = io.NopCloser(bytes.NewReader(d.Body))
	}
	return resp, nil
}
