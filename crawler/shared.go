package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Names of facts begin with what they are about.
const (
	factScope   = "scope "   // with a URL: a start target redirects there
	factSitemap = "sitemap " // with a key: robots.txt names this sitemap
	factCut     = "cut "     // with a site: it makes up its pages
	factCookied = "cookied " // with a host: a redirect of it has set a cookie
	factCookie  = "cookie "  // with what identifies a cookie
)

// shared is what a process shares with the others that work on a crawl. The zero value is for a
// crawl of one process.
type shared struct {
	always context.Context
	common frontier.Common // nil for a crawl of one process
}

// publish makes a fact known to all processes of a shared crawl.
func (s *shared) publish(kind, name string) error {
	if s.common == nil {
		return nil
	}
	return s.common.Publish(s.always, kind+name, nil)
}
