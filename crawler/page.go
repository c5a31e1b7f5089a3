package crawler

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// findings gathers what one page refers to, target by target and reference by
// reference, ready to be settled with the page in one step.
type findings struct {
	run   *run
	scope *rules.Scope
	page  rules.Href // the page's own URL
	base  *urinorm.Base
	local,
	nofollow,
	unchanged bool // Config.Changed says that the page is as it was
	depth     int
	remembers bool // what references came to may be remembered
	byPattern bool // a fragment may decide about a link, or be wanted for a graph

	plain       bool                 // what the last reference stands for hangs on nothing but it and the directory
	fingerprint frontier.Fingerprint // of its target
	said        []said               // of each link of the document
	items       []frontier.Item
	shown       []shownAs // of the references to each item, where links may be bare
	links       frontier.Links
	index       pageIndex
	known       hrefs
	ids         knownIDs
	own         [extract.Host]int32 // items of the page itself, by kind of link, plus one; 0 while not met
	href        []byte              // of the reference at hand
	fragment    []byte              // and its fragment; nil while it is not known
	key         []byte
	store       []byte // jobs of the items, and in them their hosts; before it was full, they lay in others
	block       []byte
	edges       []Edge
	doc         extract.Document
	about       []byte // what a later session is to know of the page

	source   []byte // of the document at hand, where a file holds it and it is not yet known whether it is a template
	template bool   // it is one
	above    bool   // the last reference climbs above the root
	outside  *outsideLink
	outsides map[outsideKey]*outsideLink

	bare   bool   // links of the page at hand may be bare (bare.go)
	body   []byte // of the document at hand, where they may
	again  extract.Rereader
	reread bool // again is at that document
}

// said is what one link came to: what is kept of it, and for those that repeat it.
type said struct {
	frontier.Brief
	text   string
	number int  // of a document read bare: one more than that of the reference, among those written out
	plain  bool // of a document read bare: the link may be bare
}

// expect makes room for what so many links come to, if the rest are as those that were
// added so far: lists that double again and again take twice as much.
func (f *findings) expect(links int) {
	have := f.links.Len()
	if links <= have {
		return
	}
	f.links.Expect(links)
	rest := len(f.items) * (links - have) / have
	f.items = slices.Grow(f.items, rest+rest/8)
}

// shrink lets go of what a large page needed.
func (f *findings) shrink() {
	if f.links.Size() > largeLinks || cap(f.block) > largeLinks || cap(f.said) > manyLinks || cap(f.items) > manyLinks {
		*f = findings{known: f.known, ids: f.ids}
	}
}

func (f *findings) reset(r *run, page rules.Href, depth int) {
	f.run, f.scope, f.page, f.depth = r, r.scope(), page, depth
	f.base, f.local, f.nofollow = nil, false, false
	f.items, f.shown, f.href, f.key, f.store, f.edges = f.items[:0], f.shown[:0], f.href[:0], f.key[:0], f.store[:0], nil
	f.said, f.unchanged = f.said[:0], false
	f.about = nil
	f.readsFile(nil)
	f.readsBare(nil)
	f.remembers = r.cfg.Changed == nil && !r.looksBack() // else a link's fate hangs on more than itself
	f.index.reset()
	f.known.reset()
	c := r.cfg
	f.byPattern = c.Pages || c.Credentials || len(c.Include)+len(c.NoFollow)+len(c.Exclude)+len(c.Rules) > 0
}

// against sets what references are resolved against from now on.
func (f *findings) against(base *urinorm.Base) {
	f.base = base
	f.own = [len(f.own)]int32{}
	f.known.within(f)
}

// add keeps one link. Those of a document come first and in its order: what one
// repeats was found out before.
func (f *findings) add(l *extract.Link) {
	at := len(f.said)
	f.said = append(f.said, said{})
	s := &f.said[at]
	f.fragment = nil
	repeats := l.Repeats > 0 && !f.run.cfg.Pages
	if repeats {
		s = &f.said[l.Repeats-1]
	} else {
		f.learnOf(l, s)
	}
	switch {
	case f.bare:
		f.addBare(l, s)
	case repeats:
		f.write(l, s, l.Repeats)
	default:
		f.write(l, s, 0)
	}
}

// learnOf finds out what a link comes to.
func (f *findings) learnOf(l *extract.Link, s *said) {
	s.Mark, s.text = uint64(l.Expect)&rules.MarkExpect, l.Text
	switch {
	case !f.remembers || !ordinary(l):
		f.resolve(l, s)
	case l.Ref != "" && l.Ref[0] == '#':
		f.addOwn(l, s)
	default:
		f.addKnown(l, s)
	}
	s.plain = f.bare && isPlain(l, s, f.fragment)
}

// write writes a reference out. Repeats is as that of a frontier.Link.
func (f *findings) write(l *extract.Link, s *said, repeats int) {
	f.links.Add(&frontier.Link{Target: s.Target, Fragment: f.fragment, HasFragment: s.HasFragment, Hash: s.Hash, Mark: s.Mark,
		Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: l.Raw, Text: l.Text,
		Repeats: repeats, SameText: repeats > 0 && l.Text == s.text})
}

// ordinary reports whether nothing but the reference itself, the kind of link and
// rel=nofollow make out what becomes of a link.
func ordinary(l *extract.Link) bool {
	return l.Kind < extract.Host && l.Kind != extract.Submission && l.Base == "" && !l.SameDocument && !l.Ignored
}

// addOwn keeps a link to a place on the page itself. Of a page that was met by one
// such link, all others of its kind are the same but for their fragment.
func (f *findings) addOwn(l *extract.Link, s *said) {
	fragment := l.Ref[1:]
	own := &f.own[l.Kind]
	plain := !l.NoFollow && !f.byPattern && urinorm.IsPlainFragment(fragment)
	if !plain || *own == 0 {
		_, fate := f.resolve(l, s)
		if plain && fate.Outcome == nil && s.Mark&^rules.MarkExpect == 0 {
			*own = int32(s.Target) + 1
		}
		return
	}
	f.href = append(f.href[:0], fragment...)
	f.fragment = f.href
	s.Target, s.HasFragment, s.Hash = int(*own)-1, true, check.HashAnchor(fragment)
	f.wantAnchor(s)
}

// addKnown keeps a link whose reference may have been met before: on this page, or
// on another one in its directory.
func (f *findings) addKnown(l *extract.Link, s *said) {
	ref, fragment, has := strings.Cut(l.Ref, "#")
	if f.byPattern {
		ref = l.Ref
	}
	k, hash, met := f.known.find(l, ref)
	switch {
	case k == nil || !urinorm.IsPlainFragment(fragment):
		f.resolve(l, s)
		return
	case !met:
		_, fate := f.resolve(l, s)
		if f.plain && s.Mark&^rules.MarkExpect == 0 && strings.IndexByte(ref, '{') < 0 { // of that in a template it says nothing
			f.known.keep(k, hash, l, fate, f.fingerprint, s.Target)
		}
		return
	case k.page != f.known.page:
		k.item = f.enterKnown(l, k)
		k.page = f.known.page
	}
	s.Target = int(k.item)
	if f.run.cfg.Pages {
		f.edges = append(f.edges, Edge{URL: f.run.print.Href(f.urlAgain(l)), Text: l.Text})
	}
	if has {
		f.href = append(f.href[:0], fragment...)
		f.fragment, s.HasFragment, s.Hash = f.href, true, check.HashAnchor(fragment)
		if k.fate.Outcome == nil {
			f.wantAnchor(s)
		}
	}
}

// enterKnown enters the target of a link that is known from another page.
func (f *findings) enterKnown(l *extract.Link, k *href) int32 {
	at, there := f.index.find(f.items, k.fingerprint)
	if there {
		f.merge(int(at), k.fate)
		return at
	}
	if k.id == 0 && k.fate.Outcome == nil {
		k.id = f.ids.find(k.fingerprint)
	}
	if k.id != 0 {
		return int32(f.item(k.fingerprint, k.id, &k.fate))
	}
	return int32(f.enterURL(k.fingerprint, f.urlAgain(l), k.fate))
}

// urlAgain is what a reference stands for that is known, and so needs no mending.
func (f *findings) urlAgain(l *extract.Link) rules.Href {
	href, at, _, _ := f.base.Append(f.href[:0], l.Ref)
	f.href = href
	return rules.Href{Bytes: href, Offsets: at}
}

// resolve resolves a link's reference and enters its target.
func (f *findings) resolve(l *extract.Link, s *said) (rules.Href, rules.Fate) {
	if f.fillsIn(l) {
		// Nobody knows what it leads to: what it would resolve to, or the document
		// without what may be no fragment, is another target.
		f.plain = false
		fate := rules.Fate{Outcome: rules.Skip(check.CodeExcluded, forTemplate), Internal: true, Wave: frontier.Leaves}
		s.Mark |= rules.MarkAside
		s.Target = f.refuse(l.Ref, fate)
		return rules.Href{}, fate
	}
	base := f.baseOf(l)
	f.above, f.outside = false, nil
	href, at, ok := base.AppendPlain(f.href[:0], l.Ref)
	f.plain = ok
	if out := f.outsideBefore(l, ok); out != nil {
		f.above, f.outside = true, out
		href, at = append(f.href[:0], out.v.Bytes...), out.v.Offsets
	} else if !ok {
		var repairs urinorm.Repairs
		var err error
		href, at, repairs, err = base.Append(f.href[:0], l.Ref)
		f.plain = err == nil && repairs == 0 && isASCII(l.Ref) // else the page's charset may have a say
		if f.above = repairs.Has(urinorm.RepairAboveRoot); f.above && err == nil {
			if b := f.onDisk(rules.Href{Bytes: href, Offsets: at}, l); b != nil {
				if href, at, repairs, err = b.Append(f.href[:0], l.Ref); err == nil {
					f.keepOutside(rules.Href{Bytes: href, Offsets: at}, l)
				}
			}
		}
		if err != nil {
			o := check.Invalid(err)
			fate := rules.Fate{Outcome: &o, Internal: true, Wave: frontier.Leaves, Need: frontier.NeedLinked}
			if why := f.leftAside(l); why != "" {
				fate.Outcome, fate.Need = rules.Skip(check.CodeExcluded, why), 0
				s.Mark |= rules.MarkAside
			}
			s.Target = f.refuse(l.Ref, fate)
			return rules.Href{}, fate
		}
		if at.HasAuthority || repairs.Mended() { // nothing else can need a note
			s.Mark |= uint64(repairs) << rules.MarkRepairs
		}
	}
	f.href = href
	v := rules.Href{Bytes: href, Offsets: at}
	if len(f.run.aliases) > 0 {
		v, f.plain = f.run.aliased(v, &f.href), false
	}
	if fragment, ok := v.Fragment(); ok {
		f.fragment, s.HasFragment, s.Hash = fragment, true, check.HashAnchorBytes(fragment)
	}
	fate := f.refer(v, l, s)
	if f.run.cfg.Pages {
		f.edges = append(f.edges, Edge{URL: f.run.print.Href(v), Text: l.Text})
	}
	return v, fate
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// onDisk is the file: URL of a local page, against which a link that climbs above the
// root is resolved, rather than to v, where it stays at the root; nil for v. A page that
// is read by itself has no root: its links may lead to wherever they say. One of a
// directory leads outside of it, unless the root has what a browser would ask for where
// the directory is all of a host. Where it is published is not known.
func (f *findings) onDisk(v rules.Href, l *extract.Link) *urinorm.Base {
	u := rules.URLOf(f.page)
	site := f.run.scope().SiteOf(u)
	if site == nil || !site.Synthetic() {
		return nil
	}
	file, err := disk.FileURL(site.PathOf(u))
	if err != nil {
		return nil
	}
	b, err := urinorm.NewBase(file, "")
	if err != nil {
		return nil
	}
	if !f.run.scope().Crawled(site) {
		return b
	}
	if l.Base != "" || f.doc.Base != "" || strings.IndexByte("/\\", l.Ref[0]) >= 0 || site.Answers(rules.URLOf(v)) {
		return nil
	}
	there, _, err := b.Resolve(l.Ref)
	if err != nil {
		return nil
	}
	// Out of the directory and into it again is a way that code hosts know.
	if name, err := disk.FilePath(there); err != nil || !site.IsSource() && rules.IsWithin(name, site) {
		return nil
	}
	return b
}

// outsideLink is where a link out of the directory leads. Pages of generated manuals have
// such a link each, and it takes a while to find out.
type outsideLink struct {
	v    rules.Href
	fate rules.Fate
}

type outsideKey struct{ directory, ref string }

// mostOutsides is how many of them are remembered.
const mostOutsides = 256

// keepOutside remembers what a link leads to that climbed above the root.
func (f *findings) keepOutside(v rules.Href, l *extract.Link) {
	fate := f.run.otherScheme(v, f, l.Kind)
	if fate.Outcome == nil || fate.Outcome.Code != check.CodeFileOutsideRoot {
		return
	}
	if f.outsides == nil || len(f.outsides) >= mostOutsides {
		f.outsides = map[outsideKey]*outsideLink{}
	}
	out := &outsideLink{rules.Href{Bytes: slices.Clone(v.Bytes), Offsets: v.Offsets}, fate}
	f.outsides[outsideKey{strings.Clone(f.base.Directory()), strings.Clone(l.Ref)}], f.outside = out, out
}

// outsideBefore returns what a link is known to lead to that climbs above the root; nil
// for any other. Plain links don't climb.
func (f *findings) outsideBefore(l *extract.Link, plain bool) *outsideLink {
	if plain || len(f.outsides) == 0 || !f.local || l.SameDocument || l.Base != "" || f.doc.Base != "" {
		return nil
	}
	return f.outsides[outsideKey{f.base.Directory(), l.Ref}]
}

// baseOf is what a link's reference is resolved against.
func (f *findings) baseOf(l *extract.Link) *urinorm.Base {
	if l.SameDocument {
		if b, err := urinorm.NewBase(rules.URLOf(f.page), ""); err == nil {
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
	if v := (rules.Href{Bytes: href, Offsets: at}); err == nil && v.IsHTTP() && len(f.items) == 0 {
		f.fragment, f.above, f.outside = nil, false, nil
		f.refer(v, l, &said{})
		return string(v.Document())
	}
	return ""
}

// mixed reports whether a page that is served by https loads a link's target
// without encryption.
func (f *findings) mixed(v rules.Href, l *extract.Link) bool {
	if len(f.page.Scheme()) != len("https") || len(v.Scheme()) != len("http") || f.run.scope().Synthetic(f.page) {
		return false
	}
	_, mixed := check.MixedContentWarning(rules.URLOf(f.page), rules.URLOf(v), l)
	return mixed
}

// refuse enters a reference that names nothing that could be asked.
func (f *findings) refuse(raw string, fate rules.Fate) int {
	f.key = append(append(f.key[:0], "not a reference:"...), raw...)
	fp := f.run.frontier.Fingerprint(f.key)
	if at, ok := f.index.find(f.items, fp); ok {
		f.merge(int(at), fate)
		return int(at)
	}
	return f.enter(fp, rules.Href{}, frontier.Job{URL: []byte(raw), Verbatim: true}, fate)
}

// Why a link is left aside.
const (
	forTemplate = "a template fills in what it leads to"
	forBuilding = "what is built into a page from outside the directory is not looked at"
)

// leftAside says why a link is not to be looked at, "" if it is.
func (f *findings) leftAside(l *extract.Link) string {
	switch {
	case l.Ignored:
		return rules.IgnoredInline
	case f.above && f.local && l.Kind == extract.Resource && builds[f.doc.Format]:
		return forBuilding
	}
	return ""
}

// fillsIn reports whether a link is for a template to fill in. One with an inline mark is
// left aside for that.
func (f *findings) fillsIn(l *extract.Link) bool {
	return (f.template || f.source != nil) && !l.Ignored && extract.HoldsTemplate(l.Ref) && f.isTemplate()
}

// builds are the formats whose images and parts are files that a program reads when it
// makes a page of the document, from wherever they are.
var builds = map[string]bool{"restructuredtext": true, "asciidoc": true, "org": true}

// readsFile begins a document that a file holds: it may be a template. What comes from a
// server was made already.
func (f *findings) readsFile(body []byte) { f.source, f.template = body, false }

// isTemplate reports whether the document at hand is a template. It is looked through once.
func (f *findings) isTemplate() bool {
	if f.source != nil {
		f.template, f.source = extract.IsTemplate(f.doc.Format, f.source), nil
	}
	return f.template
}

// refer enters the target of a resolved reference, as s.Target, and says what
// becomes of it, whatever the fragment.
func (f *findings) refer(v rules.Href, l *extract.Link, s *said) (fate rules.Fate) {
	r := f.run
	why := ""
	if l.Ignored || f.above {
		why = f.leftAside(l)
	}
	switch {
	case why != "":
		fate.Outcome = rules.Skip(check.CodeExcluded, why)
		fate.Internal = f.within(v)
		s.Mark |= rules.MarkAside
	case l.Kind == extract.Host:
		s.Mark |= rules.MarkAside
		// Such a host is never visited. Whether it resolves is a target of its own, but
		// for one that was made up for a directory.
		if named, ok := fetch.HostURL(rules.URLOf(v)); ok && r.fetches(named.Scheme()) && !r.scope().Synthetic(v) {
			v = rules.HrefOf(named)
			fate = r.otherScheme(v, f, l.Kind)
			break
		}
		fate.Outcome = rules.Skip(check.CodeSchemeUnchecked, "named for later ("+l.Attribute+"), not fetched")
		fate.Internal = f.within(v)
	case v.IsHTTP():
		fate = f.scope.Decide(v, l.Kind, f.depth+1, f.nofollow || l.NoFollow && r.obeysNoFollow(f.page))
		if fate.Outcome != nil && fate.Outcome.Code == check.CodeExcluded {
			s.Mark |= rules.MarkExcluded
		}
		if f.mixed(v, l) {
			s.Mark |= rules.MarkMixed
		}
		if r.scope().OutsideBase(v) {
			s.Mark |= rules.MarkOutsideBase
		}
	case f.outside != nil:
		fate = f.outside.fate
	default:
		fate = r.otherScheme(v, f, l.Kind)
	}
	if l.Kind == extract.Submission {
		s.Mark |= rules.MarkForm
	}
	if fate.Outcome != nil && s.Mark&rules.MarkAside == 0 {
		fate.Need |= frontier.NeedLinked // what it says counts, whoever names the target besides
	}
	if f.run.cfg.Changed != nil {
		fate.Outcome = f.sinceThen(fate.Outcome, v, s)
	}
	visited := fate.Outcome == nil
	f.key = urinorm.AppendKey(f.key[:0], v.Bytes, v.Offsets)
	f.fingerprint = r.frontier.Fingerprint(f.key)
	if visited && r.looksBack() {
		fate.Outcome = r.standsFor(f.fingerprint, v, fate, f.fragment)
	}
	if at, ok := f.index.find(f.items, f.fingerprint); ok {
		f.merge(int(at), fate)
		s.Target = int(at)
	} else {
		s.Target = f.enterURL(f.fingerprint, v, fate)
	}
	if visited {
		f.wantAnchor(s)
	}
	return fate
}

// within reports whether a target is internal that is no more than named: as where a
// link leads there.
func (f *findings) within(v rules.Href) bool {
	inside, _ := f.scope.Internal(v)
	return inside || string(v.Scheme()) == "file"
}

// wantAnchor asks for the content of a link's target, when the fragment can only be
// judged from that.
func (f *findings) wantAnchor(s *said) {
	if s.HasFragment && wantsAnchors(f.fragment) {
		f.items[s.Target].Need |= frontier.NeedContent
	}
}

// merge adds what one more link wants of an item. A link that leaves its target alone
// has no wish as to when it is visited, and says why it is left alone if all that came
// before it did no more than name it.
func (f *findings) merge(at int, fate rules.Fate) {
	it := &f.items[at]
	overrules := fate.Need&^it.Need&frontier.NeedLinked != 0
	it.Need |= fate.Need
	switch {
	case fate.Outcome == nil:
		it.Wave, it.Outcome = min(it.Wave, fate.Wave), nil
	case overrules && it.Outcome != nil:
		it.Outcome = storedOutcome(fate.Outcome)
	}
}

// wantsAnchors reports whether a fragment can only be judged from the page's content.
func wantsAnchors[T string | []byte](fragment T) bool {
	const directive = ":~:"
	return len(fragment) > 0 && fragment[0] != '/' && fragment[0] != '!' &&
		(len(fragment) < len(directive) || string(fragment[:len(directive)]) != directive)
}

// enterURL adds a link's target as an item, and returns its index.
func (f *findings) enterURL(fp frontier.Fingerprint, v rules.Href, fate rules.Fate) int {
	return f.enter(fp, v, frontier.Job{URL: v.Document(), Internal: fate.Internal, Page: fate.Page, Depth: f.depth + 1}, fate)
}

// enter adds an item and returns its index. v is what the job's URL is the document of,
// and has the host, if there is one.
func (f *findings) enter(fp frontier.Fingerprint, v rules.Href, j frontier.Job, fate rules.Fate) int {
	id := frontier.ID(0)
	if fate.Outcome == nil {
		id = f.ids.find(fp)
	}
	at := f.item(fp, id, &fate)
	if id == 0 {
		f.keepJob(&f.items[at], v, j)
	}
	return at
}

// keepJob keeps an item's job, and its host as a part of that. What is kept does not
// move: when the store is full, the rest goes to another, which the next page begins with.
func (f *findings) keepJob(it *frontier.Item, v rules.Href, j frontier.Job) {
	if need := frontier.MaxJobHead + len(j.URL); cap(f.store)-len(f.store) < need {
		f.store = make([]byte, 0, max(need, leastStore, min(2*cap(f.store), mostStore)))
	}
	start := len(f.store)
	f.store = frontier.AppendJob(f.store, j)
	it.Job = f.store[start:len(f.store):len(f.store)]
	if url := it.Job[len(it.Job)-len(j.URL):]; len(v.Bytes) > 0 {
		it.Host = url[v.Offsets.HostStart:v.AuthorityEnd()]
	}
}

// Bytes of a store of jobs.
const (
	leastStore = 4 << 10
	mostStore  = 1 << 20
)

// item adds an item without host and job and returns its index.
func (f *findings) item(fp frontier.Fingerprint, id frontier.ID, fate *rules.Fate) int {
	at := len(f.items)
	f.items = append(f.items, frontier.Item{})
	it := &f.items[at]
	it.ID, it.Fingerprint, it.Wave, it.Need = id, fp, fate.Wave, fate.Need
	f.index.put(f.items)
	if fate.Outcome != nil {
		it.Wave, it.Outcome = frontier.Leaves, storedOutcome(fate.Outcome)
	}
	shown := notShown
	if f.bare {
		shown = f.run.shownAs(id, fate)
	}
	f.shown = append(f.shown, shown)
	return at
}

// storedOutcome is the stored form of the outcome of a target that is left alone.
func storedOutcome(o *check.Outcome) []byte {
	if o == rules.LeftOut {
		return rules.LeftOutBytes
	}
	return check.AppendOutcome(nil, o)
}

// learn takes in the numbers that the store gave to what was found. Of a target that is
// left alone nobody has met the host: should it be wanted later, it is entered in full.
func (f *findings) learn(ids []frontier.ID) {
	for i := range ids {
		if it := &f.items[i]; it.ID == 0 && it.Outcome == nil {
			f.ids.put(it.Fingerprint, ids[i])
		}
	}
}

// encoded returns the references; they are good until the next reset. Nothing is added
// any more: of a large page, what that took is let go before the store takes its share.
func (f *findings) encoded() []byte {
	large := f.links.Size() > largeLinks
	if large {
		f.index = pageIndex{page: f.index.page}
	}
	f.block = f.links.Encode(f.block[:0])
	if large {
		f.links = frontier.Links{}
	}
	return f.block
}

// found returns the items; they are good until the next reset.
func (f *findings) found() []frontier.Item { return f.items }
