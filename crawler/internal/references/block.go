package references

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// Only a few in a thousand references of a site are shown. If a page is a file, which can
// be read again, its plain links are kept bare (extract.Input.Bare): neither their
// positions nor their texts are computed or stored, unless the forecast says that they
// will be shown. Bare references that turn out to be shown later are read again from the
// file (verdicts/reread.go), which must not have changed. The same holds for the names of
// anchors: hashes are enough unless a name is suggested.

// block is the encoder for the references of one page.
type block struct {
	links    frontier.Links
	encoded  []byte
	count    int    // of the links in encoded, 0 if they are not encoded
	kept     []byte // the encoded references of a page that was taken over, until one is added
	bare     bool   // links may be bare
	doc      *extract.Document
	body     []byte // of the document, if links may be bare
	again    extract.Rereader
	reading  bool   // again is at that document
	fragment []byte // memory
}

// begin begins a document. If the body is not nil, its links may be bare.
func (b *block) begin(doc *extract.Document, body []byte) {
	b.doc, b.bare, b.body, b.reading = doc, body != nil, body, false
	b.count, b.kept = 0, nil
	b.links.Reset(b.bare)
}

// releaseBody ends the use of the body.
func (b *block) releaseBody() {
	b.body = nil
	if b.reading {
		b.again.Reset(nil)
	}
}

// write writes a whole reference. Repeats has the meaning of frontier.Link.Repeats.
func (b *block) write(l *extract.Link, r *reference, fragment []byte, repeats int) {
	b.links.Add(&frontier.Link{Target: r.Target, Fragment: fragment, HasFragment: r.HasFragment, Hash: r.Hash, Mark: r.Mark,
		Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: scope.Shorten(l.Raw), Text: l.Text,
		Repeats: repeats, SameText: repeats > 0 && l.Text == r.text})
}

// addBare writes a link of a document that was read bare: r is the reference of the link,
// or of the link that it repeats.
func (b *block) addBare(l *extract.Link, r *reference, fragment []byte, shown shownAs) {
	if l.Tag != 0 && r.staysBare(shown) {
		if !needsText(fragment) {
			fragment = nil
		}
		b.links.AddBare(&r.Brief, l.Tag, fragment)
		return
	}
	if l.Tag != 0 {
		b.complete(l)
	}
	if r.written > 0 {
		b.write(l, r, fragment, r.written)
		return
	}
	if r.HasFragment && fragment == nil { // it repeats a bare link
		b.fragment = append(b.fragment[:0], scope.FragmentOf(l.Raw)...)
		fragment = b.fragment
	}
	r.written, r.text = b.links.Written()+1, l.Text
	b.write(l, r, fragment, 0)
}

// addRepeat writes a link of a document that was read bare. It repeats the link first,
// whose reference is r.
func (b *block) addRepeat(first *extract.Link, repeat extract.BareRepeat, r *reference, shown shownAs) {
	if r.staysBare(shown) {
		b.links.AddBare(&r.Brief, repeat.Tag, nil)
		return
	}
	l := *first
	l.Tag, l.Repeats = repeat.Tag, int(repeat.First)+1
	b.addBare(&l, r, nil, shown)
}

// complete reads the position and the text of a bare link.
func (b *block) complete(l *extract.Link) {
	if !b.reading {
		b.again.ResetTo(b.doc, b.body)
		b.reading = true
	}
	found, _ := b.again.Link(l.Tag) // the same body has it
	l.Line, l.Column, l.Text = found.Line, found.Column, found.Text
}

// encode returns the encoded references.
func (b *block) encode() []byte {
	if b.kept != nil {
		return b.kept
	}
	if n := b.links.Len(); n == 0 || n != b.count {
		b.encoded, b.count = b.links.Encode(b.encoded[:0]), n
	}
	return b.encoded
}

// reopen makes the references that were taken over ones to which others can be added.
func (b *block) reopen() error {
	if b.kept == nil {
		return nil
	}
	err := b.links.Load(b.kept)
	b.kept = nil
	return err
}

// staysBare reports whether a bare link needs no more than its brief.
func (r *reference) staysBare(shown shownAs) bool {
	return r.plain && shown != shownAll && (shown == notShown || r.HasFragment)
}

// plainMarks are the marks of a link that has no finding of its own.
const plainMarks = scope.MarkExpect | scope.MarkForm | scope.MarkAside | scope.MarkChanged

// isPlain reports whether a link may be bare: it has no finding of its own, and its
// fragment is stored as it is written.
func isPlain(l *extract.Link, r *reference, fragment []byte) bool {
	return r.Mark&^plainMarks == 0 && (!r.HasFragment || frontier.EndsInFragment(l.Raw, fragment))
}

// needsText reports whether the hash of an existing fragment may not be found among the
// anchors, because the fragment must be decoded or is a range of lines.
func needsText(fragment []byte) bool {
	n := len(fragment)
	return n > 0 && (bytes.IndexByte(fragment, '%') >= 0 || isDigit(fragment[n-1]) && bytes.IndexByte(fragment, '-') > 0)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
