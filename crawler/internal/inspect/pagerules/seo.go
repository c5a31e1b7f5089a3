package pagerules

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// The lengths from which texts are too long, in code points.
const (
	longTitle       = 60
	longDescription = 160
)

// title is the first title element of the page.
type title struct {
	open       bool
	start, end int // of the start tag; end is 0 if there is no title
	place      facts.Place
	text       []byte
}

// maxTitle is the length of the part of a title that is read, in bytes.
const maxTitle = 64 << 10

// begin begins the title, if there was none before.
func (x *title) begin(s *source) {
	t := &s.z.Token
	if x.end == 0 {
		x.open, x.start, x.end = true, t.Start, t.End
		x.place = s.place(t.Start)
	}
}

// readDescription returns the content of a description, the zero Text if it is blank.
func readDescription(s *source, content *htmltoken.Attribute) facts.Text {
	s.buffer = appendCollapsed(s.buffer[:0], s.z.Value(content))
	if len(s.buffer) == 0 {
		return facts.Text{}
	}
	text := facts.Text{Place: s.place(content.ValueStart), Hash: facts.Hash(s.buffer), Excerpt: excerpt(s.buffer), Raw: s.raw(content.ValueStart, content.ValueEnd)}
	if n := utf8.RuneCount(s.buffer); n > longDescription {
		s.report(content.ValueStart, judging.Finding{Code: judging.CodeDescriptionLong, Element: "meta", Attribute: "content", Raw: s.raw(content.ValueStart, content.ValueEnd),
			Text: text.Excerpt, Message: fmt.Sprintf("the description has %d characters, more than %d", n, longDescription)})
	}
	return text
}

// reportConflict reports a second canonical link.
func reportConflict(s *source, link facts.Link, offset int) {
	f := judging.Finding{Code: judging.CodeCanonicalConflict, Raw: link.Raw,
		Message: fmt.Sprintf("the page names two canonical addresses: %s and %s", s.facts.Canonicals[0].URL, link.URL)}
	if f.Element, f.Attribute = "link", "href"; offset < 0 {
		f.Element, f.Attribute = "header", "link"
	}
	s.report(offset, f)
}

// endSEO judges title, description and headings.
func (c *Checker) endSEO() {
	s := &c.source
	if s.groups&SEO == 0 {
		return
	}
	if s.document.sendsOn || s.document.script && !s.document.hasText { // scripts write the page, or send the reader on
		s.facts.Description = facts.Text{}
		return
	}
	if s.page.Format == "html" && lacksDoctype(s.page.Text) {
		s.report(0, judging.Finding{Code: judging.CodeDoctypeMissing, Element: "html", Message: "the page does not begin with <!DOCTYPE html>"})
	}
	s.facts.Title = c.title.judge(s)
	if s.facts.Description.Hash == 0 && !s.facts.NoIndex {
		s.report(-1, judging.Finding{Code: judging.CodeDescriptionMissing, Message: "the page has no description"})
	}
	switch h := &c.headings; {
	case h.first == 0 && !h.firstByRole && !s.document.frameset:
		s.report(-1, judging.Finding{Code: judging.CodeH1Missing, Message: "the page has no heading of the first level (h1)"})
	case h.first > 1:
		s.report(h.second, judging.Finding{Code: judging.CodeH1Many, Element: "h1", Text: h.secondText, Raw: h.secondRaw,
			Message: fmt.Sprintf("the page has %d headings of the first level (h1)", h.first)})
	}
}

// lacksDoctype reports whether something other than comments and white space is before the doctype
// of a document, or in place of it. An empty document lacks nothing.
func lacksDoctype(text []byte) bool {
	for {
		text = bytes.TrimLeft(text, " \t\r\n\f")
		comment, end := []byte("<!--"), []byte("-->")
		switch {
		case len(text) == 0:
			return false
		case len(text) >= len("<!doctype") && equalFold(text[:len("<!doctype")], "<!doctype"):
			return false
		case bytes.HasPrefix(text, comment):
			text = text[len("<!"):] // <!--> is a comment, too
		case bytes.HasPrefix(text, []byte("<?")), bytes.HasPrefix(text, []byte("<!")): // browsers read them as comments
			end = []byte(">")
		default:
			return true
		}
		_, rest, closed := bytes.Cut(text, end)
		if !closed {
			return false
		}
		text = rest
	}
}

// judge judges the title, and returns it, the zero Text if it is blank.
func (x *title) judge(s *source) facts.Text {
	s.buffer = appendCollapsed(s.buffer[:0], x.text)
	if len(s.buffer) == 0 {
		f := judging.Finding{Code: judging.CodeTitleMissing, Message: "the page has no title"}
		offset := -1
		if x.end > 0 {
			offset, f.Element, f.Raw, f.Message = x.start, "title", s.raw(x.start, x.end), "the title of the page is empty"
		}
		s.report(offset, f)
		return facts.Text{}
	}
	text := facts.Text{Place: x.place, Hash: facts.Hash(s.buffer), Excerpt: excerpt(s.buffer), Raw: string(cut(s.buffer, maxRaw))}
	if n := utf8.RuneCount(s.buffer); n > longTitle {
		s.report(x.start, judging.Finding{Code: judging.CodeTitleLong, Element: "title", Raw: text.Raw,
			Text: text.Excerpt, Message: fmt.Sprintf("the title has %d characters, more than %d", n, longTitle)})
	}
	return text
}
