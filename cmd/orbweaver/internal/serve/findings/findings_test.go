package findings

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// build makes a file of results.
func build(t testing.TB, file, before string, results func(yield func(*result.Result) bool)) *Index {
	t.Helper()
	b, err := Create(file, Config{Project: "p", Started: time.Unix(1, 0), Before: before, See: func([]string) error { return nil },
		FirstSeen: func([]string) (map[string]time.Time, error) { return map[string]time.Time{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	for r := range results {
		if err := b.Result(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.End(nil); err != nil {
		t.Fatal(err)
	}
	x, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// broken is a broken link on pages.
func broken(url string, pages ...string) *result.Result {
	r := &result.Result{Kind: result.KindTarget, URL: url, Verdict: check.Broken, Code: "http-404", Message: "404 Not Found", Status: 404, Size: -1}
	for n, page := range pages {
		r.References = append(r.References, result.Reference{Page: page, Line: n + 1, Column: 1, Element: "a", Attribute: "href", Raw: url, Text: "a link"})
	}
	return r
}

func TestGroups(t *testing.T) {
	warned := broken("http://b.test/old", "/1", "/2")
	warned.Verdict, warned.Code, warned.Message = check.OK, "ok", ""
	warned.Warnings = []check.Warning{{Code: "redirect-permanent", Message: "moved"}}
	x := build(t, filepath.Join(t.TempDir(), "x"), "", slices.Values([]*result.Result{
		broken("http://a.test/x", "/1", "/1", "/2"), broken("http://a.test/x#y", "/1"), broken("http://c.test/", "/3"), warned}))
	for _, row := range []struct {
		by   string
		q    Query
		want string
	}{
		{"page", Query{}, "[{/1 3 4 broken} {/2 2 2 broken} {/3 1 1 broken}] of 4"},
		{"page", Query{Verdicts: []string{"warning"}}, "[{/1 1 1 warning} {/2 1 1 warning}] of 1"},
		{"host", Query{}, "[{a.test 2 4 broken} {c.test 1 1 broken} {b.test 1 2 warning}] of 4"},
		{"code", Query{}, "[{http-404 3 5 broken} {redirect-permanent 1 2 warning}] of 4"},
		{"code", Query{Page: "/3"}, "[{http-404 1 1 broken}] of 1"},
	} {
		groups, total, err := x.Groups(t.Context(), &row.q, row.by, true)
		if got := fmt.Sprintf("%v of %d", groups, total); err != nil || got != row.want {
			t.Errorf("by %s: %s, %v; want %s", row.by, got, err, row.want)
		}
	}
}

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	numbered := func(from, to int) func(func(*result.Result) bool) {
		return func(yield func(*result.Result) bool) {
			for n := from; n < to && yield(broken(fmt.Sprintf("http://a.test/%03d", n), "/")); n++ {
			}
		}
	}
	before := build(t, filepath.Join(dir, "before"), "", numbered(0, 30))
	x := build(t, filepath.Join(dir, "now"), filepath.Join(dir, "before"), numbered(20, 45))
	all := []string{ListNew, ListFixed, ListStill}
	for name, row := range map[string]struct {
		before            *Index
		new, fixed, still int
	}{"with the run before": {before, 15, 20, 10}, "with none": {nil, 25, 0, 0}} {
		lists, err := x.Compare(t.Context(), row.before, &CompareQuery{Lists: all, Limit: 12})
		if err != nil {
			t.Fatal(err)
		}
		for list, total := range map[string]int{ListNew: row.new, ListFixed: row.fixed, ListStill: row.still} {
			got := lists[list]
			if got.Total != total || len(got.Items) != min(total, 12) || (got.Next != nil) != (total > 12) {
				t.Errorf("%s, %s: %d of %d, next %v; want %d in all", name, list, len(got.Items), got.Total, got.Next, total)
			}
		}
	}
	var urls []string
	for after := ""; ; {
		lists, err := x.Compare(t.Context(), before, &CompareQuery{Lists: []string{ListFixed}, Limit: 7, After: after})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lists[ListFixed].Items {
			if urls = append(urls, f.URL); f.Change != "fixed" {
				t.Errorf("%s is %s", f.URL, f.Change)
			}
		}
		if lists[ListFixed].Next == nil {
			break
		}
		after = *lists[ListFixed].Next
	}
	if len(urls) != 20 || !slices.IsSorted(urls) || urls[0] != "http://a.test/000" || urls[19] != "http://a.test/019" {
		t.Errorf("what is fixed: %v", urls)
	}
	if _, err := x.Compare(t.Context(), before, &CompareQuery{Lists: []string{ListFixed}, Limit: 7, After: "nosuch"}); !errors.Is(err, ErrCursor) {
		t.Errorf("an unknown cursor: %v", err)
	}
}

// BenchmarkQueries takes the time of what pages and lists ask of a run with 50,000 findings on 500
// pages. No page may take more than 200 ms.
func BenchmarkQueries(b *testing.B) {
	dir := b.TempDir()
	findings := func(from int) func(func(*result.Result) bool) {
		return func(yield func(*result.Result) bool) {
			for n := range 50_000 {
				page := fmt.Sprintf("http://site.test/page/%d", n%500)
				if !yield(broken(fmt.Sprintf("http://host%d.test/gone/%06d", n%40, n+from), page, fmt.Sprintf("http://site.test/page/%d", (n+7)%500))) {
					return
				}
			}
		}
	}
	before := build(b, filepath.Join(dir, "before"), "", findings(0))
	x := build(b, filepath.Join(dir, "now"), filepath.Join(dir, "before"), findings(100))
	ctx := context.Background()
	list := func(q Query) func() error {
		q.Limit = 100
		return func() error { _, err := x.Findings(ctx, &q, true); return err }
	}
	text := func(part string) func() error { // its count is not known before
		return func() error {
			_, err := x.Findings(ctx, &Query{Text: part, Limit: 200}, false)
			return err
		}
	}
	group := func(by string) func() error {
		return func() error { _, _, err := x.Groups(ctx, &Query{}, by, true); return err }
	}
	middle, err := x.Findings(ctx, &Query{Limit: 25_000}, true)
	if err != nil {
		b.Fatal(err)
	}
	issuesOf := func(q Query) func() error {
		q.Limit = 100
		return func() error { _, err := x.Issues(ctx, &IssueQuery{Query: q}, true); return err }
	}
	// neighbors asks for what is before and after the item in the middle.
	neighbors := func(id string, ask func(Query) func() error) func() error {
		return func() error {
			return errors.Join(ask(Query{After: id})(), ask(Query{After: id, Backward: true})(), ask(Query{After: id, Sort: ByPlaces})(), ask(Query{After: id, Sort: ByPlaces, Backward: true})())
		}
	}
	last := middle.Items[len(middle.Items)-1]
	for name, ask := range map[string]func() error{
		"issues": issuesOf(Query{}), "broken issues": issuesOf(Query{Verdicts: []string{"broken"}}), "issues of a text": issuesOf(Query{Text: "gone/04"}),
		"neighbors": neighbors(last.ID, list), "neighbors of an issue": neighbors(last.Issue, func(q Query) func() error {
			if q.Sort == ByPlaces {
				q.Sort = "findings"
			}
			return issuesOf(q)
		}),
		"figures": func() error { _, err := x.Figures(ctx); return err },
		"pages": func() error {
			_, err := x.Pages(ctx, &PageQuery{Sort: "broken", Limit: 100}, true)
			return err
		},
		"list": list(Query{}), "list by places": list(Query{Sort: ByPlaces}), "list by code": list(Query{Sort: ByCode}), "new": list(Query{Change: "new"}),
		"text": list(Query{Text: "gone/04"}), "rare text": text("gone/049999"), "common text": text("GONE"), "text of no finding": text("nothing has it"), "text by places": list(Query{Text: "gone/049", Sort: ByPlaces}),
		"rare text of issues": issuesOf(Query{Text: "gone/049999"}), "unknown findings": list(Query{Known: new(bool), Marked: []string{last.ID, last.Issue}}),
		"pages of a text": func() error { _, err := x.Pages(ctx, &PageQuery{Text: "age/49", Limit: 100}, true); return err },
		"failing":         func() error { _, err := x.Failing(ctx); return err },
		"page":            list(Query{Page: "http://site.test/page/9"}),
		"by page":         group("page"), "by host": group("host"), "by code": group("code"),
		"compare": func() error {
			_, err := x.Compare(ctx, before, &CompareQuery{Lists: []string{ListNew, ListFixed, ListStill}, Limit: 100})
			return err
		},
		"share": func() error {
			found, err := x.Findings(ctx, &Query{Verdicts: []string{"broken"}, Sort: ByPlaces, Limit: 200}, true)
			for i := 0; err == nil && i < len(found.Items); i++ {
				_, err = x.LinksTo(ctx, found.Items[i].URL, 3)
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestIssues(t *testing.T) {
	dir := t.TempDir()
	written := func(url, raw string, pages ...string) *result.Result {
		r := broken(url, pages...)
		for i := range r.References {
			r.References[i].Raw = raw
		}
		return r
	}
	pages := make([]string, 12)
	for n := range pages {
		pages[n] = fmt.Sprintf("http://a.test/p%02d", n)
	}
	var first []*result.Result
	for n, page := range pages { // the same link of a template on twelve pages leads to twelve targets
		first = append(first, written(fmt.Sprintf("http://a.test/d%02d/x", n), "x", page))
	}
	first = append(first, broken("http://a.test/gone#a", pages[0], pages[1]), broken("http://a.test/gone#b", pages[1]), broken("http://a.test/only", result.CommandLine))
	before := filepath.Join(dir, "before")
	x := build(t, before, "", slices.Values(first))
	check := func(x *Index, q IssueQuery, want string) {
		t.Helper()
		q.Limit = 1000
		list, err := x.Issues(t.Context(), &q, true)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range list.Items {
			got += fmt.Sprintf("%s %s %d findings %d pages %d places %s %+d\n", s.Kind, s.Subject, s.Findings, s.Pages, s.Places, s.Change, s.Delta)
		}
		if got != want || list.Total != len(list.Items) {
			t.Errorf("%+v lists %d:\n%swant:\n%s", q, list.Total, got, want)
		}
	}
	check(x, IssueQuery{}, "link x 12 findings 12 pages 12 places new +12\ndocument http://a.test/gone 2 findings 2 pages 3 places new +2\ndocument http://a.test/only 1 findings 0 pages 1 places new +1\n")
	check(x, IssueQuery{Query: Query{Text: "D03"}}, "link x 12 findings 12 pages 12 places new +12\n")
	check(x, IssueQuery{Query: Query{Verdicts: []string{"warning"}}}, "")
	second := append(slices.Clone(first[2:14]), broken("http://b.test/", pages[3]))
	y := build(t, filepath.Join(dir, "after"), before, slices.Values(second))
	check(y, IssueQuery{Query: Query{Sort: "url"}}, "document http://a.test/gone 2 findings 2 pages 3 places still +0\ndocument http://b.test/ 1 findings 1 pages 1 places new +1\nlink x 10 findings 10 pages 10 places still -2\n")
	check(y, IssueQuery{Query: Query{Change: "fixed"}}, "document http://a.test/only 1 findings 0 pages 1 places fixed -1\n")
	check(y, IssueQuery{Query: Query{Sort: "url", Backward: true}}, "link x 10 findings 10 pages 10 places still -2\ndocument http://b.test/ 1 findings 1 pages 1 places new +1\ndocument http://a.test/gone 2 findings 2 pages 3 places still +0\n")
	for _, sort := range IssueSorts { // each once, in both directions
		for _, backward := range []bool{false, true} {
			q := IssueQuery{Query: Query{Sort: Sort(sort), Limit: 1, Backward: backward}}
			var seen []string
			for {
				list, err := y.Issues(t.Context(), &q, true)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range list.Items {
					seen = append(seen, s.Subject)
				}
				if list.Next == nil {
					break
				}
				q.After = *list.Next
			}
			if slices.Sort(seen); fmt.Sprint(seen) != "[http://a.test/gone http://b.test/ x]" {
				t.Errorf("by %s, backward %v: %v", sort, backward, seen)
			}
		}
	}
	counts, err := y.CountIssues(t.Context())
	if err != nil || counts.Broken != 3 || counts.Unverified+counts.Warnings != 0 {
		t.Errorf("counted %+v, %v", counts, err)
	}
	// A file of an earlier version gets the same issues.
	old, err := rows.Open(before, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	for _, text := range []string{"DROP TABLE issue", "DROP TABLE issue_page", "DROP INDEX item_by_issue", "ALTER TABLE item DROP COLUMN issue", "ALTER TABLE item DROP COLUMN pages", "ALTER TABLE item DROP COLUMN page", "ALTER TABLE page DROP COLUMN content_type"} {
		if _, err := old.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	asBefore(t, old)
	again, err := Open(before)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	check(again, IssueQuery{}, "link x 12 findings 12 pages 12 places new +12\ndocument http://a.test/gone 2 findings 2 pages 3 places new +2\ndocument http://a.test/only 1 findings 0 pages 1 places new +1\n")
	list, err := again.Findings(t.Context(), &Query{Limit: 100, Text: "gone#a"}, true)
	if err != nil || len(list.Items) != 1 || list.Items[0].Page == nil || *list.Items[0].Page != pages[0] || list.Items[0].Pages != 2 || list.Items[0].Issue == "" {
		t.Errorf("a finding: %+v, %v", list, err)
	}
}

// asBefore compresses the results in a file as earlier versions did.
func asBefore(t *testing.T, db *sql.DB) {
	t.Helper()
	frames, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	for id := 1; ; id++ {
		var packed []byte
		err := db.QueryRow("SELECT result FROM target WHERE id = ?", id).Scan(&packed)
		if errors.Is(err, sql.ErrNoRows) && id > 1 {
			return
		}
		text, failed := unpack(packed)
		if err = errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("UPDATE target SET result = ? WHERE id = ?", frames.EncodeAll(text, nil), id); err != nil {
			t.Fatal(err)
		}
	}
}

// TestText finds parts of URLs and messages in any case: many, few, and those with signs that mean something
// in patterns.
func TestText(t *testing.T) {
	var urls []string
	for n := range manyFound + 500 {
		urls = append(urls, fmt.Sprintf("http://a.test/Common/%05d", n))
	}
	urls = append(urls, "http://a.test/100%25_of", `http://a.test/b\c`, "http://a.test/under_score", "http://a.test/underXscore")
	x := build(t, filepath.Join(t.TempDir(), "x"), "", func(yield func(*result.Result) bool) {
		said := broken("http://a.test/said", "http://a.test/")
		if said.Message = "no element has the id Übersicht"; !yield(said) {
			return
		}
		for _, url := range urls {
			if !yield(broken(url, "http://a.test/")) {
				return
			}
		}
	})
	for _, row := range []struct {
		text string
		want int
	}{{"cOMMON", manyFound + 500}, {"common/0000", 10}, {"100%25_", 1}, {"%", 1}, {"_", 2}, {`\`, 1}, {"under_score", 1}, {"nothing", 0}, {"ID übersicht", 1}, {"ÜBER", 1}, {"Über_icht", 0}, {strings.Repeat("x", 100_000), 0}} {
		for _, q := range []Query{{}, {Sort: ByPlaces}, {Backward: true}, {Verdicts: []string{"broken"}, Scope: "external"}} {
			q.Text, q.Limit = row.text, 400
			seen := map[string]bool{}
			for range 2 { // the second time, what was found is known
				clear(seen)
				for q.After = ""; ; {
					list, err := x.Findings(t.Context(), &q, true)
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range list.Items {
						seen[f.URL] = true
					}
					if list.Total != row.want {
						t.Errorf("%.40q, %v: total %d, want %d", row.text, q.Sort, list.Total, row.want)
					}
					if list.Next == nil {
						break
					}
					q.After = *list.Next
				}
			}
			if len(seen) != row.want {
				t.Errorf("%.40q, %v: %d are listed, want %d", row.text, q.Sort, len(seen), row.want)
			}
		}
		if list, err := x.Issues(t.Context(), &IssueQuery{Query: Query{Text: row.text, Limit: 10}}, true); err != nil || list.Total != row.want {
			t.Errorf("%.40q: %+v issues, want %d: %v", row.text, list, row.want, err)
		}
	}
}
