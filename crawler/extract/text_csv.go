package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/urinorm"
)

// csvFormat is the format of values separated by commas (RFC 4180), tabs, semicolons or
// bars; a first line such as "sep=;" names the separator, as in files for Excel. A cell that
// is one URL is read as it is, including commas and closing parentheses; one that is a mail
// address or a path with a known ending is a link, too. In other cells, URLs are found as in
// plain text. The attribute of a link is the text in the first row of its column, unless
// that is itself a link. The length of a row and the number of its cells are not limited.
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
	tsv       bool // a quote that closes no cell is text: the media type has no quotes, but programs write them
	plain     bool // no cell is quoted
	columns   []string
	decoded   []byte
	cell      view
}

func readCSV(h *harvest, in *Input, separator byte) {
	h.doc.Static = true
	if in.AnchorsOnly {
		return
	}
	r := csvReader{harvest: h, separator: separator, tsv: separator != 0}
	b, start := h.src.text, 0
	if line := b[:endOfLine(b, 0)]; len(line) == len("sep=;") && bytes.EqualFold(line[:4], []byte("sep=")) {
		r.separator, start = line[4], nextLine(b, len(line))
	} else if separator == 0 {
		r.separator = guessSeparator(b)
	}
	for i, row, column := start, 0, 0; i < len(b); {
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

// guessSeparator returns the separator that is most frequent in the first row, outside of
// quotes.
func guessSeparator(b []byte) byte {
	var counts [utf8.RuneSelf]int
	for quoted, i := false, 0; i < len(b) && (quoted || b[i] != '\n' && b[i] != '\r'); i++ {
		if b[i] == '"' {
			quoted = !quoted
		} else if !quoted && b[i] < utf8.RuneSelf {
			counts[b[i]]++
		}
	}
	best := byte(',')
	for _, c := range []byte(";\t|") {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

// read reads the cell at i and returns its end: the offset of a separator or a line
// break, or the length of the document.
func (r *csvReader) read(i int) (end int) {
	b := r.src.text
	if b[i] == '"' && !r.plain {
		if end = r.readQuoted(i); end >= 0 {
			return end
		}
	}
	for end = i; !r.endsAt(end); end++ {
	}
	r.addLinks(view{text: b[i:end], parent: &r.src, base: i})
	return end
}

// endsAt reports whether a cell without quotes ends at i.
func (r *csvReader) endsAt(i int) bool {
	b := r.src.text
	return i >= len(b) || b[i] == r.separator || b[i] == '\n' || b[i] == '\r'
}

// readQuoted reads the quoted cell at i and returns its end, or -1 if it is no quoted cell.
// In CSV, a quote that neither ends the cell nor is doubled is part of the text.
func (r *csvReader) readQuoted(i int) (end int) {
	b := r.src.text
	v := view{parent: &r.src, base: i + 1, marks: r.cell.marks[:0]}
	r.decoded = r.decoded[:0]
	for at := i + 1; ; {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			if r.plain = r.tsv; r.plain {
				return -1
			}
			r.fault("read CSV: a quoted cell is never closed")
			n = len(b) - at
		}
		r.decoded = append(r.decoded, b[at:at+n]...)
		if at += n + 1; at > len(b) {
			end = len(b)
			break
		}
		for end = at; end < len(b) && b[end] == ' '; end++ {
		}
		if r.endsAt(end) {
			break
		}
		if b[at] == '"' {
			at++
		} else if r.tsv {
			return -1
		}
		r.decoded = append(r.decoded, '"')
		v.marks = append(v.marks, mark{len(r.decoded), at - v.base})
	}
	v.text = r.decoded
	r.addLinks(v)
	return end
}

// addLinks adds the links of a cell.
func (r *csvReader) addLinks(v view) {
	r.cell = v
	at := trimSpan(v.text, span{0, len(v.text)})
	whole := v.text[at.start:at.end]
	if len(whole) == 0 || bytes.ContainsAny(whole, " \t\r\n<>\"") || holdsPlaceholder(whole) {
		r.addBareURIs(&r.cell, proseRules)
		return
	}
	for at.start < at.end { // links in a row, such as https://a.example/;https://b.example/
		one := at
		if next := nextInList(v.text[at.start:at.end]); next > 0 {
			one.end = at.start + next - 1
		}
		r.addLink(one)
		at.start = one.end + 1
	}
}

// addLink adds the link that a cell is, or those that its text contains.
func (r *csvReader) addLink(at span) {
	text := r.cell.text[at.start:at.end]
	if !mayHoldURI(text) {
		if isPathOfFile(text) {
			r.add(&r.cell, at, nil)
		}
		return
	}
	found := urinorm.FindURIs(string(text), urinorm.TextOptions{Mail: true})
	switch {
	case len(found) > 0 && found[0].Start == 0 && found[0].Kind == urinorm.SpanURI:
		r.add(&r.cell, at, nil)
	case len(found) > 0 && found[0].Start == 0 && found[0].End == len(text):
		r.add(&r.cell, at, []byte(found[0].URI))
	case isPathOfFile(text):
		r.add(&r.cell, at, nil)
	default:
		part := view{text: text, parent: &r.cell, base: at.start}
		r.addBareURIs(&part, proseRules)
	}
}

// nextInList returns the offset of the URL that follows the first one in a list without
// spaces, or -1.
func nextInList(text []byte) int {
	for i := 1; i < len(text)-len("http://"); i++ {
		if bytes.IndexByte([]byte(",;|"), text[i]) < 0 {
			continue
		}
		rest := text[i+1 : min(len(text), i+1+len("https://"))]
		if bytes.HasPrefix(rest, []byte("http://")) || bytes.HasPrefix(rest, []byte("https://")) {
			return i + 1
		}
	}
	return -1
}

// The endings of files that a cell names. A word such as "Node.js" has one of a program, which
// counts only after a slash.
var (
	documentEndings = endings("html htm xhtml md markdown rst adoc pdf epub doc docx xls xlsx ppt pptx odt ods odp rtf txt csv tsv " +
		"png gif jpg jpeg webp avif svg bmp ico tif tiff mp3 m4a ogg oga opus flac wav mp4 m4v ogv webm mov avi mkv zip gz tgz bz2 xz 7z")
	programEndings = endings("css js mjs json xml rss atom ics vcf ipynb php asp aspx jsp tar rar exe dmg deb rpm apk woff woff2 ttf otf")
)

func endings(list string) map[string]bool {
	all := map[string]bool{}
	for ending := range strings.FieldsSeq(list) {
		all[ending] = true
	}
	return all
}

// maxPath is the maximum length of a path in a cell, in bytes.
const maxPath = 1024

// isPathOfFile reports whether a text without spaces is the path of a file with a known
// ending. One that begins with a host, such as example.com/a.pdf, is not.
func isPathOfFile(text []byte) bool {
	text, _, _ = bytes.Cut(text, []byte("#"))
	text, _, _ = bytes.Cut(text, []byte("?"))
	if len(text) > maxPath || bytes.ContainsAny(text, `*:\,;|=()$^`) {
		return false
	}
	path := string(text)
	slash := strings.LastIndexByte(path, '/')
	name := path[slash+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return false
	}
	if first, _, more := strings.Cut(path, "/"); more {
		if _, host := urinorm.FromSuffix(first); host {
			return false
		}
	}
	ending := strings.ToLower(name[dot+1:])
	return documentEndings[ending] || slash >= 0 && programEndings[ending]
}
