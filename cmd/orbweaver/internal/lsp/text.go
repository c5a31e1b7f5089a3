package lsp

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// encoding is what the characters of positions count.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// width returns how many units a rune of a number of bytes has.
func (e encoding) width(r rune, size int) int {
	switch {
	case e == utf8Units:
		return size
	case e == utf16Units && r > 0xffff:
		return 2
	}
	return 1
}

// position is a place in a text; both count from 0.
type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// span is the range between two positions.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// text is a text with its lines, which end with LF, CRLF or CR. It does not change.
type text struct {
	body   string
	starts []int // of the lines
}

func newText(body string) *text {
	return &text{body, appendStarts([]int{0}, body, 0, len(body))}
}

// appendStarts appends the starts of the lines whose ends are between two offsets.
func appendStarts(starts []int, body string, from, to int) []int {
	for i := from; i < to; i++ {
		switch {
		case body[i] == '\n', body[i] == '\r' && (i+1 == len(body) || body[i+1] != '\n'):
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns the offsets of a line without its end.
func (t *text) line(n int) (start, end int) {
	start, end = t.starts[n], len(t.body)
	if n+1 < len(t.starts) {
		end = t.starts[n+1] - 1
		if t.body[end] == '\n' && end > start && t.body[end-1] == '\r' {
			end--
		}
	}
	return start, end
}

// offset returns the offset of a position. Beyond the end of a line it is the end of the line, beyond
// the end of the text that of the text, and inside a character its beginning.
func (t *text) offset(p position, e encoding) int {
	if int64(p.Line) >= int64(len(t.starts)) {
		return len(t.body)
	}
	start, end := t.line(int(p.Line))
	if e == utf8Units {
		at := start + int(min(int64(p.Character), int64(end-start)))
		for at > start && at < end && !utf8.RuneStart(t.body[at]) {
			at--
		}
		return at
	}
	units := int64(p.Character)
	for at := start; at < end; {
		r, size := utf8.DecodeRuneInString(t.body[at:end])
		if units -= int64(e.width(r, size)); units < 0 {
			return at
		}
		at += size
	}
	return end
}

// position returns the position of an offset.
func (t *text) position(offset int, e encoding) position {
	n := sort.SearchInts(t.starts, offset+1) - 1
	units := 0
	for at := t.starts[n]; at < offset; {
		r, size := utf8.DecodeRuneInString(t.body[at:])
		units += e.width(r, size)
		at += size
	}
	return position{uint32(n), uint32(units)}
}

// replace returns the text with a part between two offsets replaced.
func (t *text) replace(from, to int, by string) *text {
	body := strings.Join([]string{t.body[:from], by, t.body[to:]}, "")
	// A CR or LF next to the part may begin or end a line together with it.
	first := max(sort.SearchInts(t.starts, max(from-1, 0)+1)-1, 0)
	last := sort.SearchInts(t.starts, to+2)
	grown := len(by) - (to - from)
	upTo := len(body)
	if last < len(t.starts) {
		upTo = t.starts[last] + grown - 1
	}
	starts := slices.Grow(slices.Clone(t.starts[:first+1]), len(t.starts)-first)
	starts = appendStarts(starts, body, t.starts[first], upTo)
	for _, at := range t.starts[last:] {
		starts = append(starts, at+grown)
	}
	return &text{body, starts}
}

// spanOf returns the range of a raw text at a line and column as reports have them: from 1, in code
// points, without a byte order mark. Without a line it is the beginning of the text.
func (t *text) spanOf(line, column int, raw string, e encoding) span {
	from, to := t.bounds(line, column, raw)
	return span{t.position(from, e), t.position(to, e)}
}

// bounds is like spanOf, in offsets.
func (t *text) bounds(line, column int, raw string) (from, to int) {
	if line <= 0 {
		return 0, 0
	}
	if line > len(t.starts) {
		return len(t.body), len(t.body)
	}
	from, end := t.line(line - 1)
	if line == 1 && strings.HasPrefix(t.body, "\ufeff") {
		from += len("\ufeff")
	}
	for ; column > 1 && from < end; column-- {
		_, size := utf8.DecodeRuneInString(t.body[from:end])
		from += size
	}
	if strings.HasPrefix(t.body[from:], raw) {
		return from, from + len(raw)
	}
	return from, min(from+len(raw), end)
}
