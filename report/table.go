package report

import (
	"bufio"
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler"
)

// table writes rows in columns:
//
//	12:8   broken      http-404          https://example.com/gone        "Download"
//	place  word        code              url                             text       hint
//
// The column of the word is the same in every report. The widths of place, code and url
// depend on their contents within limits, so that one long URL does not push all texts
// off the screen, and on the width of the terminal. Only texts are ever shortened.
type table struct {
	color            bool
	width            int // width of the terminal, or 0 if unknown
	place, code, url int // widths
}

const (
	minPlaceWidth = 5
	minURLWidth   = 30
	maxURLWidth   = 72
	wordWidth     = 10 // the longest verdict

	minTextWidth = 24
	maxTextWidth = 60
)

// row is one line of a table. ref is nil if the finding has no place.
type row struct {
	ref                   *crawler.Reference
	word, code, url, hint string
}

// place returns the line and column, or another description of the place.
func (r row) place() string {
	if r.ref == nil || r.ref.Line <= 0 {
		return cmp.Or(elementPlace(r.ref), "-")
	}
	return strconv.Itoa(r.ref.Line) + ":" + strconv.Itoa(r.ref.Column)
}

// compareRows orders rows of one page by place. Rows at one place keep their order, so a
// verdict comes before warnings.
func compareRows(a, b row) int { return comparePlaces(a.ref, b.ref) }

// fit widens the columns for a row that will be written.
func (t *table) fit(place string, r row) {
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

func (t *table) write(out *bufio.Writer, place string, r row) {
	word, code, url := r.word, visible(r.code), visible(r.url)
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
	if url != "" {
		pad(&line, url, t.url+2)
	}
	if r.ref != nil && r.ref.Text != "" {
		line.WriteString(quoted(r.ref.Text, t.textWidth(url)))
		line.WriteString("   ")
	}
	line.WriteString(r.hint)
	out.WriteString(strings.TrimRight(line.String(), " "))
	out.WriteByte('\n')
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
