package document

import (
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/drift"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// body is what was read of the body of a document.
type body struct {
	Body    []byte // or its beginning, if the rest is read in parts, or the file in place
	Format  string // "" if it is not known
	rooms   int    // that it has among the large and the huge ones
	err     error  // with which the body ended
	rest    *rest  // what follows Body; nil for nothing
	InParts bool   // its links may be read in parts
	inPlace bool   // Body is only the beginning of a file that is read in place
}

// Only the beginning of an error page is read, to recognize a page that blocks robots.
const (
	excerptSize = 16 << 10
	excerptTime = time.Second
)

// Excerpt looks at the beginning of an error page, and returns an outcome that says whether a
// bot wall answered.
func (r *Reader) Excerpt(resp *fetch.Response, o judging.Outcome) judging.Outcome {
	resp.LimitTime(excerptTime)
	data, _ := r.buffers.Read(resp.Body, excerptSize, excerptSize, true) // as much as there is is enough
	defer r.buffers.Give(data)
	wall, _ := judging.Wall(o.Status, resp.Header, data)
	return o.With(wall)
}

// Readable reports whether the body of a document may be one that can be read.
func (d *Document) Readable() bool {
	_, readable := extract.Readable(d.Response.ContentType, scope.DocumentName(d.URL), nil)
	return readable || d.Response.ContentType == "" || d.Sitemap
}

// Take reads the body of a document, as far as it is needed, and reports whether its content is
// to be read. hasSlot says that the worker has one of the slots.
func (r *Reader) Take(d *Document, hasSlot bool) bool {
	name, limit := scope.DocumentName(d.URL), r.limit(d)
	d.InParts = d.Links() && !r.AtOnce && len(d.Response.Header) == 0
	in := &d.input
	*in = r.Input
	in.ContentType, in.Name, in.Path = d.Response.ContentType, name, d.Response.LocalFile()
	if d.InParts && in.Path != "" {
		d.err = r.takeBeginning(d, name, limit)
	}
	if d.rest == nil && d.err == nil {
		d.err = r.takeAll(d, name, limit+1, hasSlot)
	}
	d.Format, _ = extract.Readable(in.ContentType, name, d.Body)
	d.inPlace = in.Path != "" && d.err == nil && extract.ReadInPlace(d.Format)
	d.recognize()
	_, typed := r.Types.Set(in.Name)
	read := d.measure(limit)
	in.Body = d.Body
	if read {
		d.sketch()
	}
	return read && d.Format != "" && (d.Seed || typed || d.Response.Converted || extract.InDirectory(d.Format) || d.Sitemap)
}

// measure notes the size of a body, or the error that it ended with, and reports whether its
// content is read.
func (d *Document) measure(limit int64) bool {
	switch {
	case d.inPlace:
	case d.err != nil:
		if d.cutOff(d.err) {
			return false
		}
	case int64(len(d.Body)) > limit:
		d.Body = d.Body[:limit]
		d.Note(judging.Truncated(limit))
	default:
		d.Note(judging.Facts{Size: int64(len(d.Body)), Sized: true})
	}
	if d.Response.Header == nil {
		return true
	}
	wall, walled := judging.Wall(d.Outcome.Status, d.Response.Header, d.Body)
	d.Note(wall)
	if !walled && !d.Internal && IsPage(d.Outcome.ContentType) && d.answered() {
		d.Note(judging.Parked(d.URL, d.Response.Header, d.Body))
	}
	return !walled
}

// sketch notes what the text of a page of another site is compared by, if the run compares texts.
func (d *Document) sketch() {
	page := IsPage(d.Outcome.ContentType)
	if d.Scope.Judging.Drift == nil || d.Internal || d.Outcome.Status/100 != 2 || !page && d.Outcome.ContentType != "text/plain" || !d.answered() {
		return
	}
	text, _, ok := extract.Decode(d.input)
	if !ok {
		return
	}
	of := drift.OfText
	if page {
		of = drift.OfPage
	}
	s := of(text)
	d.Note(judging.Facts{Content: judging.Content{Sketch: s.Append(nil)}})
}

// cutOff notes an error that a body ended with, and reports whether what came before it is
// dropped.
func (d *Document) cutOff(err error) bool {
	d.Note(judging.BodyError(err, d.Follow))
	return d.Outcome.Code != check.CodeOK && d.Outcome.Code != check.CodeBodyTruncated
}

// recognize sets the format of a document, and the media type and the name by which it is read,
// where the server or the name are not to be believed. For a sitemap that robots.txt names, the
// content comes before what the server declares: some servers send sitemaps as text/plain or
// text/html, unpacked ones as gzip, or packed ones as XML. Text that the user named is read
// whatever its name is.
func (d *Document) recognize() {
	in := &d.input
	if d.Sitemap {
		switch format, known := extract.Readable("", "", d.Body); {
		case known && format != d.Format:
			d.Format, in.ContentType, in.Name = format, "", ""
			return
		case !known && d.Format == "":
			in.ContentType, in.Name = "text/plain", ""
			d.Format, _ = extract.Readable(in.ContentType, "", d.Body)
			return
		}
	}
	if d.Format == "" && d.Seed && in.ContentType == "" && extract.IsText(d.Body) {
		d.Format, in.ContentType, in.Name = "text", "text/plain", ""
	}
}

// limit returns how much of the body is read, in bytes.
func (r *Reader) limit(d *Document) int64 {
	if !d.Seed || d.Response.Path == "" || r.MaxBodyGiven {
		return r.MaxBody
	}
	if site := d.Scope.Sites.Of(d.URL); site != nil && d.Scope.Crawled(site) {
		return r.MaxBody
	}
	return extract.MaxBody
}

// takeAll reads at most the given number of bytes of a body, but only the beginning of a file that
// is read in place.
func (r *Reader) takeAll(d *Document, name string, most int64, hasSlot bool) error {
	resp := d.Response
	isFile := resp.LocalFile() != ""
	if isFile && d.Body == nil {
		if format, _ := extract.Readable(resp.ContentType, name, nil); format == "" || extract.ReadInPlace(format) {
			err := r.fill(d, extract.SniffLength, false)
			if format, _ = extract.Readable(resp.ContentType, name, d.Body); err != nil || extract.ReadInPlace(format) {
				return err
			}
		}
	}
	return r.fill(d, most, !hasSlot && !isFile) // the slot of its worker limits a file already
}

// IsLarge reports whether the body has room among the large ones.
func (b *body) IsLarge() bool { return b.rooms > 0 }

// fill reads a body until there are so many bytes of it. If waits is set, it waits for room
// whenever there is more of the body than that of a small or a large one.
func (r *Reader) fill(d *Document, most int64, waits bool) (err error) {
	from, size := d.Response.Body, d.Response.Size
	for {
		part := most
		if waits && d.rooms < len(roomSizes) {
			part = min(most, roomSizes[d.rooms])
		}
		if d.Body == nil {
			d.Body, err = r.buffers.Read(from, size, part, d.Response.LocalFile() != "")
		} else { // there is the beginning
			d.Body, err = r.buffers.ReadOn(d.Body, from, size, part)
		}
		if n := int64(len(d.Body)); err != nil || n < part || n >= most {
			return err
		}
		r.large.await(d.rooms, d.Response)
		d.rooms++
	}
}

// A bookmark file may hold half a million links. They are entered some at a time while
// it is read (extract.Input.Batch), and a long file is read piece by piece
// (extract.Input.Rest), so that neither is in memory as a whole. That is done if nothing needs
// all of them at once, and no header says more about them.

// takeBeginning reads the beginning of a long file whose format is read in pieces, and leaves the
// rest. Any other document has no rest: what was read of it is its beginning.
func (r *Reader) takeBeginning(d *Document, name string, limit int64) (err error) {
	const long = 4 * MaxShell
	resp := d.Response
	if resp.Size < long || resp.Size > limit {
		return nil
	}
	if format, _ := extract.Readable(resp.ContentType, name, nil); format != "html" {
		return nil
	}
	if d.Body, err = r.buffers.Read(resp.Body, extract.SniffLength, extract.SniffLength, true); err != nil {
		return err
	}
	if format, _ := extract.Readable(resp.ContentType, name, d.Body); !extract.ReadInPieces(format) {
		d.Body = r.buffers.GrowTo(d.Body, int(resp.Size))
		return nil
	}
	if d.Body, err = r.buffers.ReadOn(d.Body, resp.Body, MaxShell, MaxShell); err == nil {
		d.rest = &rest{from: io.LimitReader(resp.Body, limit-int64(len(d.Body)))}
	}
	return err
}

// rest is what follows the beginning of a file.
type rest struct {
	from   io.Reader
	length int64 // bytes that were read
	err    error // that ended it early
}

func (r *rest) Read(b []byte) (n int, err error) {
	n, err = r.from.Read(b)
	if r.length += int64(n); err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
