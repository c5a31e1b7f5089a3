package report

import (
	"bufio"
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
}

const (
	minPlaceWidth = 5
	minURLWidth   = 30
	maxURLWidth   = 72
	wordWidth     = 10 // the longest verdict

	minTextWidth = 24
	maxTextWidth = 60
)

// fit widens the columns for a row that will be written.
func (t *table) fit(place string, r row) {
	r.url = t.shown(r.url)
	t.place = max(t.place, minPlaceWidth, len(place))
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
	words := strings.Split(hint, " ")
	for i := range words {
		words[i] = t.shown(words[i])
	}
	return strings.Join(words, " ")
}

func (t *table) write(out *bufio.Writer, place string, r row) {
	word, code, url, hint := r.word, visible(r.code), visible(t.shown(r.url)), t.shownWords(r.hint)
	var line strings.Builder
	pad(&line, "  ", 0)
	pad(&line, place, t.place+2)
	if t.color {
		line.WriteString(wordColor(word))
		line.WriteString(word)
		line.WriteString(colorOff)
		pad(&line, "", wordWidth+2-len(word))
	} else {
		pad(&line, word, wordWidth+2)
	}
	pad(&line, code, t.code+2)
	text := ""
	if r.ref != nil {
		text = linkText(r.ref, t.textWidth(url))
	}
	if t.width > 0 && !t.fits(url, text, hint) {
		if r.ref != nil {
			text = linkText(r.ref, maxTextWidth)
		}
		t.fold(out, line.String(), url, text, hint)
		return
	}
	if url != "" {
		pad(&line, url, t.url+2)
	}
	if text != "" {
		line.WriteString(text)
		line.WriteString("   ")
	}
	line.WriteString(hint)
	out.WriteString(strings.TrimRight(line.String(), " "))
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

// firstOf lists the first names and places of a block.
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

// pad writes s and pads it to the width of its column. If s is longer, it adds two
// spaces.
func pad(line *strings.Builder, s string, column int) {
	line.WriteString(s)
	if n := column - utf8.RuneCountInString(s); n >= 2 || s == "" {
		line.WriteString(strings.Repeat(" ", max(n, 0)))
	} else if column > 0 {
		line.WriteString("  ")
	}
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
