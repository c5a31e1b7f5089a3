package extract

import "bytes"

// ignoreNextLine in a comment leaves out the links that start on the next line.
const ignoreNextLine = "orbweaver-ignore-next-line"

// ignoreMarks are the inline marks of one document.
type ignoreMarks struct {
	marked   bool // some element carries IgnoreAttribute
	from, to int  // the line that a comment names, as offsets of the outermost document
	lineEnd  int  // end of the line the last comment stood on
}

// covers reports whether an offset lies on the line that a comment names.
func (m *ignoreMarks) covers(off int) bool { return m.from <= off && off < m.to }

// comment reads a comment for its mark.
func (r *htmlReader) comment() {
	raw := r.tokens.raw()
	if !bytes.HasPrefix(raw, []byte("<!--")) {
		return
	}
	words, ok := bytes.CutPrefix(trimSpace(raw[len("<!--"):]), []byte(ignoreNextLine))
	if !ok || len(words) > 0 && (isAlphanumeric(words[0]) || words[0] == '_') {
		return // a reason may follow the mark, another word is another word
	}
	m, text := &r.ignore, r.view.text
	if r.tokens.end <= m.lineEnd {
		return // a second mark on the same line
	}
	m.lineEnd = endOfLine(text, r.tokens.end)
	if m.lineEnd == len(text) {
		return
	}
	next := m.lineEnd + 1
	if text[m.lineEnd] == '\r' && next < len(text) && text[next] == '\n' {
		next++
	}
	m.from, m.to = r.view.source(next), r.view.source(endOfLine(text, next))
}

// endOfLine returns the offset of the line break at or behind off, or the end.
func endOfLine(text []byte, off int) int {
	if n := bytes.IndexAny(text[off:], "\r\n"); n >= 0 {
		return off + n
	}
	return len(text)
}
