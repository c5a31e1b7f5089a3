package findings

import (
	"context"
	"database/sql"
	"errors"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// PageSort is an order of pages.
type PageSort string

// pageOrders are the columns to sort by. URL and depth are in ascending order, the others in
// descending order.
var pageOrders = map[PageSort]string{
	"url": "url", "depth": "depth", "size": "size", "elapsed": "elapsed", "links": "links_in", "broken": "findings",
}

// PageSorts are the orders of pages.
var PageSorts = []string{"url", "depth", "size", "elapsed", "links", "broken"}

// PageQuery selects pages.
type PageQuery struct {
	Text  string // part of the URL or title, in any case
	Sort  PageSort
	Limit int
	After string // Cursor of the last page: its number
}

const pageColumns = "url, title, status, depth, links_in, links_out, size, elapsed, findings"

func scanPage(row interface{ Scan(...any) error }, more ...any) (api.Page, error) {
	var p api.Page
	err := row.Scan(append([]any{&p.URL, &p.Title, &p.Status, &p.Depth, &p.LinksIn, &p.LinksOut, &p.Size, &p.ElapsedMS, &p.Findings}, more...)...)
	return p, err
}

// Pages returns one part of the list of pages.
func (x *Index) Pages(ctx context.Context, q *PageQuery, settled bool) (*api.List[api.Page], error) {
	where, args := "was_read = 1", []any{}
	if q.Text != "" {
		where += " AND (instr(lower(url), lower(?)) > 0 OR instr(lower(title), lower(?)) > 0)"
		args = append(args, q.Text, q.Text)
	}
	total, err := x.total(ctx, "SELECT count(*) FROM page WHERE "+where, args, settled)
	if err != nil {
		return nil, err
	}
	column, upward := pageOrders[q.Sort], q.Sort == "url" || q.Sort == "depth" || q.Sort == ""
	if column == "" {
		column = "url"
	}
	order, beyond := column, ">"
	if !upward {
		order, beyond = column+" DESC", "<"
	}
	if q.After != "" {
		var found int
		err := x.db.QueryRowContext(ctx, "SELECT count(*) FROM page WHERE CAST(id AS TEXT) = ? AND was_read = 1", q.After).Scan(&found)
		if err == nil && found == 0 {
			err = ErrCursor
		}
		if err != nil {
			return nil, err
		}
		at := "(SELECT " + column + " FROM page WHERE id = ?)"
		where += " AND (" + column + " " + beyond + " " + at + " OR " + column + " = " + at + " AND url > (SELECT url FROM page WHERE id = ?))"
		args = append(args, q.After, q.After, q.After)
	}
	rows, err := x.db.QueryContext(ctx, "SELECT "+pageColumns+", CAST(id AS TEXT) FROM page WHERE "+where+" ORDER BY "+order+", url LIMIT ?", append(args, q.Limit+1)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := &api.List[api.Page]{Items: []api.Page{}, Total: total}
	last := ""
	for rows.Next() {
		var id string
		p, err := scanPage(rows, &id)
		if err != nil {
			return nil, err
		}
		if len(list.Items) == q.Limit {
			list.Next = &last
			break
		}
		last = id
		list.Items = append(list.Items, p)
	}
	return list, rows.Err()
}

// Page returns one page, or ErrNotFound.
func (x *Index) Page(ctx context.Context, url string) (api.Page, error) {
	p, err := scanPage(x.db.QueryRowContext(ctx, "SELECT "+pageColumns+" FROM page WHERE url = ? AND was_read = 1", url))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return p, err
}

// Place is a link: where it is on its page, and what it leads to.
type Place struct {
	Page    string
	Target  string
	Verdict string // of the target
	Code    string
	Line    int // 0 for none
	Column  int
	Element string
	Text    string
}

const placeQuery = `SELECT p.url, t.url, t.verdict, t.code, r.line, r.col, r.element, r.text FROM ref r
	JOIN target t ON t.id = r.target JOIN page p ON p.id = r.page `

func (x *Index) places(ctx context.Context, query string, args ...any) ([]Place, error) {
	rows, err := x.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Place
	for rows.Next() {
		var p Place
		if err := rows.Scan(&p.Page, &p.Target, &p.Verdict, &p.Code, &p.Line, &p.Column, &p.Element, &p.Text); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, rows.Err()
}

// LinksOn returns at most limit links on a page, in the order of the page.
func (x *Index) LinksOn(ctx context.Context, page string, limit int) ([]Place, error) {
	return x.places(ctx, placeQuery+"WHERE p.url = ? ORDER BY r.line, r.col, t.url LIMIT ?", page, limit)
}

// LinksTo returns at most limit links to a page, with any fragment.
func (x *Index) LinksTo(ctx context.Context, page string, limit int) ([]Place, error) {
	return x.places(ctx, placeQuery+`WHERE r.target IN (SELECT id FROM target WHERE url = ?1 OR url >= ?1 || '#' AND url < ?1 || '$')
		ORDER BY p.url, r.line, r.col LIMIT ?2`, page, limit)
}
