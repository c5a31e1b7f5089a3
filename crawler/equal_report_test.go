package crawler_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// reporter is a Sink that writes the JSON report of a run and lists its pages. It leaves out
// times, the depth of pages, and whatever a test leaves out. The depth is the length of the path
// by which a page was found first; it depends on the order of the answers.
type reporter struct {
	out   *report.Multi
	text  bytes.Buffer
	pages []string
	aside aside
}

// aside changes what two runs may differ in. Either function may be nil.
type aside struct {
	result  func(*result.Result)
	summary func(*result.Summary)
}

// unequalCounts leaves out how often something was requested: a run that is resumed requests
// again what was in flight.
var unequalCounts = aside{
	func(r *result.Result) { r.Attempts = 0 },
	func(s *result.Summary) { s.Requests = 0 },
}

// fromCache leaves out what tells that an answer comes from a cache, and the counts.
var fromCache = aside{
	func(r *result.Result) { r.Attempts, r.Cached = 0, false },
	func(s *result.Summary) { s.Requests, s.Cached = 0, 0 },
}

// whereServed leaves out the known differences between a directory and a server for it: what only
// HTTP has (status, media type, number of requests), the words for a missing file and what is
// proposed for it, and how pages are named, which is by URL or by the path of the file.
func (s *equalSite) whereServed() aside {
	return aside{
		func(r *result.Result) {
			r.Status, r.Attempts, r.ContentType, r.Size, r.Message, r.Suggestions = 0, 0, "", 0, "", nil
			if r.Code == check.CodeFileMissing || r.Code == check.CodeFileCase {
				r.Code = check.HTTPCode(404)
			}
			r.References = slices.Clone(r.References)
			for i := range r.References {
				page := strings.TrimPrefix(strings.TrimPrefix(r.References[i].Page, s.base), "/")
				if name, err := url.PathUnescape(page); err == nil && r.References[i].Page != page {
					page = name
				}
				r.References[i].Page = strings.TrimSuffix(page, "index.html")
			}
		},
		func(sum *result.Summary) {
			sum.Requests, sum.Targets = 0, nil
			codes := maps.Clone(sum.ByCode)
			for _, code := range []check.Code{check.CodeFileMissing, check.CodeFileCase} {
				if n := codes[code]; n > 0 {
					codes[check.HTTPCode(404)] += n
					delete(codes, code)
				}
			}
			sum.ByCode = codes
		},
	}
}

func (r *reporter) Result(res *result.Result) error {
	own := *res
	own.Elapsed = 0
	if r.aside.result != nil {
		r.aside.result(&own)
	}
	return r.out.Result(&own)
}

func (r *reporter) Page(p *result.Page) error {
	r.pages = append(r.pages, fmt.Sprintf("page %s %q %+v\n", p.URL, p.Title, p.Links))
	return nil
}

// withoutPages returns a report without the list of pages. Pages that are restored from a store
// have fragments as they are written, and links to sitemaps; a shared store in memory does not
// keep them.
func withoutPages(text string) string {
	report, _, _ := strings.Cut(text, "\npage ")
	return strings.TrimSuffix(report, "\n") + "\n"
}

func (*reporter) Note(result.Note) error   { return nil }
func (*reporter) Progress(result.Progress) {}

// reportOf calls a function that runs a crawl, and returns the report.
func reportOf(t *testing.T, aside aside, run func(context.Context, result.Sink) (*result.Summary, error)) string {
	t.Helper()
	text, _, err := tryReport(t.Context(), aside, run)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// tryReport is reportOf for a run that may fail or be stopped.
func tryReport(ctx context.Context, aside aside, run func(context.Context, result.Sink) (*result.Summary, error)) (string, *result.Summary, error) {
	json, err := report.ByName("json")
	if err != nil {
		return "", nil, err
	}
	r := &reporter{aside: aside}
	if r.out, err = report.Open([]report.Output{{Format: json, To: &r.text}}, nil, report.Options{Show: report.ShowAll}); err != nil {
		return "", nil, err
	}
	defer r.out.Close()
	if err := r.out.Begin(&report.Head{}); err != nil {
		return "", nil, err
	}
	sum, err := run(ctx, r)
	if err != nil {
		return "", nil, err
	}
	timeless := *sum
	timeless.Elapsed, timeless.Started = 0, time.Time{}
	if aside.summary != nil {
		aside.summary(&timeless)
	}
	if err := r.out.End(&timeless); err != nil {
		return "", nil, err
	}
	slices.Sort(r.pages)
	return r.text.String() + strings.Join(r.pages, ""), sum, nil
}

// equal compares two texts and shows the first difference with the lines before it.
func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	at := 0
	for at < min(len(g), len(w)) && g[at] == w[at] {
		at++
	}
	part := func(lines []string) string {
		if at >= len(lines) {
			return "(nothing)\n"
		}
		return lines[at]
	}
	column := 0
	for gl, wl := part(g), part(w); column < min(len(gl), len(wl)) && gl[column] == wl[column]; column++ {
	}
	t.Errorf("%s: first difference at %d:%d, after\n%sgot\n%swant\n%s", what, at+1, column+1, strings.Join(w[max(at-12, 0):at], ""), part(g)[max(column-200, 0):], part(w)[max(column-200, 0):])
}
