package crawler

import (
	"io"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A bookmark file may hold half a million links. They are entered a lot at a time while
// it is read (extract.Input.Batch), and a long file is read piece by piece
// (extract.Input.Rest), so that neither lies in memory as a whole.

// takesLots reports whether links of a bookmark file may be entered while it is read:
// nobody wants all of them at once, and no header says more of them.
func (w *worker) takesLots(resp *fetch.Response) bool {
	return w.earlier == nil && !w.cfg.Pages && len(resp.Header) == 0
}

// lot enters some links of a bookmark file, which never lie all in memory.
func (w *worker) lot(u urinorm.URL, doc *extract.Document, o *check.Outcome, links []extract.Link, all int) {
	w.startFrom(u, doc, o).AddPart(links, all)
}

// restOf is what follows the beginning of a file.
type restOf struct {
	from   io.Reader
	length int64 // bytes that were read
	err    error // that ended it
}

func (r *restOf) Read(b []byte) (n int, err error) {
	n, err = r.from.Read(b)
	if r.length += int64(n); err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// readBeginning reads the beginning of a long file whose format is read in pieces, and
// returns the rest. Of any other document there is no rest: what was read of it is its
// beginning, and its format unknown.
func (w *worker) readBeginning(resp *fetch.Response, name string, limit int64, may bool) (body []byte, format string, rest *restOf, err error) {
	const long = 4 * maxShell
	if !may || resp.Size < long || resp.Size > limit {
		return nil, "", nil, nil
	}
	if format, _ = extract.Readable(resp.ContentType, name, nil); format != "html" {
		return nil, "", nil, nil
	}
	if body, err = w.buffers.Read(resp.Body, extract.SniffLength, extract.SniffLength, true); err != nil {
		return body, format, nil, err
	}
	if format, _ = extract.Readable(resp.ContentType, name, body); !extract.ReadInPieces(format) {
		return w.buffers.GrowTo(body, int(resp.Size)), format, nil, nil
	}
	if body, err = w.buffers.ReadOn(body, resp.Body, maxShell, maxShell); err != nil {
		return body, format, nil, err
	}
	return body, format, &restOf{from: io.LimitReader(resp.Body, limit-int64(len(body)))}, nil
}
