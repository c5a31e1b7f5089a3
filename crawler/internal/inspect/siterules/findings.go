package siterules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/pagerules"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// judgePage is the third pass.
func (j *judge) judgePage(p *Page, f *facts.Page) error {
	for _, rule := range [...]struct {
		group pagerules.Groups
		apply func(*Page, *facts.Page) error
	}{
		{pagerules.SEO | pagerules.Duplicates, j.equalPages},
		{pagerules.Duplicates, j.nearDuplicate},
		{pagerules.SEO, j.canonicals},
		{pagerules.SEO, j.noindexLinked},
		{pagerules.I18n, j.alternates},
		{pagerules.I18n, j.answer},
		{pagerules.Images, j.images},
		{pagerules.Images, j.favicon},
		{pagerules.Security, j.integrities},
	} {
		if !j.judges(rule.group) {
			continue
		}
		if err := rule.apply(p, f); err != nil {
			return err
		}
	}
	return nil
}

// at returns a finding at a place.
func at(place facts.Place, code check.Code, element, attribute, message string) judging.Finding {
	return judging.Finding{Code: code, Line: place.Line, Column: place.Column, Element: element, Attribute: attribute, Message: message}
}

// atLink returns a finding about a reference: that of an element, or one of the header Link,
// which has no place.
func atLink(l *facts.Link, code check.Code, element, attribute, message string) judging.Finding {
	if l.Place == (facts.Place{}) {
		element, attribute = "header", "link"
	}
	f := at(l.Place, code, element, attribute, message)
	f.Raw = l.Raw
	return f
}

// cloneLink returns a link that shares no memory with the facts of a page.
func cloneLink(l *facts.Link) facts.Link {
	return facts.Link{Place: l.Place, URL: strings.Clone(l.URL), Raw: strings.Clone(l.Raw)}
}

// equalPages reports what a page has in common with others.
func (j *judge) equalPages(p *Page, f *facts.Page) error {
	k := j.of(p.ID)
	for what := range kinds {
		g := j.equals[what][k.hashes[what]]
		if g == nil || g.second == "" {
			continue
		}
		var finding judging.Finding
		switch other := g.other(p.URL); what {
		case title:
			finding = at(f.Title.Place, judging.CodeTitleDuplicate, "title", "", g.message("title", other))
			finding.Text, finding.Raw = f.Title.Excerpt, f.Title.Raw
		case description:
			finding = at(f.Description.Place, judging.CodeDescriptionDuplicate, "meta", "content", g.message("description", other))
			finding.Text, finding.Raw = f.Description.Excerpt, f.Description.Raw
		default:
			finding = judging.Finding{Code: judging.CodeDuplicateContent, Message: g.message("text", other)}
		}
		j.report(p, finding)
	}
	return nil
}

// message tells which page has the same.
func (e *equal) message(what, other string) string {
	if e.count == 2 {
		return fmt.Sprintf("the page %s has the same %s", other, what)
	}
	return fmt.Sprintf("%d other pages have the same %s, such as %s", e.count-1, what, other)
}

// nearDuplicate reports a page whose text is nearly that of another one.
func (j *judge) nearDuplicate(p *Page, f *facts.Page) error {
	k := j.of(p.ID)
	s := j.near[k.similar]
	if !k.comparable || s == nil {
		return nil
	}
	other := s.other
	if f.Body.Hash != s.firstText {
		other = s.first
	}
	if other == "" && s.hasNearest {
		other = j.near[s.nearest].first
	}
	if other == "" {
		return nil
	}
	j.report(p, judging.Finding{Code: judging.CodeNearDuplicate, Message: "the page " + other + " has nearly the same text"})
	return nil
}

// canonicals judges the targets of the canonical links.
func (j *judge) canonicals(p *Page, f *facts.Page) error {
	for i := range f.Canonicals {
		c := &f.Canonicals[i]
		if c.URL == f.URL {
			continue
		}
		t, err := j.site.Target(c.URL)
		if err != nil {
			return err
		}
		code, problem := judging.CodeCanonicalChain, ""
		switch {
		case t.State == Broken:
			code, problem = judging.CodeCanonicalBroken, "the canonical address is broken"
		case t.State == Unknown:
			continue
		case t.Redirects:
			problem = "the canonical address redirects to " + t.URL
		case t.ID == p.ID:
			continue
		default:
			if k := j.of(t.ID); k == nil || !k.elsewhere {
				continue
			}
			problem = "the canonical address names another one as canonical"
		}
		j.report(p, atLink(&c.Link, code, "link", "href", problem))
	}
	return nil
}

// noindexLinked reports a page that readers find, but search engines must not.
func (j *judge) noindexLinked(p *Page, f *facts.Page) error {
	if !f.NoIndex || !p.Linked {
		return nil
	}
	element, attribute := "meta", "content"
	if f.NoIndexPlace == (facts.Place{}) {
		element, attribute = "header", "x-robots-tag"
	}
	finding := at(f.NoIndexPlace, judging.CodeNoindexLinked, element, attribute, "other pages link to the page, which asks search engines not to index it")
	finding.Raw = f.NoIndexRaw
	j.report(p, finding)
	return nil
}

// alternates judges the targets of links with hreflang.
func (j *judge) alternates(p *Page, f *facts.Page) error {
	j.ids = j.ids[:0]
	for i := range f.Alternates {
		a := &f.Alternates[i]
		t, err := j.site.Target(a.URL)
		if err != nil {
			return err
		}
		if t.State == Unknown || t.ID == p.ID || slices.Contains(j.ids, t.ID) {
			continue
		}
		j.ids = append(j.ids, t.ID)
		if k := j.of(t.ID); k != nil && k.elsewhere {
			j.report(p, atLink(&a.Link, judging.CodeHreflangNotCanonical, "link", "href", fmt.Sprintf("the page for %q names another address as canonical", a.Language)))
		}
	}
	return nil
}

// answer answers what was asked of a page: whether it names the askers with hreflang.
func (j *judge) answer(p *Page, f *facts.Page) error {
	i, found := slices.BinarySearchFunc(j.asked, p.ID, func(q question, id ID) int { return cmp.Compare(q.asked, id) })
	if !found || len(f.Alternates) == facts.MaxLinks { // there may be more
		return nil
	}
	if err := j.readAlternates(f); err != nil {
		return err
	}
	slices.Sort(j.ids)
	for ; i < len(j.asked) && j.asked[i].asked == p.ID; i++ {
		q := &j.asked[i]
		if _, named := slices.BinarySearch(j.ids, q.asker); named {
			continue
		}
		finding := atLink(&q.link.Link, judging.CodeHreflangNotReciprocal, "link", "href", fmt.Sprintf("the page for %q, %s, does not name this page", q.link.Language, p.URL))
		j.found = append(j.found, Finding{ID: q.asker, In: q.asker, Finding: finding})
	}
	return nil
}

// images judges the files of images.
func (j *judge) images(p *Page, f *facts.Page) error {
	var large map[string]bool // reported
	for i := range f.Images {
		m := &f.Images[i]
		t, err := j.site.Target(m.URL)
		if err != nil {
			return err
		}
		if t.State != OK {
			continue
		}
		if t.Size > j.config.ImageMax && j.config.ImageMax > 0 && !large[m.URL] {
			if large == nil {
				large = map[string]bool{}
			}
			large[m.URL] = true
			message := fmt.Sprintf("the image has %d bytes, more than %d (--image-max)", t.Size, j.config.ImageMax)
			j.report(p, atLink(&m.Link, judging.CodeImageLarge, "img", "src", message))
		}
		if m.Width == 0 || len(t.Facts) == 0 {
			continue
		}
		file, err := facts.DecodeTarget(t.Facts)
		if err != nil {
			return err
		}
		if file.Width >= 2*m.Width && file.Height >= 2*m.Height {
			message := fmt.Sprintf("the image has %d by %d pixels and is shown with %d by %d", file.Width, file.Height, m.Width, m.Height)
			j.report(p, atLink(&m.Link, judging.CodeImageScaled, "img", "src", message))
		}
	}
	return nil
}

// bare is a start page without an icon, on a host without one.
type bare struct {
	id        ID
	url       string
	directory bool
}

// favicon notes a start page without an icon. Of several on a host the one with the smallest
// address counts.
func (j *judge) favicon(p *Page, f *facts.Page) error {
	s, isStart := j.starts[p.ID]
	if !isStart || f.HasIcon {
		return nil
	}
	if j.bare == nil {
		j.bare = map[string]bare{}
	}
	if b, noted := j.bare[s.Host]; !noted || p.URL < b.url {
		j.bare[s.Host] = bare{p.ID, p.URL, s.Directory}
	}
	return nil
}

// favicons reports the hosts without an icon.
func (j *judge) favicons() {
	for _, host := range slices.Sorted(maps.Keys(j.bare)) {
		id, message := j.bare[host].id, "the page names no icon, and its host has no /favicon.ico"
		if j.bare[host].directory {
			message = "the page names no icon, and its directory has no favicon.ico"
		}
		j.found = append(j.found, Finding{ID: id, In: id, Finding: judging.Finding{Code: judging.CodeFaviconMissing, Message: message}})
	}
}

// integrities compares scripts and style sheets with the hashes that pages expect.
func (j *judge) integrities(p *Page, f *facts.Page) error {
	for i := range f.Integrities {
		n := &f.Integrities[i]
		t, err := j.site.Target(n.URL)
		if err != nil {
			return err
		}
		element, attribute, what := "link", "href", "style sheet"
		if n.Script {
			element, attribute, what = "script", "src", "script"
		}
		message, err := refusal(n, &t, what)
		if err != nil {
			return err
		}
		if message == "" {
			continue
		}
		j.report(p, atLink(&n.Link, judging.CodeSRIMismatch, element, attribute, message))
	}
	return nil
}

// refusal says why browsers refuse a script or style sheet because of its integrity attribute, or "".
func refusal(n *facts.Integrity, t *Target, what string) (string, error) {
	switch {
	case t.State != OK:
		return "", nil
	case n.Opaque:
		return fmt.Sprintf("browsers refuse the %s: it is from another origin, and without a crossorigin attribute they cannot compare its hash", what), nil
	case len(t.Facts) == 0:
		return "", nil
	}
	file, err := facts.DecodeTarget(t.Facts)
	if err != nil {
		return "", err
	}
	if n.Origin != "" && file.Origin == n.Origin && !t.Redirects && file.AllowOrigin != "*" && file.AllowOrigin != n.Origin {
		return fmt.Sprintf("browsers refuse the %s: it is from another origin, and %s", what, notAllowed(file.AllowOrigin, n.Origin)), nil
	}
	if digest := file.Digest(n.Algorithm); digest == nil || n.Expects(digest) {
		return "", nil
	}
	return fmt.Sprintf("the %s is not the one that integrity expects: browsers refuse it", what), nil
}

// notAllowed says how an answer does not allow an origin (Fetch 4.10).
func notAllowed(allowed, origin string) string {
	if allowed == "" {
		return "its answer has no Access-Control-Allow-Origin"
	}
	return fmt.Sprintf("its answer allows %s in Access-Control-Allow-Origin, not %s", allowed, origin)
}
