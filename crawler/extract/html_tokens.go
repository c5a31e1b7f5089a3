package extract

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// event is one thing in a document's markup.
type event uint8

const (
	eventEnd event = iota // of the document
	eventText
	eventStartTag
	eventEndTag
	eventComment // also a doctype and what else is no text and no tag
	eventNothing // what the reader does not ask for
)

// skipping says what a reader does not ask for, as long as it reads content that
// is shown.
type skipping uint8

const (
	skipNothing skipping = iota
	// skipTags leaves out start tags without a role and without an attribute that means
	// something then, and end tags of elements that the reader does not keep track of.
	skipTags
	// skipText leaves out text too.
	skipText
)

// tokens cuts a document into events, each with its place. What is in text, a tag
// or a comment is not copied; it is doc[start:end].
//
// Two read for it. Ordinary markup, which is nearly all there is, is read in place
// by the scanner (html_scanner.go). All else goes to the tokenizer of
// golang.org/x/net/html, one event at a time: quotes, signs and NULs where none
// belong, what is begun and never ended, comments and scripts within which
// something looks like their end, CDATA sections. The scanner gives no answer but
// the tokenizer's; tests hold that on documents of every kind.
type tokens struct {
	doc        []byte
	start, end int // of the event
	// selfClosing tells of a start tag whether it ends with "/>".
	selfClosing bool
	// tag is the last start tag.
	tag startTag
	// endName is the name of an end tag.
	endName span
	// skip says what the reader does not ask for: those events may be left out.
	skip skipping

	// textTag names the element whose content, up to its end tag, comes next and
	// is text; empty where markup comes.
	textTag string
	cdata   bool // <![CDATA[ begins text

	reader    bytes.Reader
	tokenizer *html.Tokenizer // reads the rest of the document
	handed    int             // events that the tokenizer read
	// reference lets the tokenizer read everything: what the scanner is held against.
	reference bool
}

// Handing one event over costs some kilobytes of copying, so a document that is
// odd in many places goes to the tokenizer as a whole, from there on.
const (
	oddPlaces  = 4    // that are handed over one by one anywhere
	oddPerByte = 4096 // and one more for so many bytes read
)

func (t *tokens) reset(doc []byte) {
	t.doc = doc
	t.start, t.end = 0, 0
	t.skip, t.textTag, t.cdata = skipNothing, "", false
	t.tokenizer, t.handed = nil, 0
	t.tag.doc = doc
	t.tag.clean = false
}

// release forgets the document.
func (t *tokens) release() {
	t.doc, t.tag.doc, t.tokenizer = nil, nil, nil
	t.reader.Reset(nil)
}

// next steps to the next event. A tag that the end of the document cuts off is
// none, as in browsers.
func (t *tokens) next() event {
	t.start = t.end
	if t.tokenizer != nil {
		return t.tokenized()
	}
	if t.reference {
		return t.handOver()
	}
	return t.scan()
}

// inPlace reports whether the scanner will read the next event.
func (t *tokens) inPlace() bool { return t.tokenizer == nil && !t.reference }

// handOver lets the tokenizer read the event that begins at start.
func (t *tokens) handOver() event { return t.handOverIn("") }

// handOverIn is handOver inside an element whose content is text: the tokenizer
// reads its start tag first.
func (t *tokens) handOverIn(element string) event {
	t.reader.Reset(t.doc[t.start:])
	if element == "" {
		t.tokenizer = html.NewTokenizer(&t.reader)
	} else {
		t.tokenizer = html.NewTokenizer(io.MultiReader(strings.NewReader("<"+element+">"), &t.reader))
		t.tokenizer.Next()
	}
	t.tokenizer.AllowCDATA(t.cdata)
	t.handed++
	e := t.tokenized()
	if !t.reference && t.handed <= oddPlaces+t.start/oddPerByte {
		t.tokenizer = nil
	}
	return e
}

// tokenized is next, by the tokenizer.
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
		// The tokenizer takes a solidus for the tag's that ends a value, where that is
		// the second one of its name.
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

// raw is the source of the event.
func (t *tokens) raw() []byte { return t.doc[t.start:t.end] }

// contentIsMarkup says of the start tag just read that markup follows, where the
// tokenizer by itself takes the content for text: in noscript, and in SVG and
// MathML, whose title, style and script elements are like any other.
func (t *tokens) contentIsMarkup() {
	t.textTag = ""
	if t.tokenizer != nil {
		t.tokenizer.NextIsNotRawText()
	}
}

// allowCDATA says whether <![CDATA[ begins text, as it does in SVG and MathML.
func (t *tokens) allowCDATA(allow bool) {
	t.cdata = allow
	if t.tokenizer != nil {
		t.tokenizer.AllowCDATA(allow)
	}
}
