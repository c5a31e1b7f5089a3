package extract

import "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// event is the kind of a markup event.
type event uint8

const (
	eventEnd event = iota // of the document
	eventText
	eventStartTag
	eventEndTag
	eventComment // also a doctype
	eventSkipped // an event that the reader skips
)

// skipping is what a reader can skip while it reads displayed content.
type skipping uint8

const (
	skipNothing skipping = iota
	// skipTags skips start tags that have neither a role nor an attribute with a meaning, and
	// end tags of elements that the reader does not track.
	skipTags
	// skipText also skips text.
	skipText
)

// tokens splits a document into events with positions. The text of an event is not copied; it
// is doc[start:end].
type tokens struct {
	z          htmltoken.Tokenizer
	doc        []byte
	start, end int // offsets of the event
	// tag is the last start tag.
	tag startTag
	// endName is the span of the name of an end tag.
	endName span
	// skip is what the reader does not need. Such events may be omitted.
	skip skipping

	// marks are the offsets from Input.Outline. Those before mark are behind the current event.
	marks []int32
	mark  int

	// slowPath makes the tokenizer read everything. Tests compare the fast paths with that.
	slowPath bool
}

func (t *tokens) reset(doc []byte) {
	t.doc = doc
	t.start, t.end = 0, 0
	t.skip, t.marks, t.mark = skipNothing, nil, 0
	t.tag.doc = doc
	t.tag.clean = false
	t.z.Reset(doc, false)
	t.z.OmitReferences = true
}

// release drops the references to the document.
func (t *tokens) release() {
	t.doc, t.tag.doc, t.marks = nil, nil, nil
	t.z.Reset(nil, false)
}

// next moves to the next event. As in browsers, a tag truncated by the end of the document is
// ignored.
func (t *tokens) next() event {
	skips := t.skip != skipNothing && !t.slowPath && t.z.AtMarkup()
	if skips {
		t.end = t.skim(t.end, t.skip == skipTags)
	}
	t.z.Pos = t.end
	if !t.z.Next() {
		t.start, t.end = len(t.doc), len(t.doc)
		return eventEnd
	}
	token := &t.z.Token
	t.start, t.end = token.Start, token.End
	switch token.Kind {
	case htmltoken.Text, htmltoken.CDATA:
		return eventText
	case htmltoken.StartTag:
		t.tag.read(token)
		if skips && t.tag.meansNothing() {
			return eventSkipped
		}
		return eventStartTag
	case htmltoken.EndTag:
		t.endName = span{token.Start + len("</"), token.NameEnd}
		if skips && closesNothing(t.endName) {
			return eventSkipped
		}
		return eventEndTag
	}
	return eventComment
}

// closesNothing reports whether no end tag with a name of this length closes an element that
// the reader tracks: a, form, template, noscript, frameset.
func closesNothing(name span) bool {
	n := name.end - name.start
	return n != len("a") && n != len("form") && n != len("template")
}

// raw returns the source text of the event.
func (t *tokens) raw() []byte { return t.doc[t.start:t.end] }
