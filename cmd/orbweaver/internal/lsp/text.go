package lsp

import (
	"slices"
	"sort"
	"strings"
	"sync"
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
	Line      uint32 `json:"line" need:"yes"`
	Character uint32 `json:"character" need:"yes"`
}

// span is the range between two positions.
type span struct {
	Start position `json:"start" need:"yes"`
	End   position `json:"end" need:"yes"`
}

// text is a text with its lines, which end with LF, CRLF or CR. It does not change.
type text struct {
	body   string
	starts []int // of the lines

	measure sync.Once
	marks   []mark // for long lines, about one every markEvery bytes; the first is at the beginning
}

// mark is the beginning of a character, and how many units are before it.
type mark struct{ offset, utf16, utf32 int }

// markEvery is the number of bytes between two marks. Shorter lines are read without them.
const markEvery = 1 << 10

func newText(body string) *text {
	return &text{body: body, starts: appendStarts([]int{0}, body, 0, len(body))}
}

// before returns how many units are before a mark.
func (m mark) before(e encoding) int {
	switch e {
	case utf8Units:
		return m.offset
	case utf16Units:
		return m.utf16
	}
	return m.utf32
}

// markBefore returns the last of the marks for which is holds; all before it must be such.
func (t *text) markBefore(is func(mark) bool) mark {
	t.measure.Do(func() {
		var at mark
		for i, r := range t.body {
			if at.offset = i; len(t.marks) == 0 || i-t.marks[len(t.marks)-1].offset >= markEvery {
				t.marks = append(t.marks, at)
			}
			at.utf16 += utf16Units.width(r, 0)
			at.utf32++
		}
	})
	return t.marks[sort.Search(len(t.marks), func(i int) bool { return !is(t.marks[i]) })-1]
}

// count returns how many units are between two offsets.
func (t *text) count(start, end int, e encoding) (units int) {
	for start < end {
		r, size := utf8.DecodeRuneInString(t.body[start:])
		units += e.width(r, size)
		start += size
	}
	return units
}

// total returns how many units are before an offset.
func (t *text) total(offset int, e encoding) int {
	m := t.markBefore(func(m mark) bool { return m.offset <= offset })
	return m.before(e) + t.count(m.offset, offset, e)
}

// advance returns the offset of the character that is, or has, the unit behind some others, at most end.
func (t *text) advance(start, end, units int, e encoding) int {
	if units > markEvery && end-start > markEvery {
		units += t.total(start, e)
		m := t.markBefore(func(m mark) bool { return m.before(e) <= units && m.offset <= end })
		start, units = m.offset, units-m.before(e)
	}
	for start < end {
		r, size := utf8.DecodeRuneInString(t.body[start:end])
		if units -= e.width(r, size); units < 0 {
			break
		}
		start += size
	}
	return start
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
	return t.advance(start, end, int(min(int64(p.Character), int64(end-start))), e)
}

func (t *text) position(offset int, e encoding) position {
	n := sort.SearchInts(t.starts, offset+1) - 1
	start := t.starts[n]
	if offset-start <= markEvery {
		return position{uint32(n), uint32(t.count(start, offset, e))}
	}
	return position{uint32(n), uint32(t.total(offset, e) - t.total(start, e))}
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
	return &text{body: body, starts: starts}
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
	from = t.advance(from, end, max(column-1, 0), utf32Units)
	if strings.HasPrefix(t.body[from:], raw) {
		return from, from + len(raw)
	}
	return from, min(from+len(raw), end)
}
