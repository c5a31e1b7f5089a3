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
	site := r.page.scope.Sites.Of(page)
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
	if fragment == "" || fragment[0] != 'L' || !isSourceView(ref, fragment) {
		return false
	}
	_, ok := r.hostedAt()
	return ok
}

// isSourceView reports whether a reference leads to lines of the source of a file, as code hosts show
// them: "#L3-L6" or "#L10C3-L12" of a file that is not rendered, or of one with "?plain=1".
func isSourceView(ref, fragment string) bool {
	name, query, _ := strings.Cut(ref, "?")
	if !isLines(fragment) {
		return false
	}
	if query == "plain=1" {
		return true
	}
	for _, extension := range renderedExtensions {
		if strings.HasSuffix(strings.ToLower(name), extension) {
			return false
		}
	}
	return name != "" && !strings.HasSuffix(name, "/")
}

// renderedExtensions are those of documents that code hosts do not show as their source.
var renderedExtensions = [...]string{".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".rst", ".adoc", ".asciidoc", ".asc", ".org",
	".textile", ".rdoc", ".mediawiki", ".wiki", ".creole", ".pod", ".ipynb"}

// isLines reports whether a fragment names lines: L10, L10-L12, L10C3-L12C5 or L10-12.
func isLines(fragment string) bool {
	first, last, isRange := strings.Cut(fragment, "-")
	if !isLine(first) {
		return false
	}
	return !isRange || isLine(last) || isLine("L"+last)
}

func isLine(s string) bool {
	line, column, has := strings.Cut(strings.TrimPrefix(s, "L"), "C")
	return strings.HasPrefix(s, "L") && isNumber(line) && (!has || isNumber(column))
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
