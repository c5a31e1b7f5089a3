package crew

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Names of facts begin with what they are about.
const (
	FactScope   = "scope "   // with a URL: a start target redirects there
	FactSitemap = "sitemap " // with a key: robots.txt names this sitemap
	FactCut     = "cut "     // with a site: it makes up its pages
	FactCookied = "cookied " // with a host: a redirect of it has set a cookie
)

// Facts is where a process makes known what all that work on its crawl must know. The zero value is for
// a crawl of one process.
type Facts struct {
	Always context.Context
	Common frontier.Common // nil for a crawl of one process
}

// Publish makes a fact known to all processes of a shared crawl.
func (f *Facts) Publish(kind, name string) error {
	if f.Common == nil {
		return nil
	}
	return f.Common.Publish(f.Always, kind+name, nil)
}
