package crawler

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Marks are what is remembered of one reference besides its place; they become
// warnings of its target. The upper half of a mark holds the repairs.
const (
	markExpect      = 3      // extract.Expect
	markMixed       = 1 << 2 // an https page loads it by http
	markOutsideBase = 1 << 3 // on the published host, but not under --base-url
	markForm        = 1 << 4 // the action of a form
	markAside       = 1 << 5 // named, not linked: nothing is asked for its sake
	markExcluded    = 1 << 6 // a rule says not to look at this URL, whatever becomes of its page
	markChanged     = 1 << 7 // on a changed page, where Config.Changed tells them from the others
	markRepairs     = 32     // where the repairs begin
)

// findings gathers what one page refers to, target by target and reference by
// reference, ready to be settled with the page in one step.
type findings struct {
	run  *run
	page view // the page's own URL
	base *urinorm.Base
	local,
	nofollow,
	isPage, // it was read for links
	unchanged bool // and Config.Changed says it is as it was
	depth int

	said  []said // of each link of the document
	items []pending
	links frontier.Links
	index map[frontier.Fingerprint]int32
	href  []byte // of the reference at hand
	key   []byte
	store []byte // hosts and jobs of the items
	out   []frontier.Item
	edges []Edge
}

// pending is an item whose bytes lie in findings.store.
type pending struct {
	item             frontier.Item
	host, job, after int
}

// said is what one link came to, for those that repeat it.
type said struct {
	target   int
	fragment string
	has      bool
	mark     uint64
}

func (f *findings) reset(r *run, page view, depth int) {
	*f = findings{run: r, page: page, depth: depth, said: f.said[:0], items: f.items[:0], links: f.links, index: f.index,
		href: f.href[:0], key: f.key[:0], store: f.store[:0], out: f.out[:0]}
	f.links.Reset()
	if f.index == nil {
		f.index = map[frontier.Fingerprint]int32{}
	}
	clear(f.index)
}

// add keeps one link. Those of a document come first and in its order: what one
// repeats was found out before.
func (f *findings) add(l *extract.Link) error {
	link := frontier.Link{Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: l.Raw, Text: l.Text,
		Mark: uint64(l.Expect) & markExpect}
	if l.Repeats > 0 && !f.run.cfg.Pages {
		s := &f.said[l.Repeats-1]
		link.Target, link.Fragment, link.HasFragment, link.Mark = s.target, s.fragment, s.has, s.mark
	} else {
		f.resolve(l, &link)
	}
	f.said = append(f.said, said{link.Target, link.Fragment, link.HasFragment, link.Mark})
	f.links.Add(&link)
	return nil
}

// resolve finds out what a link refers to, and decides its fate.
func (f *findings) resolve(l *extract.Link, link *frontier.Link) {
	href, at, repairs, err := f.baseOf(l).Append(f.href[:0], l.Ref)
	if repairs.Has(urinorm.RepairAboveRoot) && err == nil {
		if b := f.onDisk(); b != nil { // the folder of a single document is no root
			href, at, repairs, err = b.Append(f.href[:0], l.Ref)
		}
	}
	f.href = href
	if err != nil {
		o := check.Invalid(err)
		link.Target = f.refuse(l.Ref, &o)
		return
	}
	v := view{href, at}
	if at.HasAuthority || repairs.Mended() { // nothing else can need a note
		link.Mark |= uint64(repairs) << markRepairs
	}
	v = f.run.aliased(v, &f.href)
	if fragment, ok := v.fragment(); ok {
		link.Fragment, link.HasFragment = string(fragment), true
	}
	link.Target = f.refer(v, l, link)
	if f.run.cfg.Pages {
		f.edges = append(f.edges, Edge{URL: f.run.print.view(v), Text: l.Text})
	}
}

// onDisk is the file: URL of a page that is read by itself, not as part of a
// directory: its links may lead to wherever they say. It is nil for other pages.
func (f *findings) onDisk() *urinorm.Base {
	u := urlOf(f.page)
	site := f.run.scope().siteOf(u)
	if site == nil || !site.Synthetic() || f.run.crawled(site) {
		return nil
	}
	file, err := fetch.FileURL(site.PathOf(u))
	if err != nil {
		return nil
	}
	b, err := urinorm.NewBase(file, "")
	if err != nil {
		return nil
	}
	return b
}

// baseOf is what a link's reference is resolved against.
func (f *findings) baseOf(l *extract.Link) *urinorm.Base {
	if l.SameDocument {
		if b, err := urinorm.NewBase(urlOf(f.page), ""); err == nil {
			return b
		}
	}
	if l.Base != "" {
		if u, _, err := f.base.Resolve(l.Base); err == nil {
			if b, err := urinorm.NewBase(u.WithoutFragment(), ""); err == nil {
				return b
			}
		}
	}
	return f.base
}

// lead enters the target that a page hands its readers on to as the first of those
// found, where a redirect's target stands too, and returns its URL. A page that
// does so with a script's help may carry the fragment along: the join then looks
// for it there as well.
func (f *findings) lead(l *extract.Link) string {
	href, at, _, err := f.base.Append(f.href[:0], l.Ref)
	f.href = href
	if v := (view{href, at}); err == nil && v.http() && len(f.items) == 0 {
		var link frontier.Link
		f.refer(v, l, &link)
		return string(v.document())
	}
	return ""
}

// mixed reports whether a page that is served by https loads a link's target
// without encryption.
func (f *findings) mixed(v view, l *extract.Link) bool {
	if len(f.page.scheme()) != len("https") || len(v.scheme()) != len("http") || f.run.synthetic(f.page) {
		return false
	}
	_, mixed := check.MixedContentWarning(urlOf(f.page), urlOf(v), l)
	return mixed
}

// refuse enters a reference that names nothing that could be asked.
func (f *findings) refuse(raw string, o *check.Outcome) int {
	f.key = append(append(f.key[:0], "not a reference:"...), raw...)
	fp := f.run.frontier.Fingerprint(f.key)
	if at, ok := f.index[fp]; ok {
		return int(at)
	}
	return f.enter(fp, nil, frontier.Job{URL: []byte(raw), Verbatim: true}, Fate{Outcome: o, Internal: true, Wave: frontier.Leaves})
}

// refer enters the target of a resolved reference.
func (f *findings) refer(v view, l *extract.Link, link *frontier.Link) int {
	var fate Fate
	r := f.run
	switch {
	case l.Ignored:
		fate.Outcome = skip(check.CodeExcluded, "an inline mark says to leave it out")
		link.Mark |= markAside
	case l.Kind == extract.Host:
		link.Mark |= markAside
		// Such a host is never visited. Whether it resolves is a target of its own.
		if named, ok := fetch.HostURL(urlOf(v)); ok && r.fetches(named.Scheme()) {
			v = viewOf(named)
			fate = r.otherScheme(v, f, l.Kind)
			break
		}
		fate.Outcome = skip(check.CodeSchemeUnchecked, "named for later ("+l.Attribute+"), not fetched")
	case v.http():
		fate = r.scope().Decide(v, l.Kind, f.depth+1, f.nofollow || l.NoFollow && r.obeysNoFollow(f.page))
		if fate.Outcome != nil && fate.Outcome.Code == check.CodeExcluded {
			link.Mark |= markExcluded
		}
		if f.mixed(v, l) {
			link.Mark |= markMixed
		}
		if r.outsideBase(v) {
			link.Mark |= markOutsideBase
		}
	default:
		fate = r.otherScheme(v, f, l.Kind)
	}
	if l.Kind == extract.Submission {
		link.Mark |= markForm
	}
	f.sinceThen(&fate, v, link)
	if link.HasFragment && fate.Outcome == nil && wantsAnchors(link.Fragment) {
		fate.Need |= frontier.NeedContent
	}
	f.key = urinorm.AppendKey(f.key[:0], v.href, v.at)
	fp := r.frontier.Fingerprint(f.key)
	if r.earlier != nil && fate.Outcome == nil {
		fate.Outcome = r.standsFor(fp, v, &fate, link)
	}
	if at, ok := f.index[fp]; ok {
		it := &f.items[at].item
		it.Need |= fate.Need
		it.Wave = min(it.Wave, fate.Wave)
		if fate.Outcome == nil {
			it.Outcome = nil
		}
		return int(at)
	}
	return f.enter(fp, v.authority(), frontier.Job{URL: v.document(), Internal: fate.Internal, Page: fate.Page, Depth: f.depth + 1}, fate)
}

// wantsAnchors reports whether a fragment can only be judged from the page's content.
func wantsAnchors(fragment string) bool {
	return fragment != "" && fragment[0] != '/' && fragment[0] != '!' && !strings.HasPrefix(fragment, ":~:")
}

// enter adds an item and returns its index.
func (f *findings) enter(fp frontier.Fingerprint, host []byte, j frontier.Job, fate Fate) int {
	p := pending{host: len(f.store)}
	f.store = append(f.store, host...)
	p.job = len(f.store)
	f.store = frontier.AppendJob(f.store, j)
	p.after = len(f.store)
	p.item = frontier.Item{Fingerprint: fp, Wave: fate.Wave, Need: fate.Need}
	if fate.Outcome != nil {
		p.item.Outcome = check.AppendOutcome(nil, fate.Outcome)
		p.item.Wave = frontier.Leaves
	}
	f.items = append(f.items, p)
	f.index[fp] = int32(len(f.items) - 1)
	return len(f.items) - 1
}

// found returns the items; they are good until the next reset.
func (f *findings) found() []frontier.Item {
	f.out = f.out[:0]
	for i := range f.items {
		p := &f.items[i]
		it := p.item
		it.Host, it.Job = f.store[p.host:p.job], f.store[p.job:p.after]
		f.out = append(f.out, it)
	}
	return f.out
}
