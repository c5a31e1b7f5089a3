package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// notebookFormat is the format of Jupyter notebooks (nbformat 3 and 4). Links come from
// Markdown cells and from the HTML and Markdown in the outputs of code cells. Code, raw
// cells and plain text outputs are ignored.
//
// The position of a link is that of its URL in a JSON string of the notebook file. Raw is
// the text there, including JSON escapes. Anchors are those of the Markdown and of the
// HTML in outputs. Headings also have Jupyter's own anchors, which are their text with
// hyphens instead of spaces. A URL attachment:name is not a link.
var notebookFormat = format{
	name:       "notebook",
	media:      []string{"application/x-ipynb+json"},
	extensions: []string{"ipynb"},
	charset:    func([]byte) string { return "utf-8" },
	read:       readNotebook,
}

// notebookServedFormat is the format of Jupyter notebooks that a server declares as JSON
// or text, as most servers do, or whose file extension is .json.
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
	in      *Input
	tokens  jsonTokens
	decoded []byte
	cell    view
	texts   []cellText // the texts of the current cell
}

// textSource is the JSON strings that make up a text: one, or those of an array.
type textSource []span

// cellText is a text of a cell and the function that reads it.
type cellText struct {
	source textSource
	read   func()
}

func readNotebook(h *harvest, in *Input) {
	h.doc.Static = true
	r := notebookReader{harvest: h, in: in}
	r.tokens.reset(h.src.text)
	if !r.tokens.isObject() {
		h.fault("read notebook: not a JSON object")
		return
	}
	r.object(func(key string) bool { return key == "cells" || key == "worksheets" })
	if r.tokens.fault != "" {
		h.fault("read notebook: %s", r.tokens.fault)
	}
}

// object finds the arrays of cells and reads them.
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

// readCell reads the cell that was just opened. It reads the texts when the cell ends,
// because the type of the cell may follow its source.
func (r *notebookReader) readCell() {
	var kind, level string
	var text textSource
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
			text = textSource{at}
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
		r.setText(t.source)
		t.read()
	}
}

// strings reads the strings of the array that was just opened.
func (r *notebookReader) strings() (all textSource) {
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

// outputs reads the array of outputs that was just opened. In nbformat 4, the
// representations of an output are members of "data", named by their media types.
func (r *notebookReader) outputs() {
	depth := len(r.tokens.brackets)
	for len(r.tokens.brackets) >= depth {
		e, at := r.tokens.next()
		var text textSource
		key := ""
		switch e {
		case jsonEnd:
			return
		case jsonString:
			key, text = r.tokens.key(), textSource{at}
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

// html reads the current text as HTML.
func (r *notebookReader) html() {
	r.embed(&r.cell, true, func(inner *harvest) { readHTML(inner, &Input{AnchorsOnly: r.in.AnchorsOnly}, asHTML) })
}

// heading reads the current text as a heading of nbformat 3.
func (r *notebookReader) heading() {
	var s slugger
	s.addTo(r.harvest, string(r.cell.text))
	r.anchor(jupyterAnchor(r.cell.text))
}

// markdown reads the current text as Markdown.
func (r *notebookReader) markdown() {
	r.embed(&r.cell, true, func(inner *harvest) {
		readMarkdown(inner, &Input{AnchorsOnly: r.in.AnchorsOnly}, jupyterAnchor)
		inner.links = slices.DeleteFunc(inner.links, func(f Link) bool {
			return strings.HasPrefix(f.Ref, "attachment:")
		})
	})
}

// jupyterAnchor returns the anchor that Jupyter gives to a heading.
func jupyterAnchor(heading []byte) []byte { return bytes.ReplaceAll(heading, []byte(" "), []byte("-")) }

// setText makes the current text from its JSON strings.
func (r *notebookReader) setText(text textSource) {
	r.cell = view{parent: &r.src, marks: r.cell.marks[:0]}
	r.decoded = r.decoded[:0]
	for i, at := range text {
		if i == 0 {
			r.cell.base = at.start
		}
		r.cell.marks = append(r.cell.marks, mark{len(r.decoded), at.start - r.cell.base})
		r.decoded, r.cell.marks = unescapeJSON(r.decoded, r.cell.marks, r.src.text[at.start:at.end], at.start-r.cell.base)
	}
	r.cell.text = r.decoded
}

// unescapeJSON appends the value of a JSON string to dst (RFC 8259 section 7), and appends
// marks that map it back to src, whose offset is at. It reads an invalid escape as the
// character after the backslash.
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
