package report

import (
	"encoding/hex"
	"io"
	"strconv"
	"unicode/utf8"
)

// jsonText writes JSON. Objects and arrays are spread over lines, two spaces a
// level, or inline; a compact text has no blanks at all. It keeps no more than a
// few kilobytes and the largest single string, so a result with a million
// references passes through. The first error sticks and is returned by flush.
type jsonText struct {
	w       io.Writer
	compact bool
	buf     []byte
	levels  []jsonLevel
	keyed   bool // the next value follows its key
	err     error
}

type jsonLevel struct {
	close  byte
	inline bool
	n      int // values so far
}

// jsonBuffer is how much is kept before it is written out.
const jsonBuffer = 32 << 10

func (j *jsonText) object() { j.open('{', '}', false) }
func (j *jsonText) row()    { j.open('{', '}', true) }
func (j *jsonText) array()  { j.open('[', ']', false) }
func (j *jsonText) list()   { j.open('[', ']', true) }

func (j *jsonText) open(open, close byte, inline bool) {
	j.value()
	j.buf = append(j.buf, open)
	j.levels = append(j.levels, jsonLevel{close: close, inline: inline || j.compact})
}

// end closes the innermost object or array.
func (j *jsonText) end() {
	last := len(j.levels) - 1
	level := j.levels[last]
	j.levels = j.levels[:last]
	if level.n > 0 && !level.inline {
		j.line()
	}
	j.buf = append(j.buf, level.close)
	if len(j.buf) >= jsonBuffer {
		j.flush()
	}
}

// newline ends a text.
func (j *jsonText) newline() { j.buf = append(j.buf, '\n') }

func (j *jsonText) line() {
	j.buf = append(j.buf, '\n')
	for range j.levels {
		j.buf = append(j.buf, "  "...)
	}
}

// value comes before every key and every element.
func (j *jsonText) value() {
	if j.keyed || len(j.levels) == 0 {
		j.keyed = false
		return
	}
	level := &j.levels[len(j.levels)-1]
	if level.n > 0 {
		j.buf = append(j.buf, ',')
	}
	switch {
	case !level.inline:
		j.line()
	case level.n > 0 && !j.compact:
		j.buf = append(j.buf, ' ')
	}
	level.n++
}

func (j *jsonText) key(name string) *jsonText {
	j.value()
	j.buf = AppendJSONString(j.buf, name)
	j.buf = append(j.buf, ':')
	if !j.compact {
		j.buf = append(j.buf, ' ')
	}
	j.keyed = true
	return j
}

func (j *jsonText) string(s string) {
	j.value()
	j.buf = AppendJSONString(j.buf, s)
}

func (j *jsonText) int(n int64) {
	j.value()
	j.buf = strconv.AppendInt(j.buf, n, 10)
}

func (j *jsonText) bool(b bool) {
	j.value()
	j.buf = strconv.AppendBool(j.buf, b)
}

func (j *jsonText) flush() error {
	if j.err == nil && len(j.buf) > 0 {
		_, j.err = j.w.Write(j.buf)
	}
	j.buf = j.buf[:0]
	return j.err
}

// AppendJSONString appends s as a JSON string (RFC 8259 section 7). Beyond what
// has to be escaped it escapes what a terminal, an editor or the log of a CI system
// would act upon, so that a report can be looked at as it is. A byte that is not UTF-8 becomes U+FFFD.
func AppendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < 0x7f && !(c == '#' && isCommand(s[i+1:])) {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if !(r == utf8.RuneError && size == 1) && !unseen(r) {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch r {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case utf8.RuneError:
			dst = append(dst, "\uFFFD"...)
		default:
			dst = appendJSONEscape(dst, r)
		}
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendJSONEscape appends \uXXXX, twice beyond the basic plane.
func appendJSONEscape(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		dst = appendJSONEscape(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	dst = append(dst, `\u`...)
	return hex.AppendEncode(dst, []byte{byte(r >> 8), byte(r)})
}
