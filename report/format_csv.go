package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
)

var csvFormat = Format{
	Name:       "csv",
	Extensions: []string{".csv"},
	Use:        "spreadsheets; a row for each reference",
	References: true,
	New:        func(w io.Writer, o Options) Writer { return &csvWriter{csv: csv.NewWriter(w)} },
}

var csvHeader = []string{
	"url", "verdict", "code", "status", "page", "line", "column",
	"element", "attribute", "raw", "text", "final_url", "message",
}

// csvWriter writes a row for each reference, and a row without a place for a result
// without references. A finding of a content check is a row with its verdict, and with its rule
// before the message. It follows RFC 4180, but lines end in LF, as scripts for other link
// checkers expect. The line and column are empty if they are unknown.
type csvWriter struct {
	csv *csv.Writer
	row [13]string
}

func (c *csvWriter) Begin(*Head) error { return c.csv.Write(csvHeader) }

func (c *csvWriter) Result(r *crawler.Result) error {
	c.row[0] = Cell(r.URL)
	c.row[1] = r.Verdict.String()
	c.row[2] = Cell(string(r.Code))
	c.row[3] = strconv.Itoa(r.Status)
	c.row[11] = Cell(r.FinalURL)
	c.row[12] = Cell(remarks(r, nil))
	if len(r.References) == 0 {
		clear(c.row[4:11])
		return c.csv.Write(c.row[:])
	}
	all := c.row[12]
	for i := range r.References {
		ref := &r.References[i]
		c.row[12] = all
		if ref.Unaffected != "" || r.RemappedFrom != "" {
			c.row[12] = Cell(remarks(r, ref))
		}
		c.row[4] = Cell(ref.Page)
		c.row[5], c.row[6] = "", ""
		if ref.Line > 0 || ref.Rendered {
			c.row[5], c.row[6] = strconv.Itoa(ref.Line), strconv.Itoa(ref.Column)
		}
		c.row[7] = Cell(ref.Element)
		c.row[8] = Cell(ref.Attribute)
		c.row[9] = Cell(ref.Raw)
		c.row[10] = Cell(ref.Text)
		if err := c.csv.Write(c.row[:]); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvWriter) End(*crawler.Summary) error {
	c.csv.Flush()
	return c.csv.Error()
}

// remarks returns the message, the URL that was remapped, and the warnings that concern a
// reference, since the columns have room for only one code. If ref is nil, it returns all warnings.
func remarks(r *crawler.Result, ref *crawler.Reference) string {
	if r.Kind == crawler.KindPage {
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
