package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var linkcheckerXMLFormat = Format{
	Name:       "linkchecker-xml",
	Extensions: []string{".linkchecker.xml"},
	Files:      []string{"linkchecker-out.xml"},
	Use:        "scripts for LinkChecker's xml",
	References: true,
	Pages:      true,
	New: func(w io.Writer, o Options) Writer {
		return &linkcheckerXML{xml: xmlEncoder{w: w}, linkcheckerRows: newLinkcheckerRows(o)}
	},
}

// linkcheckerXML writes a urldata element for each row.
type linkcheckerXML struct {
	xml xmlEncoder
	linkcheckerRows
}

func (l *linkcheckerXML) Begin(h *Head) error {
	l.head = h
	x := &l.xml
	x.buf = append(x.buf, `<?xml version="1.0" encoding="utf-8"?>`...)
	for _, line := range l.intro(h.Summary) {
		x.comment(line)
	}
	x.newline()
	x.start("linkchecker", "created", linkcheckerTime(l.started(h.Summary)))
	return x.err
}

func (l *linkcheckerXML) Result(r *result.Result) error {
	x := &l.xml
	for _, row := range l.rows(r) {
		x.start("urldata")
		x.leaf("url", row.urlname)
		x.optional("name", row.name)
		if row.parent != "" {
			x.start("parent")
			if row.line > 0 {
				x.attribute("line", strconv.Itoa(row.line))
				x.attribute("column", strconv.Itoa(row.column))
			}
			x.text(row.parent)
			x.end()
		}
		x.leaf("realurl", row.url)
		x.leaf("extern", zeroOne(row.extern))
		if row.size >= 0 {
			x.leaf("dlsize", strconv.FormatInt(row.size, 10))
		}
		if row.checktime > 0 {
			x.leaf("checktime", fmt.Sprintf("%f", row.checktime))
		}
		x.leaf("level", strconv.Itoa(row.level))
		if len(row.infos) > 0 {
			x.start("infos")
			for _, info := range row.infos {
				x.leaf("info", info.Message)
			}
			x.end()
		}
		x.optional("modified", linkcheckerModified(row.modified))
		if len(row.warnings) > 0 {
			x.start("warnings")
			for _, w := range row.warnings {
				x.leaf("warning", linkcheckerWarning(w), "tag", string(w.Code))
			}
			x.end()
		}
		x.leaf("valid", zeroOne(row.valid), "result", row.result)
		x.end()
	}
	return x.err
}

func (l *linkcheckerXML) End(s *result.Summary) error {
	l.xml.end()
	l.xml.comment(l.outro(s))
	return l.xml.finish()
}
