package pagerules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// Entries returns findings about the lists and tables of an HTML or Markdown document that have two
// entries for the same link. What an entry is about is its first link; others belong to its text.
// The entries of a list within a list belong to the inner one.
func Entries(p *page.Page) []judging.Finding {
	e := entries{page: p}
	switch {
	case p.Base == nil:
	case p.Format == "markdown":
		e.markdown()
	default:
		e.html()
	}
	return e.findings
}

// entries are the lists of a document that are open, the innermost one at the end.
type entries struct {
	page     *page.Page
	lists    []list
	findings []judging.Finding
}

// list is a list or table that is open.
type list struct {
	element htmltoken.Element // of HTML
	indent  int               // of Markdown, in columns; -1 for a table
	taken   bool              // the current entry has a link
	lines   map[string]int    // the line of the entry, by link
}

// maxLists is the largest depth of lists in lists. Deeper ones belong to the list around them.
const maxLists = 100

func (e *entries) open(l list) {
	if len(e.lists) < maxLists {
		l.lines = map[string]int{}
		e.lists = append(e.lists, l)
	}
}

// next begins an entry of the innermost list.
func (e *entries) next() {
	if n := len(e.lists); n > 0 {
		e.lists[n-1].taken = false
	}
}

// link adds a link, whose place f has.
func (e *entries) link(ref string, f judging.Finding) {
	if len(e.lists) == 0 || ref == "" || ref == "#" {
		return
	}
	l := &e.lists[len(e.lists)-1]
	if l.taken {
		return
	}
	l.taken = true
	u, _, err := e.page.Base.Resolve(ref)
	if err != nil || u.Scheme() == "javascript" {
		return
	}
	address := u.String()
	line, known := l.lines[address]
	if !known {
		l.lines[address] = f.Line
		return
	}
	if len(e.findings) < judging.MaxFindings {
		f.Code, f.Message = judging.CodeLinkDuplicate, fmt.Sprintf("the entry in line %d has the same link", line)
		e.findings = append(e.findings, f)
	}
}

// html reads the lists and tables of an HTML document.
func (e *entries) html() {
	s := source{page: e.page, z: &htmltoken.Tokenizer{}}
	s.z.Reset(e.page.Text, false)
	s.z.XML = e.page.Format == "xhtml"
	for s.z.Next() {
		t := &s.z.Token
		if t.Foreign {
			continue
		}
		if isList := t.Element == htmltoken.Ul || t.Element == htmltoken.Ol || t.Element == htmltoken.Menu || t.Element == htmltoken.Dl || t.Element == htmltoken.Table; isList {
			if t.Kind == htmltoken.StartTag {
				e.open(list{element: t.Element})
			} else if t.Kind == htmltoken.EndTag {
				e.close(t.Element)
			}
		}
		if t.Kind != htmltoken.StartTag {
			continue
		}
		switch t.Element {
		case htmltoken.Li, htmltoken.Dt, htmltoken.Tr:
			e.next()
		case htmltoken.A:
			if href := t.Attribute("href"); href != nil {
				line, column := e.page.Places.At(href.ValueStart)
				e.link(string(bytes.TrimSpace(s.z.Value(href))), judging.Finding{Line: line, Column: column, Element: "a", Attribute: "href", Raw: s.raw(href.ValueStart, href.ValueEnd)})
			}
		}
	}
}

// close ends the innermost list of an element, and those within it.
func (e *entries) close(element htmltoken.Element) {
	for i := len(e.lists) - 1; i >= 0; i-- {
		if e.lists[i].element == element {
			e.lists = e.lists[:i]
			return
		}
	}
}

// markdown reads the lists and tables of a Markdown document: its lines tell where entries begin,
// and its links are those that are checked. Links by reference have the place of their definition,
// outside of the list, and are not compared.
func (e *entries) markdown() {
	links := extract.Extract(extract.Input{Body: e.page.Body, ContentType: e.page.ContentType, Name: "document.md"}).Links
	afterBlank := false
	number := 0
	for text := range bytes.Lines(e.page.Text) {
		number++
		text = bytes.TrimRight(text, "\r\n")
		e.line(text, afterBlank)
		afterBlank = len(bytes.TrimSpace(text)) == 0
		for ; len(links) > 0 && links[0].Line <= number; links = links[1:] {
			if l := &links[0]; l.Line == number && l.Kind == extract.Navigation && !l.Placeholder && !l.Ignored {
				e.link(l.Ref, judging.Finding{Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: string(cut([]byte(l.Raw), maxRaw)), Text: l.Text})
			}
		}
	}
}

// line opens and closes lists as a line of Markdown says. afterBlank is set after a blank line.
func (e *entries) line(text []byte, afterBlank bool) {
	rest := bytes.TrimLeft(text, " \t")
	indent := len(bytes.ReplaceAll(text[:len(text)-len(rest)], []byte("\t"), []byte("    ")))
	last := func() *list {
		if len(e.lists) == 0 {
			return nil
		}
		return &e.lists[len(e.lists)-1]
	}
	isRow, isEntry := bytes.HasPrefix(rest, []byte("|")), hasListMarker(rest)
	for l := last(); l != nil; l = last() {
		ends := l.indent < 0 && !isRow
		if l.indent >= 0 && len(rest) > 0 {
			ends = isEntry && indent < l.indent || !isEntry && indent <= l.indent && (afterBlank || rest[0] == '#')
		}
		if !ends {
			break
		}
		e.lists = e.lists[:len(e.lists)-1]
	}
	switch l := last(); {
	case isRow && (l == nil || l.indent >= 0):
		e.open(list{indent: -1})
	case isEntry && (l == nil || indent > l.indent+1):
		e.open(list{indent: indent})
	}
	if isRow || isEntry {
		e.next()
	}
}

// hasListMarker reports whether a line begins with the marker of a list item (CommonMark 5.2).
func hasListMarker(line []byte) bool {
	n := len(line) - len(bytes.TrimLeft(line, "0123456789"))
	switch {
	case n == len(line), n > 9:
		return false
	case n == 0 && strings.IndexByte("-*+", line[0]) < 0, n > 0 && line[n] != '.' && line[n] != ')':
		return false
	}
	return n+1 < len(line) && (line[n+1] == ' ' || line[n+1] == '\t')
}
