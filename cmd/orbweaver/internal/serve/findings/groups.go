package findings

import (
	"context"
	"fmt"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// Group are findings with something in common.
type Group struct {
	Name   string // of a page, a host or a code
	Count  int    // of findings
	Places int
	Worst  string // verdict
}

// maxGroups is the number of groups that are listed.
const maxGroups = 1000

// rank orders verdicts, the worst first, and worst are their names.
const rank = "CASE i.verdict WHEN 'broken' THEN 0 WHEN 'unverified' THEN 1 WHEN 'warning' THEN 2 WHEN 'ok' THEN 3 ELSE 4 END"

var worst = [...]string{"broken", "unverified", "warning", "ok", "skipped"}

// Groups returns the findings that a query selects by "page", "host" or "code": the worst groups
// first, then the largest. A finding belongs to each page that refers to its target. total counts the
// findings.
func (x *Index) Groups(ctx context.Context, q *Query, by string, settled bool) (groups []Group, total int, err error) {
	where, args := q.where()
	if total, err = x.total(ctx, "SELECT count(*) FROM item i WHERE "+where, args, settled && q.Known == nil); err != nil {
		return nil, 0, err
	}
	// The order of the joins is that of the tables: SQLite has no statistics of them.
	query := fmt.Sprintf("SELECT i.%s, count(*), sum(i.places), min(%s) FROM item i WHERE %s GROUP BY 1", by, rank, where)
	if by == "page" {
		at := "r.target = i.target"
		if q.Change == "fixed" { // the target is that of the run before
			at = "r.target IN (SELECT id FROM target WHERE url = i.url AND id > 0)"
		}
		query = fmt.Sprintf(`SELECT p.url, g.findings, g.places, g.rank FROM (SELECT r.page AS page, count(DISTINCT i.fingerprint) AS findings, count(*) AS places, min(%s) AS rank
			FROM item i CROSS JOIN ref r ON %s WHERE %s GROUP BY r.page) g JOIN page p ON p.id = g.page`, rank, at, where)
	}
	groups, err = rows.All(ctx, x.db, func(row rows.Row) (g Group, err error) {
		var at int
		err = row.Scan(&g.Name, &g.Count, &g.Places, &at)
		g.Worst = worst[at]
		return g, err
	}, query+fmt.Sprintf(" ORDER BY 4, 2 DESC, 1 LIMIT %d", maxGroups), args...)
	return groups, total, err
}
