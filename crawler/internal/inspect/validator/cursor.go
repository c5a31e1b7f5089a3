package validator

import "unicode/utf8"

// A cursor converts the lines and columns of a program to offsets in a text. Asked in
// ascending order, it reads the text once, even if it is all on one line.
type cursor struct {
	text  []byte
	utf16 bool  // columns count UTF-16 code units, not code points
	lines []int // offsets of the lines

	line, column, off int // a place and its offset
}

func newCursor(text []byte, utf16 bool) cursor {
	lines := []int{0}
	for i, b := range text {
		if b == '\n' || b == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			lines = append(lines, i+1)
		}
	}
	return cursor{text: text, utf16: utf16, lines: lines, line: 1, column: 1}
}

// offset returns the offset of a place. A place behind the end of its line is at that end, one
// behind the end of the text at the end.
func (c *cursor) offset(line, column int) int {
	if line < 1 || line > len(c.lines) {
		return len(c.text)
	}
	if line != c.line || column < c.column {
		c.line, c.column, c.off = line, 1, c.lines[line-1]
	}
	for c.column < column && c.off < len(c.text) && !isBreak(c.text[c.off]) {
		r, n := utf8.DecodeRune(c.text[c.off:])
		c.off += n
		c.column++
		if c.utf16 && r >= 0x10000 {
			c.column++
		}
	}
	return c.off
}

func isBreak(b byte) bool { return b == '\n' || b == '\r' }

// end returns the offset of a place that follows start, at most maxRaw bytes behind it.
func (c *cursor) end(start, line, column int) int {
	end := min(start+maxRaw, len(c.text))
	for end < len(c.text) && !utf8.RuneStart(c.text[end]) {
		end--
	}
	if line < 1 || line > len(c.lines) || c.lines[line-1] > end {
		return end
	}
	// Not further than maxRaw columns: what is read here is read again for the next message.
	from := *c
	if line == c.line {
		column = min(column, c.column+maxRaw)
	} else {
		column = min(column, maxRaw)
	}
	return max(start, min(end, from.offset(line, column)))
}
