package verdicts

import (
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// rootNotes returns the notes on what was decided about links that lead above a directory
// (disk.Site.Around), unless the user has decided it.
func (j *join) rootNotes() (notes []string) {
	c := j.crawl
	if c.Scope.Rules.RootGiven {
		return nil
	}
	if j.around > 0 {
		var inner []string
		outer := ""
		for _, site := range c.Scope.Sites {
			if around := site.Around; around != nil {
				inner = append(inner, c.Print.Path(site.Dir()))
				outer = c.Print.Path(around.Dir())
			}
		}
		notes = append(notes, fmt.Sprintf("links above %s are checked in the git work tree %s (%s); --root %s makes them end at %[4]s",
			strings.Join(inner, ", "), outer, quantity(j.around, "link"), inner[0]))
	}
	missing, example := 0, ""
	for _, p := range j.pairs.flagged {
		if p.marks&(uint64(urinorm.RepairAboveRoot)<<scope.MarkRepairs) == 0 || p.judgement.Code != check.CodeFileMissing {
			continue
		}
		site := c.Scope.Sites.Of(j.details.get(p.id).url)
		if site == nil || !site.Synthetic() || !c.Scope.Crawled(site) {
			continue
		}
		missing++
		if dir := c.Print.Path(site.Dir()); example == "" || dir < example {
			example = dir
		}
	}
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("links above %s end at it, as on a server (%s); --root DIR checks them in DIR, a directory around it", example, quantity(missing, "missing file")))
	}
	return notes
}
