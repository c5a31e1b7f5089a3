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
	sections sections
}

// sections are the sections of a list for people, in the order of sectionWords.
type sections [len(sectionWords)]listing

// sectionWords are the words of the findings of each section.
var sectionWords = [...]string{"broken", "unverified", "warning", "info", "skipped", "ok"}

// begin sets the codes that plugins declared.
func (s *sections) begin(codes catalog) {
	for i := range s {
		s[i].codes = codes
	}
}

// add adds the findings of a result to their sections.
func (s *sections) add(show Show, r *crawler.Result) {
	for _, finding := range rowsOf(show, r) {
		at := max(slices.Index(sectionWords[:], finding.word), 0)
		s[at].addRow(finding, r)
	}
}

func (t *textWriter) Begin(h *Head) error {
	t.sections.begin(newCatalog(h))
	return nil
}

func (t *textWriter) Result(r *crawler.Result) error {
	t.sections.add(t.show, r)
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
