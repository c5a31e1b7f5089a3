package report

import (
	"bufio"
	"io"

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

// textWriter writes for people: findings by page in the order of their places, then
// findings that are the same on many pages, then a summary line. A warning has a row of
// its own. The report of a run without findings is the summary line alone.
type textWriter struct {
	w       io.Writer
	show    Show
	table   table
	listing listing
}

func (t *textWriter) Begin(*Head) error { return nil }

func (t *textWriter) Result(r *crawler.Result) error {
	t.listing.addResult(t.show, r)
	return nil
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
