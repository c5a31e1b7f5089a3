package references

import (
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// hosts remembers where code hosts show directories.
type hosts map[string]hosted

// hosted is what is known of the directory of a page.
type hosted struct {
	disk.Hosted
	ok bool
}

// maxHosted is the greatest number of directories that are remembered.
const maxHosted = 256

// at returns where a code host shows a directory. ok is false if it does not.
func (h *hosts) at(dir string) (found disk.Hosted, ok bool) {
	known, exists := (*h)[dir]
	if !exists {
		if known.Hosted, known.ok = disk.HostedAt(dir); *h == nil || len(*h) >= maxHosted {
			*h = hosts{}
		}
		(*h)[dir] = known
	}
	return known.Hosted, known.ok
}

// renderedFormats are the formats whose documents code hosts show as pages.
var renderedFormats = map[string]bool{"markdown": true, "restructuredtext": true, "asciidoc": true, "org": true}

// hostedAt returns where a code host shows the directory of the page. ok is false if it does not.
func (r *resolver) hostedAt() (h disk.Hosted, ok bool) {
	if !r.page.source.Local || !renderedFormats[r.page.doc.Format] || r.isBuilt() {
		return h, false
	}
	page := scope.URLOf(r.page.url)
	site := r.page.scope.SiteOf(page)
	if site == nil || !site.Synthetic() || r.page.scope.Crawled(site) && !site.IsSource() {
		return h, false
	}
	return r.hosts.at(filepath.Dir(site.PathOf(page)))
}

// goOnAtHost resolves a link that leads out of the documents of a repository, to another page of its
// host, such as "../../issues". It returns false for any other link.
func (r *resolver) goOnAtHost(t *target, l *extract.Link) bool {
	if !strings.HasPrefix(l.Ref, "../../") && !strings.HasPrefix(l.Ref, "./../../") || l.Base != "" || l.SameDocument || r.page.doc.Base != "" {
		return false
	}
	h, ok := r.hostedAt()
	if !ok {
		return false
	}
	u, ok := h.Page(l.Ref)
	if !ok {
		return false
	}
	*t = target{href: r.keep(u)}
	return true
}

// viewsSource reports whether a link leads to lines of a file's source on a code host.
func (r *resolver) viewsSource(ref, fragment string) bool {
	if fragment == "" || fragment[0] != 'L' || !disk.IsSourceView(ref, fragment) {
		return false
	}
	_, ok := r.hostedAt()
	return ok
}
