package references

import (
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// collector resolves the links of one page and enters their targets as items of the page.
type collector struct {
	env      *Env
	page     *referrer
	resolver resolver
	items    *items
	known    decisions
	own      [extract.Host]int32 // items for the page itself, by kind of link, plus one; 0 if there is none yet
	edges    []result.Edge
	origin   string // of the last link that was resolved and remapped
	fragment []byte // memory for that of a link that need not be resolved
	hidden   int    // links that were remapped by a configuration that was not named
	recalls  bool   // results may be remembered: nothing outside the page changes them
	whole    bool   // the configuration may depend on fragments, or wants all links for a graph
}

// reference is the result for one link: what is stored of it, and what links that repeat
// it need.
type reference struct {
	frontier.Brief
	text    string
	written int  // on a page with bare links: its number among those written whole, plus one
	plain   bool // on a page with bare links: it may be bare
}

// resolution is the result of resolving a link.
type resolution struct {
	reference
	fragment    []byte // valid until the next link
	fate        scope.Fate
	fingerprint frontier.Fingerprint
	reusable    bool // it depends only on the reference and the directory
}

// reset begins a page, whose targets become items.
func (c *collector) reset(env *Env, page *referrer, items *items) {
	c.env, c.page, c.items = env, page, items
	c.resolver.reset(page)
	c.edges, c.hidden = nil, 0
	rule, judging := page.scope.Rules, &page.scope.Judging
	c.recalls = rule.Changed == nil
	c.known.reset()
	c.whole = env.Pages || rule.Credentials || len(rule.Include)+len(rule.NoFollow)+len(rule.Exclude)+len(judging.Rules)+len(rule.Remaps) > 0 || judging.TextFragments
}

// from begins links that have other things in common than those before.
func (c *collector) from() {
	c.own = [len(c.own)]int32{}
	c.known.setContext(c.page)
}

// add resolves a link, fills in its reference, and returns the fragment to be stored.
func (c *collector) add(l *extract.Link, r *reference) (fragment []byte) {
	switch {
	case !c.recalls || !isOrdinary(l) || c.resolver.membership().project != nil:
		res := c.resolve(l)
		*r, fragment = res.reference, res.fragment
	case l.Ref != "" && l.Ref[0] == '#':
		fragment = c.addOwnFragment(l, r)
	default:
		fragment = c.recall(l, r)
	}
	return fragment
}

// begin sets the parts of a reference that are known before the link is resolved.
func (r *reference) begin(l *extract.Link) {
	r.Mark, r.text = uint64(l.Expect)&scope.MarkExpect, l.Text
	if l.AnyFragment {
		r.Mark |= scope.MarkAnyFragment
	}
	if l.IgnoredCandidate {
		r.Mark |= scope.MarkCandidate
	}
}

// isOrdinary reports whether the fate of a link depends only on its reference, its kind
// and rel=nofollow.
func isOrdinary(l *extract.Link) bool {
	return l.Kind < extract.Host && l.Kind != extract.Submission && l.Base == "" &&
		!l.SameDocument && !l.AnyFragment && !l.Wiki && !l.Module && !l.Ignored && !l.Placeholder && !l.Acts && !l.IgnoredCandidate && l.Flaw == nil
}

// addOwnFragment adds a link to a fragment of the page itself. All such links of one kind
// have the same target, so only the first one needs to be resolved.
func (c *collector) addOwnFragment(l *extract.Link, r *reference) []byte {
	fragment := l.Ref[1:]
	own := &c.own[l.Kind]
	plain := !l.NoFollow && !c.whole && !(c.env.Routes && scope.IsRoute(fragment)) && urinorm.IsPlainFragment(fragment)
	if !plain || *own == 0 {
		res := c.resolve(l)
		if plain && res.fate.Outcome == nil && (res.fate.Internal || c.env.Earlier == nil) && res.Mark&^scope.MarkExpect == 0 {
			*own = int32(res.Target) + 1
		}
		*r = res.reference
		return res.fragment
	}
	r.begin(l)
	c.fragment = append(c.fragment[:0], fragment...)
	r.Target, r.HasFragment, r.Hash = int(*own)-1, true, judging.HashAnchor(fragment)
	c.items.wantAnchor(r.Target, c.fragment)
	return c.fragment
}

// recall adds a link whose reference may have occurred before, on this page or on another
// page of its directory.
func (c *collector) recall(l *extract.Link, r *reference) []byte {
	ref, fragment, has := strings.Cut(l.Ref, "#")
	if c.resolver.viewsSource(ref, fragment) {
		lines := *l
		lines.AnyFragment = true
		res := c.resolve(&lines)
		*r = res.reference
		return res.fragment
	}
	if c.whole {
		ref = l.Ref
	}
	k, hash, found := c.known.find(l, ref)
	switch {
	case k == nil || !urinorm.IsPlainFragment(fragment) || c.env.Routes && scope.IsRoute(fragment):
		res := c.resolve(l)
		*r = res.reference
		return res.fragment
	case !found:
		res := c.resolve(l)
		if res.reusable && res.Mark&^scope.MarkExpect == 0 && strings.IndexByte(ref, '{') < 0 { // a template's placeholder is valid only there
			c.known.keep(k, hash, l, &res)
		}
		*r = res.reference
		return res.fragment
	case k.page != c.known.page:
		k.item = c.enterKnown(l, k)
		k.page = c.known.page
	}
	r.begin(l)
	r.Target = int(k.item)
	if c.env.Pages {
		c.edges = append(c.edges, result.Edge{URL: c.env.Print.Href(c.resolver.resolvePlain(l.Ref)), Text: l.Text})
	}
	if !has {
		return nil
	}
	c.fragment = append(c.fragment[:0], fragment...)
	r.HasFragment, r.Hash = true, judging.HashAnchor(fragment)
	if k.fate.Outcome == nil {
		c.items.wantAnchor(r.Target, c.fragment)
	}
	return c.fragment
}

// enterKnown enters the target of a link that is known from another page.
func (c *collector) enterKnown(l *extract.Link, k *remembered) int32 {
	at, exists := c.items.find(k.fingerprint)
	if exists {
		c.items.merge(at, k.fate)
		return int32(at)
	}
	if k.id == 0 && k.fate.Outcome == nil {
		k.id = c.items.ids.find(k.fingerprint)
	}
	if k.id != 0 && !c.items.keeps {
		return int32(c.items.add(k.fingerprint, k.id, &k.fate))
	}
	return int32(c.items.enterURL(k.fingerprint, c.resolver.resolvePlain(l.Ref), k.fate))
}

// resolve resolves a link's reference and enters its target.
func (c *collector) resolve(l *extract.Link) resolution {
	var res resolution
	l = c.resolver.meant(l)
	res.begin(l)
	var t target
	switch {
	case c.resolver.isPlaceholder(l):
		if !c.remap(&res, &t, l.Ref) {
			c.enterPlaceholder(&res, l)
			return res
		}
	case (l.Ref == "" || l.Ref[0] <= ' ') && l.IsEmpty():
		c.enterBroken(&res, scope.Skip(judging.CodeReferenceEmpty, "it must name a file, but is empty"), l, false)
		return res
	case l.Flaw != nil:
		c.enterFlawed(&res, l)
		return res
	default:
		t = c.urlOf(&res, l)
	}
	if t.err != nil {
		o := judging.Invalid(t.err)
		c.enterBroken(&res, &o, l, t.aboveRoot)
		return res
	}
	if fragment, ok := t.href.Fragment(); ok {
		res.fragment, res.HasFragment, res.Hash = fragment, true, judging.HashAnchorBytes(fragment)
		if c.page.scope.Judging.TextFragments && judging.HasTextDirective(string(fragment)) {
			res.Mark |= scope.MarkText
			res.reusable = false
		}
	}
	c.enterTarget(&res, t, l)
	if c.env.Pages {
		c.edges = append(c.edges, result.Edge{URL: c.env.Print.Href(t.href), Text: l.Text})
	}
	return res
}

// urlOf returns the URL of a link, or the error that it has none, after aliases and Config.Remaps.
func (c *collector) urlOf(res *resolution, l *extract.Link) target {
	t := c.resolver.target(l)
	if n := len(t.href.Bytes); t.err == nil && n > scope.MaxReference && string(t.href.Scheme()) != "data" {
		t.err = &urinorm.Error{Err: fmt.Errorf("its URL has %d bytes; no server accepts more than %d", n, scope.MaxReference)}
	}
	if t.err != nil {
		return t
	}
	if t.href.Offsets.HasAuthority || t.repairs.Repaired() { // otherwise there is no repair to report
		res.Mark |= uint64(t.repairs) << scope.MarkRepairs
	}
	// Whether it is mixed content depends on the element, too.
	res.reusable = t.reusable && !(c.page.isSecure() && string(t.href.Scheme()) == "http")
	if to, replaced := c.env.resolveAlias(t.href); replaced {
		t.href, res.reusable = c.resolver.keep(to), false
	}
	if t.around {
		res.Mark |= scope.MarkAround
	}
	if len(c.page.scope.Rules.Remaps) > 0 {
		c.remap(res, &t, c.page.scope.Print.Href(t.href))
	}
	return t
}

// enterPlaceholder enters a template's placeholder. The real target is unknown. Neither the resolved
// placeholder nor a document cut off at a '#' inside of it is that target, so the reference stands for
// itself.
func (c *collector) enterPlaceholder(res *resolution, l *extract.Link) {
	res.fate = scope.Fate{Outcome: scope.Skip(check.CodeExcluded, templateReason), Internal: true, Wave: frontier.Leaves}
	res.Mark |= scope.MarkAside
	res.Target = c.items.enterVerbatim(noReference, l.Ref, res.fate)
}

// enterFlawed enters a link that has no target (extract.Link.Flaw). Readers see the document all the
// same, so it has only a warning.
func (c *collector) enterFlawed(res *resolution, l *extract.Link) {
	w := flawWarning(l.Flaw)
	res.fate = scope.Fate{Outcome: &judging.Outcome{Code: check.CodeOK, Size: -1, Warnings: []check.Warning{w}}, Internal: true, Wave: frontier.Leaves}
	reason := c.page.skipReason(l, false)
	if check.Code(l.Flaw.Kind) == judging.CodeXHTMLMalformed && c.resolver.isTemplate() {
		reason = templateReason
	}
	if reason != "" {
		res.fate.Outcome = scope.Skip(check.CodeExcluded, reason)
		res.Mark |= scope.MarkAside | ignoredMark(l)
	}
	res.Target = c.items.enterVerbatim(string(w.Code)+":"+w.Message, l.Ref, res.fate)
}

// flawWarning returns the warning about a link that has no target.
func flawWarning(f *extract.Flaw) check.Warning {
	w := check.Warning{Code: check.Code(f.Kind), Message: f.Cause}
	switch w.Code {
	case judging.CodeXHTMLMalformed:
		w.Message = "browsers show an error from here on: " + f.Cause
	case judging.CodeRefreshInvalid:
		w.Message = "browsers ignore it: its content does not begin with a number of seconds"
	}
	return w
}

// remap replaces the URL of a link, which is printed as the text (Config.Remaps). It returns false if
// no rule matches. The link may have no URL then (target.err).
func (c *collector) remap(res *resolution, t *target, printed string) bool {
	u, by, err := c.page.scope.Rules.Remapped(c.page.scope.Print, printed)
	if by == 0 {
		return false
	}
	c.origin = printed
	if hides := c.page.scope.Judging.Hides; hides != nil && by <= hides.Remaps {
		c.hidden++
	}
	res.Mark |= scope.MarkRemapped
	res.reusable = false
	t.outside, t.aboveRoot, t.err = nil, false, err
	if err == nil {
		t.href = c.resolver.keep(u)
	}
	return true
}

// enterBroken enters the target of a link that has no URL. The reference stands for itself.
func (c *collector) enterBroken(res *resolution, o *judging.Outcome, l *extract.Link, aboveRoot bool) {
	res.fate = scope.Fate{Outcome: o, Internal: true, Wave: frontier.Leaves, Need: frontier.NeedLinked}
	if reason := c.page.skipReason(l, aboveRoot); reason != "" {
		res.fate.Outcome, res.fate.Need = scope.Skip(check.CodeExcluded, reason), 0
		res.Mark |= scope.MarkAside | ignoredMark(l)
	}
	ref := l.Ref
	if o.Code == judging.CodeReferenceEmpty {
		ref = "" // blanks do not matter
	}
	res.Target = c.items.enterVerbatim(noReference, ref, res.fate)
}

// enterTarget decides about a target and enters it.
func (c *collector) enterTarget(res *resolution, t target, l *extract.Link) {
	d := c.page.decide(t, l)
	res.Mark |= d.mark
	res.fate = d.fate
	requested := res.fate.Outcome == nil
	opened := requested && res.fate.Need&frontier.NeedLinks != 0 || res.fate.Need&frontier.NeedLeft != 0
	if c.env.Routes && opened && res.HasFragment && scope.IsRoute(res.fragment) && d.href.IsHTTP() {
		c.enterRoute(res, d.href)
		return
	}
	res.fingerprint = c.items.fingerprint(d.href)
	if requested && c.env.Earlier != nil && !res.fate.Internal {
		res.reusable = false // the answer depends on the fragment, and on what is known by then
		res.fate.Outcome = c.earlier(res.fingerprint, d.href, res.fate, res.fragment)
	}
	if at, ok := c.items.find(res.fingerprint); ok {
		c.items.merge(at, res.fate)
		res.Target = at
	} else {
		res.Target = c.items.enterURL(res.fingerprint, d.href, res.fate)
	}
	if requested && res.HasFragment && !l.AnyFragment {
		c.items.wantAnchor(res.Target, res.fragment)
	}
}

// earlier returns the outcome that an earlier run observed of a target, or nil if the target must
// be requested.
func (c *collector) earlier(fp frontier.Fingerprint, v scope.Href, fate scope.Fate, fragment []byte) *judging.Outcome {
	if !WantsAnchors(fragment) {
		fragment = nil
	}
	return c.env.Earlier.StandsFor(fp, v, fate, fragment, c.page.scope)
}

// enterRoute enters a view of an application as a target of its own, and its document.
func (c *collector) enterRoute(res *resolution, v scope.Href) {
	if document := res.fate; document.Outcome == nil {
		document.Need &^= frontier.NeedLinked
		c.items.enterDocument(v, document)
	}
	res.Target = c.items.enterRoute(v, res.fate)
	res.HasFragment, res.Hash, res.fragment, res.reusable = false, 0, nil, false
}

// enterDocument enters the document of a view.
func (it *items) enterDocument(v scope.Href, fate scope.Fate) {
	fp := it.fingerprint(v)
	if at, ok := it.find(fp); ok {
		it.merge(at, fate)
		return
	}
	it.enterURL(fp, v, fate)
}

// enterRoute enters a view, and returns its index.
func (it *items) enterRoute(v scope.Href, fate scope.Fate) int {
	fragment, _ := v.Fragment()
	it.key = urinorm.AppendKey(it.key[:0], v.Bytes, v.Offsets)
	it.key = append(append(it.key, '#'), fragment...)
	return it.enterKey(v, frontier.Job{URL: v.Bytes, Internal: fate.Internal, Depth: it.depth}, fate)
}
