package fix

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/urinorm"
)

// editor changes references and named texts in a document and nothing else.
//
// It reads every changed document again before it returns it. The document must have the
// same links in the same order, and the changed links must have the requested references.
// So the editor does not need to know how each place escapes a reference, be it an
// attribute, a style sheet, a Markdown destination or a JSON string. It tries the escapes
// of the format in order (escapes.go), and refuses a change if none of them works.
type editor struct {
	in      extract.Input
	text    []byte // the decoded document
	charset string
	doc     *extract.Document
	at      map[place][]int // the indexes of the links at each place
	changes map[place]*change
	budget  int // the number of bytes that may still be read to verify changes
}

// place is a position in a document. Line and Column count like those of a Link.
type place struct{ Line, Column int }

// change is the replacement of one reference, or of a text that is not a link.
type change struct {
	place place
	raw   string // the current source text
	ref   string // the new reference, or the new text
	links []int  // the links at the place; none for a text
	off   int    // the offset of raw in the text
	// bytes replaces the source from start to end.
	start, end int
	bytes      []byte
	escapes    []escape // the escapes to try
	current    int      // the index of the escape being tried
	err        error
}

// written returns the text that replaces raw.
func (c *change) written() string { return c.escapes[c.current](c.ref) }

// maxSize is the maximum size of a document that can be edited, in bytes.
const maxSize = 64 << 20

// maxRead limits how much is read to verify the changes of one document, in bytes.
const maxRead = 512 << 20

// newEditor reads a document. Its error says why the document cannot be edited: it is not
// text, a program maintains it, or its encoding makes it impossible to locate references
// in the source.
func newEditor(in extract.Input) (*editor, error) {
	if len(in.Body) > maxSize {
		return nil, fmt.Errorf("it is longer than %d MiB", maxSize>>20)
	}
	format, ok := extract.Readable(in.ContentType, in.Name, in.Body)
	if !ok && in.ContentType == "" && extract.IsText(in.Body) { // as it was read, because it was named
		in.ContentType = "text/plain"
		format, ok = extract.Readable(in.ContentType, in.Name, in.Body)
	}
	if !ok {
		return nil, errors.New("its format is not one that is read for links")
	}
	text, charset, isText := extract.Decode(in)
	if why := uneditedReason(format, isText); why != "" {
		return nil, errors.New(why)
	}
	in.Select, in.IgnoreSelect, in.AnchorsOnly = extract.Selector{}, extract.Selector{}, false
	e := &editor{in: in, text: text, charset: charset, doc: extract.Extract(in), at: map[place][]int{}, changes: map[place]*change{}}
	if _, err := newOffsets(in.Body, e.text, e.charset); err != nil {
		return nil, err
	}
	for i := range e.doc.Links {
		l := &e.doc.Links[i]
		if l.Line > 0 {
			p := place{l.Line, l.Column}
			e.at[p] = append(e.at[p], i)
		}
	}
	return e, nil
}

// At returns the link at a place whose source text is raw. It reports false if there is
// no such link, because the document has changed since its links were recorded.
func (e *editor) At(p place, raw string) (*extract.Link, bool) {
	for _, i := range e.at[p] {
		if l := &e.doc.Links[i]; l.Raw == raw {
			return l, true
		}
	}
	return nil, false
}

// Change requests a new reference for the link at a place. Requesting the same change
// twice is not an error.
func (e *editor) Change(p place, ref string) error {
	all := e.at[p]
	if len(all) == 0 {
		return errors.New("there is no link at that place")
	}
	if before := e.changes[p]; before != nil {
		if before.ref != ref {
			return fmt.Errorf("another change replaces it with %s", before.ref)
		}
		return nil
	}
	raw := e.doc.Links[all[0]].Raw
	for _, i := range all {
		if l := &e.doc.Links[i]; l.Raw != raw || l.Ref != e.doc.Links[all[0]].Ref {
			return errors.New("it is read as several different references")
		}
	}
	if ref == "" || raw == "" {
		return errors.New("an empty reference cannot be edited, because its position is not certain")
	}
	e.changes[p] = &change{place: p, raw: raw, ref: ref, links: all,
		escapes: escapesToTry(e.doc.Format, raw, e.doc.Links[all[0]].Ref, ref)}
	return nil
}

// Replace requests that a text at a place is replaced as written. The change is refused if
// the document would then have other links. Requesting the same change twice is not an
// error.
func (e *editor) Replace(p place, raw, text string) error {
	if before := e.changes[p]; before != nil {
		if before.raw != raw || before.ref != text {
			return fmt.Errorf("another change replaces %q there with %q", before.raw, before.ref)
		}
		return nil
	}
	if raw == "" {
		return errors.New("an empty text cannot be replaced")
	}
	e.changes[p] = &change{place: p, raw: raw, ref: text, escapes: []escape{asIs}}
	return nil
}

// editResult is the result of one change. Apply has replaced the reference if Err is nil.
type editResult struct {
	place
	Before, After string // the source text
	// Start and End are the offsets in the original document that Written replaces.
	Start, End int
	Written    []byte
	Err        error // why the change was refused
}

// Apply returns the changed document and the result of each change, sorted by place. The
// body is nil if all changes were refused.
func (e *editor) Apply() (body []byte, all []editResult) {
	pending := make([]*change, 0, len(e.changes))
	for _, c := range e.changes {
		pending = append(pending, c)
	}
	slices.SortFunc(pending, func(a, b *change) int {
		return comparePlaces(a.place, b.place)
	})
	e.locate(pending)
	body = e.applyTogether(pending)
	for _, c := range pending {
		done := editResult{place: c.place, Before: c.raw, Err: c.err}
		if c.err == nil {
			done.After = c.written()
			done.Start, done.End, done.Written = c.start, c.end, c.bytes
		}
		all = append(all, done)
	}
	return body, all
}

func comparePlaces(a, b place) int {
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Column - b.Column
}

// locate sets the offsets of changes, which must be sorted, in one pass over the text.
func (e *editor) locate(pending []*change) {
	line, column, off, end := 1, 1, 0, 0
	for _, c := range pending {
		for off < len(e.text) && (line < c.place.Line || line == c.place.Line && column < c.place.Column) {
			r, size := rune(e.text[off]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(e.text[off:])
			}
			off += size
			column++
			if r == '\n' || r == '\r' && (off == len(e.text) || e.text[off] != '\n') {
				line, column = line+1, 1
			}
		}
		c.off = off
		switch {
		case line != c.place.Line || column != c.place.Column || !bytes.HasPrefix(e.text[off:], []byte(c.raw)):
			c.err = fmt.Errorf("the text at that position is no longer %q", c.raw)
		case off < end:
			c.err = errors.New("it overlaps another change")
		default:
			end = off + len(c.raw)
		}
	}
}

// applyTogether applies all changes at once, with other escapes for those that are
// misread, until the document is read as requested. Usually the first escapes work. If the
// links no longer correspond to those of the original, it tries each change separately.
func (e *editor) applyTogether(pending []*change) []byte {
	e.budget = maxRead
	for {
		left := slices.DeleteFunc(slices.Clone(pending), func(c *change) bool { return c.err != nil })
		if len(left) == 0 {
			return nil
		}
		body, wrong, err := e.verify(left)
		switch {
		case err != nil:
			return e.refuse(left, err)
		case len(wrong) == 0:
			return body
		case wrong[0] != nil:
			for _, c := range wrong {
				c.nextEscape()
			}
		default:
			return e.applySeparately(left)
		}
	}
}

// applySeparately verifies each change without the others, and then applies those that
// work together.
func (e *editor) applySeparately(changes []*change) []byte {
	var good []*change
	for _, c := range changes {
		c.current = 0
		for c.err == nil {
			_, wrong, err := e.verify([]*change{c})
			if err != nil {
				c.err = err
			} else if len(wrong) == 0 {
				good = append(good, c)
				break
			} else {
				c.nextEscape()
			}
		}
	}
	if len(good) == 0 {
		return nil
	}
	body, wrong, err := e.verify(good)
	if err == nil && len(wrong) > 0 {
		err = errors.New("the changed document is not read as intended")
	}
	if err != nil {
		return e.refuse(good, err)
	}
	return body
}

// verify applies changes and reads the changed document. It returns the changes that are
// not read as intended. The only element is nil if the links no longer correspond to
// those of the original.
func (e *editor) verify(changes []*change) (body []byte, wrong []*change, err error) {
	body, err = e.rewrite(changes)
	if err != nil {
		return nil, nil, err
	}
	if e.budget -= len(body); e.budget < 0 {
		return nil, nil, errors.New("the document has too many changes to verify them all")
	}
	in := e.in
	in.Body = body
	return body, e.misread(changes, extract.Extract(in)), nil
}

// refuse refuses all changes that have not been refused before.
func (e *editor) refuse(pending []*change, err error) []byte {
	for _, c := range pending {
		if c.err == nil {
			c.err = err
		}
	}
	return nil
}

func (e *editor) rewrite(changes []*change) ([]byte, error) {
	source, err := newOffsets(e.in.Body, e.text, e.charset)
	if err != nil {
		return nil, err
	}
	var body, text []byte
	copied, read := 0, 0
	for _, c := range changes {
		if c.bytes, err = source.encode(c.written()); err != nil {
			return nil, fmt.Errorf("it cannot be written in %s", e.charset)
		}
		c.start, c.end = source.at(c.off), source.at(c.off+len(c.raw))
		body = append(append(body, e.in.Body[copied:c.start]...), c.bytes...)
		text = append(append(text, e.text[read:c.off]...), c.written()...)
		copied, read = c.end, c.off+len(c.raw)
	}
	body = append(body, e.in.Body[copied:]...)
	text = append(text, e.text[read:]...)
	in := e.in
	in.Body = body
	again, charset, ok := extract.Decode(in)
	if !ok {
		return nil, errors.New("the changed document would be read as another format")
	}
	if charset != e.charset || !bytes.Equal(again, text) {
		return nil, fmt.Errorf("its encoding, %s, does not allow parts of it to be replaced", e.charset)
	}
	return body, nil
}

// misread returns the changes whose links are not read as intended, as described for
// verify.
func (e *editor) misread(changes []*change, now *extract.Document) (wrong []*change) {
	was, is := e.doc.Links, now.Links
	if len(was) != len(is) {
		return []*change{nil}
	}
	of, seen := map[int]*change{}, map[*change]bool{}
	for _, c := range changes {
		for _, i := range c.links {
			of[i] = c
		}
	}
	for i := range was {
		if sameLink(&was[i], &is[i], of[i]) {
			continue
		}
		c := of[i]
		// A change is not at fault if another one changed the base of its link.
		if c == nil || !sameBase(&was[i], &is[i]) || was[i].Element != is[i].Element || was[i].Attribute != is[i].Attribute {
			return []*change{nil}
		}
		if !seen[c] {
			seen[c], wrong = true, append(wrong, c)
		}
	}
	return wrong
}

// nextEscape selects the next escape that produces a different text. It refuses the change
// if there is none.
func (c *change) nextEscape() {
	for i := c.current + 1; i < len(c.escapes); i++ {
		if text := c.escapes[i](c.ref); !slices.ContainsFunc(c.escapes[:i], func(e escape) bool { return e(c.ref) == text }) {
			c.current = i
			return
		}
	}
	if len(c.links) == 0 {
		c.err = errors.New("it would change how the links of the document are read")
		return
	}
	c.err = errors.New("it cannot be written there in a form that is read as " + c.ref)
}

// sameLink reports whether a link is unchanged, except for the requested reference if c is
// not nil.
func sameLink(was, is *extract.Link, c *change) bool {
	ref := was.Ref
	if c != nil {
		ref = c.ref
	}
	return is.Ref == ref && sameBase(was, is) && is.Element == was.Element && is.Attribute == was.Attribute &&
		is.Kind == was.Kind && is.Ignored == was.Ignored
}

// sameBase reports whether two links resolve against the same base. Absolute references
// always do, which matters for feeds, where the URL of an item is the base of the links in
// its text.
func sameBase(was, is *extract.Link) bool {
	return was.Base == is.Base || isAbsolute(was.Ref) && isAbsolute(is.Ref)
}

// isAbsolute reports whether a reference has a scheme and a host.
func isAbsolute(ref string) bool {
	r := urinorm.Split(ref)
	return r.Scheme.Defined && r.Host.Defined
}
