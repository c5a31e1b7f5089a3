package references

import (
	"net/url"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// wikiExtensions are the extensions of the pages that a wiki link may lead to. A file that is
// shown in place has its own.
var wikiExtensions = [...]string{".md", ".markdown", ".mdx", ".qmd", ""}

// wikiPage returns the reference to the page that a wiki link names: a file next to the
// document or, in a directory that is checked as a whole or is the root of a git work tree or a
// vault, below its root or anywhere in it.
// Blanks in the name may be hyphens or low lines in that of the file. If there is no such file, the
// reference is returned as it is.
func (r *referrer) wikiPage(ref string) string {
	page, heading, has := strings.Cut(ref, "#")
	if has {
		heading = "#" + heading
	}
	site := r.scope.Sites.Of(scope.URLOf(r.url))
	if site == nil {
		return ref
	}
	roots := [...]string{"", "/"}
	n := 1
	if r.scope.Crawled(site) || disk.IsProject(site.Dir()) {
		n = 2
	}
	for _, root := range roots[:n] {
		for _, name := range [...]string{page, strings.ReplaceAll(page, "%20", "-"), strings.ReplaceAll(page, "%20", "_")} {
			for _, extension := range wikiExtensions {
				u, _, err := r.source.Base.Resolve(root + name + extension)
				if err == nil && site.Answers(u) {
					return root + name + extension + heading
				}
			}
		}
	}
	if n == 1 {
		return ref
	}
	name, err := url.PathUnescape(page[strings.LastIndexByte(page, '/')+1:])
	if err != nil {
		return ref
	}
	for _, extension := range wikiExtensions {
		if u, ok := site.Find(name + extension); ok {
			return u.String() + heading
		}
	}
	return ref
}
