package report

import (
	"encoding/hex"
	"io"
	"strconv"
	"unicode/utf8"
)

// jsonEncoder writes JSON. Objects and arrays take several lines, indented by two spaces
// a level, or one line; compact JSON has no spaces. The encoder holds at most a few
// kilobytes and the largest single string, so that a result may have a million
// references. It keeps the first error, which flush returns.
type jsonEncoder struct {
	w       io.Writer
	compact bool
	buf     []byte
	levels  []jsonLevel
	keyed   bool // a key was written, and its value comes next
	err     error
}

type jsonLevel struct {
	close  byte
	inline bool
	n      int // number of values so far
}

// jsonBuffer is the number of bytes that are buffered before they are written.
const jsonBuffer = 32 << 10

func (j *jsonEncoder) object() { j.open('{', '}', false) }
func (j *jsonEncoder) row()    { j.open('{', '}', true) }
func (j *jsonEncoder) array()  { j.open('[', ']', false) }
func (j *jsonEncoder) list()   { j.open('[', ']', true) }

func (j *jsonEncoder) open(open, close byte, inline bool) {
	j.value()
	j.buf = append(j.buf, open)
	j.levels = append(j.levels, jsonLevel{close: close, inline: inline || j.compact})
}

// end closes the innermost object or array.
func (j *jsonEncoder) end() {
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

// finish ends a document, whatever is still open.
func (j *jsonEncoder) finish() error {
	for len(j.levels) > 0 {
		j.end()
	}
	j.buf = append(j.buf, '\n')
	return j.flush()
}

func (j *jsonEncoder) line() {
	j.buf = append(j.buf, '\n')
	for range j.levels {
		j.buf = append(j.buf, "  "...)
	}
}

// value writes what precedes a key or an element.
func (j *jsonEncoder) value() {
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

func (j *jsonEncoder) key(name string) *jsonEncoder {
	j.value()
	j.buf = AppendJSONString(j.buf, name)
	j.buf = append(j.buf, ':')
	if !j.compact {
		j.buf = append(j.buf, ' ')
	}
	j.keyed = true
	return j
}

func (j *jsonEncoder) string(s string) {
	j.value()
	j.buf = AppendJSONString(j.buf, s)
}

func (j *jsonEncoder) int(n int64) {
	j.value()
	j.buf = strconv.AppendInt(j.buf, n, 10)
}

func (j *jsonEncoder) bool(b bool) {
	j.value()
	j.buf = strconv.AppendBool(j.buf, b)
}

func (j *jsonEncoder) flush() error {
	if j.err == nil && len(j.buf) > 0 {
		_, j.err = j.w.Write(j.buf)
	}
	j.buf = j.buf[:0]
	return j.err
}

// optional writes a member of an object, unless its value is empty.
func optional[T string | int | bool](j *jsonEncoder, name string, value T) {
	var empty T
	if value == empty {
		return
	}
	switch j.key(name); v := any(value).(type) {
	case string:
		j.string(v)
	case int:
		j.int(int64(v))
	case bool:
		j.bool(v)
	}
}

// AppendJSONString appends s as a JSON string (RFC 8259 section 7). It also escapes
// characters that a terminal, an editor or the log of a CI system would act on, so that a
// report can be viewed as it is. A byte that is not UTF-8 becomes U+FFFD.
func AppendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := harmlessPrefix(s); i < len(s); i += harmlessPrefix(s[i:]) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < 0x7f && !(c == '#' && isCommand(s[i+1:])) {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if !(r == utf8.RuneError && size == 1) && !unseen(s, i, r, size) {
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

// appendJSONEscape appends \uXXXX, or two of these for a character outside the Basic
// Multilingual Plane.
func appendJSONEscape(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		dst = appendJSONEscape(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	dst = append(dst, `\u`...)
	return hex.AppendEncode(dst, []byte{byte(r >> 8), byte(r)})
}
