package references

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Page gathers what one page refers to, target by target and reference by reference,
// ready to be settled with the page in one step. The zero value is empty. It is used for
// one page after the other, by one goroutine at a time.
type Page struct {
	// Document is memory for the document at hand.
	Document extract.Document
	// About is what a later session is to know of the page.
	About []byte

	resolver
	items   items
	links   frontier.Links
	seen    []reference // what each link of the document came to
	known   decisions
	own     [extract.Host]int32 // items of the page itself, by kind of link, plus one; 0 while not met
	key     []byte
	block   []byte
	edges   []rules.Edge
	bare    bareLinks
	recalls bool // what references came to may be remembered: a link's fate depends on nothing else
	whole   bool // a fragment may decide about a link, or be wanted for a graph
}

// reference is what one link came to: what is kept of it, and for those that repeat it.
type reference struct {
	frontier.Brief
	text    string
	written int  // on a page with bare links: one more than its number among those written whole
	plain   bool // on a page with bare links: it may be bare
}

// resolution is what resolving a link came to.
type resolution struct {
	reference
	fragment    []byte // good until the next link
	fate        rules.Fate
	fingerprint frontier.Fingerprint
	plain       bool // it depends on nothing but the reference and the directory
}

// Reset begins a page at a depth; its targets are one deeper.
func (p *Page) Reset(env *Env, page rules.Href, depth int) {
	p.Env, p.scope, p.page, p.depth = env, env.Scope(), page, depth
	p.Source, p.doc, p.template = Source{}, &p.Document, template{}
	p.items.reset()
	p.buf, p.key, p.edges, p.About = p.buf[:0], p.key[:0], nil, nil
	p.seen = p.seen[:0]
	p.ReadBare(nil)
	c := env.Config
	p.recalls = c.Changed == nil && env.Earlier == nil
	p.known.reset()
	p.whole = c.Pages || c.Credentials || len(c.Include)+len(c.NoFollow)+len(c.Exclude)+len(c.Rules) > 0
}

// From says what holds for the links that are added from now on.
func (p *Page) From(s Source) {
	p.Source = s
	p.own = [len(p.own)]int32{}
	p.known.within(p)
}

// Against changes the base URL for the links that are added from now on.
func (p *Page) Against(base *urinorm.Base) {
	s := p.Source
	s.Base = base
	p.From(s)
}

// ReadFile says that a file holds the document, whose body this is until it is called
// with nil: the document may be a template.
func (p *Page) ReadFile(body []byte) { p.template = template{body: body} }

// FollowsNone reports whether no link of the page is followed.
func (p *Page) FollowsNone() bool { return p.NoFollow }

// AddAll keeps the links of a document, in their order, and those that repeat them.
func (p *Page) AddAll(doc *extract.Document) {
	p.seen = slices.Grow(p.seen, len(doc.Links))
	for i := range doc.Links {
		if i == fewLinks {
			p.links.Grow(len(doc.Links) + len(doc.BareRepeats))
		}
		p.Add(&doc.Links[i])
	}
	for _, repeat := range doc.BareRepeats {
		p.addRepeat(&doc.Links[repeat.First], repeat)
	}
}

// fewLinks is after how many links of a page it is clear what memory the rest take: lists
// that double again and again take twice as much.
const fewLinks = 1024

// AddPart keeps some links of a document that is read part by part; all is about how many
// it has. None repeats another.
func (p *Page) AddPart(links []extract.Link, all int) {
	first := p.links.Len() == 0
	for i := range links {
		p.Add(&links[i])
	}
	p.seen = p.seen[:0]
	if first {
		p.expect(all)
	}
}

// expect makes room for what so many links come to, if the rest are as those that were
// added so far.
func (p *Page) expect(links int) {
	have := p.links.Len()
	if links <= have {
		return
	}
	p.links.Grow(links)
	rest := len(p.items.list) * (links - have) / have
	p.items.list = slices.Grow(p.items.list, rest+rest/8)
}

// Add keeps one link. The links of a document come first and in its order: what one
// repeats was found out before.
func (p *Page) Add(l *extract.Link) {
	at := len(p.seen)
	p.seen = append(p.seen, reference{})
	r := &p.seen[at]
	var fragment []byte
	repeats := 0
	if l.Repeats > 0 && !p.Config.Pages {
		repeats = l.Repeats
		r = &p.seen[repeats-1]
	} else {
		fragment = p.reference(l, r)
	}
	if p.bare.on {
		p.addBare(l, r, fragment)
		return
	}
	p.write(l, r, fragment, repeats)
}

// reference fills in what a link comes to, and returns the fragment to be written with it.
func (p *Page) reference(l *extract.Link, r *reference) (fragment []byte) {
	switch {
	case !p.recalls || !ordinary(l):
		res := p.resolve(l)
		*r, fragment = res.reference, res.fragment
	case l.Ref != "" && l.Ref[0] == '#':
		fragment = p.toItself(l, r)
	default:
		fragment = p.recall(l, r)
	}
	r.plain = p.bare.on && isPlain(l, r, fragment)
	return fragment
}

// begin fills in what is known of a link's reference before it is resolved.
func (r *reference) begin(l *extract.Link) {
	r.Mark, r.text = uint64(l.Expect)&rules.MarkExpect, l.Text
}

// ordinary reports whether nothing but the reference itself, the kind of link and
// rel=nofollow decide what becomes of a link.
func ordinary(l *extract.Link) bool {
	return l.Kind < extract.Host && l.Kind != extract.Submission && l.Base == "" && !l.SameDocument && !l.Ignored
}

// toItself keeps a link to a place on the page itself. Once a page has one such link, all
// others of its kind are the same but for their fragment.
func (p *Page) toItself(l *extract.Link, r *reference) []byte {
	fragment := l.Ref[1:]
	own := &p.own[l.Kind]
	plain := !l.NoFollow && !p.whole && urinorm.IsPlainFragment(fragment)
	if !plain || *own == 0 {
		res := p.resolve(l)
		if plain && res.fate.Outcome == nil && res.Mark&^rules.MarkExpect == 0 {
			*own = int32(res.Target) + 1
		}
		*r = res.reference
		return res.fragment
	}
	r.begin(l)
	p.buf = append(p.buf[:0], fragment...)
	r.Target, r.HasFragment, r.Hash = int(*own)-1, true, check.HashAnchor(fragment)
	p.wantAnchor(r.Target, p.buf)
	return p.buf
}

// recall keeps a link whose reference may have been met before: on this page, or on
// another one in its directory.
func (p *Page) recall(l *extract.Link, r *reference) []byte {
	ref, fragment, has := strings.Cut(l.Ref, "#")
	if p.whole {
		ref = l.Ref
	}
	k, hash, met := p.known.find(l, ref)
	switch {
	case k == nil || !urinorm.IsPlainFragment(fragment):
		res := p.resolve(l)
		*r = res.reference
		return res.fragment
	case !met:
		res := p.resolve(l)
		if res.plain && res.Mark&^rules.MarkExpect == 0 && strings.IndexByte(ref, '{') < 0 { // of that in a template it says nothing
			p.known.keep(k, hash, l, &res)
		}
		*r = res.reference
		return res.fragment
	case k.page != p.known.page:
		k.item = p.enterKnown(l, k)
		k.page = p.known.page
	}
	r.begin(l)
	r.Target = int(k.item)
	if p.Config.Pages {
		p.edges = append(p.edges, rules.Edge{URL: p.Print.Href(p.again(l.Ref)), Text: l.Text})
	}
	if !has {
		return nil
	}
	p.buf = append(p.buf[:0], fragment...)
	r.HasFragment, r.Hash = true, check.HashAnchor(fragment)
	if k.fate.Outcome == nil {
		p.wantAnchor(r.Target, p.buf)
	}
	return p.buf
}

// enterKnown enters the target of a link that is known from another page.
func (p *Page) enterKnown(l *extract.Link, k *remembered) int32 {
	at, there := p.items.find(k.fingerprint)
	if there {
		p.items.merge(at, k.fate)
		return int32(at)
	}
	if k.id == 0 && k.fate.Outcome == nil {
		k.id = p.items.ids.find(k.fingerprint)
	}
	if k.id != 0 {
		return int32(p.items.add(k.fingerprint, k.id, &k.fate))
	}
	return int32(p.enterURL(k.fingerprint, p.again(l.Ref), k.fate))
}

// resolve resolves a link's reference and enters its target.
func (p *Page) resolve(l *extract.Link) resolution {
	var res resolution
	res.begin(l)
	if p.fillsIn(l) {
		// Nobody knows what it leads to: what it would resolve to, or the document
		// without what may not be a fragment, is another target.
		res.fate = rules.Fate{Outcome: rules.Skip(check.CodeExcluded, forTemplate), Internal: true, Wave: frontier.Leaves}
		res.Mark |= rules.MarkAside
		res.Target = p.refuse(l.Ref, res.fate)
		return res
	}
	t := p.target(l)
	if t.err != nil {
		o := check.Invalid(t.err)
		res.fate = rules.Fate{Outcome: &o, Internal: true, Wave: frontier.Leaves, Need: frontier.NeedLinked}
		if why := p.leftAside(l, t.above); why != "" {
			res.fate.Outcome, res.fate.Need = rules.Skip(check.CodeExcluded, why), 0
			res.Mark |= rules.MarkAside
		}
		res.Target = p.refuse(l.Ref, res.fate)
		return res
	}
	if t.href.Offsets.HasAuthority || t.repairs.Repaired() { // nothing else can need a note
		res.Mark |= uint64(t.repairs) << rules.MarkRepairs
	}
	res.plain = t.plain
	if len(p.aliases) > 0 {
		t.href, res.plain = p.aliased(t.href, &p.buf), false
	}
	if fragment, ok := t.href.Fragment(); ok {
		res.fragment, res.HasFragment, res.Hash = fragment, true, check.HashAnchorBytes(fragment)
	}
	p.enterTarget(&res, t, l)
	if p.Config.Pages {
		p.edges = append(p.edges, rules.Edge{URL: p.Print.Href(t.href), Text: l.Text})
	}
	return res
}

// enterTarget decides about a target and enters it.
func (p *Page) enterTarget(res *resolution, t target, l *extract.Link) {
	d := p.decide(t, l)
	res.Mark |= d.mark
	res.fate = d.fate
	visited := res.fate.Outcome == nil
	res.fingerprint = p.fingerprint(d.href)
	if visited && p.Earlier != nil {
		res.fate.Outcome = p.Earlier(res.fingerprint, d.href, res.fate, res.fragment)
	}
	if at, ok := p.items.find(res.fingerprint); ok {
		p.items.merge(at, res.fate)
		res.Target = at
	} else {
		res.Target = p.enterURL(res.fingerprint, d.href, res.fate)
	}
	if visited && res.HasFragment {
		p.wantAnchor(res.Target, res.fragment)
	}
}

func (p *Page) fingerprint(v rules.Href) frontier.Fingerprint {
	p.key = urinorm.AppendKey(p.key[:0], v.Bytes, v.Offsets)
	return p.Frontier.Fingerprint(p.key)
}

// enterURL adds a link's target as an item, and returns its index.
func (p *Page) enterURL(fp frontier.Fingerprint, v rules.Href, fate rules.Fate) int {
	return p.items.enter(fp, v, frontier.Job{URL: v.Document(), Internal: fate.Internal, Page: fate.Page, Depth: p.depth + 1}, fate)
}

// refuse enters a reference that names nothing that could be asked.
func (p *Page) refuse(raw string, fate rules.Fate) int {
	p.key = append(append(p.key[:0], "not a reference:"...), raw...)
	fp := p.Frontier.Fingerprint(p.key)
	if at, ok := p.items.find(fp); ok {
		p.items.merge(at, fate)
		return at
	}
	return p.items.enter(fp, rules.Href{}, frontier.Job{URL: []byte(raw), Verbatim: true}, fate)
}

// wantAnchor asks for the content of an item, when a fragment on it can only be judged
// from that.
func (p *Page) wantAnchor(item int, fragment []byte) {
	if WantsAnchors(fragment) {
		p.items.list[item].Need |= frontier.NeedContent
	}
}

// WantsAnchors reports whether a fragment can only be judged from the page's content.
func WantsAnchors[T string | []byte](fragment T) bool {
	const directive = ":~:"
	return len(fragment) > 0 && fragment[0] != '/' && fragment[0] != '!' &&
		(len(fragment) < len(directive) || string(fragment[:len(directive)]) != directive)
}

// write writes a reference out. Repeats is as that of a frontier.Link.
func (p *Page) write(l *extract.Link, r *reference, fragment []byte, repeats int) {
	p.links.Add(&frontier.Link{Target: r.Target, Fragment: fragment, HasFragment: r.HasFragment, Hash: r.Hash, Mark: r.Mark,
		Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: l.Raw, Text: l.Text,
		Repeats: repeats, SameText: repeats > 0 && l.Text == r.text})
}
