package trap

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits says when a site counts as a trap. 0 means the default, a negative number no
// limit.
//
// The rules above Clicks look at a single URL, so their result does not depend on the
// order of pages. The budgets below count pages: the order of discovery decides which
// pages of a trap are read, but not how many.
type Limits struct {
	Segments   int // segments of the path; default 20
	Repeats    int // occurrences of one segment or one "name=value" in a URL; default 3
	Parameters int // parameters of the query; default 50
	SameName   int // parameters with the same name; default 20

	// Clicks is the greatest distance of a page from a seed; default 10,000. It ends
	// chains of "next" links whose URLs look like those of a real site.
	Clicks int

	// Names is the budget of pages in one directory; default 1,000,000.
	Names int
	// Numbered is the budget of pages whose paths differ only in numbers; default
	// 1,000,000, so that the numbered pages of a real site are never cut short.
	Numbered int
	// Identified is the budget of pages whose paths differ only in hashes, UUIDs and
	// other machine-made words; default 100,000.
	Identified int
	// Days and Months are the budgets of pages whose paths differ only in a date, with
	// or without a day; defaults 20,000 (fifty years) and 5,000.
	Days, Months int
	// Sitemaps is the budget of sitemaps whose names differ only in a number; default
	// 50,000, the limit of one sitemap index.
	Sitemaps int
	// Queries is the budget of one path with one or two parameters, ignoring numbers in
	// the path; default 10,000.
	Queries int
	// Facets is the budget of one path with three or more parameters; default 2,000.
	Facets int
	// Spellings is the budget of one page whose URLs differ only in a session ID or in
	// the order of parameters or segments; default 32, at most 250.
	Spellings int

	// HostQueries is the budget of pages with a query on one host; default 250,000.
	HostQueries int
	// HostPages is the budget of pages on one host; default 10,000,000. It does not say
	// how large a site should be, but ends the crawl of an endless one.
	HostPages int
}

var defaultLimits = Limits{
	Segments: 20, Repeats: 3, Parameters: 50, SameName: 20,
	Clicks: 10_000,
	Names:  1_000_000, Numbered: 1_000_000, Identified: 100_000, Days: 20_000, Months: 5_000, Sitemaps: 50_000,
	Queries: 10_000, Facets: 2_000, Spellings: 32,
	HostQueries: 250_000, HostPages: 10_000_000,
}

// withDefaults replaces zeros with defaults.
func (l Limits) withDefaults() Limits {
	d := &defaultLimits
	for _, field := range []struct {
		value    *int
		fallback int
	}{
		{&l.Segments, d.Segments}, {&l.Repeats, d.Repeats},
		{&l.Parameters, d.Parameters}, {&l.SameName, d.SameName}, {&l.Clicks, d.Clicks},
		{&l.Names, d.Names}, {&l.Numbered, d.Numbered}, {&l.Identified, d.Identified},
		{&l.Days, d.Days}, {&l.Months, d.Months}, {&l.Sitemaps, d.Sitemaps}, {&l.Queries, d.Queries},
		{&l.Facets, d.Facets}, {&l.Spellings, d.Spellings},
		{&l.HostQueries, d.HostQueries}, {&l.HostPages, d.HostPages},
	} {
		if *field.value == 0 {
			*field.value = field.fallback
		}
	}
	l.Spellings = min(l.Spellings, maxSpellings)
	return l
}

// Guards bounds the work on every site: calendars, growing paths, session IDs,
// combinations of filters, and whatever else generates pages without end. Its memory
// use is fixed. It is safe for concurrent use.
type Guards struct {
	limits Limits

	always context.Context // of counts that several processes share
	common frontier.Common // nil for the counts of this process

	mu        sync.Mutex
	pages     pageCounts     // by template, directory and host
	spellings spellingCounts // by page
}

// New returns guards with the given limits.
func New(limits Limits) *Guards {
	return &Guards{limits: limits.withDefaults()}
}

// Share lets several processes share the budgets.
func (t *Guards) Share(always context.Context, common frontier.Common) {
	t.always, t.common = always, common
}

// charge is one page, or one URL of a page, that a budget is charged with.
type charge struct {
	of    chargeKind
	key   uint64
	limit int
}

// chargeKind says what a budget limits.
type chargeKind uint8

const (
	chargeSpelling  chargeKind = iota // URLs of one page
	chargeOrder                       // paths with the same segments
	chargePage                        // pages that are alike
	chargeHostQuery                   // pages of a host with a query
	chargeHost                        // pages of a host
)

func (c *charge) isSpelling() bool { return c.of <= chargeOrder }

// exceeded adds to counts and returns the first one whose budget is exceeded, nil if there is
// none. A page is left in if counting fails: the store reports its failure elsewhere.
func (t *Guards) exceeded(list []charge) *charge {
	if t.common != nil {
		charged := make([]frontier.Count, len(list))
		for i, c := range list {
			kind := byte('p')
			if c.isSpelling() {
				kind = 's'
			}
			charged[i] = frontier.Count{Name: string(strconv.AppendUint([]byte{kind}, c.key, 36)), By: 1, Most: c.limit}
		}
		counts, _ := t.common.CountUp(t.always, charged)
		for i, n := range counts {
			if exceeds(n, list[i].limit) {
				return &list[i]
			}
		}
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, c := range list {
		add := t.pages.add
		if c.isSpelling() {
			add = t.spellings.add
		}
		if exceeds(add(c.key), c.limit) {
			return &list[i]
		}
	}
	return nil
}

// CheckClicks reports whether a page is too far from the seeds, and returns the
// pattern.
func (t *Guards) CheckClicks(clicks int) (pattern string, trapped bool) {
	if exceeds(clicks, t.limits.Clicks) {
		return fmt.Sprintf("more than %d clicks away from the start", t.limits.Clicks), true
	}
	return "", false
}

// Check reports whether to leave out a page, and returns the pattern it matches. Call
// it once for each page, when the page is first found, because every call counts. Pages
// of a local directory need no check: a file system is finite.
func (t *Guards) Check(u urinorm.URL) (pattern string, trapped bool) {
	target := u.RequestTarget()
	// A login page that links to itself encodes its address again each time.
	if strings.Contains(target, "%252525") {
		return "percent-encoded four times", true
	}
	var p pathShape
	if pattern := p.read(u.Path(), &t.limits); pattern != "" {
		return pattern, true
	}
	host := hashString(u.Authority())
	query, ok := u.Query()
	if !ok {
		return t.count(host, &p, nil, u)
	}
	var q queryShape
	if pattern := q.read(query, &t.limits); pattern != "" {
		return pattern, true
	}
	return t.count(host, &p, &q, u)
}

// count charges a page to its budgets. The pattern names the narrowest budget that is
// exceeded.
func (t *Guards) count(host uint64, p *pathShape, q *queryShape, u urinorm.URL) (pattern string, trapped bool) {
	l := &t.limits
	list := make([]charge, 0, 4)
	if p.session || q != nil && (q.session || q.parameters > 1) {
		page := mix(host ^ p.exact)
		if q != nil {
			page = mix(page ^ q.set)
		}
		list = append(list, charge{chargeSpelling, page, l.Spellings})
	} else if p.segments >= minShuffled {
		list = append(list, charge{chargeOrder, mix(host ^ p.set), l.Spellings})
	}

	kind, budget := p.budget(q, l)
	key := p.shape
	if kind == budgetNamed {
		key = p.directory
	}
	list = append(list, charge{chargePage, mix(host^key) + uint64(kind), budget})
	if q != nil {
		list = append(list, charge{chargeHostQuery, host + 1, l.HostQueries})
	}
	list = append(list, charge{chargeHost, host, l.HostPages})
	c := t.exceeded(list)
	if c == nil {
		return "", false
	}
	switch c.of {
	case chargeSpelling:
		pattern = fmt.Sprintf("more than %d URLs of one page (different session IDs or order of parameters) at %s", c.limit, p.template())
	case chargeOrder:
		pattern = fmt.Sprintf("more than %d paths with the same segments as %s", c.limit, u.Path())
	case chargePage:
		pattern = fmt.Sprintf("more than %d %s like %s", c.limit, budgetNames[kind], p.describe(kind))
	case chargeHostQuery:
		pattern = fmt.Sprintf("more than %d pages with a query on one host", c.limit)
	case chargeHost:
		pattern = fmt.Sprintf("more than %d pages on one host", c.limit)
	}
	return pattern, true
}

// minShuffled is the number of segments from which paths with the same segments in any
// order count as one. With that many links relative to a wrong base, every permutation
// of them appears.
const minShuffled = 5

func exceeds(n, limit int) bool { return limit >= 0 && n > limit }

// budgetKind says what the URLs of one budget have in common.
type budgetKind uint8

const (
	budgetNamed budgetKind = iota
	budgetNumbered
	budgetIdentified
	budgetDays
	budgetMonths
	budgetSitemaps
	budgetQueries
	budgetFacets
)

var budgetNames = [...]string{
	budgetNamed: "pages", budgetNumbered: "numbered pages", budgetIdentified: "pages with IDs",
	budgetDays: "pages with dates", budgetMonths: "pages with months", budgetSitemaps: "sitemaps",
	budgetQueries: "pages with parameters", budgetFacets: "pages with three parameters or more",
}

// budget selects the budget that a page is charged to.
func (p *pathShape) budget(q *queryShape, l *Limits) (budgetKind, int) {
	switch {
	case q != nil && q.parameters >= 3:
		return budgetFacets, l.Facets
	case q != nil:
		return budgetQueries, l.Queries
	case p.sitemap():
		return budgetSitemaps, l.Sitemaps
	case p.date == dateDay:
		return budgetDays, l.Days
	case p.date == dateMonth:
		return budgetMonths, l.Months
	case p.identified:
		return budgetIdentified, l.Identified
	case p.numbered:
		return budgetNumbered, l.Numbered
	}
	return budgetNamed, l.Names
}
