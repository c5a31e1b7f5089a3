package references

import (
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// Enter enters a target that no link of the page names: where it redirects to.
func (p *Page) Enter(fp frontier.Fingerprint, v rules.Href, j frontier.Job, fate rules.Fate) {
	p.items.enter(fp, v, j, fate)
}

// Fingerprint is that of a URL.
func (p *Page) Fingerprint(v rules.Href) frontier.Fingerprint { return p.fingerprint(v) }

// Redirected decides about a target that is neither http nor https and that the page, at
// this depth, redirects to.
func (p *Page) Redirected(v rules.Href, kind extract.Kind, depth int) rules.Fate {
	p.depth = depth - 1
	return p.OtherScheme(v, kind)
}

// Lead enters the target that a page hands its readers on to as the first of those found,
// where a redirect's target would be, and returns its URL; "" for none. A page that does
// so with a script's help may carry the fragment along: the join then looks for it there
// as well.
func (p *Page) Lead(l *extract.Link) string {
	href, at, _, err := p.Base.Append(p.buf[:0], l.Ref)
	p.buf = href
	v := rules.Href{Bytes: href, Offsets: at}
	if err != nil || !v.IsHTTP() || len(p.items.list) > 0 {
		return ""
	}
	p.enterTarget(&resolution{}, target{href: v}, l)
	return string(v.Document())
}

// ReadAfterAll asks for the page once more, to be read for links: its name said that it
// holds none, its answer that it does.
func (p *Page) ReadAfterAll(t *frontier.Target) {
	p.items.enter(p.fingerprint(p.page), p.page, frontier.Job{URL: p.page.Document(), Internal: t.Internal, Page: true, Depth: t.Depth},
		rules.Fate{Need: frontier.NeedLinks | frontier.NeedContent | frontier.NeedLinked, Wave: p.scope.Wave(t.Depth)})
}

// AddSitemap keeps a sitemap that robots.txt names, and has it read.
func (p *Page) AddSitemap(l *extract.Link) {
	before := len(p.items.list)
	p.Add(l)
	for i := before; i < len(p.items.list); i++ {
		if item := &p.items.list[i]; item.Outcome == nil {
			item.Need |= frontier.NeedLinks | frontier.NeedContent
			item.Wave = min(item.Wave, p.scope.Wave(p.depth+1))
		}
	}
}

// AddSeed enters a start target and returns its index among the targets. Listed says that
// its outcome is known without a visit.
func (p *Page) AddSeed(v rules.Href, fate rules.Fate) int {
	fp := p.fingerprint(v)
	if at, ok := p.items.find(fp); ok {
		p.items.list[at].Need |= fate.Need
		return at
	}
	return p.items.enter(fp, v, frontier.Job{URL: v.Document(), Internal: true}, fate)
}

// Targets are the targets that were entered; they are good until the next Reset.
func (p *Page) Targets() []frontier.Item { return p.items.list }

// Edges are the links of the page, for graphs.
func (p *Page) Edges() []rules.Edge { return p.edges }

// Learn takes in the IDs that the store gave to the targets.
func (p *Page) Learn(ids []frontier.ID) { p.items.learn(ids) }

// Encode returns the references; they are good until the next Reset. Nothing is added any
// more: of a large page, what that took is released before the store takes its share.
func (p *Page) Encode() []byte {
	large := p.links.Size() > largeBlock
	if large {
		p.items.index = pageIndex{page: p.items.index.page}
	}
	p.block = p.links.Encode(p.block[:0])
	if large {
		p.links = frontier.Links{}
	}
	return p.block
}

// Shrink releases the memory that only a large page needed.
func (p *Page) Shrink() {
	if p.links.Size() > largeBlock || cap(p.block) > largeBlock || cap(p.seen) > manyLinks || cap(p.items.list) > manyLinks {
		*p = Page{known: p.known, items: items{ids: p.items.ids}}
	}
}

// Memory beyond this is not kept for the next page.
const (
	largeBlock = 1 << 20 // bytes of a page's references
	manyLinks  = 1 << 15 // of a page
)
