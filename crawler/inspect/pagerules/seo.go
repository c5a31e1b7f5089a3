package pagerules

import (
	"fmt"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"
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
	text       []byte
}

// maxTitle is the length of the part of a title that is read, in bytes.
const maxTitle = 64 << 10

func (c *Checker) startTitle(t *htmltoken.Token) {
	if c.title.end == 0 {
		c.title.open, c.title.start, c.title.end = true, t.Start, t.End
		c.Facts.Title.Place = c.place(t.Start)
	}
}

// description reads the content of a description. The first one that is not blank counts.
func (c *Checker) description(content *htmltoken.Attribute) {
	if c.Facts.Description.Hash != 0 {
		return
	}
	c.buffer = appendCollapsed(c.buffer[:0], c.z.Value(content))
	if len(c.buffer) == 0 {
		return
	}
	c.Facts.Description = facts.Text{Place: c.place(content.ValueStart), Hash: facts.Hash(c.buffer), Excerpt: excerpt(c.buffer)}
	if n := utf8.RuneCount(c.buffer); n > longDescription {
		c.report(content.ValueStart, check.Finding{Code: check.CodeDescriptionLong, Element: "meta", Attribute: "content", Raw: c.raw(content.ValueStart, content.ValueEnd),
			Text: c.Facts.Description.Excerpt, Message: fmt.Sprintf("the description has %d characters, more than %d", n, longDescription)})
	}
}

func (c *Checker) canonicalConflict(link facts.Link, offset int) {
	f := check.Finding{Code: check.CodeCanonicalConflict, Raw: link.Raw,
		Message: fmt.Sprintf("the page names two canonical addresses: %s and %s", c.Facts.Canonicals[0].URL, link.URL)}
	if f.Element, f.Attribute = "link", "href"; offset < 0 {
		f.Element, f.Attribute = "header", "link"
	}
	c.report(offset, f)
}

// endSEO judges title, description and headings.
func (c *Checker) endSEO() {
	if c.groups&SEO == 0 {
		return
	}
	if c.document.sendsOn {
		c.Facts.Title, c.Facts.Description = facts.Text{}, facts.Text{}
		return
	}
	c.endTitle()
	if c.Facts.Description.Hash == 0 && !c.Facts.NoIndex {
		c.report(-1, check.Finding{Code: check.CodeDescriptionMissing, Message: "the page has no description"})
	}
	switch h := &c.headings; {
	case h.first == 0 && !c.document.frameset:
		c.report(-1, check.Finding{Code: check.CodeH1Missing, Message: "the page has no heading of the first level (h1)"})
	case h.first > 1:
		c.report(h.second, check.Finding{Code: check.CodeH1Many, Element: "h1", Text: h.secondText, Raw: h.secondRaw,
			Message: fmt.Sprintf("the page has %d headings of the first level (h1)", h.first)})
	}
}

func (c *Checker) endTitle() {
	c.buffer = appendCollapsed(c.buffer[:0], c.title.text)
	if len(c.buffer) == 0 {
		c.Facts.Title = facts.Text{}
		f := check.Finding{Code: check.CodeTitleMissing, Message: "the page has no title"}
		offset := -1
		if c.title.end > 0 {
			offset, f.Element, f.Raw, f.Message = c.title.start, "title", c.raw(c.title.start, c.title.end), "the title of the page is empty"
		}
		c.report(offset, f)
		return
	}
	c.Facts.Title.Hash, c.Facts.Title.Excerpt = facts.Hash(c.buffer), excerpt(c.buffer)
	if n := utf8.RuneCount(c.buffer); n > longTitle {
		c.report(c.title.start, check.Finding{Code: check.CodeTitleLong, Element: "title", Raw: string(cut(c.buffer, maxRaw)),
			Text: c.Facts.Title.Excerpt, Message: fmt.Sprintf("the title has %d characters, more than %d", n, longTitle)})
	}
}
