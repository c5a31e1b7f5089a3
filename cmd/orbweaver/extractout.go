package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/urinorm"
)

// linkWriter writes the links that extract finds.
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

// textLinks is one link a line.
type textLinks struct{ out *bufio.Writer }

func (t *textLinks) link(url, _ string, _ *extract.Link) error {
	_, err := t.out.WriteString(printable(url) + "\n")
	return err
}

func (t *textLinks) end() error { return t.out.Flush() }

// jsonLinks is an array with one link a line.
type jsonLinks struct {
	out   *bufio.Writer
	begun bool
}

// foundLink is a link with its place, in JSON; a bookmark has its folder and tags too.
type foundLink struct {
	URL       string `json:"url"`
	Page      string `json:"page"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Element   string `json:"element"`
	Attribute string `json:"attribute"`
	Raw       string `json:"raw"`
	Text      string `json:"text"`
	*savedLink
}

// savedLink is what a bookmark file says of a link.
type savedLink struct {
	Folder string   `json:"folder"`          // folder names from the root on, with '/'
	Added  string   `json:"added,omitempty"` // RFC 3339; absent when the file does not say
	Tags   []string `json:"tags"`
}

// saved is what the bookmark file says of a link, nil for other documents' links.
func saved(l *extract.Link) *savedLink {
	b := l.Bookmark
	if b == nil {
		return nil
	}
	s := &savedLink{Folder: b.Folder, Tags: b.Tags}
	if s.Tags == nil {
		s.Tags = []string{}
	}
	if !b.Added.IsZero() {
		s.Added = b.Added.Format(time.RFC3339)
	}
	return s
}

func (j *jsonLinks) link(url, page string, l *extract.Link) error {
	before := ",\n"
	if !j.begun {
		j.begun, before = true, "[\n"
	}
	j.out.WriteString(before) // a failure is remembered until Flush
	var row strings.Builder
	enc := json.NewEncoder(&row)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(foundLink{url, page, l.Line, l.Column, l.Element, l.Attribute, urinorm.Redact(l.Raw), l.Text, saved(l)}); err != nil {
		return err
	}
	_, err := j.out.WriteString(strings.TrimSuffix(row.String(), "\n"))
	return err
}

func (j *jsonLinks) end() error {
	if !j.begun {
		j.out.WriteString("[")
	}
	j.out.WriteString("\n]\n")
	return j.out.Flush()
}

// csvLinks is a header and a row for each link.
type csvLinks struct {
	out    *csv.Writer
	buffer *bufio.Writer
	begun  bool
}

func (c *csvLinks) header() error {
	if c.begun {
		return nil
	}
	c.begun = true
	return c.out.Write([]string{"url", "page", "line", "column", "element", "attribute", "raw", "text", "folder", "added", "tags"})
}

func (c *csvLinks) link(url, page string, l *extract.Link) error {
	if err := c.header(); err != nil {
		return err
	}
	mark := saved(l)
	if mark == nil {
		mark = &savedLink{}
	}
	return c.out.Write([]string{csvCell(url), csvCell(page), strconv.Itoa(l.Line), strconv.Itoa(l.Column),
		csvCell(l.Element), csvCell(l.Attribute), csvCell(urinorm.Redact(l.Raw)), csvCell(l.Text),
		csvCell(mark.Folder), mark.Added, csvCell(strings.Join(mark.Tags, ","))})
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

// csvCell keeps spreadsheets from taking what a page says for a formula: an
// apostrophe in front makes it text.
func csvCell(s string) string {
	if s != "" && s != "-" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0 {
		return "'" + s
	}
	return s
}
