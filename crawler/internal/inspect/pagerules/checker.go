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
//	source.go   the page and its current token    follow.go         links that only a script can follow
//	entries.go  the entries of lists and tables, in a pass of its own, for Markdown as well
//
// The page is taken as a browser with scripting shows it: the content of noscript and template
// is not looked at. Titles, descriptions and headings are not asked of a page that sends its
// reader on at once, nor of one without text that scripts write.
package pagerules

import (
	"cmp"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// Checker looks at one page after the other. The zero value is ready for Reset. It allocates
// nothing for pages without findings once its buffers have grown, apart from the strings of
// the facts. It must not be copied.
type Checker struct {
	// Findings are those of the page, valid from End to the next Reset. At most
	// check.MaxFindings are kept.
	Findings []judging.Finding
	// Facts are those of the page, valid from End to the next Reset.
	Facts facts.Page

	source source
	unseen unseen // templates and the like
	hidden region // what is not shown, or hidden from assistive technology

	title     title
	headings  headings
	link      link
	pictures  pictures
	forms     forms
	labels    labels
	relations relations
}

// Reset begins a page, whose tokens must follow.
func (c *Checker) Reset(p *page.Page, groups Groups) {
	clear(c.source.found)
	*c = Checker{
		Findings: c.Findings[:0],
		Facts:    facts.Page{Canonicals: c.Facts.Canonicals[:0], Alternates: c.Facts.Alternates[:0], Images: c.Facts.Images[:0], Integrities: c.Facts.Integrities[:0]},
		source:   source{page: p, groups: groups, address: addressOf(p), facts: &c.Facts, found: c.source.found[:0], buffer: c.source.buffer[:0]},
		title:    title{text: c.title.text[:0]}, link: link{name: name{text: c.link.name.text[:0]}}, headings: headings{name: name{text: c.headings.name.text[:0]}},
		labels: labels{controls: c.labels.controls[:0], targets: c.labels.targets[:0]},
	}
	c.Facts.URL = c.source.address.printed
}

// Token looks at the current token of the page.
func (c *Checker) Token(z *htmltoken.Tokenizer) {
	s, t := &c.source, &z.Token
	if s.z != z {
		s.z = z
	}
	switch t.Kind {
	case htmltoken.Text, htmltoken.CDATA:
		if !c.unseen.open {
			c.text(t)
		}
	case htmltoken.StartTag:
		if !c.unseen.start(t) {
			c.startTag(t)
		}
		if z.XML && t.SelfClosing && !c.unseen.end(t) {
			c.endTag(t)
		}
	case htmltoken.EndTag:
		if !c.unseen.end(t) {
			c.endTag(t)
		}
	}
}

// Run looks at the next tokens of the page. Those that matter to no group are passed over.
func (c *Checker) Run(z *htmltoken.Tokenizer, run *htmltoken.Run) {
	if c.unseen.open { // no tag in a run ends that
		return
	}
	c.source.document.inCode, c.link.inStyle = false, false
	text := 0
	for i := range run.Tags {
		p := &run.Tags[i]
		if !c.wants(p.Element) && !c.hidden.open {
			continue
		}
		c.texts(z, run.Texts[text:p.Texts])
		text = int(p.Texts)
		if p.Element == htmltoken.A && !c.hidden.open {
			c.link.tag(&c.source, p)
			continue
		}
		p.Expand(z)
		c.Token(z)
	}
	c.texts(z, run.Texts[text:])
}

// texts looks at texts of a run.
func (c *Checker) texts(z *htmltoken.Tokenizer, texts []htmltoken.PlainText) {
	for i := range texts {
		if c.source.document.hasText && !c.takesText() {
			return
		}
		texts[i].Expand(z)
		c.Token(z)
	}
}

// InLink reports whether a link is open whose name depends on the elements within.
func (c *Checker) InLink() bool { return c.link.open }

// wants reports whether a tag without attributes matters to one of the groups.
func (c *Checker) wants(e htmltoken.Element) bool {
	looks := lookedAt[e]
	return looks&(c.source.groups|anyGroup) != 0 || c.link.open && looks&inLink != 0
}

// takesText reports whether texts are added to the title, the link or the heading that contain
// them.
func (c *Checker) takesText() bool {
	return c.title.open || c.headings.open || c.link.open && !c.link.isSettled()
}

func (c *Checker) startTag(t *htmltoken.Token) {
	s := &c.source
	wanted := lookedAt[t.Element] & s.groups
	if s.groups&needHidden != 0 {
		c.hidden.startTag(t)
		s.concealed = c.hidden.open
		if t.Names&globalBits != 0 && s.globalAttributes() {
			c.hidden.begin(t)
			s.concealed = true
		}
		if s.headingLevel > 0 && !s.concealed {
			c.headings.role(s.headingLevel)
		}
		s.headingLevel = 0
	}
	s.document.inCode = !t.Foreign && (t.Element == htmltoken.Script || t.Element == htmltoken.Style || t.Element == htmltoken.Title)
	byScript := s.groups&Accessibility != 0 && t.Names&byScriptBits != 0 && checkFollow(s, c.link.open && !c.link.noHref)
	if c.link.open {
		c.link.within(s)
	}
	if wanted != 0 && !t.Foreign {
		c.element(t, wanted, byScript)
	}
}

// element looks at the start tag of an element for the groups that look at it. byScript is set if
// it was reported as a link that only a script can follow.
func (c *Checker) element(t *htmltoken.Token, wanted Groups, byScript bool) {
	s := &c.source
	switch t.Element {
	case htmltoken.HTML:
		checkLanguage(s)
	case htmltoken.Frameset:
		s.document.frameset = true
	case htmltoken.Title:
		c.title.begin(s)
	case htmltoken.Meta:
		readMeta(s)
	case htmltoken.Link:
		c.relations.element(s)
	case htmltoken.H1, htmltoken.H2, htmltoken.H3, htmltoken.H4, htmltoken.H5, htmltoken.H6:
		c.headings.begin(s)
	case htmltoken.A:
		c.link.begin(s, byScript)
	case htmltoken.Img, htmltoken.Image:
		if c.headings.open || c.link.open {
			c.addName(s.value("alt"))
		}
		if wanted&Images != 0 {
			c.pictures.image(s)
		}
	case htmltoken.Area:
		checkArea(s)
	case htmltoken.Picture, htmltoken.Source:
		c.pictures.inPicture = true
	case htmltoken.Script:
		s.document.script = true
		if wanted&Security != 0 {
			checkScript(s)
		}
	case htmltoken.Form:
		c.forms.begin(s)
	case htmltoken.Button:
		c.forms.field(s)
	case htmltoken.Input, htmltoken.Select, htmltoken.Textarea:
		if wanted&Images != 0 {
			checkImageButton(s)
		}
		if wanted&Security != 0 {
			c.forms.field(s)
		}
		if wanted&Accessibility != 0 {
			c.labels.control(s)
		}
	case htmltoken.Label:
		c.labels.label(s)
	case htmltoken.Iframe, htmltoken.Frame:
		checkFrame(s)
	}
}

func (c *Checker) endTag(t *htmltoken.Token) {
	s := &c.source
	c.hidden.endTag(t)
	s.document.inCode, c.link.inStyle = false, false
	if t.Foreign {
		return
	}
	switch t.Element {
	case htmltoken.A:
		c.link.close(s)
	case htmltoken.H1, htmltoken.H2, htmltoken.H3, htmltoken.H4, htmltoken.H5, htmltoken.H6:
		c.headings.close(s)
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

// text adds a text to the title, the link and the heading that contain it.
func (c *Checker) text(t *htmltoken.Token) {
	s := &c.source
	if !s.document.hasText && !s.document.inCode {
		s.document.hasText = !isBlank(s.page.Text[t.DataStart:t.DataEnd])
	}
	if !c.takesText() || t.Foreign && c.link.inStyle {
		return
	}
	data := s.z.Data()
	if c.title.open {
		c.title.text = append(c.title.text, data[:min(len(data), maxTitle)]...)
		return
	}
	c.addName(data)
}

// addName adds a text to the names of the link and of the heading that are open.
func (c *Checker) addName(text []byte) {
	if c.link.open {
		c.link.name.add(text)
	}
	if c.headings.open {
		c.headings.name.add(text)
	}
}

// End judges the page as a whole. content is its visible content, needed for the group
// duplicates alone.
func (c *Checker) End(content *visible.Content) {
	s := &c.source
	if raw := s.noIndexHeader(); raw != "" && !c.Facts.NoIndex {
		c.Facts.NoIndex, c.Facts.NoIndexRaw = true, raw
	}
	c.Facts.HasIcon = c.Facts.HasIcon || s.page.HasIcon
	c.relations.header(s)
	c.headings.close(s)
	if s.groups&SEO != 0 {
		c.endSEO()
	}
	if s.groups&Images != 0 {
		endImages(s)
	}
	if s.groups&Security != 0 {
		checkHeaders(s)
	}
	if s.groups&I18n != 0 {
		c.relations.hreflangs.judge(s)
	}
	c.labels.judge(s)
	if s.groups&Duplicates != 0 && content != nil {
		c.Facts.Body = s.document.fingerprint(content)
	}

	slices.SortStableFunc(s.found, func(a, b found) int { return cmp.Compare(a.offset, b.offset) })
	for i := range s.found {
		f := &s.found[i]
		if f.offset >= 0 {
			f.finding.Line, f.finding.Column = s.page.Places.At(f.offset)
		}
		c.Findings = append(c.Findings, f.finding)
	}
	slices.SortStableFunc(c.Findings, judging.CompareFindings)
	s.page, s.z = nil, nil
}
