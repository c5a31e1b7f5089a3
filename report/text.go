package report

import (
	"bufio"
	"io"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

var textFormat = Format{
	Name:       "text",
	Extensions: []string{".txt", ".text"},
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
		t.listing.add(finding, r.References)
	}
	return nil
}

// findings are the rows of a result, without their place.
func (t *textWriter) findings(r *crawler.Result) []row {
	var rows []row
	if t.show&(1<<r.Verdict) != 0 {
		rows = append(rows, row{
			word: r.Verdict.String(), code: string(r.Code), url: r.URL, hint: didYouMean(r.URL, r.Suggestions),
		})
	}
	if t.show&ShowWarning != 0 {
		for _, w := range r.Warnings {
			rows = append(rows, row{word: warningWord(w), code: string(w.Code), url: r.URL, hint: hint(w)})
		}
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

// warningWord is the verdict's column of a warning.
func warningWord(w check.Warning) string {
	if isInfo(w.Code) {
		return "info"
	}
	return "warning"
}

// hint is what stands behind a warning: the URL to use instead, or, of a warning
// about the page itself, where on the page it is.
func hint(w check.Warning) string {
	switch {
	case w.Proposal != "":
		return "-> " + visible(w.Proposal)
	case check.OfPage(w.Code):
		return visible(w.Message)
	}
	return ""
}

// didYouMean offers suggestions; on the same page it names the fragment alone.
func didYouMean(url string, suggestions []check.Suggestion) string {
	const most = 3
	page, _, _ := strings.Cut(url, "#")
	var names []string
	for _, s := range suggestions {
		name := s.URL
		if name == "" || len(names) == most {
			continue
		}
		if rest, ok := strings.CutPrefix(name, page); ok && strings.HasPrefix(rest, "#") {
			name = rest
		}
		names = append(names, visible(name))
	}
	switch last := len(names) - 1; last {
	case -1:
		return ""
	case 0:
		return "did you mean " + names[0] + "?"
	default:
		return "did you mean " + strings.Join(names[:last], ", ") + " or " + names[last] + "?"
	}
}
