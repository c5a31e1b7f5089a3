package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Jupyter notebooks (nbformat 3 and 4): the Markdown of markdown cells, by the
// reader of Markdown, and the HTML and Markdown that stand in the outputs of code
// cells. Code is not looked into, nor are raw cells and outputs in plain text.
//
// A link stands at its line and column of the notebook's file, where the URL is
// written in a JSON string; Raw is what is written there, JSON's escapes included.
// Anchors are those of Markdown and of the HTML in outputs; headings have Jupyter's own too: the
// text with hyphens for blanks. A URL attachment:name is no link.
var notebookFormat = format{
	name:       "notebook",
	media:      []string{"application/x-ipynb+json"},
	extensions: []string{"ipynb"},
	charset:    func([]byte) string { return "utf-8" },
	read:       readNotebook,
}

// notebookServedFormat is the same where a server calls it JSON or text, as most do, or
// its name says no more than that.
var notebookServedFormat = format{
	name:       "notebook",
	media:      []string{"application/json", "text/json", "text/plain"},
	extensions: []string{"json"},
	sniff:      func(head []byte) bool { return sniffJSON(head, `"cell_type"`, `"nbformat"`) },
	mustSniff:  true,
	charset:    alwaysUTF8,
	read:       readNotebook,
}

// notebookReader reads one notebook.
type notebookReader struct {
	*harvest
	in     *Input
	tokens jsonTokens
	decode []byte
	cell   view
	texts  []cellText // of the cell being read
}

// source is where a text stands: the strings of an array, or one.
type source []span

// cellText is a text of a cell, and how it is read.
type cellText struct {
	source source
	read   func()
}

func readNotebook(h *harvest, in *Input) {
	h.doc.Static = true
	r := notebookReader{harvest: h, in: in}
	r.tokens.reset(h.src.text)
	if !r.tokens.isObject() {
		h.fault("read notebook: no JSON object")
		return
	}
	r.object(func(key string) bool { return key == "cells" || key == "worksheets" })
	if r.tokens.fault != "" {
		h.fault("read notebook: %s", r.tokens.fault)
	}
}

// object walks down to the cells.
func (r *notebookReader) object(wanted func(key string) bool) {
	for {
		switch e, _ := r.tokens.next(); e {
		case jsonEnd:
			return
		case jsonOpen:
			switch key := r.tokens.key(); {
			case len(r.tokens.brackets) <= 1:
			case wanted(key) && r.tokens.openedArray():
				if key == "cells" {
					r.cells()
				}
			case len(r.tokens.brackets) == 3 && !r.tokens.openedArray(): // an item of worksheets
			default:
				r.tokens.skip()
			}
		}
	}
}

// cells reads the array of cells that was just opened.
func (r *notebookReader) cells() {
	depth := len(r.tokens.brackets)
	for len(r.tokens.brackets) >= depth {
		switch e, _ := r.tokens.next(); e {
		case jsonEnd:
			return
		case jsonOpen:
			if r.tokens.openedArray() {
				r.tokens.skip()
			} else {
				r.readCell()
			}
		}
	}
}

// readCell reads the cell that was just opened. Its type may stand behind its
// source, so that its texts are read when it ends.
func (r *notebookReader) readCell() {
	var kind, level string
	var text source
	r.texts = r.texts[:0]
	depth := len(r.tokens.brackets)
	for len(r.tokens.brackets) >= depth {
		e, at := r.tokens.next()
		if e == jsonEnd {
			break
		}
		switch key := r.tokens.key(); {
		case e == jsonString && key == "cell_type":
			kind = string(r.tokens.text(at))
		case e == jsonLiteral && key == "level":
			level = string(r.src.text[at.start:at.end])
		case e == jsonString && key == "source":
			text = source{at}
		case e == jsonOpen && key == "source" && r.tokens.openedArray():
			text = r.strings()
		case e == jsonOpen && key == "outputs" && r.tokens.openedArray():
			r.outputs()
		case e == jsonOpen:
			r.tokens.skip()
		}
	}
	switch {
	case len(text) == 0:
	case kind == "markdown":
		r.texts = append(r.texts, cellText{text, r.markdown})
	case kind == "heading" && len(level) == 1:
		r.texts = append(r.texts, cellText{text, r.heading})
	}
	slices.SortStableFunc(r.texts, func(a, b cellText) int { return cmp.Compare(a.source[0].start, b.source[0].start) })
	for _, t := range r.texts {
		r.view(t.source)
		t.read()
	}
}

// strings reads the strings of the array that was just opened.
func (r *notebookReader) strings() (all source) {
	depth := len(r.tokens.brackets)
	for len(r.tokens.brackets) >= depth {
		switch e, at := r.tokens.next(); e {
		case jsonEnd:
			return all
		case jsonString:
			all = append(all, at)
		}
	}
	return all
}

// outputs reads the array of outputs that was just opened. In nbformat 4 an
// output's representations are members of "data" with media types for names.
func (r *notebookReader) outputs() {
	depth := len(r.tokens.brackets)
	for len(r.tokens.brackets) >= depth {
		e, at := r.tokens.next()
		var text source
		key := ""
		switch e {
		case jsonEnd:
			return
		case jsonString:
			key, text = r.tokens.key(), source{at}
		case jsonOpen:
			if key = r.tokens.key(); r.tokens.openedArray() {
				text = r.strings()
			}
		}
		switch {
		case len(text) == 0:
		case key == "text/html" || key == "html":
			r.texts = append(r.texts, cellText{text, r.html})
		case key == "text/markdown":
			r.texts = append(r.texts, cellText{text, r.markdown})
		}
	}
}

// html reads the text in view as HTML.
func (r *notebookReader) html() {
	r.embed(&r.cell, true, func(inner *harvest) { readHTML(inner, &Input{AnchorsOnly: r.in.AnchorsOnly}, false) })
}

// heading reads it as the heading it is, in nbformat 3.
func (r *notebookReader) heading() {
	var s slugger
	s.eachAnchor(string(r.cell.text), func(slug string) { r.anchor([]byte(slug)) })
	r.anchor(jupyterAnchor(r.cell.text))
}

// markdown reads it as Markdown.
func (r *notebookReader) markdown() {
	r.embed(&r.cell, true, func(inner *harvest) {
		readMarkdown(inner, &Input{AnchorsOnly: r.in.AnchorsOnly}, jupyterAnchor)
		inner.links = slices.DeleteFunc(inner.links, func(f Link) bool {
			return strings.HasPrefix(f.Ref, "attachment:")
		})
	})
}

// jupyterAnchor is the anchor that Jupyter gives to a heading.
func jupyterAnchor(heading []byte) []byte { return bytes.ReplaceAll(heading, []byte(" "), []byte("-")) }

// view makes the cell's text of the strings it is written in.
func (r *notebookReader) view(text source) {
	r.cell = view{parent: &r.src, marks: r.cell.marks[:0]}
	r.decode = r.decode[:0]
	for i, at := range text {
		if i == 0 {
			r.cell.base = at.start
		}
		r.cell.marks = append(r.cell.marks, mark{len(r.decode), at.start - r.cell.base})
		r.decode, r.cell.marks = unescapeJSON(r.decode, r.cell.marks, r.src.text[at.start:at.end], at.start-r.cell.base)
	}
	r.cell.text = r.decode
}

// unescapeJSON appends the value of a JSON string to dst (RFC 8259 section 7), and
// to marks the way back to src, which stands at offset at. A faulty escape stands for itself.
func unescapeJSON(dst []byte, marks []mark, src []byte, at int) ([]byte, []mark) {
	for i := 0; i < len(src); {
		n := bytes.IndexByte(src[i:], '\\')
		if n < 0 || i+n+1 == len(src) {
			return append(dst, src[i:]...), marks
		}
		dst = append(dst, src[i:i+n]...)
		i += n
		one := jsonScanner{src: src}
		size := 2
		if src[i+1] == 'u' {
			if _, length := unicodeEscape(src[i:]); length > 0 {
				size = length
			}
		}
		dst = append(dst, one.decode(span{i, i + size})...)
		i += size
		marks = append(marks, mark{len(dst), at + i})
	}
	return dst, marks
}
