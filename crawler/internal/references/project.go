package references

import (
	"path"
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
func (r *resolver) membership() *membership {
	m := &r.member
	if m.known {
		return m
	}
	m.known = true
	if !r.source.Local || r.doc.Format != "markdown" && r.doc.Format != "restructuredtext" || r.doc.Base != "" {
		return m
	}
	page := scope.URLOf(r.page)
	site := r.scope.SiteOf(page)
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

// meant returns a link with the reference that it stands for: the page that a wiki link names, the
// file that the generator of the page's project takes it for, or the file of a module.
func (r *resolver) meant(l *extract.Link) *extract.Link {
	ref, led := l.Ref, false
	if l.Wiki {
		ref, r.asked = r.wikiPage(l.Ref), true
	} else if m := r.membership(); m.project != nil && r.doc.Format == "markdown" && l.Flaw == nil && l.Base == "" && !l.SameDocument && !l.Placeholder && strings.IndexByte(l.Ref, '{') < 0 {
		if lead, ok := m.project.Lead(m.document, l.Ref); ok {
			ref, led = lead, true
		}
	}
	if site := r.scope.SiteOf(scope.URLOf(r.page)); l.Module && site != nil {
		ref, r.asked = moduleFile(site, r.source.Base, ref), true
	}
	if ref == l.Ref {
		return l
	}
	file := *l
	file.Ref = ref
	file.AnyFragment = l.AnyFragment || led && strings.HasPrefix(l.Ref, "project:") // it may be a target of MyST, not an anchor
	return &file
}

// isBuilt reports whether a generator builds a page from the document, so that a code host is not where
// it is read.
func (r *resolver) isBuilt() bool {
	m := r.membership()
	name := strings.ToLower(path.Base(m.document.Path()))
	return m.project != nil && r.doc.Format == "markdown" && !strings.HasPrefix(name, "readme.")
}
