// Package pagerules looks at one HTML page for the groups seo, images, security, i18n,
// duplicates and accessibility. It returns findings, and facts by which the page is compared
// with others later (packages facts and pairs).
//
// A [Checker] takes the tokens of a page one by one, so that one pass over them can serve other
// checks as well:
//
//	checker.Reset(p, groups)
//	tokens.Reset(p.Text, false)
//	for tokens.Next() {
//		checker.Token(&tokens)
//	}
//	checker.End(visible)
//
// Each group has a file. What several of them look at has one, too:
//
//	checker.go  the pass over the tokens          seo.go            titles, headings of the first level
//	groups.go   which group looks at what         images.go         img, area, og:image
//	region.go   what is hidden from readers       security.go       scripts, forms, headers of the answer
//	name.go     the text of links and headings    i18n.go           languages
//	meta.go     meta elements                     duplicates.go     the fingerprint of the text
//	links.go    link elements, the header Link    accessibility.go  labels, names of links, the order of headings
//
// The page is taken as a browser with scripting shows it: the content of noscript and template
// is not looked at. A page that sends its reader on at once is judged only by what holds for
// redirects, too: nobody reads it.
package pagerules

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/inspect/visible"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Checker looks at one page after the other. The zero value is ready for Reset. It allocates
// nothing for pages without findings once its buffers have grown, apart from the strings of
// the facts.
type Checker struct {
	// Findings are those of the page, valid from End to the next Reset. At most
	// check.MaxFindings are kept.
	Findings []check.Finding
	// Facts are those of the page, valid from End to the next Reset.
	Facts facts.Page

	page    *page.Page
	groups  Groups
	z       *htmltoken.Tokenizer
	address address
	found   []found
	buffer  []byte // a text with white space collapsed

	unseen    unseen // templates and the like
	hidden    region // what is not shown, or hidden from assistive technology
	concealed bool   // the current start tag is of a hidden element, or within one

	document  document
	title     title
	headings  headings
	link      link
	pictures  pictures
	forms     forms
	hreflangs hreflangs
	labels    labels
}

// found is a finding whose place is still an offset; -1 if it has none.
type found struct {
	offset  int
	finding check.Finding
}

// document is what the start of a page says about all of it.
type document struct {
	html                   bool // there is an html element
	langMissing            bool // it has no language; its start tag is at htmlStart
	htmlStart, htmlEnd     int
	frameset               bool // the page consists of frames
	sendsOn                bool // a meta element refreshes the page with another one at once
	hasOGImage             bool
	hasPolicy, hasReferrer bool // meta elements in place of headers
}

// Reset begins a page, whose tokens must follow.
func (c *Checker) Reset(p *page.Page, groups Groups) {
	clear(c.found)
	*c = Checker{
		Findings: c.Findings[:0], page: p, groups: groups, found: c.found[:0], buffer: c.buffer[:0],
		Facts: facts.Page{Canonicals: c.Facts.Canonicals[:0], Alternates: c.Facts.Alternates[:0], Images: c.Facts.Images[:0], Integrities: c.Facts.Integrities[:0]},
		title: title{text: c.title.text[:0]}, link: link{name: c.link.name.reset()}, headings: headings{name: c.headings.name.reset()},
		labels: labels{controls: c.labels.controls[:0], targets: c.labels.targets[:0]},
	}
	c.address = addressOf(p)
	c.Facts.URL = c.address.printed
}

// Token looks at the current token of the page.
func (c *Checker) Token(z *htmltoken.Tokenizer) {
	t := &z.Token
	switch t.Kind {
	case htmltoken.Text, htmltoken.CDATA:
		if (c.title.open || c.link.open || c.headings.open) && !c.unseen.open {
			c.z = z
			c.readText()
		}
	case htmltoken.StartTag:
		c.z = z
		c.startTag(t)
	case htmltoken.EndTag:
		c.z = z
		c.endTag(t)
	}
}

func (c *Checker) startTag(t *htmltoken.Token) {
	if c.unseen.start(t) {
		return
	}
	e := t.Element
	wanted := lookedAt[e] & c.groups
	if c.groups&needHidden != 0 {
		c.hidden.startTag(t)
		c.concealed = c.hidden.open
		if len(t.Attributes) > 0 {
			c.globalAttributes(t)
		}
	}
	if c.link.open {
		c.withinLink(t)
	}
	if wanted == 0 || t.Foreign {
		return
	}
	switch e {
	case htmltoken.HTML:
		c.htmlElement(t)
	case htmltoken.Frameset:
		c.document.frameset = true
	case htmltoken.Title:
		c.startTitle(t)
	case htmltoken.Meta:
		c.meta(t)
	case htmltoken.Link:
		c.linkElement(t)
	case htmltoken.H1, htmltoken.H2, htmltoken.H3, htmltoken.H4, htmltoken.H5, htmltoken.H6:
		c.startHeading(t)
	case htmltoken.A:
		c.startLink(t)
	case htmltoken.Img, htmltoken.Image:
		c.image(t)
	case htmltoken.Area:
		c.area(t)
	case htmltoken.Picture, htmltoken.Source:
		c.pictures.inPicture = true
	case htmltoken.Script:
		c.script(t)
	case htmltoken.Form:
		c.form(t)
	case htmltoken.Button, htmltoken.Input, htmltoken.Select, htmltoken.Textarea:
		c.control(t)
	case htmltoken.Label:
		c.label(t)
	case htmltoken.Iframe, htmltoken.Frame:
		c.frame(t)
	}
}

func (c *Checker) endTag(t *htmltoken.Token) {
	if c.unseen.end(t) {
		return
	}
	c.hidden.endTag(t)
	c.link.inStyle = false
	if t.Foreign {
		return
	}
	switch t.Element {
	case htmltoken.A:
		c.endLink()
	case htmltoken.H1, htmltoken.H2, htmltoken.H3, htmltoken.H4, htmltoken.H5, htmltoken.H6:
		c.endHeading()
	case htmltoken.Title:
		c.title.open = false
	case htmltoken.Picture:
		c.pictures.inPicture = false
	case htmltoken.Form:
		c.forms.open = false
	case htmltoken.Label:
		c.labels.depth = max(c.labels.depth-1, 0)
	}
}

// readText adds a text to the title, the link and the heading that contain it.
func (c *Checker) readText() {
	if c.z.Token.Foreign && c.link.inStyle {
		return
	}
	data := c.z.Data()
	if c.title.open {
		c.title.text = append(c.title.text, data[:min(len(data), maxTitle)]...)
		return
	}
	if c.link.open {
		c.link.name.add(data)
	}
	if c.headings.open {
		c.headings.name.add(data)
	}
}

// End judges the page as a whole. content is its visible content, needed for the group
// duplicates alone.
func (c *Checker) End(content *visible.Content) {
	c.headerLinks()
	c.endHeading()
	c.endSEO()
	c.endImages()
	c.endSecurity()
	c.endI18n()
	c.endLabels()
	if content != nil {
		c.endDuplicates(content)
	}

	slices.SortStableFunc(c.found, func(a, b found) int { return cmp.Compare(a.offset, b.offset) })
	for i := range c.found {
		f := &c.found[i]
		if f.offset >= 0 {
			f.finding.Line, f.finding.Column = c.page.At(f.offset)
		}
		c.Findings = append(c.Findings, f.finding)
	}
	slices.SortStableFunc(c.Findings, check.CompareFindings)
	c.page, c.z = nil, nil
}

// report adds a finding at an offset, -1 if it has no place.
func (c *Checker) report(offset int, f check.Finding) {
	if len(c.found) < check.MaxFindings {
		c.found = append(c.found, found{offset, f})
	}
}

// reportTag adds a finding about the element whose start tag is the current token.
func (c *Checker) reportTag(code check.Code, message string) {
	t := &c.z.Token
	c.report(t.Start, check.Finding{Code: code, Element: t.Element.String(), Raw: c.raw(t.Start, t.End), Message: message})
}

// reportAttribute adds a finding about an attribute of the current start tag.
func (c *Checker) reportAttribute(code check.Code, a *htmltoken.Attribute, message string) {
	c.report(a.ValueStart, check.Finding{Code: code, Element: c.z.Token.Element.String(), Attribute: string(a.Name), Raw: c.raw(a.ValueStart, a.ValueEnd), Message: message})
}

// maxRaw is the length of the longest source text in a finding, in bytes.
const maxRaw = 200

// raw returns a part of the source.
func (c *Checker) raw(start, end int) string {
	return string(cut(c.page.Text[start:end], maxRaw))
}

// cut returns the beginning of a text in UTF-8, at most n bytes.
func cut(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// place returns the place of an offset. Offsets must be asked for in ascending order, or else
// it takes long.
func (c *Checker) place(offset int) facts.Place {
	line, column := c.page.At(offset)
	return facts.Place{Line: line, Column: column}
}

// value returns the value of an attribute of the current start tag, nil if there is none.
func (c *Checker) value(name string) []byte {
	if a := c.z.Token.Attribute(name); a != nil {
		if v := c.z.Value(a); v != nil {
			return v
		}
		return noValue
	}
	return nil
}

var noValue = []byte{}

// hasText reports whether the current start tag has an attribute that is not blank.
func (c *Checker) hasText(name string) bool { return !isBlank(c.value(name)) }

// resolve returns the URL of a reference, absolute and as facts have it. ok is false for
// references that lead to no document of the web or of a directory.
func (c *Checker) resolve(ref []byte) (u urinorm.URL, printed string, ok bool) {
	if c.page.Base == nil || len(ref) > facts.MaxURL {
		return u, "", false
	}
	u, _, err := c.page.Base.Resolve(string(ref))
	if err != nil {
		return u, "", false
	}
	switch u.Scheme() {
	case "http", "https", "file":
	default:
		return u, "", false
	}
	u = u.WithoutFragment().WithoutUserinfo()
	printed = u.Printed()
	return u, printed, len(printed) <= facts.MaxURL
}

// address is the address of the page.
type address struct {
	url     urinorm.URL
	printed string
	// published is false for the document of a directory whose address on the web is not
	// known.
	published bool
}

func addressOf(p *page.Page) address {
	u := p.Address.WithoutFragment().WithoutUserinfo()
	return address{u, u.Printed(), p.OverHTTP || strings.HasPrefix(p.URL, "http://") || strings.HasPrefix(p.URL, "https://")}
}

// sameOrigin reports whether two URLs have the same origin (HTML Standard 7.1.1).
func sameOrigin(a, b urinorm.URL) bool {
	return a.Scheme() == b.Scheme() && a.Host() == b.Host() && a.EffectivePort() == b.EffectivePort()
}
