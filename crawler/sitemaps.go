package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// sitemaps enters the sitemaps that the robots.txt of a start page's host names
// (RFC 9309 2.2.4). They are read wherever they lie; the pages they list are
// followed as far as the scope goes. Their place is the start page, with the
// element "robots.txt". A robots.txt that cannot be had names none.
func (w *worker) sitemaps(ctx context.Context, u urinorm.URL) error {
	rules, err := w.robots.Rules(ctx, u, w.askRobots)
	if err != nil {
		return nil // what it means for the page itself is said by refused
	}
	f := w.found()
	base, err := urinorm.NewBase(u, "")
	if err != nil {
		return err
	}
	f.against(base)
	for _, sitemap := range rules.Sitemaps() {
		before := len(f.items)
		l := extract.Link{Raw: sitemap, Ref: sitemap, Element: "robots.txt", Attribute: "sitemap", Kind: extract.Navigation}
		f.add(&l)
		for i := before; i < len(f.items); i++ {
			if it := &f.items[i]; it.Outcome == nil {
				it.Need |= frontier.NeedLinks | frontier.NeedContent
				it.Wave = min(it.Wave, w.scope().wave(f.depth+1))
			}
		}
	}
	return nil
}
