package report

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var csvFormat = Format{
	Name:       "csv",
	Extensions: []string{".csv"},
	Use:        "spreadsheets; a row for each reference",
	References: true,
	New:        func(w io.Writer, o Options) Writer { return &csvWriter{w: w} },
}

var csvHeader = []string{
	"url", "verdict", "code", "status", "page", "line", "column",
	"element", "attribute", "raw", "text", "final_url", "message",
}

// csvWriter writes a row for each reference, and a row without a place for a result
// without references. A finding of a content check is a row with its verdict, and with its rule
// before the message. A comparison has a column more, with what changed. It follows RFC 4180, but lines end in LF, as scripts for other link
// checkers expect. The line and column are empty if they are unknown.
//
// A report may have millions of rows, and encoding/csv would take twice as long as all the rest.
type csvWriter struct {
	w           io.Writer
	first, last []byte // columns of the result, before and after those of the reference
	buf         []byte
	end         string // of a row
	compared    bool
}

func (c *csvWriter) Begin(h *Head) error {
	c.buf, c.end, c.compared = append(c.buf, strings.Join(csvHeader, ",")...), "\n", h.compared != nil
	if c.compared {
		c.buf = append(c.buf, ",change"...)
	}
	c.buf = append(c.buf, '\n')
	return nil
}

func (c *csvWriter) Result(r *result.Result) error {
	if c.compared {
		c.end = "," + changeOf(r) + "\n"
	}
	c.first = appendCell(c.first[:0], r.URL)
	c.first = appendCell(append(c.first, ','), r.Verdict.String())
	c.first = appendCell(append(c.first, ','), string(r.Code))
	c.first = strconv.AppendInt(append(c.first, ','), int64(r.Status), 10)
	c.last = appendCell(c.last[:0], r.FinalURL)
	url := len(c.last)
	c.last = appendCell(append(c.last, ','), remarks(r, nil))
	if len(r.References) == 0 {
		c.buf = append(append(append(append(c.buf, c.first...), ",,,,,,,,"...), c.last...), c.end...)
	}
	for i := range r.References {
		ref := &r.References[i]
		c.buf = append(c.buf, c.first...)
		c.buf = appendCell(append(c.buf, ','), ref.Page)
		if ref.Line > 0 || ref.Rendered {
			c.buf = strconv.AppendInt(append(c.buf, ','), int64(ref.Line), 10)
			c.buf = strconv.AppendInt(append(c.buf, ','), int64(ref.Column), 10)
		} else {
			c.buf = append(c.buf, ",,"...)
		}
		for _, text := range [...]string{ref.Element, ref.Attribute, ref.Raw, ref.Text} {
			c.buf = appendCell(append(c.buf, ','), text)
		}
		c.buf = append(c.buf, ',')
		if ref.Unaffected != "" || r.RemappedFrom != "" {
			c.buf = append(append(c.buf, c.last[:url]...), ',')
			c.buf = appendCell(c.buf, remarks(r, ref))
		} else {
			c.buf = append(c.buf, c.last...)
		}
		c.buf = append(c.buf, c.end...)
		if len(c.buf) >= jsonBuffer {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *csvWriter) End(*result.Summary) error { return c.flush() }

func (c *csvWriter) flush() error {
	_, err := c.w.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

func appendCell(dst []byte, text string) []byte { return appendCSV(dst, Cell(text)) }

// appendCSV appends a field (RFC 4180 section 2), in quotes if it has a quote, a comma or a line
// break. So has one that programs could read as something else: with white space at its beginning,
// or the two characters that end data for PostgreSQL.
func appendCSV(dst []byte, field string) []byte {
	first, _ := utf8.DecodeRuneInString(field)
	quote := unicode.IsSpace(first) || field == `\.`
	for i := 0; i < len(field) && !quote; i++ {
		c := field[i]
		quote = c == ',' || c == '"' || c == '\n' || c == '\r'
	}
	if !quote {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	for {
		at := strings.IndexByte(field, '"')
		if at < 0 {
			return append(append(dst, field...), '"')
		}
		dst = append(append(dst, field[:at]...), `""`...)
		field = field[at+1:]
	}
}

// remarks returns the message, the URL that was remapped, and the warnings that concern a
// reference, since the columns have room for only one code. If ref is nil, it returns all warnings.
func remarks(r *result.Result, ref *result.Reference) string {
	if r.Kind == result.KindPage {
		message := ofRule(r.Rule, r.Message)
		if r.Proposal != "" {
			message += " -> " + r.Proposal
		}
		return message
	}
	if len(r.Warnings) == 0 && r.RemappedFrom == "" {
		return r.Message
	}
	var parts []string
	if r.Message != "" {
		parts = append(parts, r.Message)
	}
	if ref != nil && ref.RemappedFrom != "" {
		parts = append(parts, "remapped from "+ref.RemappedFrom)
	}
	for _, w := range r.Warnings {
		if w.IsVerdict(r.Code) || ref != nil && !ref.Concerns(w.Code) {
			continue
		}
		s := string(w.Code)
		if w.Message != "" {
			s += ": " + w.Message
		}
		if w.Proposal != "" {
			s += " -> " + w.Proposal
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}
