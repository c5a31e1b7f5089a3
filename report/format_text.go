package report

import (
	"bufio"
	"io"
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
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

// textWriter writes for people: what is broken, then what is unverified, then warnings, then
// what the user asked for besides. In each section, findings that are the same on many pages
// come first, then those of each page in the order of their places. A warning has a row of its
// own. A summary line ends the report; that of a run without findings is this line alone.
type textWriter struct {
	w        io.Writer
	show     Show
	table    table
	sections [len(textSections)]listing
}

// textSections are the sections of a text report, by the words of their findings.
var textSections = [...]string{"broken", "unverified", "warning", "info", "skipped", "ok"}

func (t *textWriter) Begin(*Head) error { return nil }

func (t *textWriter) Result(r *crawler.Result) error {
	for _, finding := range rowsOf(t.show, r) {
		at := max(slices.Index(textSections[:], finding.word), 0)
		t.sections[at].addRow(finding, r)
	}
	return nil
}

func (t *textWriter) End(s *crawler.Summary) error {
	out := bufio.NewWriter(t.w)
	for i := range t.sections {
		t.sections[i].fit(&t.table)
	}
	t.table.shrink()
	for i := range t.sections {
		if t.sections[i].write(out, &t.table) {
			out.WriteByte('\n')
		}
	}
	out.WriteString(summaryLine(s))
	out.WriteByte('\n')
	return out.Flush()
}
