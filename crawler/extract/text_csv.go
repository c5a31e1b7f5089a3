package extract

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// csvFormat is the format of values separated by commas (RFC 4180), tabs, semicolons or
// bars. If a whole cell is one URL, it is read as it is, including commas and closing
// parentheses. In other cells, URLs are found as in plain text. The attribute of a link
// is the text in the first row of its column, unless that is itself a link. The length of
// a row and the number of its cells are not limited.
var csvFormat = format{
	name:       "csv",
	media:      []string{"text/csv", "application/csv"},
	extensions: []string{"csv"},
	onlyNamed:  true,
	charset:    textCharset,
	read:       func(h *harvest, in *Input) { readCSV(h, in, 0) },
}

// tsvFormat is the format of tab-separated values.
var tsvFormat = format{
	name:       "tsv",
	media:      []string{"text/tab-separated-values"},
	extensions: []string{"tsv", "tab"},
	onlyNamed:  true,
	charset:    textCharset,
	read:       func(h *harvest, in *Input) { readCSV(h, in, '\t') },
}

// maxColumns is the number of columns whose names are kept.
const maxColumns = 10_000

// csvReader reads the cells one after the other.
type csvReader struct {
	*harvest
	separator byte
	columns   []string
	decoded   []byte
	cell      view
}

func readCSV(h *harvest, in *Input, separator byte) {
	h.doc.Static = true
	if in.AnchorsOnly {
		return
	}
	r := csvReader{harvest: h, separator: separator}
	if separator == 0 {
		r.separator = guessSeparator(h.src.text)
	}
	b := h.src.text
	for i, row, column := 0, 0, 0; i < len(b); {
		found := len(h.links)
		end := r.read(i)
		if row == 0 && len(r.columns) < maxColumns {
			name := ""
			if len(h.links) == found {
				name = string(trimFolded(foldSpace(nil, r.cell.text[:min(len(r.cell.text), longestKnown)])))
			}
			r.columns = append(r.columns, strings.ToValidUTF8(name, ""))
		}
		for j := found; j < len(h.links); j++ {
			if h.links[j].Element = "cell"; column < len(r.columns) {
				h.links[j].Attribute = r.columns[column]
			}
		}
		column++
		if i = end; i < len(b) && b[i] != r.separator {
			i = nextLine(b, i)
			row, column = row+1, 0
			continue
		}
		i++
	}
}

// guessSeparator returns the separator that is most frequent in the first line.
func guessSeparator(b []byte) byte {
	line, best, most := b[:endOfLine(b, 0)], byte(','), 0
	for _, c := range []byte(",;\t|") {
		if n := bytes.Count(line, []byte{c}); n > most {
			best, most = c, n
		}
	}
	return best
}

// read reads the cell at i and returns its end: the offset of a separator or a line
// break, or the length of the document.
func (r *csvReader) read(i int) (end int) {
	b := r.src.text
	if b[i] != '"' {
		end = i
		for end < len(b) && b[end] != r.separator && b[end] != '\n' && b[end] != '\r' {
			end++
		}
		r.addLinks(view{text: b[i:end], parent: &r.src, base: i})
		return end
	}
	v := view{parent: &r.src, base: i + 1, marks: r.cell.marks[:0]}
	r.decoded = r.decoded[:0]
	for end = i + 1; ; {
		n := bytes.IndexByte(b[end:], '"')
		if n < 0 {
			r.fault("read CSV: a quoted cell is never closed")
			n = len(b) - end
		}
		r.decoded = append(r.decoded, b[end:end+n]...)
		end += n
		if end+1 >= len(b) || b[end+1] != '"' {
			break
		}
		r.decoded = append(r.decoded, '"')
		end += 2
		v.marks = append(v.marks, mark{len(r.decoded), end - v.base})
	}
	v.text = r.decoded
	r.addLinks(v)
	for end < len(b) && b[end] != r.separator && b[end] != '\n' && b[end] != '\r' {
		end++ // ignore invalid text after the closing quote
	}
	return end
}

// addLinks adds the links of a cell.
func (r *csvReader) addLinks(v view) {
	r.cell = v
	at := trimSpan(v.text, span{0, len(v.text)})
	whole := v.text[at.start:at.end]
	if !mayHoldURI(whole) {
		return
	}
	if !bytes.ContainsAny(whole, " \t\r\n<>\"") && !holdsPlaceholder(whole) {
		if found := urinorm.FindURIs(string(whole), urinorm.TextOptions{}); len(found) > 0 && found[0].Start == 0 {
			r.add(&r.cell, at, nil)
			return
		}
	}
	r.addBareURIs(&r.cell, proseRules)
}
