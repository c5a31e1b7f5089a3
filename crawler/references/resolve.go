package references

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Source is what holds for all links of a document.
type Source struct {
	Base      *urinorm.Base
	Local     bool // it is a file of this machine
	NoFollow  bool // none of its links is followed
	Unchanged bool // Config.Changed says that it is as it was
}

// resolver resolves the references of one page and decides about them.
type resolver struct {
	*Env
	Source
	scope    *rules.Scope
	page     rules.Href // the page's own URL
	depth    int
	doc      *extract.Document
	template template
	buf      []byte // holds the target at hand
	outsides map[outsideKey]*outside
}

// target is where a reference leads, before anything is decided about it. Its bytes are
// good until the next one.
type target struct {
	href    rules.Href
	repairs urinorm.Repairs
	above   bool     // the reference climbs above the root
	outside *outside // where that leads out of the directory; nil when it does not
	plain   bool     // it depends on nothing but the reference and the directory
	err     error    // the reference names nothing that could be asked
}

// target resolves a link's reference.
func (r *resolver) target(l *extract.Link) target {
	base := r.baseOf(l)
	href, at, ok := base.AppendPlain(r.buf[:0], l.Ref)
	if ok {
		r.buf = href
		return target{href: rules.Href{Bytes: href, Offsets: at}, plain: true}
	}
	if out := r.knownOutside(l); out != nil {
		r.buf = append(r.buf[:0], out.href.Bytes...)
		return target{href: rules.Href{Bytes: r.buf, Offsets: out.href.Offsets}, above: true, outside: out}
	}
	var t target
	href, at, t.repairs, t.err = base.Append(r.buf[:0], l.Ref)
	t.plain = t.err == nil && t.repairs == 0 && isASCII(l.Ref) // else the page's charset may have a say
	if t.above = t.repairs.Has(urinorm.RepairAboveRoot); t.above && t.err == nil {
		if b := r.onDisk(rules.Href{Bytes: href, Offsets: at}, l); b != nil {
			if href, at, t.repairs, t.err = b.Append(r.buf[:0], l.Ref); t.err == nil {
				t.outside = r.leadsOutside(rules.Href{Bytes: href, Offsets: at}, l)
			}
		}
	}
	if t.err != nil {
		return t
	}
	r.buf = href
	t.href = rules.Href{Bytes: href, Offsets: at}
	return t
}

// again is the target of a reference that is known, and so needs no repair.
func (r *resolver) again(ref string) rules.Href {
	href, at, _, _ := r.Base.Append(r.buf[:0], ref)
	r.buf = href
	return rules.Href{Bytes: href, Offsets: at}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// baseOf is what a link's reference is resolved against.
func (r *resolver) baseOf(l *extract.Link) *urinorm.Base {
	if l.SameDocument {
		if b, err := urinorm.NewBase(rules.URLOf(r.page), ""); err == nil {
			return b
		}
	}
	if l.Base != "" {
		if u, _, err := r.Base.Resolve(l.Base); err == nil {
			if b, err := urinorm.NewBase(u.WithoutFragment(), ""); err == nil {
				return b
			}
		}
	}
	return r.Base
}

// onDisk is the file: URL of a local page, against which a link that climbs above the
// root is resolved, rather than to v, where it stays at the root; nil for v. A page that
// is read by itself has no root: its links may lead anywhere. One of a directory leads
// outside of it, unless the root has what a browser would ask for where the directory is
// all of a host. Where it is published is not known.
func (r *resolver) onDisk(v rules.Href, l *extract.Link) *urinorm.Base {
	u := rules.URLOf(r.page)
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
	if !r.scope.Crawled(site) {
		return b
	}
	if l.Base != "" || r.doc.Base != "" || strings.IndexByte("/\\", l.Ref[0]) >= 0 || site.Answers(rules.URLOf(v)) {
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

// outside is where a link out of the directory leads. Each page of a generated manual has
// such a link, and it takes a while to find out.
type outside struct {
	href rules.Href
	fate rules.Fate
}

type outsideKey struct{ directory, ref string }

// maxOutsides is how many of them are remembered.
const maxOutsides = 256

// leadsOutside remembers where a link leads that climbed above the root; nil when that
// is not outside of the directory.
func (r *resolver) leadsOutside(v rules.Href, l *extract.Link) *outside {
	fate := r.OtherScheme(v, l.Kind)
	if fate.Outcome == nil || fate.Outcome.Code != check.CodeFileOutsideRoot {
		return nil
	}
	if r.outsides == nil || len(r.outsides) >= maxOutsides {
		r.outsides = map[outsideKey]*outside{}
	}
	out := &outside{rules.Href{Bytes: slices.Clone(v.Bytes), Offsets: v.Offsets}, fate}
	r.outsides[outsideKey{strings.Clone(r.Base.Directory()), strings.Clone(l.Ref)}] = out
	return out
}

// knownOutside returns where a link is known to lead that climbs above the root; nil for
// any other.
func (r *resolver) knownOutside(l *extract.Link) *outside {
	if len(r.outsides) == 0 || !r.Local || l.SameDocument || l.Base != "" || r.doc.Base != "" {
		return nil
	}
	return r.outsides[outsideKey{r.Base.Directory(), l.Ref}]
}

// template tells whether a document that a file holds is a template, whose references are
// not all meant for a reader. What comes from a server was made already.
type template struct {
	body []byte // of the document, until it is known
	is   bool
}

// holds reports whether a document is a template. It is looked through once.
func (t *template) holds(doc *extract.Document) bool {
	if t.body != nil {
		t.is, t.body = extract.IsTemplate(doc.Format, t.body), nil
	}
	return t.is
}

// fillsIn reports whether a template fills in where a link leads. A link with an inline
// mark is left aside because of that.
func (r *resolver) fillsIn(l *extract.Link) bool {
	return (r.template.is || r.template.body != nil) && !l.Ignored && extract.HoldsTemplate(l.Ref) && r.template.holds(r.doc)
}
