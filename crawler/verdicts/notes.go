package verdicts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// notes says what a user should hear about the run as a whole.
func (j *join) notes() error {
	notes := append(j.unusedNotes(), trapNotes(j.Trapped)...)
	if n := j.sum.ByCode[check.CodeRobotsDisallowed]; n > 0 {
		notes = append(notes, fmt.Sprintf("left out because robots.txt says so: %s; --robots ignore asks all the same", quantity(n, "target")))
	}
	if n := j.Unfollowed; n > 0 {
		notes = append(notes, fmt.Sprintf("checked but not followed, as a robots meta element or X-Robots-Tag says nofollow: the links of %s; --robots ignore follows them", quantity(n, "page")))
	}
	if j.LocalLimit != "" {
		notes = append(notes, "not every target was asked: "+j.LocalLimit)
	}
	switch {
	case j.ScriptStart:
		notes = append(notes, scriptStartNote)
	case j.ScriptPages:
		notes = append(notes, scriptPagesNote)
	case j.sum.Pages > 0 && j.sum.Links == 0:
		notes = append(notes, "no link was found on any page that was read")
	}
	if n := j.sourceNote(); n != "" {
		notes = append(notes, n)
	}
	for _, n := range notes {
		if err := j.Sink.Note(rules.Note{Message: n}); err != nil {
			return fmt.Errorf("report a note: %w", err)
		}
	}
	return nil
}

// unusedNotes names the rules that matched nothing, and the exclusions: those only
// where a whole site or directory was looked at, as a list of them is made for that
// and not for the few documents of a commit.
func (j *join) unusedNotes() (notes []string) {
	for i := range j.Config.Rules {
		if u := j.Config.Uses()[i]; !u.Matched() {
			notes = append(notes, u.Name()+" matched nothing")
		}
	}
	if !j.sum.Crawled || j.Config.Changed != nil {
		return notes
	}
	var unused []string
	for _, u := range j.Config.ExcludeUses() {
		if !u.Matched() {
			unused = append(unused, u.Name())
		}
	}
	const most = 10
	if n := len(unused) - most; n > 0 {
		unused = append(unused[:most], fmt.Sprintf("%d more", n))
	}
	if len(unused) > 0 {
		notes = append(notes, strings.Join(unused, ", ")+" matched nothing")
	}
	return notes
}

// maxTrapNotes is how many endless series are told one by one: paths that grow at
// random make one for each page.
const maxTrapNotes = 5

// trapNotes tells which pages were not read because of their URLs, given how many for
// each pattern: the patterns with the most pages, and the rest together.
func trapNotes(trapped map[string]int) (notes []string) {
	patterns := slices.SortedFunc(maps.Keys(trapped), func(a, b string) int {
		return cmp.Or(cmp.Compare(trapped[b], trapped[a]), cmp.Compare(a, b))
	})
	note := func(what string, pages int) {
		notes = append(notes, fmt.Sprintf("not read, as they look like an endless series (%s): %s", what, quantity(pages, "page")))
	}
	told := len(patterns)
	if told > maxTrapNotes+1 {
		told = maxTrapNotes
	}
	for _, pattern := range patterns[:told] {
		note(pattern, trapped[pattern])
	}
	if rest := patterns[told:]; len(rest) > 0 {
		pages := 0
		for _, pattern := range rest {
			pages += trapped[pattern]
		}
		note(fmt.Sprintf("%d other patterns", len(rest)), pages)
	}
	return notes
}

// quantity writes a number with its noun.
func quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// What to do where scripts make pages whose links were never seen.
const (
	scriptStartNote = "the start page holds no links: it is rendered by a script; start from the site's sitemap, such as /sitemap.xml, or from the built output"
	scriptPagesNote = "no page holds a link: all are rendered by a script; check the site as a server or a prerenderer delivers it"
)
