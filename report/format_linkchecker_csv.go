package report

import (
	"io"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var linkcheckerCSVFormat = Format{
	Name:       "linkchecker-csv",
	Extensions: []string{".linkchecker.csv"},
	Files:      []string{"linkchecker-out.csv"},
	Use:        "scripts for LinkChecker's csv",
	References: true,
	Pages:      true,
	New:        func(w io.Writer, o Options) Writer { return &linkcheckerCSV{newLinkcheckerLines(w, "# ", o)} },
}

var linkcheckerColumns = []string{
	"urlname", "parentname", "base", "result", "warningstring", "infostring", "valid", "url", "line", "column",
	"name", "dltime", "size", "checktime", "cached", "level", "modified",
}

// linkcheckerCSV writes rows with semicolons as separators, and comments that begin with
// "#". Unlike LinkChecker, it writes codes in brackets before results, warnings and information,
// makes spreadsheet formulas harmless, and quotes a first cell that looks like a comment.
type linkcheckerCSV struct{ linkcheckerLines }

func (c *linkcheckerCSV) Begin(h *Head) error {
	err := c.linkcheckerLines.Begin(h)
	c.row(linkcheckerColumns)
	return err
}

func (c *linkcheckerCSV) row(cells []string) {
	for i, s := range cells {
		if i > 0 {
			c.out.WriteByte(';')
		}
		if strings.ContainsAny(s, ";\"\r\n") || i == 0 && strings.HasPrefix(s, "#") {
			s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		c.out.WriteString(s)
	}
	c.out.WriteByte('\n')
}

func (c *linkcheckerCSV) Result(r *result.Result) error {
	for _, row := range c.rows(r) {
		valid := "False"
		if row.valid {
			valid = "True"
		}
		c.row([]string{
			Cell(row.urlname), Cell(row.parent), "", Cell(linkcheckerTagged(row.code, row.result)), Cell(row.taggedWarnings()), Cell(row.taggedInfos()),
			valid, Cell(row.url), lineOrEmpty(row.line), lineOrEmpty(row.column), Cell(row.name),
			"-1", strconv.FormatInt(row.size, 10), pythonFloat(row.checktime), "0", strconv.Itoa(row.level), linkcheckerModified(row.modified),
		})
	}
	return nil
}
