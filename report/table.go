package report

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// table writes rows in columns:
//
//	12:8   broken      http-404          https://example.com/gone        "Download"
//	place  word        code              url                             text       hint
//
// The column of the word is the same in every report. The widths of place, code and url
// depend on their contents within limits, so that one long URL does not push all texts
// off the screen, and on the width of the terminal. Only texts are ever shortened. A row
// that is wider than the terminal continues on lines of their own, without breaking words.
type table struct {
	color            bool
	width            int    // width of the terminal, or 0 if unknown
	base             string // beginning of the names in the site, which is not repeated; "" if all are complete
	dir              string // working directory of the run, with slashes, or "" if unknown
	place, code, url int    // widths
	line             []byte // for write
}

const (
	minPlaceWidth = 5
	minURLWidth   = 30
	maxURLWidth   = 72
	wordWidth     = 10 // the longest verdict

	minTextWidth = 24
	maxTextWidth = 60
)

// fitPlace widens the first column for the place of a row that will be written.
func (t *table) fitPlace(place string) { t.place = max(t.place, minPlaceWidth, len(place)) }

// fit widens the other columns for a row that will be written.
func (t *table) fit(r row) {
	r.url = t.shown(r.url)
	t.code = max(t.code, utf8.RuneCountInString(visible(r.code)))
	if r.url == "" {
		return
	}
	t.url = max(t.url, minURLWidth)
	if n := utf8.RuneCountInString(visible(r.url)); n <= maxURLWidth {
		t.url = max(t.url, n)
	}
}

// shrink narrows the URL column if the terminal has no room for it. Padding would only
// wrap rows with short URLs.
func (t *table) shrink() {
	if t.width > 0 {
		t.url = max(min(t.url, t.width-t.urlColumn()-2-minTextWidth), 0)
	}
}

// urlColumn is the number of columns before the URL.
func (t *table) urlColumn() int { return 2 + t.place + 2 + wordWidth + 2 + t.code + 2 }

// shown returns a URL or the name of a page as the table shows it: without the base of the
// site, and with a path from the root if it is outside the working directory.
func (t *table) shown(name string) string {
	if rest, ok := strings.CutPrefix(name, t.base); ok && t.base != "" && rest != "" {
		if isWeb(t.base) {
			return "/" + rest
		}
		return rest
	}
	return fromRoot(t.dir, name)
}

// shownWords applies shown to each word of a hint.
func (t *table) shownWords(hint string) string {
	if (t.base == "" || !strings.Contains(hint, t.base)) && !strings.Contains(hint, "../") {
		return hint
	}
	words := strings.Split(hint, " ")
	for i := range words {
		words[i] = t.shown(words[i])
	}
	return strings.Join(words, " ")
}

func (t *table) write(out *bufio.Writer, place string, r row) {
	word, code, url, hint := r.word, visible(r.code), visible(t.shown(r.url)), t.shownWords(r.hint)
	line := pad(append(t.line[:0], "  "...), place, t.place+2)
	if t.color {
		line = append(append(append(line, wordColor(word)...), word...), colorOff...)
		line = pad(line, "", wordWidth+2-len(word))
	} else {
		line = pad(line, word, wordWidth+2)
	}
	line = pad(line, code, t.code+2)
	text := ""
	if r.ref != nil {
		text = linkText(r.ref, t.textWidth(url))
	}
	if t.width > 0 && !t.fits(url, text, hint) {
		if r.ref != nil {
			text = linkText(r.ref, maxTextWidth)
		}
		t.fold(out, string(line), url, text, hint)
		return
	}
	if url != "" {
		line = pad(line, url, t.url+2)
	}
	if text != "" {
		line = append(append(line, text...), "   "...)
	}
	t.line = append(line, hint...)
	out.Write(bytes.TrimRight(t.line, " "))
	out.WriteByte('\n')
}

// fits reports whether a row is on one line of the terminal.
func (t *table) fits(url, text, hint string) bool {
	n := t.urlColumn()
	if url != "" {
		n += utf8.RuneCountInString(url)
		if text != "" || hint != "" {
			n += max(t.url-utf8.RuneCountInString(url), 0) + 2
		}
	}
	n += utf8.RuneCountInString(text)
	if text != "" && hint != "" {
		n += len("   ")
	}
	return n+utf8.RuneCountInString(hint) <= t.width
}

// fold writes a row that is wider than the terminal. begin is its part before the URL.
func (t *table) fold(out *bufio.Writer, begin, url, text, hint string) {
	if url != "" && t.urlColumn()+utf8.RuneCountInString(url) <= t.width {
		begin, url = begin+url, ""
	}
	out.WriteString(strings.TrimRight(begin, " "))
	out.WriteByte('\n')
	t.writeWords(out, continuation, strings.Fields(url+" "+text+" "+hint))
}

// continuation is the indentation of the lines that continue a row.
const continuation = "      "

// writeLine writes a sentence on as many lines as it needs.
func (t *table) writeLine(out *bufio.Writer, sentence string) {
	t.writeWords(out, "", strings.Fields(sentence))
}

// writeWords writes words on as many lines as they need. The first line begins with indent.
func (t *table) writeWords(out *bufio.Writer, indent string, words []string) {
	out.WriteString(indent)
	column := len(indent)
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case t.width > 0 && column+1+n > t.width:
			out.WriteString("\n" + continuation)
			column = len(continuation)
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += n
	}
	out.WriteByte('\n')
}

// writeBlock writes a row for what several pages have in common, and a line with the first
// names and places.
func (t *table) writeBlock(out *bufio.Writer, b *block) {
	r := b.row
	if b.each != "" {
		r.hint = joinHints(separated(plural(b.differing, b.each)), r.hint)
	}
	if r.ref != nil && t.width > 0 && !t.fits(visible(t.shown(r.url)), linkText(r.ref, maxTextWidth), r.hint) {
		r.ref = nil
	}
	before := "" // the names
	if r.hint != "" && t.width > 0 && !t.fits(visible(t.shown(r.url)), "", r.hint) {
		before, r.hint = t.shownWords(r.hint)+"; ", ""
	}
	t.write(out, b.place(), r)
	names, places := min(len(b.names), 1), 1
	for grown := true; grown; {
		grown = false
		if names < len(b.names) && t.fitsLine(before+t.firstOf(b, names+1, places)) {
			names, grown = names+1, true
		}
		if places < len(b.places) && t.fitsLine(before+t.firstOf(b, names, places+1)) {
			places, grown = places+1, true
		}
	}
	t.writeWords(out, continuation, strings.Fields(before+t.firstOf(b, names, places)))
}

// fitsLine reports whether a continuation fits on one line of the terminal.
func (t *table) fitsLine(line string) bool {
	return t.width <= 0 || len(continuation)+utf8.RuneCountInString(line) <= t.width
}

func (t *table) firstOf(b *block, names, places int) string {
	var line strings.Builder
	for _, name := range b.names[:names] {
		line.WriteString(visible(t.shown(name)) + ", ")
	}
	list := line.String()
	if more := b.differing - names; names > 0 && more > 0 {
		list += separated(strconv.Itoa(more)) + " more; "
	} else if names > 0 {
		list = strings.TrimSuffix(list, ", ") + "; "
	}
	for i, place := range b.places[:places] {
		if i == 0 {
			list += "first at "
		} else {
			list += ", "
		}
		list += visible(t.shown(place))
	}
	return list
}

// textWidth is the maximum width of a text after url.
func (t *table) textWidth(url string) int {
	if t.width <= 0 {
		return maxTextWidth
	}
	left := t.width - t.urlColumn() - max(t.url, utf8.RuneCountInString(url)) - 2
	return min(max(left, minTextWidth), maxTextWidth)
}

// pad appends s, padded to the width of its column. If s is longer, it appends two spaces, too.
func pad(line []byte, s string, column int) []byte {
	line = append(line, s...)
	n := column - utf8.RuneCountInString(s)
	if n < 2 && s != "" {
		n = 2 * min(max(column, 0), 1)
	}
	for ; n > 0; n-- {
		line = append(line, ' ')
	}
	return line
}

const colorOff = "\x1b[0m"

// wordColor returns the color of a verdict. Red marks only verdicts that can fail a
// build.
func wordColor(word string) string {
	switch word {
	case "broken", "new":
		return "\x1b[31m"
	case "unverified", "unclear":
		return "\x1b[33m"
	case "warning", "still":
		return "\x1b[35m"
	case "ok", "fixed":
		return "\x1b[32m"
	case "info":
		return "\x1b[36m"
	}
	return "\x1b[2m"
}
