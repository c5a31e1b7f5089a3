package pagerules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/langtag"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// hreflangs is what is known of the links to other languages.
type hreflangs struct {
	some   bool // there is one
	self   bool // one of them is the page itself
	offset int  // of the first one, -1 for one of a header
	first  facts.Link
}

// checkLanguage checks the language of the page.
func checkLanguage(s *source) {
	t := &s.z.Token
	if s.document.html {
		return
	}
	s.document.html = true
	lang := t.Attribute("lang")
	if lang == nil && s.page.Format == "xhtml" {
		lang = t.Attribute("xml:lang")
	}
	if lang == nil || len(s.z.Value(lang)) == 0 {
		s.document.langMissing, s.document.htmlStart, s.document.htmlEnd = true, t.Start, t.End
		return
	}
	tag := string(s.z.Value(lang))
	switch fault, subtag := langtag.Check(tag); fault {
	case langtag.Malformed:
		s.reportAttribute(judging.CodeLangInvalid, lang, malformed(tag))
	case langtag.Language:
		s.reportAttribute(judging.CodeLangInvalid, lang, fmt.Sprintf("the language %q is not registered", subtag))
	}
}

// malformed describes a tag that does not have the form of a language tag.
func malformed(tag string) string {
	if strings.Contains(tag, "_") {
		return fmt.Sprintf("%q is not a language tag: its parts must be separated by hyphens", excerpt([]byte(tag)))
	}
	return fmt.Sprintf("%q is not a language tag", excerpt([]byte(tag)))
}

// element reads a link element to the page in another language.
func (h *hreflangs) element(s *source, ref []byte, href, language *htmltoken.Attribute) {
	tag := string(bytes.TrimSpace(s.z.Value(language)))
	if problem := languageProblem(tag); problem != "" {
		s.reportAttribute(judging.CodeHreflangInvalid, language, problem)
	}
	if _, printed, ok := s.resolve(ref); ok {
		link := facts.Link{Place: s.place(href.ValueStart), URL: printed, Raw: s.raw(href.ValueStart, href.ValueEnd)}
		h.add(s, link, tag, href.ValueStart)
	}
}

// header adds a link of the header Link.
func (h *hreflangs) header(s *source, link facts.Link, tag string) {
	if problem := languageProblem(tag); problem != "" {
		s.report(-1, judging.Finding{Code: judging.CodeHreflangInvalid, Element: "header", Attribute: "link", Raw: tag, Message: problem})
	}
	h.add(s, link, tag, -1)
}

func (h *hreflangs) add(s *source, link facts.Link, tag string, offset int) {
	if !h.some {
		h.some, h.offset, h.first = true, offset, link
	}
	h.self = h.self || link.URL == s.address.printed || link.URL == s.page.Seen
	if len(s.facts.Alternates) < facts.MaxLinks {
		s.facts.Alternates = append(s.facts.Alternates, facts.Alternate{Link: link, Language: string(cut([]byte(tag), langtag.MaxLength))})
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

// judge judges the languages of the page.
func (h *hreflangs) judge(s *source) {
	if s.groups&I18n == 0 {
		return
	}
	if d := &s.document; !d.sendsOn && (!d.html || d.langMissing) {
		f, offset := judging.Finding{Code: judging.CodeLangMissing, Element: "html", Attribute: "lang", Message: "the page does not say in which language it is"}, -1
		if d.html {
			offset, f.Raw = d.htmlStart, s.raw(d.htmlStart, d.htmlEnd)
		}
		s.report(offset, f)
	}
	if !h.some || h.self || s.facts.NamesOther() || !s.address.published && s.leavesDirectory() {
		return
	}
	f := judging.Finding{Code: judging.CodeHreflangSelfMissing, Element: "link", Attribute: "href", Raw: h.first.Raw,
		Message: "the page names its versions in other languages, but not itself"}
	if h.offset < 0 {
		f.Element, f.Attribute = "header", "link"
	}
	s.report(h.offset, f)
}

// leavesDirectory reports whether an alternate leads out of the directory whose document the
// page is: then one of them may be the address at which it will be published.
func (s *source) leavesDirectory() bool {
	origin := s.address.url.Scheme() + "://" + s.address.url.Authority() + "/"
	for i := range s.facts.Alternates {
		if !strings.HasPrefix(s.facts.Alternates[i].URL, origin) {
			return true
		}
	}
	return false
}
