package extract

import (
	"bytes"
	"slices"
)

// markdownIgnored collects the parts of a document that comments exclude, with
// orbweaver's own mark or with those of markdown-link-check, which many documents use.
type markdownIgnored struct {
	source []byte
	parts  []span // in ascending order
	open   bool   // the last part extends until a comment ends it
}

// covers reports whether an offset is in an excluded part.
func (m *markdownIgnored) covers(off int) bool {
	i, found := slices.BinarySearchFunc(m.parts, off, func(part span, off int) int { return part.start - off })
	return found || i > 0 && off < m.parts[i-1].end
}

// readComments applies the comments in a piece of raw HTML.
func (m *markdownIgnored) readComments(start, end int) {
	for {
		n := bytes.Index(m.source[start:end], []byte("<!--"))
		if n < 0 {
			return
		}
		start += n
		comment, content := start, start+len("<!--")
		n = bytes.Index(m.source[start+2:end], []byte("-->")) // <!--> is a comment too
		if n < 0 {
			return
		}
		start += 2 + n + len("-->")
		if content < start {
			m.apply(m.source[content:start], comment, start)
		}
	}
}

// applyJSX applies the comments of MDX, {/* … */}.
func (m *markdownIgnored) applyJSX(text []byte, comments []span) {
	for _, at := range comments {
		content := text[at.start:at.end]
		m.apply(bytes.TrimSpace(bytes.Trim(content, "{}/* \t\r\n")), at.start, at.end)
	}
}

// apply applies the comment between start and end. Inside an excluded part, only a
// comment that ends the part has an effect.
func (m *markdownIgnored) apply(content []byte, start, end int) {
	if isNextLineMark(content) {
		if !m.open {
			m.addLineAfter(end)
		}
		return
	}
	words, ok := bytes.CutPrefix(trimSpace(content), []byte("markdown-link-check-"))
	if !ok {
		return
	}
	word, _, _ := bytes.Cut(words, []byte("-->"))
	switch word = trimSpace(word); {
	case string(word) == "enable":
		if m.open {
			m.open, m.parts[len(m.parts)-1].end = false, start
		}
	case m.open:
	case string(word) == "disable":
		if !m.add(start, len(m.source)) {
			m.parts[len(m.parts)-1].end = len(m.source)
		}
		m.open = true
	case string(word) == "disable-next-line":
		m.addLineAfter(end)
	case string(word) == "disable-line":
		if n := len(m.parts); n == 0 || m.parts[n-1].end <= start { // at most once for each line
			m.add(1+bytes.LastIndexAny(m.source[:start], "\r\n"), endOfLine(m.source, end))
		}
	}
}

// add excludes a part of the document, unless it begins at or before the start of the
// last excluded part. It reports whether it added the part.
func (m *markdownIgnored) add(start, end int) bool {
	if n := len(m.parts); n > 0 && m.parts[n-1].start >= start {
		return false
	}
	m.parts = append(m.parts, span{start, end})
	return true
}

// addLineAfter excludes the next line that is not blank, because formatters put a blank
// line after a comment.
func (m *markdownIgnored) addLineAfter(off int) {
	b := m.source
	start := skipSpace(b, min(endOfLine(b, off), len(b)))
	if start == len(b) {
		return
	}
	m.add(start, endOfLine(b, start))
}
