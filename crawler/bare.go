package crawler

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// Of the references of a site a few in a thousand are shown. Where a page is a file, which
// can be read once more, its plain links are bare (extract.Input.Bare): it is neither
// looked for nor kept where they stand and what their text is, unless it is known when the
// page is read that they will be shown. What turns out to be shown later is read again
// from the file, which must be the same still. So are the names of its anchors, of which
// the hashes are enough unless one is to be suggested. Which links will be shown is the
// matter of forecast.go, and reading them again that of reread.go.

// bare reports whether the links of a document may be bare: a file that is as long as
// it said, which those of /proc are not.
func (w *worker) bare(resp *fetch.Response, body []byte) bool {
	c := w.cfg
	return c.ReadAgain && !c.Show.OK && !c.Show.Skipped && !c.Pages && !c.Stream && c.Changed == nil && w.earlier == nil &&
		!w.frontier.Durable() && resp.LocalFile() != "" && len(resp.Header) == 0 && resp.Size == int64(len(body))
}

// readsBare begins a page: its links may be bare when its body is given.
func (f *findings) readsBare(body []byte) {
	f.bare, f.body, f.reread = body != nil, body, false
	f.links.Reset(f.bare)
}

// bodyGoes takes note that the body is another's from now on: all links have been added.
func (f *findings) bodyGoes() {
	f.body = nil
	if f.reread {
		f.again.Reset(nil)
	}
}

// staysBare reports whether nothing else is to be known of a link that is bare.
func (f *findings) staysBare(s *said) bool {
	shown := f.shown[s.Target]
	return s.plain && shown != shownAll && (shown == notShown || s.HasFragment)
}

// addRepeat keeps a link of a document that was read bare which repeats the first.
func (f *findings) addRepeat(first *extract.Link, again extract.BareRepeat) {
	s := &f.said[again.First]
	if f.staysBare(s) {
		f.links.AddBare(&s.Brief, again.Tag, nil)
		return
	}
	l := *first
	l.Tag, l.Repeats = again.Tag, int(again.First)+1
	f.fragment = nil
	f.addBare(&l, s)
}

// addBare keeps a link of a document that was read bare. s is what was said of it, or of
// the link that it repeats.
func (f *findings) addBare(l *extract.Link, s *said) {
	if l.Tag != 0 && f.staysBare(s) {
		if !isWayward(f.fragment) {
			f.fragment = nil
		}
		f.links.AddBare(&s.Brief, l.Tag, f.fragment)
		return
	}
	if l.Tag != 0 {
		f.fillIn(l)
	}
	if s.number > 0 {
		f.write(l, s, s.number)
		return
	}
	if s.HasFragment && f.fragment == nil { // it repeats a bare one
		f.href = append(f.href[:0], rules.FragmentOf(l.Raw)...)
		f.fragment = f.href
	}
	s.number, s.text = f.links.Written()+1, l.Text
	f.write(l, s, 0)
}

// fillIn reads what was left out of a bare link.
func (f *findings) fillIn(l *extract.Link) {
	if !f.reread {
		f.again.ResetTo(&f.doc, f.body)
		f.reread = true
	}
	found, _ := f.again.Link(l.Tag) // which was found there before
	l.Line, l.Column, l.Text = found.Line, found.Column, found.Text
}

// barely is a mark of a link that is shown for its target's sake alone, if at all.
const barely = rules.MarkExpect | rules.MarkForm | rules.MarkAside | rules.MarkChanged

// isPlain reports whether a link may be bare: it has no finding of its own, and its
// Fragment is as it is written.
func isPlain(l *extract.Link, s *said, fragment []byte) bool {
	return s.Mark&^barely == 0 && (!s.HasFragment || frontier.EndsInFragment(l.Raw, fragment))
}

// isWayward reports whether a fragment that is there may not be found by its hash: it
// has to be decoded, or is a range of lines.
func isWayward(fragment []byte) bool {
	n := len(fragment)
	return n > 0 && (bytes.IndexByte(fragment, '%') >= 0 || isDigit(fragment[n-1]) && bytes.IndexByte(fragment, '-') > 0)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
