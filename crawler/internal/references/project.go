package references

import (
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// membership is the project that a page belongs to.
type membership struct {
	known    bool
	project  *disk.Project // nil for none
	document urinorm.URL   // the page, on the site of the project
}

// membership returns the project of the page. It is determined at the first link.
func (r *resolver) membership() *membership { return r.member.of(r.page) }

// of determines the project of a page, if it is not known yet.
func (m *membership) of(r *referrer) *membership {
	if m.known {
		return m
	}
	m.known = true
	if !r.source.Local || r.doc.Format != "markdown" && r.doc.Format != "restructuredtext" || r.doc.Base != "" {
		return m
	}
	page := scope.URLOf(r.url)
	site := r.scope.Sites.Of(page)
	if site == nil || !site.Synthetic() || r.scope.Crawled(site) && !site.IsSource() {
		return m
	}
	if site.Around != nil {
		around, err := site.Around.Within(site, page)
		if err != nil {
			return m
		}
		site, page = site.Around.Site, around
	}
	m.project, m.document = disk.ProjectOf(site, page), page
	return m
}

// label returns the URL of the document that has the label which a link of MyST names, unless it is an
// anchor of the document itself.
func (m *membership) label(doc *extract.Document, ref string) (target string, ok bool) {
	if name, isFragment := strings.CutPrefix(ref, "#"); isFragment {
		if _, own := slices.BinarySearch(doc.AnchorHashes, extract.HashAnchor([]byte(name))); own {
			return "", false
		}
	}
	sphinx := m.project.Sphinx()
	if sphinx == nil {
		return "", false
	}
	return sphinx.LabelTarget(m.document, ref)
}

// meant returns a link with the reference that it stands for: the page that a wiki link names, the
// file that the generator of the page's project takes it for, or the file of a module.
func (r *resolver) meant(l *extract.Link) *extract.Link {
	ref, led := l.Ref, false
	if l.Wiki {
		ref, r.asked = r.page.wikiPage(l.Ref), true
	} else if m := r.membership(); m.project != nil && r.page.doc.Format == "markdown" && l.Flaw == nil && l.Base == "" && !l.SameDocument && !l.Placeholder && strings.IndexByte(l.Ref, '{') < 0 {
		if lead, ok := m.project.Lead(m.document, l.Ref); ok {
			ref, led = lead, true
		} else if label, ok := m.label(r.page.doc, l.Ref); ok {
			ref, r.asked = label, true
		}
	}
	if fromRoot := r.page.doc.Format == "restructuredtext" && l.Kind == extract.Resource && strings.HasPrefix(ref, "/") && !strings.HasPrefix(ref, "//"); l.Module || fromRoot {
		if site := r.page.scope.Sites.Of(scope.URLOf(r.page.url)); site != nil && l.Module {
			ref, r.asked = moduleFile(site, r.page.source.Base, ref), true
		} else if site != nil {
			ref, r.asked = fromSourceRoot(site, r.page.source.Base, ref), true
		}
	}
	if ref == l.Ref {
		return l
	}
	file := *l
	file.Ref = ref
	file.AnyFragment = l.AnyFragment || led && strings.HasPrefix(l.Ref, "project:") // it may be a target of MyST, not an anchor
	return &file
}

// maxSourceDepth is the number of directories above a document in which the root of its sources is searched.
const maxSourceDepth = 16

// fromSourceRoot returns the reference to a file of a directive of Sphinx, whose path starts at the root of
// the sources: the innermost directory around the document, its own included, in which the file is. If there is
// none, the reference is returned as it is.
func fromSourceRoot(site *disk.Site, base *urinorm.Base, ref string) string {
	up := "."
	for range maxSourceDepth {
		u, repairs, err := base.Resolve(up + ref)
		if err != nil || repairs.Has(urinorm.RepairAboveRoot) {
			break
		}
		if site.Answers(u) {
			return up + ref
		}
		up += "/.."
	}
	return ref
}

// isBuilt reports whether a generator builds a page from the document, so that a code host is not where
// it is read.
func (r *resolver) isBuilt() bool {
	m := r.membership()
	name := strings.ToLower(path.Base(m.document.Path()))
	return m.project != nil && r.page.doc.Format == "markdown" && !strings.HasPrefix(name, "readme.")
}
