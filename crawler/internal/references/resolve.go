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

// resolver resolves the references of one page.
type resolver struct {
	page     *referrer
	template template
	member   membership
	outer    *urinorm.Base // of the page in the directory around its own; nil until it is needed
	buf      []byte        // memory for the current target
	outsides outsides
	hosts    hosts
	asked    bool // a link depends on which files the directory has
}

func (r *resolver) reset(page *referrer) {
	r.page, r.template, r.outer, r.member, r.asked = page, template{}, nil, membership{}, false
	r.buf = r.buf[:0]
}

// keep returns a URL as the current target.
func (r *resolver) keep(u urinorm.URL) scope.Href {
	r.buf = append(r.buf[:0], u.String()...)
	return scope.Href{Bytes: r.buf, Offsets: u.Offsets()}
}

// append returns the URL of a reference as the current target.
func (r *resolver) append(base *urinorm.Base, ref string) (scope.Href, urinorm.Repairs, error) {
	href, at, repairs, err := base.Append(r.buf[:0], ref)
	r.buf = href
	return scope.Href{Bytes: href, Offsets: at}, repairs, err
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
	base := r.page.baseOf(l)
	if href, at, ok := base.AppendPlain(r.buf[:0], l.Ref); ok {
		r.buf = href
		t = target{href: scope.Href{Bytes: href, Offsets: at}, reusable: true}
		r.goOnFromRoot(&t, l)
		return t
	}
	if out := r.knownOutside(l); out != nil {
		r.buf = append(r.buf[:0], out.href.Bytes...)
		return target{href: scope.Href{Bytes: r.buf, Offsets: out.href.Offsets}, aboveRoot: true, outside: out}
	}
	t.href, t.repairs, t.err = r.append(base, l.Ref)
	t.reusable = t.err == nil && t.repairs == 0 && isASCII(l.Ref) // otherwise it may depend on the page's charset
	if t.aboveRoot = t.repairs.Has(urinorm.RepairAboveRoot); t.aboveRoot && t.err == nil && !r.goOnAbove(&t, l) {
		if b := r.fileBase(t.href, l); b != nil {
			if t.href, t.repairs, t.err = r.append(b, l.Ref); t.err == nil {
				t.outside = r.rememberOutside(t.href, l)
			}
		}
	}
	if t.err == nil && !t.around {
		r.goOnFromRoot(&t, l)
	}
	return t
}

// outerBase returns the base URL of a page in the directory around its own, for a link that its
// own does not answer. It returns nil if there is no such directory, or if the link does not start
// from the page's own place.
func (r *resolver) outerBase(l *extract.Link) *urinorm.Base {
	if l.Base != "" || l.SameDocument || r.page.doc.Base != "" {
		return nil
	}
	if r.outer != nil {
		return r.outer
	}
	page := scope.URLOf(r.page.url)
	site := r.page.scope.Sites.Of(page)
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
	href, repairs, err := r.append(b, l.Ref)
	if err != nil || repairs.Has(urinorm.RepairAboveRoot) {
		return false
	}
	*t = target{href: href, repairs: repairs, around: true}
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
	if site := r.page.scope.Sites.Of(inner); site == nil || site.Answers(inner) {
		return
	}
	u, repairs, err := b.Resolve(l.Ref)
	if err != nil || !r.page.scope.Sites.Of(u).Answers(u) {
		return
	}
	*t = target{href: r.keep(u), repairs: repairs, around: true}
}

// resolvePlain resolves a reference that is known to need no repair.
func (r *resolver) resolvePlain(ref string) scope.Href {
	href, _, _ := r.append(r.page.source.Base, ref)
	return href
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// fileBase returns the file: URL of a local page as the base for a link that leads above
// the root. The link would resolve to v otherwise, within the root. The result is nil if v
// is right.
//
// A document that is checked by itself has no root: its relative links may lead to any file. A link
// in a checked directory stops at its root, as in a browser if the directory were a whole
// host, unless it enters the directory again.
func (r *resolver) fileBase(v scope.Href, l *extract.Link) *urinorm.Base {
	u := scope.URLOf(r.page.url)
	site := r.page.scope.Sites.Of(u)
	if site == nil || !site.Synthetic() {
		return nil
	}
	fromRoot := strings.IndexByte("/\\", l.Ref[0]) >= 0
	rootless := !fromRoot && (!r.page.scope.Crawled(site) || site.Around != nil && r.outerBase(l) != nil)
	if !rootless && (fromRoot || l.Base != "" || r.page.doc.Base != "" || !site.IsSource()) {
		return nil
	}
	file, err := disk.FileURL(site.PathOf(u))
	if err != nil {
		return nil
	}
	b, err := urinorm.NewBase(file, "")
	for _, element := range []string{r.page.doc.Base, l.Base} {
		if err != nil || element == "" {
			continue
		}
		at, _, err1 := b.Resolve(element)
		switch {
		case err1 != nil: // browsers ignore it
			continue
		case at.Scheme() != "file": // the link is on the web, which has a root
			return nil
		}
		b, err = urinorm.NewBase(at.WithoutFragment(), "")
	}
	if err != nil || rootless {
		return b
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

// outsides are the targets of links out of the directory that are remembered.
type outsides map[outsideKey]*outside

type outsideKey struct{ directory, ref string }

// maxOutsides is the greatest number of them that are remembered.
const maxOutsides = 256

func (o *outsides) put(k outsideKey, out *outside) {
	if *o == nil || len(*o) >= maxOutsides {
		*o = outsides{}
	}
	(*o)[k] = out
}

// rememberOutside remembers the target of a link that leads above the root. It returns nil
// if the target is not outside of the directory.
func (r *resolver) rememberOutside(v scope.Href, l *extract.Link) *outside {
	fate := r.page.otherScheme(v, l.Kind, r.page.depth)
	if fate.Outcome == nil || fate.Outcome.Code != check.CodeFileOutsideRoot {
		return nil
	}
	out := &outside{scope.Href{Bytes: slices.Clone(v.Bytes), Offsets: v.Offsets}, fate}
	r.outsides.put(outsideKey{strings.Clone(r.page.source.Base.Directory()), strings.Clone(l.Ref)}, out)
	return out
}

// knownOutside returns the remembered target of a link that leads above the root, or nil.
func (r *resolver) knownOutside(l *extract.Link) *outside {
	if len(r.outsides) == 0 || !r.page.source.Local || l.SameDocument || l.Base != "" || r.page.doc.Base != "" {
		return nil
	}
	out := r.outsides[outsideKey{r.page.source.Base.Directory(), l.Ref}]
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
		t.is, t.body = isTemplate(doc.Format, t.body), nil
	}
	return t.is
}

// isPlaceholder reports whether a link's reference is a template's placeholder. A link
// with an inline mark is skipped because of the mark instead.
func (r *resolver) isPlaceholder(l *extract.Link) bool {
	if l.Ignored || l.Placeholder {
		return !l.Ignored
	}
	return (r.template.is || r.template.body != nil) && holdsTemplate(l.Ref) && r.isTemplate()
}

func (r *resolver) isTemplate() bool { return r.template.examine(r.page.doc) }
