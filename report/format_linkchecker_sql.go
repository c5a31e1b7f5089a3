package report

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var linkcheckerSQLFormat = Format{
	Name:       "linkchecker-sql",
	Extensions: []string{".linkchecker.sql", ".sql"},
	Files:      []string{"linkchecker-out.sql"},
	Use:        "databases for LinkChecker's sql; `sqlite` writes a complete database",
	References: true,
	Pages:      true,
	New:        func(w io.Writer, o Options) Writer { return &linkcheckerSQL{newLinkcheckerLines(w, "-- ", o)} },
}

const linkcheckerInsert = "insert into linksdb(urlname,parentname,baseref,valid,result,warning,info,url,line,col,name,checktime,dltime,size,cached,level,modified) values ("

// linkcheckerSQL writes an insert statement for each row. Unlike LinkChecker, it writes codes in
// brackets before results, warnings and information.
type linkcheckerSQL struct{ linkcheckerLines }

func (l *linkcheckerSQL) Begin(h *Head) error {
	return errors.Join(l.linkcheckerLines.Begin(h), l.out.WriteByte('\n'))
}

func (l *linkcheckerSQL) Result(r *result.Result) error {
	for _, row := range l.rows(r) {
		line, column := "NULL", "NULL"
		if row.line > 0 {
			line, column = strconv.Itoa(row.line), strconv.Itoa(row.column)
		}
		l.out.WriteString(linkcheckerInsert + strings.Join([]string{
			sqlString(row.urlname), sqlString(row.parent), "NULL", zeroOne(row.valid), sqlString(linkcheckerTagged(row.code, row.result)),
			sqlString(row.taggedWarnings()), sqlString(row.taggedInfos()), sqlString(row.url),
			line, column, sqlString(row.name), strconv.Itoa(int(row.checktime)), "-1", strconv.FormatInt(row.size, 10), "0",
			strconv.Itoa(row.level), sqlString(linkcheckerModified(row.modified)),
		}, ",") + ");\n")
	}
	return nil
}

// sqlString returns a string literal, or NULL for an empty string. Backslashes are
// doubled, so that the string ends at the same place in databases that treat them as
// escapes.
func sqlString(s string) string {
	if s == "" {
		return "NULL"
	}
	return "'" + sqlEscapes.Replace(escapeCommands(printableText(s))) + "'"
}

var sqlEscapes = strings.NewReplacer("'", "''", `\`, `\\`, "\n", `\n`)
