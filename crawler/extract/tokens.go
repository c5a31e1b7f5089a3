package extract

import (
	"bytes"

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
)

// tokens cuts a document into events, each with its place: the one file that knows which
// tokenizer is used. What is in text, a tag or a comment is not copied; it is
// doc[start:end].
type tokens struct {
	doc        []byte
	reader     bytes.Reader
	tokenizer  *html.Tokenizer
	start, end int // of the event
	// selfClosing tells of a start tag whether it ends with "/>".
	selfClosing bool
}

func (t *tokens) reset(doc []byte) {
	t.doc = doc
	t.reader.Reset(doc)
	t.tokenizer = html.NewTokenizer(&t.reader)
	t.start, t.end = 0, 0
}

// next steps to the next event. A tag that the end of the document cuts off is
// none, as in browsers.
func (t *tokens) next() event {
	token := t.tokenizer.Next()
	t.start = t.end
	t.end += len(t.tokenizer.Raw())
	switch token {
	case html.ErrorToken:
		return eventEnd
	case html.TextToken:
		return eventText
	case html.StartTagToken, html.SelfClosingTagToken:
		t.selfClosing = token == html.SelfClosingTagToken
		return eventStartTag
	case html.EndTagToken:
		return eventEndTag
	}
	return eventComment
}

// raw is the source of the event.
func (t *tokens) raw() []byte { return t.doc[t.start:t.end] }

// contentIsMarkup says of the start tag just read that markup follows, where the
// tokenizer by itself takes the content for text: in noscript, and in SVG and
// MathML, whose title, style and script elements are like any other.
func (t *tokens) contentIsMarkup() { t.tokenizer.NextIsNotRawText() }

// allowCDATA says whether <![CDATA[ begins text, as it does in SVG and MathML.
func (t *tokens) allowCDATA(allow bool) { t.tokenizer.AllowCDATA(allow) }
