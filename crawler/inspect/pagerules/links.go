package pagerules

import (
	"bytes"
	"path"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/robots"
	"github.com/orbweaver/orbweaver/urinorm"
)

// linkElement reads a link element.
func (c *Checker) linkElement(t *htmltoken.Token) {
	href := t.Attribute("href")
	if href == nil {
		return
	}
	ref := bytes.TrimSpace(c.z.Value(href))
	if len(ref) == 0 {
		return
	}
	alternate, stylesheet := false, false
	for rel := range bytes.FieldsSeq(c.value("rel")) {
		switch {
		case equalFold(rel, "icon"):
			c.Facts.HasIcon = true
		case equalFold(rel, "stylesheet"):
			stylesheet = true
		case equalFold(rel, "alternate"):
			alternate = true
		case equalFold(rel, "canonical") && c.groups&needRobots != 0:
			c.canonical(ref, href)
		}
	}
	switch {
	case stylesheet && c.groups&Security != 0:
		c.subresource(href)
	case alternate && c.groups&I18n != 0:
		if language := t.Attribute("hreflang"); language != nil {
			c.hreflang(ref, href, language)
		}
	}
}

// headerLinks reads the headers that say what link and robots meta elements say.
func (c *Checker) headerLinks() {
	if c.page.Header == nil || c.groups&needRobots == 0 {
		return
	}
	c.noindexHeader(robots.NoIndexHeader(c.page.Header))
	if c.page.Header.Get("Link") == "" {
		return
	}
	for _, l := range extract.HeaderLinks(c.page.Header) {
		u, printed, ok := c.resolveHeader(l.Target)
		if !ok {
			continue
		}
		link := facts.Link{URL: printed, Raw: l.Target}
		for rel := range strings.FieldsSeq(l.Rel) {
			switch {
			case strings.EqualFold(rel, "canonical"):
				c.addCanonical(u, link, -1)
			case strings.EqualFold(rel, "alternate") && l.Hreflang != "" && c.groups&I18n != 0:
				c.addAlternate(link, l.Hreflang)
			}
		}
	}
}

// resolveHeader returns the URL of a reference in a header, which is relative to the page
// whatever its base element says.
func (c *Checker) resolveHeader(ref string) (u urinorm.URL, printed string, ok bool) {
	base, err := urinorm.NewBase(c.page.Address, "")
	if err != nil || len(ref) > facts.MaxURL {
		return u, "", false
	}
	if u, _, err = base.Resolve(ref); err != nil {
		return u, "", false
	}
	u = u.WithoutFragment().WithoutUserinfo()
	return u, u.Printed(), true
}

// canonical adds the canonical link of an element.
func (c *Checker) canonical(ref []byte, href *htmltoken.Attribute) {
	if u, printed, ok := c.resolve(ref); ok {
		link := facts.Link{Place: c.place(href.ValueStart), URL: printed, Raw: c.raw(href.ValueStart, href.ValueEnd)}
		c.addCanonical(u, link, href.ValueStart)
	}
}

// addCanonical adds a canonical link. offset is -1 for that of a header.
func (c *Checker) addCanonical(u urinorm.URL, link facts.Link, offset int) {
	for i := range c.Facts.Canonicals {
		if c.Facts.Canonicals[i].URL == link.URL {
			return
		}
	}
	if len(c.Facts.Canonicals) == facts.MaxLinks {
		return
	}
	c.Facts.Canonicals = append(c.Facts.Canonicals, facts.Canonical{Link: link, Self: c.isSelf(u, link.URL)})
	if len(c.Facts.Canonicals) == 2 && c.groups&SEO != 0 {
		c.canonicalConflict(link, offset)
	}
}

// isSelf reports whether a URL is that of the page. Where the page will be published is often
// not known of a directory: then all addresses that end in its path may be meant.
func (c *Checker) isSelf(u urinorm.URL, printed string) bool {
	if printed == c.address.printed || printed == c.page.Seen {
		return true
	}
	if c.address.published || sameOrigin(u, c.address.url) {
		return false
	}
	return strings.HasSuffix(pathOfPage(u), strings.TrimSuffix(pathOfPage(c.address.url), "/"))
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
