package references

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Source is what all links of a document have in common.
type Source struct {
	Base      *urinorm.Base
	Local     bool // the document is a file of this machine
	NoFollow  bool // none of its links is followed
	Unchanged bool // Config.Changed reports that the document has not changed
}

// resolver resolves the references of one page and decides about their targets.
type resolver struct {
	env      *Env
	source   Source
	scope    *scope.Scope
	page     scope.Href // the page's own URL
	depth    int        // of the page's targets
	doc      *extract.Document
	template template
	member   membership
	outer    *urinorm.Base // of the page in the directory around its own; nil until it is needed
	buf      []byte        // memory for the current target
	outsides map[outsideKey]*outside
	hosted   map[string]hosted // by directory
	asked    bool              // a link depends on which files the directory has
}

func (r *resolver) reset(env *Env, page scope.Href, depth int, doc *extract.Document) {
	r.env, r.scope, r.page, r.depth = env, env.Scope(), page, depth+1
	r.source, r.doc, r.template, r.outer, r.member, r.asked = Source{}, doc, template{}, nil, membership{}, false
	r.buf = r.buf[:0]
}

// target is the URL of a reference. Its bytes are valid until the next one is resolved.
type target struct {
	href      scope.Href
	repairs   urinorm.Repairs
	aboveRoot bool     // the reference has more ".." than the path has directories
	around    bool     // it is in the directory around that of the page
	outside   *outside // the file outside of the directory that the reference leads to; nil if none
	reusable  bool     // it depends only on the reference and the directory
	err       error    // the reference has no URL that can be requested
}

// target resolves a link's reference.
func (r *resolver) target(l *extract.Link) target {
	var t target
	if r.goOnAtHost(&t, l) {
		return t
	}
	base := r.baseOf(l)
	href, at, ok := base.AppendPlain(r.buf[:0], l.Ref)
	if ok {
		r.buf = href
		t = target{href: scope.Href{Bytes: href, Offsets: at}, reusable: true}
		r.goOnFromRoot(&t, l)
		return t
	}
	if out := r.knownOutside(l); out != nil {
		r.buf = append(r.buf[:0], out.href.Bytes...)
		return target{href: scope.Href{Bytes: r.buf, Offsets: out.href.Offsets}, aboveRoot: true, outside: out}
	}
	href, at, t.repairs, t.err = base.Append(r.buf[:0], l.Ref)
	t.reusable = t.err == nil && t.repairs == 0 && isASCII(l.Ref) // otherwise it may depend on the page's charset
	if t.aboveRoot = t.repairs.Has(urinorm.RepairAboveRoot); t.aboveRoot && t.err == nil && !r.goOnAbove(&t, l) {
		if b := r.fileBase(scope.Href{Bytes: href, Offsets: at}, l); b != nil {
			if href, at, t.repairs, t.err = b.Append(r.buf[:0], l.Ref); t.err == nil {
				t.outside = r.rememberOutside(scope.Href{Bytes: href, Offsets: at}, l)
			}
		}
	}
	if t.err != nil || t.around {
		return t
	}
	r.buf = href
	t.href = scope.Href{Bytes: href, Offsets: at}
	r.goOnFromRoot(&t, l)
	return t
}

// outerBase returns the base URL of a page in the directory around its own, for a link that its
// own does not answer. It returns nil if there is no such directory, or if the link does not start
// from the page's own place.
func (r *resolver) outerBase(l *extract.Link) *urinorm.Base {
	if l.Base != "" || l.SameDocument || r.doc.Base != "" {
		return nil
	}
	if r.outer != nil {
		return r.outer
	}
	page := scope.URLOf(r.page)
	site := r.scope.SiteOf(page)
	if site == nil || site.Around == nil {
		return nil
	}
	u, err := site.Around.Within(site, page)
	if err != nil {
		return nil
	}
	r.outer, _ = urinorm.NewBase(u, "")
	return r.outer
}

// goOnAbove resolves a link that leads above the directory in the directory around it. It returns
// false if there is none, or if the link leads above that, too.
func (r *resolver) goOnAbove(t *target, l *extract.Link) bool {
	if strings.IndexByte("/\\", l.Ref[0]) >= 0 {
		return false
	}
	b := r.outerBase(l)
	if b == nil {
		return false
	}
	href, at, repairs, err := b.Append(r.buf[:0], l.Ref)
	if err != nil || repairs.Has(urinorm.RepairAboveRoot) {
		return false
	}
	r.buf = href
	*t = target{href: scope.Href{Bytes: href, Offsets: at}, repairs: repairs, around: true}
	return true
}

// goOnFromRoot resolves a link that begins with a slash from the directory around that of the page, as
// code hosts do, if only there is such a file.
func (r *resolver) goOnFromRoot(t *target, l *extract.Link) {
	if l.Ref == "" || l.Ref[0] != '/' || strings.HasPrefix(l.Ref, "//") || t.aboveRoot {
		return
	}
	b := r.outerBase(l)
	if b == nil {
		return
	}
	inner := scope.URLOf(t.href)
	if site := r.scope.SiteOf(inner); site == nil || site.Answers(inner) {
		return
	}
	u, repairs, err := b.Resolve(l.Ref)
	if err != nil || !r.scope.SiteOf(u).Answers(u) {
		return
	}
	r.buf = append(r.buf[:0], u.String()...)
	*t = target{href: scope.Href{Bytes: r.buf, Offsets: u.Offsets()}, repairs: repairs, around: true}
}

// resolvePlain resolves a reference that is known to need no repair.
func (r *resolver) resolvePlain(ref string) scope.Href {
	href, at, _, _ := r.source.Base.Append(r.buf[:0], ref)
	r.buf = href
	return scope.Href{Bytes: href, Offsets: at}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// baseOf returns the base URL of a link.
func (r *resolver) baseOf(l *extract.Link) *urinorm.Base {
	if l.SameDocument {
		if b, err := urinorm.NewBase(scope.URLOf(r.page), ""); err == nil {
			return b
		}
	}
	if l.Base != "" {
		if u, _, err := r.source.Base.Resolve(l.Base); err == nil {
			if b, err := urinorm.NewBase(u.WithoutFragment(), ""); err == nil {
				return b
			}
		}
	}
	return r.source.Base
}

// fileBase returns the file: URL of a local page as the base for a link that leads above
// the root. The link would resolve to v otherwise, within the root. The result is nil if v
// is right.
//
// A document that is checked by itself has no root: its relative links may lead to any file. A link
// in a checked directory stops at its root, as in a browser if the directory were a whole
// host, unless it enters the directory again.
func (r *resolver) fileBase(v scope.Href, l *extract.Link) *urinorm.Base {
	u := scope.URLOf(r.page)
	site := r.scope.SiteOf(u)
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
	fromRoot := strings.IndexByte("/\\", l.Ref[0]) >= 0
	if !fromRoot && (!r.scope.Crawled(site) || site.Around != nil && r.outerBase(l) != nil) {
		return b
	}
	if fromRoot || l.Base != "" || r.doc.Base != "" || !site.IsSource() {
		return nil
	}
	if r.asked = true; site.Answers(scope.URLOf(v)) {
		return nil
	}
	there, _, err := b.Resolve(l.Ref)
	if err != nil {
		return nil
	}
	// A link that leaves the directory and enters it again works on code hosts. Any other link
	// stops at the root, as in a browser.
	if name, err := disk.FilePath(there); err != nil || !scope.IsWithin(name, site) {
		return nil
	}
	return b
}

// outside is the target of a link out of the directory. It takes long to determine, and
// each page of a generated manual may have such a link.
type outside struct {
	href scope.Href
	fate scope.Fate
}

type outsideKey struct{ directory, ref string }

// maxOutsides is the greatest number of them that are remembered.
const maxOutsides = 256

// rememberOutside remembers the target of a link that leads above the root. It returns nil
// if the target is not outside of the directory.
func (r *resolver) rememberOutside(v scope.Href, l *extract.Link) *outside {
	fate := r.otherScheme(v, l.Kind, r.depth)
	if fate.Outcome == nil || fate.Outcome.Code != check.CodeFileOutsideRoot {
		return nil
	}
	if r.outsides == nil || len(r.outsides) >= maxOutsides {
		r.outsides = map[outsideKey]*outside{}
	}
	out := &outside{scope.Href{Bytes: slices.Clone(v.Bytes), Offsets: v.Offsets}, fate}
	r.outsides[outsideKey{strings.Clone(r.source.Base.Directory()), strings.Clone(l.Ref)}] = out
	return out
}

// knownOutside returns the remembered target of a link that leads above the root, or nil.
func (r *resolver) knownOutside(l *extract.Link) *outside {
	if len(r.outsides) == 0 || !r.source.Local || l.SameDocument || l.Base != "" || r.doc.Base != "" {
		return nil
	}
	out := r.outsides[outsideKey{r.source.Base.Directory(), l.Ref}]
	r.asked = r.asked || out != nil
	return out
}

// template determines whether a document in a file is a template, in which some
// references are placeholders. A document from a server has been filled in already.
type template struct {
	body []byte // of the document, until it has been examined
	is   bool
}

// examine reports whether a document is a template. It examines the body once.
func (t *template) examine(doc *extract.Document) bool {
	if t.body != nil {
		t.is, t.body = extract.IsTemplate(doc.Format, t.body), nil
	}
	return t.is
}

// isPlaceholder reports whether a link's reference is a template's placeholder. A link
// with an inline mark is skipped because of the mark instead.
func (r *resolver) isPlaceholder(l *extract.Link) bool {
	if l.Ignored || l.Placeholder {
		return !l.Ignored
	}
	return (r.template.is || r.template.body != nil) && extract.HoldsTemplate(l.Ref) && r.template.examine(r.doc)
}
