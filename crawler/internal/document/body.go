package document

import (
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// body is what was read of the body of a document.
type body struct {
	Body    []byte // or its beginning, if the rest is read in parts, or the file in place
	Format  string // "" if it is not known
	Large   bool   // there was room for it among the large ones
	scanned []byte // what was scanned for viruses
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
func (r *Reader) Excerpt(resp *fetch.Response, o check.Outcome) check.Outcome {
	if b, ok := resp.Body.(fetch.TimeLimiter); ok {
		b.LimitTime(excerptTime)
	}
	data, _ := r.buffers.Read(resp.Body, excerptSize, excerptSize, true) // as much as there is is enough
	defer r.buffers.Give(data)
	wall, _ := check.Wall(o.Status, resp.Header, data)
	return o.With(wall)
}

// Readable reports whether the body of a document may be one that can be read.
func (d *Document) Readable() bool {
	_, readable := extract.Readable(d.Response.ContentType, rules.DocumentName(d.URL), nil)
	return readable || d.Response.ContentType == "" || d.Sitemap
}

// Take reads the body of a document, as far as it is needed, and reports whether its content is
// to be read. hasSlot says that the worker has one of the slots.
func (r *Reader) Take(d *Document, hasSlot bool) bool {
	name, limit := rules.DocumentName(d.URL), r.limit(d)
	d.InParts = d.Links() && !r.AtOnce && len(d.Response.Header) == 0
	if d.InParts && d.Response.LocalFile() != "" {
		d.err = r.takeBeginning(d, name, limit)
	}
	if d.rest == nil && d.err == nil {
		d.err = r.takeAll(d, name, limit+1, hasSlot)
	}
	in := &d.input
	*in = r.Input
	in.ContentType, in.Name, in.Path = d.Response.ContentType, name, d.Response.LocalFile()
	d.recognize()
	_, typed := r.Types.Set(in.Name)
	read := d.measure(limit)
	in.Body = d.Body
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
		d.Note(check.Truncated(limit))
	default:
		d.Note(check.Facts{Size: int64(len(d.Body)), Sized: true})
	}
	if d.Response.Header == nil {
		return true
	}
	wall, walled := check.Wall(d.Outcome.Status, d.Response.Header, d.Body)
	d.Note(wall)
	return !walled
}

// cutOff notes an error that a body ended with, and reports whether what came before it is
// dropped.
func (d *Document) cutOff(err error) bool {
	d.Note(check.BodyError(err, d.Follow))
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
	if site := d.Scope.SiteOf(d.URL); site != nil && d.Scope.Crawled(site) {
		return r.MaxBody
	}
	return extract.MaxBody
}

// takeAll reads at most the given number of bytes of a body, the beginning of which may have
// been read already; it reads only the beginning of a file that is read in place.
func (r *Reader) takeAll(d *Document, name string, most int64, hasSlot bool) (err error) {
	resp := d.Response
	isFile := resp.LocalFile() != ""
	if isFile && d.Body == nil {
		if d.Format, _ = extract.Readable(resp.ContentType, name, nil); d.Format == "" || extract.ReadInPlace(d.Format) {
			d.Body, err = r.buffers.Read(resp.Body, extract.SniffLength, extract.SniffLength, true)
			d.Format, _ = extract.Readable(resp.ContentType, name, d.Body)
			if err != nil || extract.ReadInPlace(d.Format) {
				d.inPlace = err == nil
				return err
			}
		}
	}
	if d.Body != nil { // its beginning
		d.Body, err = r.buffers.ReadOn(d.Body, resp.Body, resp.Size, most)
	} else {
		small := most
		if !hasSlot && !isFile { // the slot of its worker limits a file already
			small = min(most, smallBody)
		}
		d.Body, err = r.takeLarge(d, small, most, isFile)
	}
	d.Format, _ = extract.Readable(resp.ContentType, name, d.Body)
	d.inPlace = isFile && err == nil && extract.ReadInPlace(d.Format)
	return err
}

// takeLarge reads at most the given number of bytes of a body. If there are more than those of a
// small one, it waits for room among the large ones.
func (r *Reader) takeLarge(d *Document, small, most int64, trusted bool) (data []byte, err error) {
	body, size := d.Response.Body, d.Response.Size
	data, err = r.buffers.Read(body, size, small, trusted)
	if err == nil && int64(len(data)) < most && int64(len(data)) == small {
		if !d.Large {
			r.large.await(body)
			d.Large = true
		}
		data, err = r.buffers.ReadOn(data, body, size, most)
	}
	return data, err
}

// A bookmark file may hold half a million links. They are entered some at a time while
// it is read (extract.Input.Batch), and a long file is read piece by piece
// (extract.Input.Rest), so that neither is in memory as a whole. That is done if nothing needs
// all of them at once, and no header says more about them.

// takeBeginning reads the beginning of a long file whose format is read in pieces, and leaves the
// rest. Any other document has no rest: what was read of it is its beginning, and its format is
// unknown.
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
		d.Format = "html"
		return err
	}
	if d.Format, _ = extract.Readable(resp.ContentType, name, d.Body); !extract.ReadInPieces(d.Format) {
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
