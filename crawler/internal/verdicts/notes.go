package verdicts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// notesOn returns the notes on the run as a whole.
func notesOn(c *Crawl, sum *result.Summary, pairs []*pair, cache *detailCache) []string {
	notes := append(unusedNotes(c, sum), trapNotes(c.Trapped)...)
	if n := sum.ByCode[judging.CodeRobotsDisallowed]; n > 0 {
		notes = append(notes, is(n, "target")+" not requested, because robots.txt disallows that; --robots ignore requests all")
	}
	if n := c.Of[stored.Unfollowed]; n > 0 {
		notes = append(notes, fmt.Sprintf("the links of %s were checked but not followed, because a robots meta element or X-Robots-Tag says nofollow; --robots ignore follows them", quantity(n, "page")))
	}
	if n := c.Gaps[gap.URLLength]; n > 0 {
		notes = append(notes, fmt.Sprintf("%s not read, because the URL is longer than %d bytes", quantity(n, "page"), admit.MaxPageURL))
	}
	if c.LocalLimit != "" {
		notes = append(notes, "some targets were not requested: "+c.LocalLimit)
	}
	switch {
	case c.Gaps[gap.Script] > 0:
		notes = append(notes, scriptStartNote)
	case c.OnlyScripts():
		notes = append(notes, scriptPagesNote)
	case c.Of[stored.Shells] > 0:
		notes = append(notes, fmt.Sprintf("%s no links without scripts: try --render auto", has(c.Of[stored.Shells], "page")))
	case sum.Pages > 0 && sum.Links == 0:
		notes = append(notes, "none of the pages that were read contains a link")
	}
	switch {
	case c.Own.Base == "":
	case c.Own.Listed:
		notes = append(notes, fmt.Sprintf("the sitemap lists %s at %s; --base-url %s checks links to that URL against the directory", quantity(c.Own.Pages, "page"), c.Own.Base, c.Own.Base))
	default:
		notes = append(notes, fmt.Sprintf("%s published at %s according to the canonical link; --base-url %s checks links to that URL against the directory", is(c.Own.Pages, "page"), c.Own.Base, c.Own.Base))
	}
	if r := c.Scope.Rules; c.Own.To != "" && sum.Crawled && sum.Pages == 1 && r.WithinDepth(1) && r.Rule != scope.Page {
		notes = append(notes, fmt.Sprintf("only the start page was read, because it calls its site %s: start there, or --remap '^%[1]s/=%s/' takes its links for links here", c.Own.To, c.Own.From))
	}
	if n := sourceNote(c, sum, pairs, cache); n != "" {
		notes = append(notes, n)
	}
	return notes
}

// is returns a quantity as the subject of a sentence: "1 page is", "3 pages are".
func is(n int, noun string) string {
	if n == 1 {
		return quantity(n, noun) + " is"
	}
	return quantity(n, noun) + " are"
}

// has is like is: "1 page has", "3 pages have".
func has(n int, noun string) string {
	if n == 1 {
		return quantity(n, noun) + " has"
	}
	return quantity(n, noun) + " have"
}

// unusedNotes returns notes on rules and exclusions that matched nothing. Exclusions are
// written for a whole site or directory, so they are reported only if one was crawled, and
// not for the few documents of a commit.
func unusedNotes(c *Crawl, sum *result.Summary) (notes []string) {
	for i := range c.Judging.Rules {
		if u := c.Scope.Uses[i]; !u.Matched() {
			notes = append(notes, u.Name()+" matched nothing")
		}
	}
	if !sum.Crawled || c.Scope.Rules.Changed != nil {
		return notes
	}
	var unused []string
	for _, u := range c.Scope.Uses[len(c.Judging.Rules):] {
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

// maxTrapNotes is how many endless series have a note each. Random URLs cause one series
// per page.
const maxTrapNotes = 5

// trapNotes returns notes on the pages that were not read because their URLs look like an
// endless series: one each for the patterns with the most pages, and one for the rest.
func trapNotes(trapped map[string]int) (notes []string) {
	patterns := slices.SortedFunc(maps.Keys(trapped), func(a, b string) int {
		return cmp.Or(cmp.Compare(trapped[b], trapped[a]), cmp.Compare(a, b))
	})
	note := func(what string, pages int) {
		notes = append(notes, fmt.Sprintf("%s not read, because the URLs look like an endless series (%s)", quantity(pages, "page"), what))
	}
	single := len(patterns)
	if single > maxTrapNotes+1 {
		single = maxTrapNotes
	}
	for _, pattern := range patterns[:single] {
		note(pattern, trapped[pattern])
	}
	if rest := patterns[single:]; len(rest) > 0 {
		pages := 0
		for _, pattern := range rest {
			pages += trapped[pattern]
		}
		note(fmt.Sprintf("%d other patterns", len(rest)), pages)
	}
	return notes
}

// tailNotes returns the note on the pages that look generated, from the one on after which nothing else was found.
func (t *targets) tailNotes(p *scope.Printer) []string {
	if t.tail == nil {
		return nil
	}
	if note := t.tail.Describe(p.URL); note != "" {
		return []string{note}
	}
	return nil
}

// quantity returns a number with its noun.
func quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Notes on pages that scripts render, so that their links are not in the HTML.
const (
	scriptStartNote = "the start page contains no links because a script renders it; try --render auto, or start from the site's sitemap, such as /sitemap.xml, or from the built output"
	scriptPagesNote = "no page contains a link because scripts render all of them; serve the site and try --render auto, or check the output of a prerenderer"
)
