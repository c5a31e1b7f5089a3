package findings

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// PageSort is an order of pages.
type PageSort string

var pageOrders = map[PageSort]string{
	"url": "url", "depth": "depth", "size": "size", "elapsed": "elapsed", "links": "links_in", "in": "links_in", "out": "links_out", "broken": "findings", "status": "status", "type": "content_type",
}

// PageSorts are the orders of pages.
var PageSorts = []string{"url", "status", "depth", "in", "out", "type", "size", "elapsed", "broken", "links"}

// Upward reports whether pages are in ascending order of a column unless something else is asked for.
func (s PageSort) Upward() bool { return s == "url" || s == "depth" || s == "" }

// NoType selects the pages without a media type.
const NoType = "none"

// PageQuery selects pages.
type PageQuery struct {
	Text   string // part of the URL or title, in any case
	Status string // such as 404 or 4xx
	Depth  string // a whole number
	Type   string // a media type, or NoType
	Sort   PageSort
	Order  string // asc, desc, or "" for that of the column
	Limit  int
	After  string // Cursor of the last page: its number
}

var (
	statusForm = lazy.Regexp(`^([1-9]xx|0|[1-9][0-9]{2})$`)
	depthForm  = lazy.Regexp(`^[0-9]{1,9}$`)
)

// Faults returns what is wrong with the values of the query.
func (q *PageQuery) Faults() (faults []api.Fault) {
	if q.Status != "" && !statusForm().MatchString(q.Status) {
		faults = append(faults, api.Fault{Field: "status", Message: "use a status such as 404, or a class such as 4xx"})
	}
	if q.Depth != "" && !depthForm().MatchString(q.Depth) {
		faults = append(faults, api.Fault{Field: "depth", Message: "use a whole number, 0 or more"})
	}
	return faults
}

func (q *PageQuery) where() (where string, args []any) {
	where = "was_read = 1"
	if q.Text != "" {
		term, pattern := contains("url", "title", q.Text)
		where += " AND " + term
		args = append(args, pattern, pattern)
	}
	if class, found := strings.CutSuffix(q.Status, "xx"); found {
		where += " AND CAST(status / 100 AS TEXT) = ?"
		args = append(args, class)
	} else if q.Status != "" {
		where += " AND CAST(status AS TEXT) = ?"
		args = append(args, q.Status)
	}
	if q.Depth != "" {
		where += " AND depth = CAST(? AS INTEGER)"
		args = append(args, q.Depth)
	}
	if q.Type != "" {
		where += " AND content_type = ?"
		args = append(args, strings.ToLower(strings.TrimSuffix(q.Type, NoType)))
	}
	return where, args
}

const pageColumns = "url, title, status, depth, links_in, links_out, size, elapsed, findings, content_type"

func scanPage(row rows.Row, more ...any) (api.Page, error) {
	var p api.Page
	err := row.Scan(append([]any{&p.URL, &p.Title, &p.Status, &p.Depth, &p.LinksIn, &p.LinksOut, &p.Size, &p.ElapsedMS, &p.Findings, &p.ContentType}, more...)...)
	return p, err
}

// Pages returns one part of the list of pages.
func (x *Index) Pages(ctx context.Context, q *PageQuery, settled bool) (*api.List[api.Page], error) {
	where, args := q.where()
	total, err := x.total(ctx, "SELECT count(*) FROM page WHERE "+where, args, settled)
	if err != nil {
		return nil, err
	}
	column, upward := pageOrders[q.Sort], q.Order == "asc" || q.Order == "" && q.Sort.Upward()
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
	list := &api.List[api.Page]{Items: []api.Page{}, Total: total}
	last := ""
	err = rows.Each(ctx, x.db, func(row rows.Row) error {
		var id string
		p, err := scanPage(row, &id)
		if len(list.Items) == q.Limit {
			list.Next = &last
			return err
		}
		last = id
		list.Items = append(list.Items, p)
		return err
	}, "SELECT "+pageColumns+", CAST(id AS TEXT) FROM page WHERE "+where+" ORDER BY "+order+", url LIMIT ?", append(args, q.Limit+1)...)
	return list, err
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
	return rows.All(ctx, x.db, func(row rows.Row) (p Place, err error) {
		err = row.Scan(&p.Page, &p.Target, &p.Verdict, &p.Code, &p.Line, &p.Column, &p.Element, &p.Text)
		return p, err
	}, query, args...)
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
