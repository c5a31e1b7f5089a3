package trap

import (
	"fmt"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Tail finds out from when on a crawl found nothing but pages that look generated: they differ only in
// numbers, dates, IDs or parameters, and lead from one to the next, as the pages of a calendar do. It
// is told the targets of the crawl in the order in which they were found. Its memory use is fixed.
type Tail struct {
	limits Limits
	pages  int // all

	// Of the tail. It is empty if from is 0.
	from     int // its first page, counted from 1
	first    urinorm.URL
	shapes   [maxTailShapes]uint64
	template [maxTailShapes]string
	count    int // pages
	least    int // clicks from the start
	most     int
}

const (
	maxTailShapes = 2     // a calendar may have a form for each day
	minTail       = 1_000 // pages; many sites have shorter lists
	minTailClicks = 10    // pages that one index lists have one number of clicks
)

// NewTail returns a Tail before the first target.
func NewTail() *Tail { return &Tail{limits: Limits{}.withDefaults()} }

// Add adds a target that is the given number of clicks away from the start.
func (t *Tail) Add(u urinorm.URL, page bool, clicks int) {
	if page {
		t.pages++
	}
	var p pathShape
	var q *queryShape
	trapped := p.read(u.Path(), &t.limits) != ""
	if query, ok := u.Query(); ok {
		q = new(queryShape)
		trapped = q.read(query, &t.limits) != "" || trapped
	}
	kind, _ := p.budget(q, &t.limits)
	if kind == budgetNamed || trapped || !t.has(mix(hashString(u.Authority())^p.shape)+uint64(kind), &p, kind) {
		t.from, t.count, t.shapes = 0, 0, [maxTailShapes]uint64{}
		return
	}
	if !page {
		return
	}
	if t.count == 0 {
		t.from, t.first, t.least, t.most = t.pages, u, clicks, clicks
	}
	t.count++
	t.least, t.most = min(t.least, clicks), max(t.most, clicks)
}

// has reports whether a shape is one of the tail, or may become one.
func (t *Tail) has(shape uint64, p *pathShape, kind budgetKind) bool {
	for i := range t.shapes {
		if t.shapes[i] == 0 {
			t.shapes[i], t.template[i] = shape, p.describe(kind)
		}
		if t.shapes[i] == shape {
			return true
		}
	}
	return false
}

// Describe describes the tail, "" if it does not look generated. Printed returns a URL for people.
func (t *Tail) Describe(printed func(urinorm.URL) string) string {
	if t.count < minTail || t.most-t.least < minTailClicks {
		return ""
	}
	like := t.template[0]
	if t.shapes[1] != 0 {
		like += " and " + t.template[1]
	}
	return fmt.Sprintf("from page %d on, the pages look generated: %d pages like %s, the first of which is %s, were found one after another and brought nothing else; --exclude leaves them out",
		t.from, t.count, like, printed(t.first))
}
