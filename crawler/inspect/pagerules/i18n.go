package pagerules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/inspect/langtag"
)

// hreflangs is what is known of the links to other languages.
type hreflangs struct {
	some   bool // there is one
	self   bool // one of them is the page itself
	offset int  // of the first one, -1 for one of a header
	first  facts.Link
}

// htmlElement checks the language of the page.
func (c *Checker) htmlElement(t *htmltoken.Token) {
	if c.document.html {
		return
	}
	c.document.html = true
	lang := t.Attribute("lang")
	if lang == nil && c.page.Format == "xhtml" {
		lang = t.Attribute("xml:lang")
	}
	if lang == nil || len(c.z.Value(lang)) == 0 {
		c.document.langMissing, c.document.htmlStart, c.document.htmlEnd = true, t.Start, t.End
		return
	}
	tag := string(c.z.Value(lang))
	switch fault, subtag := langtag.Check(tag); fault {
	case langtag.Malformed:
		c.reportAttribute(check.CodeLangInvalid, lang, malformed(tag))
	case langtag.Language:
		c.reportAttribute(check.CodeLangInvalid, lang, fmt.Sprintf("the language %q is not registered", subtag))
	}
}

// malformed describes a tag that does not have the form of a language tag.
func malformed(tag string) string {
	if strings.Contains(tag, "_") {
		return fmt.Sprintf("%q is not a language tag: its parts must be separated by hyphens", excerpt([]byte(tag)))
	}
	return fmt.Sprintf("%q is not a language tag", excerpt([]byte(tag)))
}

// hreflang reads a link element to the page in another language.
func (c *Checker) hreflang(ref []byte, href, language *htmltoken.Attribute) {
	tag := string(bytes.TrimSpace(c.z.Value(language)))
	if problem := languageProblem(tag); problem != "" {
		c.reportAttribute(check.CodeHreflangInvalid, language, problem)
	}
	if _, printed, ok := c.resolve(ref); ok {
		link := facts.Link{Place: c.place(href.ValueStart), URL: printed, Raw: c.raw(href.ValueStart, href.ValueEnd)}
		c.noteAlternate(link, tag, href.ValueStart)
	}
}

// addAlternate adds a link of the header Link.
func (c *Checker) addAlternate(link facts.Link, tag string) {
	if problem := languageProblem(tag); problem != "" {
		c.report(-1, check.Finding{Code: check.CodeHreflangInvalid, Element: "header", Attribute: "link", Raw: tag, Message: problem})
	}
	c.noteAlternate(link, tag, -1)
}

func (c *Checker) noteAlternate(link facts.Link, tag string, offset int) {
	h := &c.hreflangs
	if !h.some {
		h.some, h.offset, h.first = true, offset, link
	}
	h.self = h.self || link.URL == c.address.printed || link.URL == c.page.Seen
	if len(c.Facts.Alternates) < facts.MaxLinks {
		c.Facts.Alternates = append(c.Facts.Alternates, facts.Alternate{Link: link, Language: string(cut([]byte(tag), langtag.MaxLength))})
	}
}

// languageProblem returns what is wrong with the value of hreflang, "" if it is right.
func languageProblem(tag string) string {
	if strings.EqualFold(tag, "x-default") {
		return ""
	}
	fault, subtag := langtag.Check(tag)
	if fault == langtag.None && langtag.IsPrivate(tag) {
		return fmt.Sprintf("%q does not name a language", excerpt([]byte(tag)))
	}
	switch fault {
	case langtag.Malformed:
		return malformed(tag)
	case langtag.Language:
		return fmt.Sprintf("the language %q is not registered", subtag)
	case langtag.Script:
		return fmt.Sprintf("the script %q is not registered", subtag)
	case langtag.Region:
		if strings.EqualFold(subtag, "uk") {
			return `the region "UK" is not registered: that of the United Kingdom is GB`
		}
		return fmt.Sprintf("the region %q is not registered", subtag)
	case langtag.Variant:
		return fmt.Sprintf("the variant %q is not registered", subtag)
	}
	return ""
}

// endI18n judges the languages of the page.
func (c *Checker) endI18n() {
	if c.groups&I18n == 0 {
		return
	}
	if d := &c.document; !d.sendsOn && (!d.html || d.langMissing) {
		f, offset := check.Finding{Code: check.CodeLangMissing, Element: "html", Attribute: "lang", Message: "the page does not say in which language it is"}, -1
		if d.html {
			offset, f.Raw = d.htmlStart, c.raw(d.htmlStart, d.htmlEnd)
		}
		c.report(offset, f)
	}
	h := &c.hreflangs
	if !h.some || h.self || c.Facts.NamesOther() || !c.address.published && c.leavesDirectory() {
		return
	}
	f := check.Finding{Code: check.CodeHreflangSelfMissing, Element: "link", Attribute: "href", Raw: h.first.Raw,
		Message: "the page names its versions in other languages, but not itself"}
	if h.offset < 0 {
		f.Element, f.Attribute = "header", "link"
	}
	c.report(h.offset, f)
}

// leavesDirectory reports whether an alternate leads out of the directory whose document the
// page is: then one of them may be the address at which it will be published.
func (c *Checker) leavesDirectory() bool {
	origin := c.address.url.Scheme() + "://" + c.address.url.Authority() + "/"
	for i := range c.Facts.Alternates {
		if !strings.HasPrefix(c.Facts.Alternates[i].URL, origin) {
			return true
		}
	}
	return false
}
