package report

import (
	"bufio"
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler"
)

// table sets rows in columns:
//
//	12:8   broken      http-404          https://example.com/gone        "Download"
//	place  word        code              url                             text       hint
//
// The word's column is the same in every report; place, code and url are as wide
// as their contents, within bounds, so that one long URL does not push all texts
// off the screen, and no wider than a terminal has room for. Nothing but the text is
// ever shortened.
type table struct {
	color            bool
	width            int // of the terminal; 0 unknown
	place, code, url int // columns
}

const (
	leastPlace = 5
	leastURL   = 30
	mostURL    = 72
	wordColumn = 10 // the longest verdict

	leastText = 24
	mostText  = 60
)

// row is one line of a table; ref is nil where there is no place.
type row struct {
	ref                   *crawler.Reference
	word, code, url, hint string
}

// place is the row's line and column, or what else tells where on its page it is.
func (r row) place() string {
	if r.ref == nil || r.ref.Line <= 0 {
		return cmp.Or(spot(r.ref), "-")
	}
	return strconv.Itoa(r.ref.Line) + ":" + strconv.Itoa(r.ref.Column)
}

// compareRows orders rows of one page by place; a verdict comes before warnings
// because rows of one place keep their order.
func compareRows(a, b row) int { return compareSpots(a.ref, b.ref) }

// fit widens the columns for a row that will be written.
func (t *table) fit(place string, r row) {
	t.place = max(t.place, leastPlace, len(place))
	t.code = max(t.code, utf8.RuneCountInString(visible(r.code)))
	t.url = max(t.url, leastURL)
	if n := utf8.RuneCountInString(visible(r.url)); n <= mostURL {
		t.url = max(t.url, n)
	}
}

// narrow gives up a column that a terminal has no room for: blanks would only break
// rows whose URLs are short.
func (t *table) narrow() {
	if t.width > 0 {
		t.url = max(min(t.url, t.width-t.before()-2-leastText), 0)
	}
}

// before is how many columns stand before the URL.
func (t *table) before() int { return 2 + t.place + 2 + wordColumn + 2 + t.code + 2 }

func (t *table) write(out *bufio.Writer, place string, r row) {
	word, code, url := r.word, visible(r.code), visible(r.url)
	var line strings.Builder
	pad(&line, "  ", 0)
	pad(&line, place, t.place+2)
	if t.color {
		line.WriteString(wordColor(word))
		line.WriteString(word)
		line.WriteString(colorOff)
		pad(&line, "", wordColumn+2-len(word))
	} else {
		pad(&line, word, wordColumn+2)
	}
	pad(&line, code, t.code+2)
	pad(&line, url, t.url+2)
	if r.ref != nil && r.ref.Text != "" {
		line.WriteString(quoted(r.ref.Text, t.room(url)))
		line.WriteString("   ")
	}
	line.WriteString(r.hint)
	out.WriteString(strings.TrimRight(line.String(), " "))
	out.WriteByte('\n')
}

// room is how wide a text may be after url.
func (t *table) room(url string) int {
	if t.width <= 0 {
		return mostText
	}
	left := t.width - t.before() - max(t.url, utf8.RuneCountInString(url)) - 2
	return min(max(left, leastText), mostText)
}

// pad writes s and as many blanks as its column needs; a longer s gets two.
func pad(line *strings.Builder, s string, column int) {
	line.WriteString(s)
	if n := column - utf8.RuneCountInString(s); n >= 2 || s == "" {
		line.WriteString(strings.Repeat(" ", max(n, 0)))
	} else if column > 0 {
		line.WriteString("  ")
	}
}

const colorOff = "\x1b[0m"

// wordColor is the colour of a verdict: red only where a build may fail of it.
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
