package document

import (
	"context"
	"io"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/clamd"
)

// Scan passes the whole body of a document to the scanner for viruses, before it is taken. The
// outcome of a document with a virus says so when it is released.
func (r *Reader) Scan(ctx context.Context, d *Document) {
	most := r.Inspector.ScanMax() + 1
	data, err := r.takeLarge(d, min(most, smallBody), most, false)
	unscanned := ""
	switch {
	case err != nil:
		unscanned = "the body ended before it was complete"
	case int64(len(data)) == most:
		unscanned = clamd.TooLong(r.Inspector.ScanMax())
	default:
		d.virus, unscanned = r.Inspector.Scan(ctx, data)
	}
	if unscanned != "" {
		d.Warn(check.Warning{Code: check.CodeVirusUnscanned, Message: unscanned})
	}
	d.scanned = data
	d.Response.Body = &replayed{data: data, err: err, from: d.Response.Body}
}

// replayed is a body whose beginning has been read.
type replayed struct {
	data []byte
	err  error // that followed the beginning; nil if the rest is in from
	from io.ReadCloser
}

// Read implements io.Reader.
func (r *replayed) Read(b []byte) (n int, err error) {
	if len(r.data) > 0 {
		n = copy(b, r.data)
		r.data = r.data[n:]
		return n, nil
	}
	if r.err != nil {
		return 0, r.err
	}
	return r.from.Read(b)
}

// Close implements io.Closer.
func (r *replayed) Close() error { return r.from.Close() }
