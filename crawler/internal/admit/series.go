package admit

import (
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Series knows what keeps a crawl from reading a site forever.
type Series struct {
	Traps    *trap.Guards
	Growth   trap.Growth
	Sitemaps Sitemaps

	sites     scope.Sites // which end
	limited   bool        // --max-pages ends all others
	uncounted bool        // another process counts how often pages are linked
}

// FoundMemory is memory of one worker for Found.
type FoundMemory struct{ pages, others []uint32 }

// Found counts what a page that was read links to: a site that makes up its pages is cut. ids are those
// of the items, and text is a checksum of the page, 0 if it is not known. Of a sitemap, the pages that it
// lists are not counted, but remembered; sitemaps have limits of their own.
func (s *Series) Found(t *Target, kind SitemapKind, text uint32, items []frontier.Item, ids []frontier.ID, m *FoundMemory) {
	switch {
	case !t.Follow || s.limited || s.sites.Of(t.At) != nil:
		return
	case kind != NoSitemap:
		s.Sitemaps.List(kind, ids)
		return
	}
	m.pages, m.others = m.pages[:0], m.others[:0]
	// Where this page has the name of an image, the images that it links to may be pages.
	named := scope.IsLeafName([]byte(t.At.Path()))
	for i, id := range ids {
		switch {
		case items[i].Outcome != nil:
		case named || items[i].Need&frontier.NeedLinks != 0:
			m.pages = append(m.pages, uint32(id))
		default:
			m.others = append(m.others, uint32(id))
		}
	}
	site := SiteOf(t.At)
	if text != 0 && len(m.pages) > 0 {
		s.Growth.Copy(site, text, m.pages)
	}
	if !s.uncounted {
		s.Growth.Read(site, m.pages, m.others)
	}
}

// trapped reports whether a page's URL looks like one of an endless series.
func (s *Series) trapped(t *Target) (pattern string, trapped bool) {
	if !t.Follow || t.Seed || t.Tries > 0 || t.Again || t.View {
		return "", false
	}
	if pattern, trapped = s.Traps.Check(t.At); trapped {
		return pattern, true
	}
	return s.Traps.CheckClicks(t.Depth)
}

// Cut reports whether a target is left out because its site makes up its pages, or its sitemaps
// list too much, and the reason.
func (s *Series) Cut(t *Target) (pattern string, cut bool) {
	if t.Seed || t.Tries > 0 || !t.Internal {
		return "", false
	}
	if pattern, cut = s.Sitemaps.cut(t.Lease.ID); cut {
		return pattern, true
	}
	return s.Growth.Cut(func() string { return SiteOf(t.At) }, t.Follow)
}

// SiteOf returns the name of the site of a URL: its registrable domain, as a site may
// make up its hosts, or the authority of a host without one.
func SiteOf(u urinorm.URL) string {
	if domain := urinorm.RegistrableDomain(u.Host()); domain != "" {
		return domain
	}
	return u.Authority()
}
