package findings

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// The lists of a comparison.
const (
	ListNew   = "new"   // broken now, and not before
	ListFixed = "fixed" // broken before, and not now
	ListStill = "still" // broken before and now
)

// CompareQuery selects a part of a comparison.
type CompareQuery struct {
	Lists []string // those that are wanted; of the others, only the totals are
	Limit int      // of each list
	After string   // cursor of the last item, if one list is wanted
}

// Compare compares the broken findings of a run with those of an earlier one, nil for none, by their
// fingerprints. It returns each list by its name, in the order of the URLs.
func (x *Index) Compare(ctx context.Context, before *Index, q *CompareQuery) (lists map[string]*api.List[api.Finding], err error) {
	conn, err := x.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	file := ":memory:"
	if before != nil {
		file = before.file
	}
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS before", file); err != nil {
		return nil, fmt.Errorf("read the run before: %w", err)
	}
	defer func() {
		_, err1 := conn.ExecContext(context.WithoutCancel(ctx), "DETACH before")
		err = errors.Join(err, err1)
	}()
	if before == nil {
		if _, err := conn.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS before.item AS SELECT * FROM main.item WHERE false"); err != nil {
			return nil, err
		}
	}
	const broken = "listed = 1 AND i.verdict = 'broken'"
	in := func(file string) string {
		return "EXISTS (SELECT 1 FROM " + file + ".item o WHERE o.fingerprint = i.fingerprint AND o.listed = 1 AND o.verdict = 'broken')"
	}
	from := map[string]string{
		ListNew:   "main.item i WHERE i." + broken + " AND NOT " + in("before"),
		ListFixed: "before.item i WHERE i." + broken + " AND NOT " + in("main"),
		ListStill: "main.item i WHERE i." + broken + " AND " + in("before"),
	}
	var now, then, still int
	err = conn.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM main.item i WHERE i."+broken+"), (SELECT count(*) FROM before.item i WHERE i."+broken+"), (SELECT count(*) FROM "+from[ListStill]+")").
		Scan(&now, &then, &still)
	if err != nil {
		return nil, err
	}
	lists = map[string]*api.List[api.Finding]{}
	for name, total := range map[string]int{ListNew: now - still, ListFixed: then - still, ListStill: still} {
		lists[name] = &api.List[api.Finding]{Items: []api.Finding{}, Total: total}
	}
	for _, name := range q.Lists {
		if lists[name].Total == 0 {
			continue
		}
		if err := fill(ctx, conn, lists[name], name, from[name], q); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

func fill(ctx context.Context, conn *sql.Conn, list *api.List[api.Finding], name, from string, q *CompareQuery) error {
	var args []any
	if q.After != "" {
		var url, code string
		err := conn.QueryRowContext(ctx, "SELECT i.url, i.code FROM "+from+" AND i.fingerprint = ?", q.After).Scan(&url, &code)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrCursor
		}
		if err != nil {
			return err
		}
		from += " AND (i.url, i.code, i.fingerprint) > (?, ?, ?)"
		args = append(args, url, code, q.After)
	}
	items, err := rows.All(ctx, conn, scanItem, "SELECT "+itemColumns+" FROM "+from+" ORDER BY i.url, i.code, i.fingerprint LIMIT ?", append(args, q.Limit+1)...)
	if err != nil {
		return err
	}
	for i := range items {
		items[i].Change = name
	}
	list.Items = items
	if len(list.Items) > q.Limit {
		list.Items = list.Items[:q.Limit]
		list.Next = &list.Items[q.Limit-1].ID
	}
	return nil
}
