package extract

import "bytes"

// ignoreNextLine in a comment excludes the links that start on the next line.
const ignoreNextLine = "orbweaver-ignore-next-line"

// ignoreMarks are the inline marks of one document.
type ignoreMarks struct {
	marked   bool // some element carries ignoreAttribute
	from, to int  // the excluded line, as offsets in the outermost document
	lineEnd  int  // end of the line that contains the last comment
}

// covers reports whether an offset is on the line that a comment excludes.
func (m *ignoreMarks) covers(off int) bool { return m.from <= off && off < m.to }

// read looks for the mark in a comment that ends at the offset end of the text.
func (m *ignoreMarks) read(raw []byte, end int, v *view) {
	if !bytes.HasPrefix(raw, []byte("<!--")) {
		return
	}
	if !isNextLineMark(raw[len("<!--"):]) {
		return
	}
	text := v.text
	if end <= m.lineEnd {
		return // a second mark on the same line
	}
	m.lineEnd = endOfLine(text, end)
	if m.lineEnd == len(text) {
		return
	}
	next := m.lineEnd + 1
	if text[m.lineEnd] == '\r' && next < len(text) && text[next] == '\n' {
		next++
	}
	m.from, m.to = v.source(next), v.source(endOfLine(text, next))
}

// isNextLineMark reports whether the content of a comment is the mark. A reason may follow
// the mark, but if a letter follows directly, it is a different word.
func isNextLineMark(comment []byte) bool {
	words, ok := bytes.CutPrefix(trimSpace(comment), []byte(ignoreNextLine))
	return ok && (len(words) == 0 || !isAlphanumeric(words[0]) && words[0] != '_')
}

// endOfLine returns the offset of the next line break at or after off, or the end of the
// text.
func endOfLine(text []byte, off int) int {
	if n := bytes.IndexAny(text[off:], "\r\n"); n >= 0 {
		return off + n
	}
	return len(text)
}
