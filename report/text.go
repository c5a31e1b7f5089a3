package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

var textFormat = Format{
	Name:       "text",
	Extensions: []string{".txt", ".text"},
	Use:        "people at a terminal; the default",
	NewOnly:    true,
	New: func(w io.Writer, o Options) Writer {
		return &textWriter{w: w, show: o.Show.orDefault(), table: table{color: o.Color, width: o.Width}}
	},
}

// textWriter writes for people: findings by page, in the order of their places,
// then what is the same on many pages, then one line that sums up. A warning is a
// row of its own. A run without findings is that one line.
type textWriter struct {
	w       io.Writer
	show    Show
	table   table
	listing listing
}

func (t *textWriter) Begin(*Head) error { return nil }

func (t *textWriter) Result(r *crawler.Result) error {
	for _, finding := range t.findings(r) {
		if check.OfPage(check.Code(finding.code)) {
			t.listing.add(finding, nil) // told with the page, not at each link to it
			continue
		}
		t.listing.add(finding, atSources(concerned(r.References, check.Code(finding.code))))
	}
	return nil
}

// atSources are references at the places where people mend them: in the sources of
// their pages, where those are known.
func atSources(refs []crawler.Reference) []crawler.Reference {
	if !slices.ContainsFunc(refs, func(r crawler.Reference) bool { return r.Source != nil }) {
		return refs
	}
	moved := slices.Clone(refs)
	for i := range moved {
		at := moved[i].At()
		moved[i].Page, moved[i].Line, moved[i].Column, moved[i].Raw, moved[i].Source = at.File, at.Line, at.Column, at.Raw, nil
	}
	slices.SortFunc(moved, byPlace)
	return slices.CompactFunc(moved, func(a, b crawler.Reference) bool { return byPlace(a, b) == 0 })
}

// findings are the rows of a result, without their place.
func (t *textWriter) findings(r *crawler.Result) []row {
	var rows []row
	for _, f := range findingsOf(t.show, r) {
		r := row{word: f.word, code: string(f.code), url: f.result.URL}
		switch {
		case f.proposal != "":
			r.hint = "-> " + visible(f.proposal)
		case f.warning:
			r.hint = visible(because(f.result.URL, f.code, f.message))
		default:
			r.hint = hints(visible(because(f.result.URL, f.code, f.message)), redirectedTo(f.movedTo()), didYouMean(f.result.URL, f.result.Suggestions))
		}
		r.hint = beside(r.hint, &f)
		rows = append(rows, r)
	}
	return rows
}

func (t *textWriter) End(s *crawler.Summary) error {
	out := bufio.NewWriter(t.w)
	t.listing.fit(&t.table)
	if t.listing.write(out, &t.table) {
		out.WriteByte('\n')
	}
	out.WriteString(summaryLine(s))
	out.WriteByte('\n')
	return out.Flush()
}

// beside adds to a hint what other runs have to do with a finding.
func beside(hint string, f *finding) string {
	var run, cached, known string
	if r := f.result; !f.warning {
		if r.FailsAfter > 0 {
			run = fmt.Sprintf("run %d of %d", r.BrokenRuns, r.FailsAfter)
		}
		if r.Cached {
			cached = "cached"
		}
	}
	if slices.Contains(f.result.Known, f.code) {
		known = "known"
	}
	return hints(hint, run, cached, known)
}

// hints joins what stands behind a finding; what is empty is left out.
func hints(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "   ")
}

func redirectedTo(url string) string {
	if url == "" {
		return ""
	}
	return "redirected to " + visible(url)
}

// didYouMean offers suggestions; on the same page it names the fragment alone. What
// an archive has is no guess, and is said by itself.
func didYouMean(url string, suggestions []check.Suggestion) string {
	const most = 3
	page, _, _ := strings.Cut(url, "#")
	var names []string
	archived := ""
	for _, s := range suggestions {
		name := s.URL
		if check.IsArchived(s) {
			archived = visible(s.Why) + ": " + visible(name)
			continue
		}
		if name == "" || len(names) == most {
			continue
		}
		if rest, ok := strings.CutPrefix(name, page); ok && strings.HasPrefix(rest, "#") {
			name = rest
		}
		names = append(names, visible(name))
	}
	meant := ""
	switch last := len(names) - 1; last {
	case -1:
		return archived
	case 0:
		meant = "did you mean " + names[0] + "?"
	default:
		meant = "did you mean " + strings.Join(names[:last], ", ") + " or " + names[last] + "?"
	}
	if archived != "" {
		meant += " " + archived
	}
	return meant
}
