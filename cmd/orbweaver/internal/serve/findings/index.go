package findings

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// Index answers questions about one run. It is safe for concurrent use.
type Index struct {
	file       string
	db         *sql.DB
	mu         sync.Mutex
	totals     map[string]int // of a file that no longer changes
	texts      texts          // of findings
	issueTexts texts
}

// ErrNotFound is the error for something that the run does not have.
var ErrNotFound = errors.New("not found")

// Open opens a file. The error for a missing file is fs.ErrNotExist.
func Open(file string) (*Index, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	db, err := rows.Open(file, 2, "mode=ro", "_pragma=busy_timeout(10000)", "_pragma=cache_size(-4000)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	var tables, indexed, issues int
	err = db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('page', 'target', 'item', 'ref')").Scan(&tables)
	if err == nil && tables < 4 {
		err = fs.ErrNotExist // the run that fills the file has only begun
	}
	if err == nil {
		err = db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'ref_by_target'").Scan(&indexed)
	}
	if err == nil && indexed == 0 {
		addIndexes(file)
	}
	if err == nil {
		err = db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'issue'").Scan(&issues)
	}
	if err == nil && issues == 0 {
		err = upgrade(file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, err), db.Close())
	}
	return &Index{file: file, db: db, totals: map[string]int{}}, nil
}

// addIndexes adds the indexes that a file of an earlier version lacks. Without them, which is so on a
// disk that is full or cannot be written, some pages are slow.
func addIndexes(file string) {
	db, err := rows.Open(file, 0, "_pragma=busy_timeout(10000)", "_pragma=cache_size(-16000)")
	if err != nil {
		return
	}
	defer db.Close()
	_, _ = db.Exec(indexes)
}

// Close closes the file.
func (x *Index) Close() error { return x.db.Close() }

// Sort is an order of findings.
type Sort string

// The orders of findings: by URL as in the report, by code, or by places with the most first.
// Ties are broken by URL, then by code.
const (
	ByURL    Sort = "url"
	ByCode   Sort = "code"
	ByPlaces Sort = "places"
)

// Query selects findings. Empty fields select all; fields are combined with and.
type Query struct {
	Verdicts []string // empty: broken, unverified, warning
	Codes    []string
	Scope    string
	Host     string
	Page     string // a page that refers to the target
	Text     string // part of the URL or message, in any case
	Change   string // new, still or fixed
	Known    *bool
	Marked   []string // fingerprints, and ids of issues, of the marks in force, for Known
	Issue    string   // the issue of the finding
	Sort     Sort
	Limit    int
	After    string // Cursor of the last item
	Backward bool   // in the reverse order

	found []string // fingerprints of what has the text, nil if they are not known
}

// ErrCursor is the error for a cursor that no list has returned.
var ErrCursor = errors.New("the cursor is not one that this list returned")

// kinds returns the condition on item.listed.
func (q *Query) kinds() string {
	plain := 0
	for _, v := range q.Verdicts {
		if v == "ok" || v == "skipped" {
			plain++
		}
	}
	switch {
	case q.Change == "fixed":
		return "= 2"
	case plain == 0:
		return "= 1"
	case plain < len(q.Verdicts):
		return "IN (0, 1)"
	}
	return "= 0"
}

func (q *Query) where() (string, []any) {
	var terms []string
	var args []any
	add := func(term string, values ...any) {
		terms = append(terms, term)
		args = append(args, values...)
	}
	in := func(column string, values []string) {
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v
		}
		add("i."+column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", list...)
	}
	if q.Text != "" && q.found != nil {
		add("+i.listed " + q.kinds()) // by the key
	} else {
		add("i.listed " + q.kinds())
	}
	if len(q.Verdicts) > 0 {
		in("verdict", q.Verdicts)
	}
	if len(q.Codes) > 0 {
		in("code", q.Codes)
	}
	if q.Scope != "" {
		add("i.scope = ?", q.Scope)
	}
	if q.Host != "" {
		add("i.host = ?", q.Host)
	}
	if q.Change == "new" || q.Change == "still" {
		add("i.change = ?", q.Change)
	}
	if q.Issue != "" {
		add("i.issue = ?", q.Issue)
	}
	if q.Page != "" {
		add("i.target IN (SELECT r.target FROM ref r JOIN page p ON p.id = r.page WHERE p.url = ?)", q.Page)
	}
	if q.Text != "" {
		if q.found != nil {
			list, _ := json.Marshal(q.found) // strings never fail
			add("i.fingerprint IN (SELECT value FROM json_each(?))", string(list))
		} else {
			term, pattern := contains("i.url", "i.message", q.Text)
			add(term, pattern, pattern)
		}
	}
	if q.Known != nil {
		marked, _ := json.Marshal(append([]string{}, q.Marked...)) // strings never fail
		not := ""
		if !*q.Known {
			not = "NOT "
		}
		add(not+"(i.fingerprint IN (SELECT value FROM json_each(?)) OR i.issue IN (SELECT value FROM json_each(?)))", string(marked), string(marked))
	}
	return strings.Join(terms, " AND "), args
}

const itemColumns = "i.fingerprint, i.url, i.verdict, i.code, i.message, i.scope, i.status, i.places, i.change, i.first_seen, i.issue, i.page, i.pages"

func scanItem(row rows.Row) (api.Finding, error) {
	var f api.Finding
	var first sql.NullInt64
	err := row.Scan(&f.Fingerprint, &f.URL, &f.Verdict, &f.Code, &f.Message, &f.Scope, &f.Status, &f.Places, &f.Change, &first, &f.Issue, &f.Page, &f.Pages)
	f.ID = f.Fingerprint
	if first.Valid {
		at := time.UnixMilli(first.Int64).UTC()
		f.FirstSeen = &at
	}
	return f, err
}

// manyFound is how many findings may match a text so that they are kept. The first of more are found soon
// in the order of the list.
const manyFound = 2000

// maxKept is the number of texts for which what was found is kept.
const maxKept = 20

// texts keeps what was found for texts in a file, at most maxKept.
type texts struct {
	mu    sync.Mutex
	found map[string][]string // fingerprints of findings, or ids of issues
}

// find looks for the text of a query, which takes a look at every finding, and returns the query for what it
// found. settled is as in Findings.
func (k *texts) find(ctx context.Context, db *sql.DB, q *Query, settled bool) (*Query, error) {
	if q.Text == "" || q.Issue != "" || q.Page != "" || q.Host != "" { // there are few to look at
		return q, nil
	}
	term, pattern := contains("i.url", "i.message", q.Text)
	// The rows are read fastest in the order of the table.
	found, err := k.look(ctx, db, q, settled, "SELECT i.fingerprint FROM item i NOT INDEXED WHERE i.listed "+q.kinds()+" AND "+term+" LIMIT ?", pattern, pattern, manyFound+1)
	if err != nil || len(found) > manyFound {
		return q, err
	}
	with := *q
	with.found = found
	return &with, nil
}

// findIssues returns the ids of the issues with the text of a query, in themselves or in a finding.
func (k *texts) findIssues(ctx context.Context, db *sql.DB, q *Query, settled bool) ([]string, error) {
	of, pattern := contains("i.url", "i.message", q.Text)
	own, _ := contains("s.subject", "s.message", q.Text)
	return k.look(ctx, db, q, settled, "SELECT i.issue FROM item i NOT INDEXED WHERE i.listed "+q.kinds()+" AND "+of+
		" UNION SELECT s.id FROM issue s NOT INDEXED WHERE s.listed "+q.kinds()+" AND "+own, pattern, pattern, pattern, pattern)
}

// look returns what a statement finds for the text of a query, as far as it is not known already.
func (k *texts) look(ctx context.Context, db *sql.DB, q *Query, settled bool, statement string, args ...any) ([]string, error) {
	key := q.kinds() + "\x00" + q.Text
	k.mu.Lock()
	found, known := k.found[key]
	k.mu.Unlock()
	if settled && known {
		return found, nil
	}
	found, err := rows.Column[string](ctx, db, statement, args...)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.found) >= maxKept || k.found == nil {
		k.found = map[string][]string{}
	}
	k.found[key] = found
	return found, nil
}

// Findings returns one part of a list. settled tells that the run has ended, so that counts
// may be kept.
func (x *Index) Findings(ctx context.Context, q *Query, settled bool) (*api.List[api.Finding], error) {
	q, err := x.texts.find(ctx, x.db, q, settled)
	if err != nil {
		return nil, err
	}
	where, args := q.where()
	total, err := x.total(ctx, "SELECT count(*) FROM item i WHERE "+where, args, settled && q.Known == nil)
	if err != nil {
		return nil, err
	}
	if total == 0 && q.After == "" {
		return &api.List[api.Finding]{Items: []api.Finding{}}, nil
	}
	rest := []part{{}}
	if q.After != "" {
		if rest, err = x.behind(ctx, q); err != nil {
			return nil, err
		}
	}
	list := &api.List[api.Finding]{Items: []api.Finding{}, Total: total}
	for _, p := range rest {
		query := "SELECT " + itemColumns + " FROM item i WHERE " + where + p.term + " ORDER BY " + q.order() + " LIMIT ?"
		found, err := rows.All(ctx, x.db, scanItem, query, slices.Concat(args, p.args, []any{q.Limit + 1 - len(list.Items)})...)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, found...)
	}
	if len(list.Items) > q.Limit {
		list.Items = list.Items[:q.Limit]
		list.Next = &list.Items[q.Limit-1].ID
	}
	return list, nil
}

// behind returns the conditions for what follows the cursor, which is the id of an item.
func (x *Index) behind(ctx context.Context, q *Query) ([]part, error) {
	var url, code string
	var places int
	err := x.db.QueryRowContext(ctx, "SELECT url, code, places FROM item WHERE fingerprint = ?", q.After).Scan(&url, &code, &places)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrCursor
	}
	beyond, fewer := ">", "<"
	if q.Backward {
		beyond, fewer = "<", ">"
	}
	switch q.Sort {
	case ByCode:
		return []part{{" AND (i.code, i.url, i.fingerprint) " + beyond + " (?, ?, ?)", []any{code, url, q.After}}}, err
	case ByPlaces:
		return []part{{" AND i.places = ? AND (i.url, i.code, i.fingerprint) " + beyond + " (?, ?, ?)", []any{places, url, code, q.After}}, {" AND i.places " + fewer + " ?", []any{places}}}, err
	}
	return []part{{" AND (i.url, i.code, i.fingerprint) " + beyond + " (?, ?, ?)", []any{url, code, q.After}}}, err
}

func (q *Query) order() string {
	columns := map[Sort][]string{ByCode: {"i.code", "i.url"}, ByPlaces: {"i.places DESC", "i.url", "i.code"}}[q.Sort]
	if columns == nil {
		columns = []string{"i.url", "i.code"}
	}
	columns = append(columns, "i.fingerprint")
	if q.Page != "" {
		columns[0] = "+" + columns[0] // a page has few findings: they are found by it, and not by their order
	}
	for n, column := range columns {
		if !q.Backward {
			continue
		}
		rest, downward := strings.CutSuffix(column, " DESC")
		if columns[n] = rest; !downward {
			columns[n] += " DESC"
		}
	}
	return strings.Join(columns, ", ")
}

// total counts, and keeps the count if the file no longer changes.
func (x *Index) total(ctx context.Context, query string, args []any, keep bool) (int, error) {
	key := fmt.Sprint(query, "\x00", args)
	x.mu.Lock()
	n, known := x.totals[key]
	x.mu.Unlock()
	if keep && known {
		return n, nil
	}
	if err := x.db.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, err
	}
	const most = 100
	x.mu.Lock()
	defer x.mu.Unlock()
	if keep && len(x.totals) < most {
		x.totals[key] = n
	}
	return n, nil
}

// Finding returns one finding, and the result that it belongs to as in the JSON report.
func (x *Index) Finding(ctx context.Context, id string) (f api.Finding, result json.RawMessage, err error) {
	f, err = scanItem(x.db.QueryRowContext(ctx, "SELECT "+itemColumns+" FROM item i WHERE fingerprint = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return f, nil, ErrNotFound
	}
	if err != nil {
		return f, nil, err
	}
	result, err = x.result(ctx, "SELECT t.result FROM target t JOIN item i ON t.id = i.target WHERE i.fingerprint = ?", id)
	return f, result, err
}

// Result returns the result for a target as printed, or ErrNotFound. The places that inline
// marks exclude do not count.
func (x *Index) Result(ctx context.Context, url string) (json.RawMessage, error) {
	return x.result(ctx, "SELECT result FROM target WHERE url = ? AND id > 0 ORDER BY code = 'excluded' LIMIT 1", url)
}

func (x *Index) result(ctx context.Context, query string, args ...any) (json.RawMessage, error) {
	var packed []byte
	err := x.db.QueryRowContext(ctx, query, args...).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}

// unpack decompresses a result. Files of earlier versions have frames of zstd, as which no block of s2
// can begin: it would copy from before its beginning.
func unpack(packed []byte) (text []byte, err error) {
	if bytes.HasPrefix(packed, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		var frames *zstd.Decoder
		if frames, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)); err == nil {
			defer frames.Close()
			text, err = frames.DecodeAll(packed, nil)
		}
	} else {
		text, err = s2.Decode(nil, packed)
	}
	if err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	return text, nil
}

// Verdict returns the verdict on a target as printed, or ErrNotFound.
func (x *Index) Verdict(ctx context.Context, url string) (verdict, code string, err error) {
	err = x.db.QueryRowContext(ctx, "SELECT verdict, code FROM target WHERE url = ? AND id > 0 ORDER BY code = 'excluded' LIMIT 1", url).Scan(&verdict, &code)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return verdict, code, err
}

// Target is where links lead to.
type Target struct {
	URL      string
	Internal bool // it is on the site that was checked
	// Result is the result, as in a JSON report, if it is about the references on their pages: a request
	// for the target does not decide it. It is nil for others.
	Result json.RawMessage
}

// aboutReference is the condition for such an item: its code is about what is written on a page, also if
// the user has made a warning so severe.
const aboutReference = "(i.code IN ('uri-invalid', 'uri-invalid-tel', 'uri-repaired', 'uri-credentials', 'uri-misleading-userinfo', 'uri-obfuscated-ip', " +
	"'reference-empty', 'reference-undefined', 'refresh-invalid', 'xhtml-malformed', 'mixed-content') OR i.url LIKE 'file:%')"

// Failing returns the targets that are broken or unverified, by URL.
func (x *Index) Failing(ctx context.Context) ([]Target, error) {
	return rows.All(ctx, x.db, func(row rows.Row) (t Target, err error) {
		var packed []byte
		if err = row.Scan(&t.URL, &t.Internal, &packed); err == nil && packed != nil {
			t.Result, err = unpack(packed)
		}
		return t, err
	}, "SELECT DISTINCT i.url, i.scope = 'internal', CASE WHEN "+aboutReference+" THEN t.result END FROM item i JOIN target t ON t.id = i.target WHERE i.listed = ? AND i.verdict IN ('broken', 'unverified') ORDER BY i.url", listed)
}

// Broken returns the broken findings, by URL. There are at most limit.
func (x *Index) Broken(ctx context.Context, limit int) ([]api.Finding, error) {
	list, err := x.Findings(ctx, &Query{Verdicts: []string{"broken"}, Limit: limit}, true)
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}
