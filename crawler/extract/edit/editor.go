// Package edit changes references of a document where they stand, byte for byte: an
// [Editor] writes them anew, and [CleanNetscape] leaves bookmarks out of a bookmark file.
// Package extract reads the documents.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Editor changes references of a document where they stand and nothing else.
//
// What it writes it reads again before it gives it out: the changed document must
// hold the same links in the same order, the changed ones with the references that
// were asked for. So how a reference is escaped in an attribute, a style sheet, a
// Markdown destination or a JSON string need not be known of each place; the ways
// that a format has are tried in their order (escapes.go), and a change that none of them
// brings about is refused.
type Editor struct {
	in      extract.Input
	text    []byte // decoded
	charset string
	doc     *extract.Document
	at      map[Place][]int // the links that stand at a place
	changes map[Place]*change
	budget  int // bytes that may be read again
}

// Place is where in a document something stands: Line and Column count as those
// of a Link.
type Place struct{ Line, Column int }

// change is a reference that is to be replaced.
type change struct {
	place Place
	raw   string // as it is written now
	ref   string // what it is to be
	links []int
	off   int // of raw in the text
	// start and end are where it stands in the source, bytes what is written there.
	start, end int
	bytes      []byte
	ways       []escape
	way        int
	err        error
}

// written is the text that takes the place of raw.
func (c *change) written() string { return c.ways[c.way](c.ref) }

// MaxSize is the size of the largest document that is edited, in bytes.
const MaxSize = 64 << 20

// maxRead bounds how much is read again to prove the changes of one document,
// in bytes.
const maxRead = 512 << 20

// New reads a document. Its error says in a sentence why documents of that
// kind are not edited: they are no text, they are kept by a program, or their
// encoding does not let the places of the source be told.
func New(in extract.Input) (*Editor, error) {
	if len(in.Body) > MaxSize {
		return nil, fmt.Errorf("it is longer than %d MiB", MaxSize>>20)
	}
	format, ok := extract.Readable(in.ContentType, in.Name, in.Body)
	if !ok {
		return nil, errors.New("it is of no format that is read for links")
	}
	text, charset, isText := extract.Decode(in)
	if why := unedited(format, isText); why != "" {
		return nil, errors.New(why)
	}
	in.Select, in.IgnoreSelect, in.AnchorsOnly = extract.Selector{}, extract.Selector{}, false
	e := &Editor{in: in, text: text, charset: charset, doc: extract.Extract(in), at: map[Place][]int{}, changes: map[Place]*change{}}
	if _, err := newOffsets(in.Body, e.text, e.charset); err != nil {
		return nil, err
	}
	for i := range e.doc.Links {
		l := &e.doc.Links[i]
		if l.Line > 0 {
			p := Place{l.Line, l.Column}
			e.at[p] = append(e.at[p], i)
		}
	}
	return e, nil
}

// Document is what the document held when it was read.
func (e *Editor) Document() *extract.Document { return e.doc }

// At returns the link whose reference stands at a place, written as raw. It
// reports false when there is no such link any more.
func (e *Editor) At(p Place, raw string) (*extract.Link, bool) {
	for _, i := range e.at[p] {
		if l := &e.doc.Links[i]; l.Raw == raw {
			return l, true
		}
	}
	return nil, false
}

// Change asks for another reference where one that At found stands. Asking twice
// for the same is no error.
func (e *Editor) Change(p Place, ref string) error {
	all := e.at[p]
	if len(all) == 0 {
		return errors.New("there is no link at that place")
	}
	if before := e.changes[p]; before != nil {
		if before.ref != ref {
			return fmt.Errorf("it is to become %s as well", before.ref)
		}
		return nil
	}
	raw := e.doc.Links[all[0]].Raw
	for _, i := range all {
		if l := &e.doc.Links[i]; l.Raw != raw || l.Ref != e.doc.Links[all[0]].Ref {
			return errors.New("it is read as more than one reference")
		}
	}
	if ref == "" || raw == "" {
		return errors.New("an empty reference cannot be told from its surroundings")
	}
	e.changes[p] = &change{place: p, raw: raw, ref: ref, links: all,
		ways: waysFrom(e.doc.Format, raw, e.doc.Links[all[0]].Ref, ref)}
	return nil
}

// Changed is a reference that Apply has replaced, or Err says why not.
type Changed struct {
	Place
	Before, After string // as it is written
	// Start and End are the bytes of the document that Written takes the place of.
	Start, End int
	Written    []byte
	Err        error
}

// Apply returns the document with its changes, and what became of each of them,
// in the order of their places. When none could be made, the body is nil.
func (e *Editor) Apply() (body []byte, all []Changed) {
	pending := make([]*change, 0, len(e.changes))
	for _, c := range e.changes {
		pending = append(pending, c)
	}
	slices.SortFunc(pending, func(a, b *change) int {
		return cmpPlaces(a.place, b.place)
	})
	e.locate(pending)
	body = e.settle(pending)
	for _, c := range pending {
		done := Changed{Place: c.place, Before: c.raw, Err: c.err}
		if c.err == nil {
			done.After = c.written()
			done.Start, done.End, done.Written = c.start, c.end, c.bytes
		}
		all = append(all, done)
	}
	return body, all
}

func cmpPlaces(a, b Place) int {
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Column - b.Column
}

// locate finds the offsets of places, which are sorted, in one pass over the text.
func (e *Editor) locate(pending []*change) {
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
			c.err = errors.New("the text at that place cannot be told from what it stands for")
		case off < end:
			c.err = errors.New("it overlaps with another change")
		default:
			end = off + len(c.raw)
		}
	}
}

// settle tries ways of writing until what is read again is what was asked for. Mostly
// the first ones are; otherwise what is read tells which are not. Where it is out of
// step, each change is tried by itself.
func (e *Editor) settle(pending []*change) []byte {
	e.budget = maxRead
	for {
		left := slices.DeleteFunc(slices.Clone(pending), func(c *change) bool { return c.err != nil })
		if len(left) == 0 {
			return nil
		}
		body, wrong, err := e.proven(left)
		switch {
		case err != nil:
			return e.giveUp(left, err)
		case len(wrong) == 0:
			return body
		case wrong[0] != nil:
			for _, c := range wrong {
				c.nextWay()
			}
		default:
			return e.oneByOne(left)
		}
	}
}

// oneByOne proves each change without the others, and then all that were proven
// together.
func (e *Editor) oneByOne(changes []*change) []byte {
	var good []*change
	for _, c := range changes {
		c.way = 0
		for c.err == nil {
			_, wrong, err := e.proven([]*change{c})
			if err != nil {
				c.err = err
			} else if len(wrong) == 0 {
				good = append(good, c)
				break
			} else {
				c.nextWay()
			}
		}
	}
	if len(good) == 0 {
		return nil
	}
	body, wrong, err := e.proven(good)
	if err == nil && len(wrong) > 0 {
		err = errors.New("what was written could not be read again as it was meant")
	}
	if err != nil {
		return e.giveUp(good, err)
	}
	return body
}

// proven writes changes and reads the document again. It returns those that are not
// read as they were meant, a nil among them where the links are out of step.
func (e *Editor) proven(changes []*change) (body []byte, wrong []*change, err error) {
	body, err = e.rewritten(changes)
	if err != nil {
		return nil, nil, err
	}
	if e.budget -= len(body); e.budget < 0 {
		return nil, nil, errors.New("there are too many changes in it to prove them all")
	}
	in := e.in
	in.Body = body
	return body, e.wrong(changes, extract.Extract(in)), nil
}

// giveUp refuses all changes that were not refused before.
func (e *Editor) giveUp(pending []*change, err error) []byte {
	for _, c := range pending {
		if c.err == nil {
			c.err = err
		}
	}
	return nil
}

// rewritten is the source with its changes.
func (e *Editor) rewritten(changes []*change) ([]byte, error) {
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
		return nil, errors.New("the document would be taken for one of another format")
	}
	if charset != e.charset || !bytes.Equal(again, text) {
		return nil, fmt.Errorf("its encoding, %s, does not let single places be written anew", e.charset)
	}
	return body, nil
}

// wrong compares the links of the changed document with those that are to be.
func (e *Editor) wrong(changes []*change, now *extract.Document) (wrong []*change) {
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
		// What another link's change does to the base of this one is not its own fault.
		if c == nil || !sameBase(&was[i], &is[i]) || was[i].Element != is[i].Element || was[i].Attribute != is[i].Attribute {
			return []*change{nil}
		}
		if !seen[c] {
			seen[c], wrong = true, append(wrong, c)
		}
	}
	return wrong
}

// nextWay goes on to the next way of writing.
func (c *change) nextWay() {
	for i := c.way + 1; i < len(c.ways); i++ {
		if text := c.ways[i](c.ref); !slices.ContainsFunc(c.ways[:i], func(w escape) bool { return w(c.ref) == text }) {
			c.way = i
			return
		}
	}
	c.err = errors.New("it cannot be written there so that it is read as " + c.ref)
}

// sameLink reports whether a link is what it was, or what it was to become.
func sameLink(was, is *extract.Link, c *change) bool {
	ref := was.Ref
	if c != nil {
		ref = c.ref
	}
	return is.Ref == ref && sameBase(was, is) && is.Element == was.Element && is.Attribute == was.Attribute &&
		is.Kind == was.Kind && is.Ignored == was.Ignored
}

// sameBase reports whether two links are resolved alike. An item of a feed is the base
// of what its text links to, which does not matter to a reference that is absolute.
func sameBase(was, is *extract.Link) bool {
	return was.Base == is.Base || isWhole(was.Ref) && isWhole(is.Ref)
}

// isWhole reports whether a reference has all that a base could give it.
func isWhole(ref string) bool {
	r := urinorm.Split(ref)
	return r.Scheme.Defined && r.Host.Defined
}
