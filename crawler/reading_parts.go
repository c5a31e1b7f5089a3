package crawler

import (
	"io"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// A bookmark file may hold half a million links. They are entered some at a time while
// it is read (extract.Input.Batch), and a long file is read piece by piece
// (extract.Input.Rest), so that neither is in memory as a whole.

// takesParts reports whether the links of a bookmark file may be entered while it is read:
// nothing needs all of them at once, and no header says more about them.
func (r reading) takesParts() bool {
	return r.visit.run.checks.inspector == nil && r.visit.run.earlier == nil && !r.visit.run.cfg.Pages && len(r.resp.Header) == 0
}

// restOf returns what follows the beginning of a file.
type restOf struct {
	from   io.Reader
	length int64 // bytes that were read
	err    error // that ended it early
}

func (r *restOf) Read(b []byte) (n int, err error) {
	n, err = r.from.Read(b)
	if r.length += int64(n); err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// beginning reads the beginning of a long file whose format is read in pieces, and
// returns the rest with it. Any other document has no rest: what was read of it is its
// beginning, and its format is unknown.
func (r reading) beginning(name string, limit int64) (b body, err error) {
	const long = 4 * maxShell
	resp, buffers := r.resp, &r.visit.run.buffers
	if resp.Size < long || resp.Size > limit {
		return b, nil
	}
	if b.format, _ = extract.Readable(resp.ContentType, name, nil); b.format != "html" {
		return body{}, nil
	}
	if b.data, err = buffers.Read(resp.Body, extract.SniffLength, extract.SniffLength, true); err != nil {
		return b, err
	}
	if b.format, _ = extract.Readable(resp.ContentType, name, b.data); !extract.ReadInPieces(b.format) {
		b.data = buffers.GrowTo(b.data, int(resp.Size))
		return b, nil
	}
	if b.data, err = buffers.ReadOn(b.data, resp.Body, maxShell, maxShell); err == nil {
		b.rest = &restOf{from: io.LimitReader(resp.Body, limit-int64(len(b.data)))}
	}
	return b, err
}
