package extract

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// event is the kind of a markup event.
type event uint8

const (
	eventEnd event = iota // of the document
	eventText
	eventStartTag
	eventEndTag
	eventComment // also a doctype and anything else that is neither text nor a tag
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
//
// There are two parsers. The scanner (html_scanner.go) reads ordinary markup in place, which
// is nearly everything. The rest goes to the tokenizer of golang.org/x/net/html, one event at
// a time: misplaced quotes, special characters and NULs, constructs that are never closed,
// comments and scripts that contain something like their end, CDATA sections. The scanner
// gives the same results as the tokenizer; tests check that on documents of every kind.
type tokens struct {
	doc        []byte
	start, end int // offsets of the event
	// selfClosing reports whether a start tag ends with "/>".
	selfClosing bool
	// tag is the last start tag.
	tag startTag
	// endName is the span of the name of an end tag.
	endName span
	// skip is what the reader does not need. Such events may be omitted.
	skip skipping

	// textTag is the name of the element whose content comes next and is text, up to the end
	// tag. It is empty if markup comes next.
	textTag string
	cdata   bool // <![CDATA[ starts text

	// marks are the offsets from Input.Outline. Those before mark are behind the current event.
	marks []int32
	mark  int

	reader    bytes.Reader
	tokenizer *html.Tokenizer // reads the rest of the document
	handovers int             // number of events that the tokenizer read
	// slowPath makes the tokenizer read everything. Tests compare the scanner with that.
	slowPath bool
}

// Handing over one event copies some kilobytes. A document with unusual markup in many places
// is therefore handed over completely from some point on.
const (
	freeHandovers    = 4    // events handed over one by one in any document
	bytesPerHandover = 4096 // one more event for this number of bytes read
)

func (t *tokens) reset(doc []byte) {
	t.doc = doc
	t.start, t.end = 0, 0
	t.skip, t.textTag, t.cdata, t.marks, t.mark = skipNothing, "", false, nil, 0
	t.tokenizer, t.handovers = nil, 0
	t.tag.doc = doc
	t.tag.clean = false
}

// release drops the references to the document.
func (t *tokens) release() {
	t.doc, t.tag.doc, t.tokenizer, t.marks = nil, nil, nil, nil
	t.reader.Reset(nil)
}

// next moves to the next event. As in browsers, a tag truncated by the end of the document is
// ignored.
func (t *tokens) next() event {
	t.start = t.end
	if t.tokenizer != nil {
		return t.tokenized()
	}
	if t.slowPath {
		return t.handOver()
	}
	return t.scan()
}

// inPlace reports whether the scanner will read the next event.
func (t *tokens) inPlace() bool { return t.tokenizer == nil && !t.slowPath }

// handOver makes the tokenizer read the event that starts at start.
func (t *tokens) handOver() event { return t.handOverIn("") }

// handOverIn is handOver inside an element whose content is text. The tokenizer reads a start
// tag of that element first.
func (t *tokens) handOverIn(element string) event {
	t.marks = nil // others may read what follows in another way
	t.reader.Reset(t.doc[t.start:])
	if element == "" {
		t.tokenizer = html.NewTokenizer(&t.reader)
	} else {
		t.tokenizer = html.NewTokenizer(io.MultiReader(strings.NewReader("<"+element+">"), &t.reader))
		t.tokenizer.Next()
	}
	t.tokenizer.AllowCDATA(t.cdata)
	t.handovers++
	e := t.tokenized()
	if !t.slowPath && t.handovers <= freeHandovers+t.start/bytesPerHandover {
		t.tokenizer = nil
	}
	return e
}

// tokenized is next for the tokenizer.
func (t *tokens) tokenized() event {
	token := t.tokenizer.Next()
	t.end = t.start + len(t.tokenizer.Raw())
	t.textTag = ""
	switch token {
	case html.ErrorToken:
		t.start, t.end = len(t.doc), len(t.doc)
		return eventEnd
	case html.TextToken:
		return eventText
	case html.StartTagToken, html.SelfClosingTagToken:
		// If an attribute is repeated, the tokenizer takes a slash at the end of the second
		// value for that of the tag.
		t.selfClosing = t.tag.read(t.start, t.end)
		t.textTag = t.tag.element.textTag
		return eventStartTag
	case html.EndTagToken:
		t.endName = tagName(t.raw())
		t.endName.start += t.start
		t.endName.end += t.start
		return eventEndTag
	}
	return eventComment
}

// raw returns the source text of the event.
func (t *tokens) raw() []byte { return t.doc[t.start:t.end] }

// contentIsMarkup declares that markup follows the current start tag where the tokenizer
// would expect text: in noscript, and in SVG and MathML, whose title, style and script
// elements are like any other element.
func (t *tokens) contentIsMarkup() {
	t.textTag = ""
	if t.tokenizer != nil {
		t.tokenizer.NextIsNotRawText()
	}
}

// allowCDATA sets whether <![CDATA[ starts text, as it does in SVG and MathML.
func (t *tokens) allowCDATA(allow bool) {
	t.cdata = allow
	if !allow && t.marks != nil && t.nextMark(t.start) != t.start {
		t.marks = nil // others took other elements for SVG and MathML
	}
	if t.tokenizer != nil {
		t.tokenizer.AllowCDATA(allow)
	}
}
