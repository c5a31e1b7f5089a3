package main

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

type linkWriter interface {
	link(url, page string, l *extract.Link) error
	end() error
}

func newLinkWriter(format string, out io.Writer) linkWriter {
	buffered := bufio.NewWriter(out)
	switch format {
	case "json":
		return &jsonLinks{out: buffered}
	case "csv":
		return &csvLinks{out: csv.NewWriter(buffered), buffer: buffered}
	default:
		return &textLinks{buffered}
	}
}

type textLinks struct{ out *bufio.Writer }

func (t *textLinks) link(url, _ string, _ *extract.Link) error {
	_, err := t.out.WriteString(printable(url) + "\n")
	return err
}

func (t *textLinks) end() error { return t.out.Flush() }

// jsonLinks writes an array with one link per line.
type jsonLinks struct {
	out     *bufio.Writer
	row     []byte
	started bool
}

// placeOf returns the place of a link, safe for output.
func placeOf(url, page string, l *extract.Link) result.Reference {
	return report.CleanReference(result.Reference{Page: page, Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: string(l.Raw), Text: l.Text}, url)
}

// dateAdded returns when a bookmark was made (RFC 3339), or "" if the file does not tell.
func dateAdded(b *extract.Bookmark) string {
	if b.Added.IsZero() {
		return ""
	}
	return b.Added.Format(time.RFC3339)
}

// link writes a link with its place. A bookmark also has its tags and its folder, which
// is a path from the root with slashes.
func (j *jsonLinks) link(url, page string, l *extract.Link) error {
	row := append(j.row[:0], ",\n"...)
	if !j.started {
		j.started, row = true, append(j.row[:0], "[\n"...)
	}
	text := func(key, s string) {
		row = append(row, key...)
		row = report.AppendJSONString(row, s)
	}
	number := func(key string, n int) {
		row = append(row, key...)
		row = strconv.AppendInt(row, int64(n), 10)
	}
	ref := placeOf(url, page, l)
	text(`{"url":`, url)
	text(`,"page":`, ref.Page)
	number(`,"line":`, ref.Line)
	number(`,"column":`, ref.Column)
	text(`,"element":`, ref.Element)
	text(`,"attribute":`, ref.Attribute)
	text(`,"raw":`, ref.Raw)
	text(`,"text":`, ref.Text)
	if b := l.Bookmark; b != nil {
		text(`,"folder":`, urinorm.Redact(b.Folder))
		if when := dateAdded(b); when != "" {
			text(`,"added":`, when)
		}
		row = append(row, `,"tags":[`...)
		for i, tag := range b.Tags {
			if i > 0 {
				row = append(row, ',')
			}
			row = report.AppendJSONString(row, urinorm.Redact(tag))
		}
		row = append(row, ']')
	}
	j.row = append(row, '}')
	_, err := j.out.Write(j.row)
	return err
}

func (j *jsonLinks) end() error {
	if !j.started {
		j.out.WriteString("[")
	}
	j.out.WriteString("\n]\n")
	return j.out.Flush()
}

// csvLinks writes a header and a row for each link.
type csvLinks struct {
	out     *csv.Writer
	buffer  *bufio.Writer
	started bool
}

func (c *csvLinks) header() error {
	if c.started {
		return nil
	}
	c.started = true
	return c.out.Write([]string{"url", "page", "line", "column", "element", "attribute", "raw", "text", "folder", "added", "tags"})
}

func (c *csvLinks) link(url, page string, l *extract.Link) error {
	if err := c.header(); err != nil {
		return err
	}
	ref := placeOf(url, page, l)
	row := []string{url, ref.Page, strconv.Itoa(ref.Line), strconv.Itoa(ref.Column), ref.Element, ref.Attribute, ref.Raw, ref.Text, "", "", ""}
	if b := l.Bookmark; b != nil {
		row[8], row[9], row[10] = urinorm.Redact(b.Folder), dateAdded(b), urinorm.Redact(strings.Join(b.Tags, ","))
	}
	for i := range row {
		row[i] = report.Cell(row[i])
	}
	return c.out.Write(row)
}

func (c *csvLinks) end() error {
	if err := c.header(); err != nil {
		return err
	}
	c.out.Flush()
	if err := c.out.Error(); err != nil {
		return err
	}
	return c.buffer.Flush()
}
