package trap

import (
	"fmt"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits say where a site stops being a site and becomes a trap. 0 stands for
// the default, a negative number for no limit.
//
// The rules above Clicks look at one URL and at nothing else: they give the same
// answer in any order. The budgets below count, so which pages of a trap are still
// read depends on which are found first; how many does not.
type Limits struct {
	URLBytes   int // length of the URL in bytes; default 2,048
	Segments   int // segments of the path; default 20
	Repeats    int // how often one segment or one "name=value" may stand in a URL; default 3
	Parameters int // parameters of the query; default 50
	SameName   int // parameters of one name; default 20

	// Clicks is how far a page may lie from a seed; default 10,000. It ends the
	// chains of "next" links that nothing in their URLs tells from a real site.
	Clicks int

	// Names is the budget of pages in one directory; default 1,000,000.
	Names int
	// Numbered is the budget of pages whose paths differ in numbers only; default
	// 1,000,000: the numbered pages of a real site are never cut.
	Numbered int
	// Identified is the budget of pages whose paths differ in hashes, UUIDs and
	// other machine-made words only; default 100,000.
	Identified int
	// Days and Months are the budgets of pages whose paths differ in a date only, to
	// the day and to the month; default 20,000 (fifty years) and 5,000.
	Days, Months int
	// Sitemaps is the budget of sitemaps that differ in a number only; default
	// 50,000, what one sitemap index may name.
	Sitemaps int
	// Queries is the budget of one path with one or two parameters, numbers in the
	// path aside; default 10,000.
	Queries int
	// Facets is the budget of one path with three parameters or more; default 2,000.
	Facets int
	// Spellings is the budget of one page whose URL differs in the order of its
	// parameters or segments, or in a session id, only; default 32, at most 250.
	Spellings int

	// HostQueries is the budget of pages with a query on one host; default 250,000.
	HostQueries int
	// HostPages is the budget of pages on one host; default 10,000,000, which is no
	// opinion on how large a site should be but an end for one that has none.
	HostPages int
}

var defaultLimits = Limits{
	URLBytes: 2048, Segments: 20, Repeats: 3, Parameters: 50, SameName: 20,
	Clicks: 10_000,
	Names:  1_000_000, Numbered: 1_000_000, Identified: 100_000, Days: 20_000, Months: 5_000, Sitemaps: 50_000,
	Queries: 10_000, Facets: 2_000, Spellings: 32,
	HostQueries: 250_000, HostPages: 10_000_000,
}

// withDefaults fills in what is 0.
func (l Limits) withDefaults() Limits {
	d := &defaultLimits
	for _, field := range []struct {
		value    *int
		fallback int
	}{
		{&l.URLBytes, d.URLBytes}, {&l.Segments, d.Segments}, {&l.Repeats, d.Repeats},
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

// Guards ends every site within bounded work: calendars, growing paths, session ids,
// permutations of filters, and whatever else makes pages out of nothing. Its
// memory is fixed. It is safe for concurrent use.
type Guards struct {
	limits Limits

	mu        sync.Mutex
	pages     pageCounts     // by template, directory and host
	spellings spellingCounts // by page
}

// New returns guards with these limits.
func New(limits Limits) *Guards {
	return &Guards{limits: limits.withDefaults()}
}

// CheckClicks tells whether a page lies too far from the seeds, and names the pattern.
func (t *Guards) CheckClicks(clicks int) (pattern string, trapped bool) {
	if exceeds(clicks, t.limits.Clicks) {
		return fmt.Sprintf("more than %d clicks away from the start", t.limits.Clicks), true
	}
	return "", false
}

// Check tells whether a page should not be followed, and names the pattern that
// says so. It is to be asked once for each page, when it is found first: every call
// counts. Documents of a local directory need no guard, the file system ends.
func (t *Guards) Check(u urinorm.URL) (pattern string, trapped bool) {
	target := u.RequestTarget()
	if exceeds(len(u.String()), t.limits.URLBytes) {
		return fmt.Sprintf("longer than %d bytes", t.limits.URLBytes), true
	}
	// Each round of a login page that returns to itself encodes the address anew.
	if strings.Contains(target, "%252525") {
		return "percent-encoded four times over", true
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

// count charges a page to its budgets; the narrowest that is overdrawn is named.
func (t *Guards) count(host uint64, p *pathShape, q *queryShape, u urinorm.URL) (pattern string, trapped bool) {
	l := &t.limits
	t.mu.Lock()
	defer t.mu.Unlock()

	if p.session || q != nil && (q.session || q.parameters > 1) {
		page := mix(host ^ p.exact)
		if q != nil {
			page = mix(page ^ q.set)
		}
		if exceeds(t.spellings.add(page), l.Spellings) {
			return fmt.Sprintf("more than %d spellings of one page (session ids or the order of parameters) at %s", l.Spellings, p.template()), true
		}
	} else if p.segments >= minShuffled && exceeds(t.spellings.add(mix(host^p.set)), l.Spellings) {
		return fmt.Sprintf("more than %d paths of the same segments as %s", l.Spellings, u.Path()), true
	}

	kind, budget := p.budget(q, l)
	key := p.shape
	if kind == budgetNamed {
		key = p.directory
	}
	if exceeds(t.pages.add(mix(host^key)+uint64(kind)), budget) {
		return fmt.Sprintf("more than %d %s like %s", budget, budgetNames[kind], p.describe(kind)), true
	}
	if q != nil && exceeds(t.pages.add(host+1), l.HostQueries) {
		return fmt.Sprintf("more than %d pages with a query on one host", l.HostQueries), true
	}
	if exceeds(t.pages.add(host), l.HostPages) {
		return fmt.Sprintf("more than %d pages on one host", l.HostPages), true
	}
	return "", false
}

// minShuffled is from how many segments on paths of the same segments count as
// one: that many links relative to a wrong base make every order of themselves.
const minShuffled = 5

func exceeds(n, limit int) bool { return limit >= 0 && n > limit }

// budgetKind is what a page's URL shares with others of the same budget.
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
	budgetNamed: "pages", budgetNumbered: "numbered pages", budgetIdentified: "pages with ids",
	budgetDays: "pages with dates", budgetMonths: "pages with months", budgetSitemaps: "sitemaps",
	budgetQueries: "pages with parameters", budgetFacets: "pages with three parameters or more",
}

// budget picks what a page is charged to.
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
