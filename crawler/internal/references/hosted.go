package references

import (
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// hosted is what is known of the directory of a page.
type hosted struct {
	disk.Hosted
	ok bool
}

// maxHosted is the greatest number of directories that a resolver remembers.
const maxHosted = 256

// renderedFormats are the formats whose documents code hosts show as pages.
var renderedFormats = map[string]bool{"markdown": true, "restructuredtext": true, "asciidoc": true, "org": true}

// hostedAt returns where a code host shows the directory of the page. ok is false if it does not.
func (r *resolver) hostedAt() (h disk.Hosted, ok bool) {
	if !r.source.Local || !renderedFormats[r.doc.Format] || r.isBuilt() {
		return h, false
	}
	page := scope.URLOf(r.page)
	site := r.scope.SiteOf(page)
	if site == nil || !site.Synthetic() || r.scope.Crawled(site) && !site.IsSource() {
		return h, false
	}
	dir := filepath.Dir(site.PathOf(page))
	known, exists := r.hosted[dir]
	if !exists {
		if known.Hosted, known.ok = disk.HostedAt(dir); r.hosted == nil || len(r.hosted) >= maxHosted {
			r.hosted = map[string]hosted{}
		}
		r.hosted[dir] = known
	}
	return known.Hosted, known.ok
}

// goOnAtHost resolves a link that leads out of the documents of a repository, to another page of its
// host, such as "../../issues". It returns false for any other link.
func (r *resolver) goOnAtHost(t *target, l *extract.Link) bool {
	if !strings.HasPrefix(l.Ref, "../../") && !strings.HasPrefix(l.Ref, "./../../") || l.Base != "" || l.SameDocument || r.doc.Base != "" {
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
	r.buf = append(r.buf[:0], u.String()...)
	*t = target{href: scope.Href{Bytes: r.buf, Offsets: u.Offsets()}}
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
