package findings

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// IssueSorts are the orders of issues. By pages, findings and delta, the largest come first.
var IssueSorts = []string{"pages", "findings", "delta", "code", "url"}

var issueOrders = map[Sort]string{"": "pages DESC", "pages": "pages DESC", "findings": "findings DESC", "delta": "delta DESC", "code": "code", "url": "subject"}

// IssueQuery selects issues: those with a finding that Query selects. Change, Sort and After are those
// of the issues, and Text may be a part of the subject as well.
type IssueQuery struct {
	Query
	// Owned are the ids of issues to which Owner limits the list, or which it leaves out.
	Owned      []string
	Owner      bool
	LeaveOwned bool

	// withText are the ids of the issues that have Text; nil if they must be looked for.
	withText []string
}

func (q *IssueQuery) where() (string, []any) {
	terms, args := []string{"s.listed = 1"}, []any{}
	if q.Change == "fixed" {
		terms[0] = "s.listed = 2"
	} else if q.Change != "" {
		terms, args = append(terms, "s.change = ?"), append(args, q.Change)
	}
	if q.withText != nil && len(q.withText) <= manyFound {
		terms[0] = "+" + terms[0] // by the key
	}
	if q.Owner {
		owned, _ := json.Marshal(append([]string{}, q.Owned...)) // strings never fail
		in := "s.id IN"
		if q.LeaveOwned {
			in = "s.id NOT IN"
		}
		terms, args = append(terms, in+" (SELECT value FROM json_each(?))"), append(args, string(owned))
	}
	for _, one := range []struct {
		column string
		values []string
	}{{"verdict", q.Verdicts}, {"code", q.Codes}} {
		if len(one.values) > 0 { // the findings of an issue have them in common
			list, _ := json.Marshal(one.values) // strings never fail
			terms, args = append(terms, "s."+one.column+" IN (SELECT value FROM json_each(?))"), append(args, string(list))
		}
	}
	of := q.Query
	of.Change, of.Text, of.Verdicts, of.Codes = "", "", nil, nil
	if q.Change == "fixed" {
		of.Change = "fixed"
	}
	plain, _ := (&Query{Change: of.Change}).where()
	term, more := of.where()
	if term != plain {
		terms, args = append(terms, "s.id IN (SELECT i.issue FROM item i WHERE "+term+")"), append(args, more...)
	}
	switch {
	case q.withText != nil:
		found, _ := json.Marshal(q.withText) // strings never fail
		terms, args = append(terms, "s.id IN (SELECT value FROM json_each(?))"), append(args, string(found))
	case q.Text != "":
		of.Text = q.Text
		term, more := of.where()
		has, pattern := contains("s.subject", "s.message", q.Text)
		terms = append(terms, "("+has+" OR s.id IN (SELECT i.issue FROM item i WHERE "+term+"))")
		args = append(append(args, pattern, pattern), more...)
	}
	return strings.Join(terms, " AND "), args
}

const issueColumns = "s.id, s.kind, s.subject, s.verdict, s.code, s.message, s.findings, s.pages, s.places, s.change, s.delta, s.first_seen" +
	", CASE s.findings WHEN 1 THEN (SELECT i.fingerprint || ' ' || i.url FROM item i WHERE i.listed = s.listed AND i.issue = s.id LIMIT 1) END"

func scanIssue(row rows.Row) (s api.Issue, err error) {
	var first sql.NullInt64
	var only sql.NullString
	err = row.Scan(&s.ID, &s.Kind, &s.Subject, &s.Verdict, &s.Code, &s.Message, &s.Findings, &s.Pages, &s.Places, &s.Change, &s.Delta, &first, &only)
	s.Only, s.OnlyURL, _ = strings.Cut(only.String, " ")
	if first.Valid {
		at := time.UnixMilli(first.Int64).UTC()
		s.FirstSeen = &at
	}
	return s, err
}

// Issues returns one part of the issues. settled is as in Findings.
func (x *Index) Issues(ctx context.Context, q *IssueQuery, settled bool) (*api.List[api.Issue], error) {
	with := *q
	if q.Text == "" || q.Issue+q.Page+q.Host+q.Scope != "" || q.Known != nil { // it depends on more than the text
		of, err := x.texts.find(ctx, x.db, &q.Query, settled)
		if err != nil {
			return nil, err
		}
		with.Query = *of
	} else {
		var err error
		if with.withText, err = x.issueTexts.findIssues(ctx, x.db, &Query{Text: q.Text, Change: q.Change}, settled); err != nil {
			return nil, err
		}
	}
	q = &with
	where, args := q.where()
	total, err := x.total(ctx, "SELECT count(*) FROM issue s WHERE "+where, args, settled && q.Known == nil && !q.Owner)
	if err != nil {
		return nil, err
	}
	if total == 0 && q.After == "" {
		return &api.List[api.Issue]{Items: []api.Issue{}}, nil
	}
	column, downward := strings.CutSuffix(issueOrders[q.Sort], " DESC")
	const up, down = ">", "<"
	order, first, beyond := column, up, up
	if downward != q.Backward {
		order, first = column+" DESC", down
	}
	if q.Backward {
		beyond = down
	}
	by := " ORDER BY s." + order
	for _, tie := range []string{"subject", "code", "id"} {
		if tie == column {
			continue
		}
		if by += ", s." + tie; q.Backward {
			by += " DESC"
		}
	}
	rest := []part{{}}
	if q.After != "" {
		var value any
		var subject, code string
		err := x.db.QueryRowContext(ctx, "SELECT "+column+", subject, code FROM issue WHERE id = ?", q.After).Scan(&value, &subject, &code)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, ErrCursor
		}
		if err != nil {
			return nil, err
		}
		rest = []part{{" AND s." + column + " = ? AND (s.subject, s.code, s.id) " + beyond + " (?, ?, ?)", []any{value, subject, code, q.After}}, {" AND s." + column + first + "?", []any{value}}}
	}
	list := &api.List[api.Issue]{Items: []api.Issue{}, Total: total}
	for _, p := range rest {
		// Only the rows of the part are looked up by the columns that need it.
		query := "SELECT " + issueColumns + " FROM (SELECT * FROM issue s WHERE " + where + p.term + by + " LIMIT ?) s" + by
		found, err := rows.All(ctx, x.db, scanIssue, query, slices.Concat(args, p.args, []any{q.Limit + 1 - len(list.Items)})...)
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

// part is a condition for a part of what follows a cursor: first what is equal in the first column, and
// then what is beyond it, each of which an index finds at once.
type part struct {
	term string
	args []any
}

// Issue returns one issue of the run, or of the run before that this one does not have, or
// ErrNotFound.
func (x *Index) Issue(ctx context.Context, id string) (api.Issue, error) {
	s, err := scanIssue(x.db.QueryRowContext(ctx, "SELECT "+issueColumns+" FROM issue s WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return s, err
}

// PagesOf returns pages that refer to the targets of an issue, those with the most places first, from
// an offset on.
func (x *Index) PagesOf(ctx context.Context, issue string, offset, limit int) ([]api.OnPage, error) {
	return rows.All(ctx, x.db, func(row rows.Row) (p api.OnPage, err error) {
		err = row.Scan(&p.URL, &p.Title, &p.Places)
		return p, err
	}, `SELECT p.url, p.title, s.places FROM issue_page s JOIN page p ON p.id = s.page WHERE s.issue = ?
		ORDER BY s.places DESC, p.url LIMIT ? OFFSET ?`, issue, limit, offset)
}

// CountIssues counts the issues by verdict.
func (x *Index) CountIssues(ctx context.Context) (api.Issues, error) {
	var n api.Issues
	err := x.db.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE verdict = 'broken'), count(*) FILTER (WHERE verdict = 'unverified'), count(*) FILTER (WHERE verdict = 'warning')
		FROM issue WHERE listed = 1`).Scan(&n.Broken, &n.Unverified, &n.Warnings)
	return n, err
}

// marked is the JSON text of fingerprints and ids of issues, and a condition for the findings under them.
func marked(ids []string) (text, term string) {
	b, _ := json.Marshal(append([]string{}, ids...)) // strings never fail
	return string(b), "i.listed = 1 AND (i.fingerprint IN (SELECT value FROM json_each(?1)) OR i.issue IN (SELECT value FROM json_each(?1)))"
}

// KnownBroken counts the broken findings under marks, given by fingerprints and ids of issues.
func (x *Index) KnownBroken(ctx context.Context, marks []string) (n int, err error) {
	text, term := marked(marks)
	err = x.db.QueryRowContext(ctx, "SELECT count(*) FROM item i WHERE i.verdict = 'broken' AND "+term, text).Scan(&n)
	return n, err
}

// KnownBy counts the findings under marks by issue.
func (x *Index) KnownBy(ctx context.Context, marks []string) (map[string]int, error) {
	if len(marks) == 0 {
		return map[string]int{}, nil
	}
	text, term := marked(marks)
	return rows.Map[string, int](ctx, x.db, "SELECT i.issue, count(*) FROM item i WHERE "+term+" GROUP BY 1", text)
}

// Fingerprints returns the fingerprints of all findings that a query selects.
func (x *Index) Fingerprints(ctx context.Context, q *Query) ([]string, error) {
	where, args := q.where()
	return rows.Column[string](ctx, x.db, "SELECT i.fingerprint FROM item i WHERE "+where+" ORDER BY 1", args...)
}
