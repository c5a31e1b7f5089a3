package references

import (
	"bytes"
	"context"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// Of the references of a site a few in a thousand are shown. Where a page is a file, which
// can be read once more, its plain links are bare (extract.Input.Bare): where they are
// and what their text is is neither looked for nor kept, unless it is known when the page
// is read that they will be shown. What turns out to be shown later is read again from the
// file (verdicts/reread.go), which must not have changed. So are the names of its anchors,
// of which the hashes are enough unless one is to be suggested.

// bareLinks is the state of a page whose links may be bare.
type bareLinks struct {
	on      bool
	body    []byte // of the document at hand
	again   extract.Rereader
	reading bool // again is at that document
}

// MayBeBare reports whether the links of a document may be bare: those of a file that is
// as long as it said, which those of /proc are not.
func (e *Env) MayBeBare(resp *fetch.Response, body []byte) bool {
	return e.Forecast != nil && resp.LocalFile() != "" && len(resp.Header) == 0 && resp.Size == int64(len(body))
}

// ReadBare begins a document whose links may be bare; with nil, one whose links are whole.
func (p *Page) ReadBare(body []byte) {
	b := &p.bare
	b.on, b.body, b.reading = body != nil, body, false
	p.items.forecast = nil
	if b.on {
		p.items.forecast = p.Forecast
	}
	p.links.Reset(b.on)
}

// ReleaseBody says that the body is not valid any more: all links have been added.
func (p *Page) ReleaseBody() {
	p.bare.body = nil
	if p.bare.reading {
		p.bare.again.Reset(nil)
	}
}

// staysBare reports whether nothing else needs to be known of a link that is bare.
func (p *Page) staysBare(r *reference) bool {
	shown := p.items.shown[r.Target]
	return r.plain && shown != shownAll && (shown == notShown || r.HasFragment)
}

// addRepeat keeps a link of a document that was read bare which repeats the first.
func (p *Page) addRepeat(first *extract.Link, repeat extract.BareRepeat) {
	r := &p.seen[repeat.First]
	if p.staysBare(r) {
		p.links.AddBare(&r.Brief, repeat.Tag, nil)
		return
	}
	l := *first
	l.Tag, l.Repeats = repeat.Tag, int(repeat.First)+1
	p.addBare(&l, r, nil)
}

// addBare keeps a link of a document that was read bare. r is what it came to, or the
// link that it repeats.
func (p *Page) addBare(l *extract.Link, r *reference, fragment []byte) {
	if l.Tag != 0 && p.staysBare(r) {
		if !needsText(fragment) {
			fragment = nil
		}
		p.links.AddBare(&r.Brief, l.Tag, fragment)
		return
	}
	if l.Tag != 0 {
		p.complete(l)
	}
	if r.written > 0 {
		p.write(l, r, fragment, r.written)
		return
	}
	if r.HasFragment && fragment == nil { // it repeats a bare one
		p.buf = append(p.buf[:0], rules.FragmentOf(l.Raw)...)
		fragment = p.buf
	}
	r.written, r.text = p.links.Written()+1, l.Text
	p.write(l, r, fragment, 0)
}

// complete reads what was left out of a bare link.
func (p *Page) complete(l *extract.Link) {
	b := &p.bare
	if !b.reading {
		b.again.ResetTo(&p.Document, b.body)
		b.reading = true
	}
	found, _ := b.again.Link(l.Tag) // which was found there before
	l.Line, l.Column, l.Text = found.Line, found.Column, found.Text
}

// plainMarks are the marks of a link that is shown because of its target, if at all.
const plainMarks = rules.MarkExpect | rules.MarkForm | rules.MarkAside | rules.MarkChanged

// isPlain reports whether a link may be bare: it has no finding of its own, and its
// fragment is as it is written.
func isPlain(l *extract.Link, r *reference, fragment []byte) bool {
	return r.Mark&^plainMarks == 0 && (!r.HasFragment || frontier.EndsInFragment(l.Raw, fragment))
}

// needsText reports whether a fragment that is there may not be found by its hash: it has
// to be decoded, or is a range of lines.
func needsText(fragment []byte) bool {
	n := len(fragment)
	return n > 0 && (bytes.IndexByte(fragment, '%') >= 0 || isDigit(fragment[n-1]) && bytes.IndexByte(fragment, '-') > 0)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Foresee looks ahead to what will be shown of the targets that were found, whose IDs
// these are, where links may be bare.
func (p *Page) Foresee(ctx context.Context, ids []frontier.ID) {
	if p.bare.on {
		p.Forecast.Found(ctx, p.items.list, ids)
	}
}
