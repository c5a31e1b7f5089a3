package pagerules

import (
	"bytes"
	"path"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/robots"
	"github.com/orbweaver/orbweaver/urinorm"
)

// relations is what link elements and the header Link say.
type relations struct{ hreflangs hreflangs }

// element reads a link element.
func (r *relations) element(s *source) {
	t := &s.z.Token
	href := t.Attribute("href")
	if href == nil {
		return
	}
	ref := bytes.TrimSpace(s.z.Value(href))
	if len(ref) == 0 {
		return
	}
	alternate, stylesheet := false, false
	for rel := range bytes.FieldsSeq(s.value("rel")) {
		switch {
		case equalFold(rel, "icon"):
			s.facts.HasIcon = true
		case equalFold(rel, "stylesheet"):
			stylesheet = true
		case equalFold(rel, "alternate"):
			alternate = true
		case equalFold(rel, "canonical") && s.groups&needRobots != 0:
			addCanonicalElement(s, ref, href)
		}
	}
	switch {
	case stylesheet && s.groups&Security != 0:
		checkSubresource(s, href)
	case alternate && s.groups&I18n != 0:
		if language := t.Attribute("hreflang"); language != nil {
			r.hreflangs.element(s, ref, href, language)
		}
	}
}

// noIndexHeader returns the header that asks not to index the page, as robots meta elements do, "" if
// it does not ask that.
func (s *source) noIndexHeader() string {
	if s.groups&needRobots == 0 || !robots.NoIndexHeader(s.page.Header) {
		return ""
	}
	return string(cut([]byte(strings.Join(s.page.Header.Values("X-Robots-Tag"), ", ")), maxRaw))
}

// header reads the header that says what link elements say.
func (r *relations) header(s *source) {
	if s.page.Header == nil || s.groups&needRobots == 0 {
		return
	}
	if s.page.Header.Get("Link") == "" {
		return
	}
	for _, l := range extract.HeaderLinks(s.page.Header) {
		u, printed, ok := resolveHeader(s, l.Target)
		if !ok {
			continue
		}
		link := facts.Link{URL: printed, Raw: l.Target}
		for rel := range strings.FieldsSeq(l.Rel) {
			switch {
			case strings.EqualFold(rel, "canonical"):
				addCanonical(s, u, link, -1)
			case strings.EqualFold(rel, "alternate") && l.Hreflang != "" && s.groups&I18n != 0:
				r.hreflangs.header(s, link, l.Hreflang)
			}
		}
	}
}

// resolveHeader returns the URL of a reference in a header, which is relative to the page
// whatever its base element says.
func resolveHeader(s *source, ref string) (u urinorm.URL, printed string, ok bool) {
	base, err := urinorm.NewBase(s.page.Address, "")
	if err != nil || len(ref) > facts.MaxURL {
		return u, "", false
	}
	if u, _, err = base.Resolve(ref); err != nil {
		return u, "", false
	}
	u = u.WithoutFragment().WithoutUserinfo()
	return u, u.Printed(), true
}

// addCanonicalElement adds the canonical link of an element.
func addCanonicalElement(s *source, ref []byte, href *htmltoken.Attribute) {
	if u, printed, ok := s.resolve(ref); ok {
		link := facts.Link{Place: s.place(href.ValueStart), URL: printed, Raw: s.raw(href.ValueStart, href.ValueEnd)}
		addCanonical(s, u, link, href.ValueStart)
	}
}

// addCanonical adds a canonical link. offset is -1 for that of a header.
func addCanonical(s *source, u urinorm.URL, link facts.Link, offset int) {
	for i := range s.facts.Canonicals {
		if s.facts.Canonicals[i].URL == link.URL {
			return
		}
	}
	if len(s.facts.Canonicals) == facts.MaxLinks {
		return
	}
	s.facts.Canonicals = append(s.facts.Canonicals, facts.Canonical{Link: link, Self: s.isSelf(u, link.URL)})
	if len(s.facts.Canonicals) == 2 && s.groups&SEO != 0 {
		reportConflict(s, link, offset)
	}
}

// isSelf reports whether a URL is that of the page. Where the page will be published is often
// not known of a directory: then all addresses that end in its path may be meant.
func (s *source) isSelf(u urinorm.URL, printed string) bool {
	if printed == s.address.printed || printed == s.page.Seen {
		return true
	}
	if s.address.published || sameOrigin(u, s.address.url) {
		return false
	}
	return strings.HasSuffix(pathOfPage(u), strings.TrimSuffix(pathOfPage(s.address.url), "/"))
}

// pathOfPage returns a path without what may be left out on the web: "/a/index.html" is "/a"
// and "/a/b.html" is "/a/b".
func pathOfPage(u urinorm.URL) string {
	p := u.Path()
	if ext := path.Ext(p); ext == ".html" || ext == ".htm" || ext == ".xhtml" {
		p = strings.TrimSuffix(p, ext)
		p = strings.TrimSuffix(p, "index")
	}
	return strings.TrimRight(p, "/")
}
