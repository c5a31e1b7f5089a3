package references

import (
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Enter enters a target that is not the target of a link: that of the page's redirect.
func (p *Page) Enter(fp frontier.Fingerprint, v scope.Href, j frontier.Job, fate scope.Fate) {
	p.items.enter(fp, v, j, fate)
}

// Fingerprint returns the fingerprint of a URL.
func (p *Page) Fingerprint(v scope.Href) frontier.Fingerprint {
	return p.items.fingerprint(v)
}

// Redirected decides about the target of the page's redirect, if it is neither http nor
// https. The target gets the given depth, which is that of the page.
func (p *Page) Redirected(v scope.Href, kind extract.Kind, depth int) scope.Fate {
	return p.referrer.otherScheme(v, kind, depth)
}

// Lead enters the target of a page's refresh as the first target of the page, where the
// target of a redirect would be. It returns its URL, or "" if the refresh has no http or
// https URL or the page has targets already. A script on such a page may pass on the
// fragment, so the fragment is looked up on that target as well.
func (p *Page) Lead(l *extract.Link) string {
	v, _, err := p.collector.resolver.append(p.referrer.source.Base, l.Ref)
	if err != nil || !v.IsHTTP() || len(p.items.list) > 0 {
		return ""
	}
	p.collector.enterTarget(&resolution{}, target{href: v}, l)
	return string(v.Document())
}

// ReadAfterAll requests the page again, to be read for links. It is called if the name of
// the page looks like that of a file without links, but the answer is a page.
func (p *Page) ReadAfterAll(t *frontier.Target) {
	page := p.referrer.url
	p.items.enter(p.items.fingerprint(page), page, frontier.Job{URL: page.Document(), Internal: t.Internal, Depth: t.Depth},
		scope.Fate{Need: frontier.NeedLinks | frontier.NeedContent | frontier.NeedLinked | frontier.NeedPage, Wave: ScopeOf(p).Rules.Wave(t.Depth)})
}

// OnThisMachine returns the first target of a page that is at the page's port under another name of
// this machine, if the page is on this machine; else the zero URL.
func OnThisMachine(p *Page, page urinorm.URL) urinorm.URL {
	if !urinorm.IsLoopback(page.Host()) {
		return urinorm.URL{}
	}
	for i := range p.items.list {
		j, err := frontier.DecodeJob(p.items.list[i].Job)
		if err != nil {
			continue // a target that is known: one of this site, or not the first
		}
		if u, _, err := urinorm.ParseWeb(string(j.URL)); err == nil && u.Port() == page.Port() && u.Host() != page.Host() && urinorm.IsLoopback(u.Host()) {
			return u
		}
	}
	return urinorm.URL{}
}

// EnterRoute enters, among the targets of a page, a view of an application, such as "https://example.com/#/guide", with
// its document, which a browser is to render if needed is set.
func EnterRoute(p *Page, v scope.Href, t *frontier.Target, needed bool) {
	depth := p.items.depth
	p.items.depth = t.Depth
	fate := scope.Fate{Internal: t.Internal, Need: frontier.NeedLinks | frontier.NeedContent | frontier.NeedPage, Wave: ScopeOf(p).Rules.Wave(t.Depth)}
	if _, view := v.Route(); view {
		p.items.enterRoute(v, fate)
	}
	if needed {
		fate.Need |= frontier.NeedRender
	}
	p.items.enterDocument(v, fate)
	p.items.depth = depth
}

// AddSitemap adds a link to a sitemap that robots.txt lists. The sitemap is read for links. The
// page may have been taken over; an error means that its references are damaged.
func (p *Page) AddSitemap(l *extract.Link) error {
	if err := p.block.reopen(); err != nil {
		return err
	}
	before := len(p.items.list)
	p.Add(l)
	for i := before; i < len(p.items.list); i++ {
		if item := &p.items.list[i]; item.Outcome == nil {
			item.Need |= frontier.NeedLinks | frontier.NeedContent
			item.Wave = min(item.Wave, ScopeOf(p).Rules.Wave(p.items.depth))
		}
	}
	return nil
}

// AddSeed enters a start target and returns its index among the targets.
func (p *Page) AddSeed(v scope.Href, fate scope.Fate) int {
	fp := p.items.fingerprint(v)
	if at, ok := p.items.find(fp); ok {
		p.items.list[at].Need |= fate.Need
		return at
	}
	return p.items.enter(fp, v, frontier.Job{URL: v.Document(), Internal: fate.Internal}, fate)
}
