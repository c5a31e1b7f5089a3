package verdicts

import (
	"fmt"
	"path"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Who checks the sources of a site that a generator builds is told of every link that is
// written as the built site has it: /guide/props for guide/props.md. What the generator
// makes of them hangs on its configuration and on what stands in the documents, so that
// such a link can't be proven dead or alive from here, only that no file answers it.
// One note says where to look instead.

// When the note is given: so many links without a file, and a part of all that are broken.
const (
	leastUnbuilt = 10
	unbuiltPart  = 4
)

// sourceNote tells that a directory holds sources rather than a site; "" when it does not
// look like that.
func (j *join) sourceNote() string {
	if j.Config.Changed != nil || j.sum.ByCode[check.CodeFileMissing] < leastUnbuilt {
		return ""
	}
	example := ""
	broken, unbuilt := 0, 0
	for _, p := range j.flagged {
		if p.judgement.Verdict != check.Broken {
			continue
		}
		broken++
		if p.judgement.Code != check.CodeFileMissing {
			continue
		}
		d := j.dossiers.get(p.id)
		if !namesPage(d.url.Path()) {
			continue
		}
		site := j.Scope.SiteOf(d.url)
		if site == nil || !site.IsSource() || !j.Scope.Crawled(site) {
			continue
		}
		unbuilt++
		if url := j.Print.URL(d.url); example == "" || url < example {
			example = url
		}
	}
	if unbuilt < leastUnbuilt || unbuilt*unbuiltPart < broken {
		return ""
	}
	return fmt.Sprintf("no file answers many links that name pages, such as %s: if a site is built from these documents, check what is built", example)
}

// namesPage reports whether a path names a page as generators do, by no extension or by
// that of HTML.
func namesPage(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case "", ".html":
		return true
	}
	return false
}
