package references

import (
	"context"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Page collects the targets and the references of one page, so that they can be stored
// with the page in one step. The zero value is an empty page; call Reset before each use.
// One Page serves many pages, one after the other. It is not safe for concurrent use.
type Page struct {
	// Document is memory for the page's document.
	Document extract.Document
	// About is the encoded description of the page that a later session needs.
	About []byte

	kept      []byte // what Keep returned
	referrer  referrer
	items     items
	collector collector
	seen      []reference // the references of the document's links, by their index
	block     block
	origins   origins
}

// Reset begins a page at a depth. Its targets are one level deeper.
func (p *Page) Reset(env *Env, page scope.Href, depth int) {
	p.referrer = referrer{scope: env.Scope(), url: page, depth: depth + 1, doc: &p.Document, routes: env.Routes}
	p.items.reset(env, depth+1)
	p.collector.reset(env, &p.referrer, &p.items)
	p.seen, p.About, p.origins = p.seen[:0], nil, nil
	p.ReadBare(nil)
}

// From sets what the links that are added from now on have in common.
func (p *Page) From(s Source) {
	p.referrer.source = s
	p.collector.from()
}

// Against changes the base URL of the links that are added from now on.
func (p *Page) Against(base *urinorm.Base) {
	s := p.referrer.source
	s.Base = base
	p.From(s)
}

// ReadFile sets the body of a document that is a file. Such a document may be a template.
// The body must remain valid until ReadFile(nil).
func (p *Page) ReadFile(body []byte) { p.collector.resolver.template = template{body: body} }

// Remapped returns the number of links of a page that a configuration that was not named has remapped.
func Remapped(p *Page) int { return p.collector.hidden }

// FollowsNone reports whether no link of the page is followed.
func (p *Page) FollowsNone() bool { return p.referrer.source.NoFollow }

// AddAll adds the links of a document in their order, and then the links that repeat them. When ctx ends, it leaves
// out the rest: the rules of a configuration can make each link expensive.
func (p *Page) AddAll(ctx context.Context, doc *extract.Document) {
	if len(doc.CrossReferences) > 0 {
		p.collector.resolver.asked = true
		doc.Links = append(doc.Links, newCrossReferences(&p.collector.resolver).links(doc.CrossReferences)...)
	}
	p.seen = slices.Grow(p.seen, len(doc.Links))
	for i := range doc.Links {
		if i == fewLinks {
			p.block.links.Grow(len(doc.Links) + len(doc.BareRepeats))
		}
		if ctx.Err() != nil {
			return
		}
		p.Add(&doc.Links[i])
	}
	for _, repeat := range doc.BareRepeats {
		r := &p.seen[repeat.First]
		p.block.addRepeat(&doc.Links[repeat.First], repeat, r, p.items.shownAs(r.Target))
	}
}

// fewLinks is the number of links after which the memory for the rest can be estimated.
// Lists that grow by doubling take twice as much.
const fewLinks = 1024

// AddPart adds some links of a document that is read in parts. None repeats another. All
// is an estimate of how many links the document has.
func (p *Page) AddPart(links []extract.Link, all int) {
	written, list := &p.block.links, &p.items.list
	first := written.Len() == 0
	for i := range links {
		p.Add(&links[i])
	}
	p.seen = p.seen[:0]
	if n := written.Len(); first && n < all { // make room, assuming that the rest are like these
		written.Grow(all)
		rest := len(*list) * (all - n) / n
		*list = slices.Grow(*list, rest+rest/8)
	}
}

// Add adds one link. The links of a document come first and in its order, as a link
// refers to the one that it repeats by its index.
func (p *Page) Add(l *extract.Link) {
	at := len(p.seen)
	p.seen = append(p.seen, reference{})
	r := &p.seen[at]
	var fragment []byte
	repeats := 0
	if l.Repeats > 0 && !p.collector.env.Pages {
		repeats = l.Repeats
		r = &p.seen[repeats-1]
	} else {
		fragment = p.collector.add(l, r)
		r.plain = p.block.bare && isPlain(l, r, fragment)
	}
	if r.Mark&scope.MarkRemapped != 0 {
		l = p.origins.with(l, at, repeats, p.collector.origin)
	}
	if p.block.bare {
		p.block.addBare(l, r, fragment, p.items.shownAs(r.Target))
		return
	}
	p.block.write(l, r, fragment, repeats)
}

// AddRendered adds to a page the links that only its scripts make. A link is left out if
// the page has a reference to the same URL, or the element another one from the same
// attribute. selector returns a CSS selector for the element of the link with an index. It
// returns the indexes of the links that were added.
func AddRendered(p *Page, links []extract.Link, selector func(i int) string) (added []int) {
	type place struct {
		target             int
		fragment           bool
		hash               uint64
		element, attribute string
	}
	of := func(r *reference, element, attribute string) place {
		return place{r.Target, r.HasFragment, r.Hash, element, attribute}
	}
	known := make(map[place]bool, len(p.seen))
	for i := range p.seen {
		if i >= len(p.Document.Links) || p.Document.Links[i].Repeats == 0 {
			known[of(&p.seen[i], "", "")] = true
		}
	}
	for i := range links {
		l := &links[i]
		var r reference
		fragment := p.collector.add(l, &r)
		if own := of(&r, l.Element, l.Attribute); !known[of(&r, "", "")] && !known[own] {
			known[own] = true
			r.Mark |= scope.MarkRendered
			p.block.links.Add(&frontier.Link{Target: r.Target, Fragment: fragment, HasFragment: r.HasFragment, Hash: r.Hash, Mark: r.Mark,
				Element: l.Element, Attribute: l.Attribute, Raw: scope.Shorten(l.Raw), Text: l.Text, Selector: selector(i)})
			added = append(added, i)
		}
	}
	return added
}

// LeaveAlone notes which links of a document sign out or delete. It is called before a browser shows
// the document, as scripts may request what links name.
func LeaveAlone(p *Page, doc *extract.Document) {
	for i := range doc.Links {
		l := p.collector.resolver.meant(&doc.Links[i])
		if !l.Acts {
			continue
		}
		var res resolution
		if t := p.collector.urlOf(&res, l); t.err == nil {
			p.referrer.decide(t, l)
		}
	}
}

// Shadow makes the links of a document known to a page without adding them, so that AddRendered
// leaves them out.
func Shadow(p *Page, doc *extract.Document) {
	for i := range doc.Links {
		var r reference
		p.collector.add(&doc.Links[i], &r)
		p.seen = append(p.seen, r)
	}
}

// WantContent requests the content of a target that the page refers to, for a judgement that
// needs it. It does nothing if the target is not requested, or suffices reports that what is
// known of it from an earlier run is enough.
func (p *Page) WantContent(u urinorm.URL, suffices func(known *judging.Outcome) bool) {
	at, found := p.items.find(p.items.fingerprint(scope.HrefOf(u)))
	if !found {
		return
	}
	item := &p.items.list[at]
	if item.Outcome != nil {
		if o, _, err := judging.DecodeHead(item.Outcome); err == nil && o.Cached && !suffices(&o) {
			item.Outcome = nil
		}
	}
	if item.Outcome == nil {
		item.Need |= frontier.NeedContent
	}
}

// ReadBare begins a document whose links may be bare. If the body is nil, the links of
// the document are kept whole.
func (p *Page) ReadBare(body []byte) {
	p.items.forecast = nil
	if body != nil {
		p.items.forecast = p.collector.env.Forecast
	}
	p.block.begin(&p.Document, body)
}

// ReleaseBody ends the use of the body given to ReadBare, after all links were added.
func (p *Page) ReleaseBody() { p.block.releaseBody() }

// Foresee updates the forecast with the targets of the page, if its links may be bare.
// The IDs are those of the targets.
func (p *Page) Foresee(ctx context.Context, ids []frontier.ID) {
	if p.block.bare {
		p.collector.env.Forecast.Found(ctx, p.Targets(), ids)
	}
}

// Targets returns the targets of the page. They are valid until the next Reset.
func (p *Page) Targets() []frontier.Item { return p.items.list }

// Edges returns the links of the page for graphs, if Config.Pages is set.
func (p *Page) Edges() []result.Edge { return p.collector.edges }

// Learn remembers the IDs that the store assigned to the targets of this or another page.
func (p *Page) Learn(found []frontier.Item, ids []frontier.ID) {
	p.items.ids.learn(found, ids)
}

// Detach returns the targets of the page and the block of references. They remain valid
// after Reset, so that another page can be collected while a store waits for the disk.
func (p *Page) Detach() (found []frontier.Item, links []byte) {
	links = slices.Clone(p.Encode())
	found = slices.Clone(p.items.list)
	p.items.jobs = nil // the targets refer to it
	return found, links
}

// Encode returns the block of references. It is valid until the next Reset, and no link
// may be added before that. Encode releases the working memory of a large page, as the
// store is about to need memory for it.
func (p *Page) Encode() []byte {
	large := p.block.links.Size() > largeBlock
	if large {
		p.items.index.release()
	}
	encoded := p.block.encode()
	if large {
		p.block.links = frontier.Links{}
	}
	return encoded
}

// Shrink releases the memory that only a large page needed.
func (p *Page) Shrink() {
	if p.block.links.Size() > largeBlock || cap(p.block.encoded) > largeBlock || cap(p.kept) > largeBlock || cap(p.seen) > manyLinks || cap(p.items.list) > manyLinks {
		*p = Page{collector: collector{known: p.collector.known}, items: items{ids: p.items.ids}}
	}
}

// Memory beyond these limits is not kept for the next page.
const (
	largeBlock = 1 << 20 // bytes of a page's references
	manyLinks  = 1 << 15 // links or targets of a page
)
