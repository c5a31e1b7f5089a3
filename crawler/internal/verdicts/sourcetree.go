package verdicts

import (
	"fmt"
	"path"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// The sources of a site that a generator builds contain links to pages of the built site:
// /guide/props for guide/props.md. The URL of a page depends on the generator's
// configuration and on the contents of the documents, so such a link cannot be checked
// here. It is reported as missing, and one note tells the user what to check instead.

// The note is given if so many links lead to no file, if they are one in unbuiltPart of all
// broken ones, and if there are at most okForEach links that are ok for each of them.
const (
	leastUnbuilt = 10
	unbuiltPart  = 4
	okForEach    = 20
)

// sourceNote returns a note if a directory seems to hold the sources of a site rather than a
// site, and "" otherwise.
func sourceNote(c *Crawl, sum *result.Summary, pairs []*pair, cache *detailCache) string {
	if c.Scope.Rules.Changed != nil || sum.ByCode[check.CodeFileMissing] < leastUnbuilt {
		return ""
	}
	example := ""
	broken, unbuilt := 0, 0
	for _, p := range pairs {
		if p.judgement.Verdict != check.Broken {
			continue
		}
		broken++
		if p.judgement.Code != check.CodeFileMissing {
			continue
		}
		d := cache.get(p.id)
		if !namesPage(d.url.Path()) {
			continue
		}
		site := c.Scope.Sites.Of(d.url)
		if site == nil || !site.IsSource() || !c.Scope.Crawled(site) {
			continue
		}
		unbuilt++
		if url := c.Print.URL(d.url); example == "" || url < example {
			example = url
		}
	}
	if unbuilt < leastUnbuilt || unbuilt*unbuiltPart < broken || unbuilt*okForEach < sum.OK {
		return ""
	}
	return fmt.Sprintf("many links to pages lead to no file, such as %s; if a site is built from these documents, check the built site", example)
}

// namesPage reports whether a path may be that of a generated page: it has no extension or
// that of HTML.
func namesPage(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case "", ".html":
		return true
	}
	return false
}
