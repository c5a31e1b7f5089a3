package extract

import (
	"bytes"
	"sort"
)

// lineMarkup is the common part of the readers that go through a document line by line:
// reStructuredText, AsciiDoc and Org.
type lineMarkup struct {
	*harvest
	wantLinks bool // links are wanted, not only anchors
	rules     bareURIRules
	paragraph []span // the lines of the current paragraph
	joined    []byte
	block     view
	ignored   []span // lines that comments exclude, in ascending order
	// missing maps closing delimiters to the offset in the block after which they do
	// not occur.
	missing map[string]int
}

func newLineMarkup(h *harvest, in *Input, rules bareURIRules) lineMarkup {
	h.doc.Static = true
	return lineMarkup{harvest: h, wantLinks: !in.AnchorsOnly, rules: rules}
}

// readMark reads the content of a comment that ends at an offset. If it is the mark, the next line is
// excluded, or the next one that is not blank.
func (m *lineMarkup) readMark(comment []byte, end int, beyondBlanks bool) {
	if !isNextLineMark(comment) {
		return
	}
	b := m.src.text
	start := nextLine(b, end)
	if beyondBlanks {
		start = skipSpace(b, start)
	}
	if start < len(b) {
		m.ignored = append(m.ignored, span{start, endOfLine(b, start)})
	}
}

// applyMarks excludes the links that start on lines with a mark above them.
func (m *lineMarkup) applyMarks() {
	for i := range m.links {
		at := int(m.links[i].at)
		n := sort.Search(len(m.ignored), func(n int) bool { return m.ignored[n].end > at })
		m.links[i].Ignored = m.links[i].Ignored || n < len(m.ignored) && m.ignored[n].start <= at
	}
}

// line is one line of a document, without its line break.
type line struct {
	at        span
	indent    int    // the number of leading spaces and tabs
	textStart int    // the offset of text
	text      []byte // without surrounding white space
}

func (l line) blank() bool { return len(l.text) == 0 }

// lines calls fn for each line.
func (m *lineMarkup) lines(fn func(l line)) {
	b := m.src.text
	for i := 0; i < len(b); i = nextLine(b, i) {
		end := endOfLine(b, i)
		start := skipBlanks(b, i)
		start = min(start, end)
		m.spot.mark(start, 0, nil)
		fn(line{at: span{i, end}, indent: start - i, textStart: start, text: trimSpaceRight(b[start:end])})
	}
}

// gather adds a line, or a part of one, to the paragraph.
func (m *lineMarkup) gather(at span) { m.paragraph = append(m.paragraph, at) }

// flush reads the paragraph gathered so far.
func (m *lineMarkup) flush(read func(v *view)) {
	if len(m.paragraph) == 0 {
		return
	}
	v := m.join(m.paragraph)
	m.paragraph = m.paragraph[:0]
	clear(m.missing)
	read(v)
}

// join makes one text from lines, with line breaks between them.
func (m *lineMarkup) join(lines []span) *view {
	v := &m.block
	*v = view{marks: v.marks[:0], parent: &m.src}
	if len(lines) == 1 {
		v.text, v.base = m.src.text[lines[0].start:lines[0].end], lines[0].start
		return v
	}
	m.joined = m.joined[:0]
	for _, at := range lines {
		v.marks = append(v.marks, mark{len(m.joined), at.start})
		m.joined = append(m.joined, m.src.text[at.start:at.end]...)
		m.joined = append(m.joined, '\n')
	}
	v.text = m.joined
	return v
}

// endOf returns the end of the next closing delimiter at or after i in a paragraph, or
// -1 if there is none. It remembers a failed search, so that it never repeats one.
func (m *lineMarkup) endOf(b []byte, i int, closing string) int {
	if known, ok := m.missing[closing]; ok && i >= known || i > len(b) {
		return -1
	}
	if n := bytes.Index(b[i:], []byte(closing)); n >= 0 {
		return i + n + len(closing)
	}
	if m.missing == nil {
		m.missing = map[string]int{}
	}
	m.missing[closing] = i
	return -1
}

// addLink adds a link with a text. If the reference is escaped in v, ref is its
// unescaped form; otherwise ref is nil.
func (m *lineMarkup) addLink(v *view, at span, ref, text []byte) *Link {
	seen := ref
	if seen == nil {
		seen = v.text[at.start:at.end]
	}
	if !m.wantLinks || at.start >= at.end || holdsPlaceholder(seen) {
		return nil
	}
	f := m.add(v, at, ref)
	if f != nil {
		f.Element, f.Attribute = "a", "href"
		f.Text = m.keep(trimFolded(foldSpace(nil, text)))
	}
	return f
}

// bareLinks adds the URIs in running text, except escaped ones.
func (m *lineMarkup) bareLinks(v *view, at span) {
	if !m.wantLinks || at.start >= at.end {
		return
	}
	first := len(m.links)
	m.addBareURIs(&view{text: v.text[at.start:at.end], parent: v, base: at.start}, m.rules)
	kept := m.links[:first]
	for _, f := range m.links[first:] {
		if f.at > 0 && m.src.text[f.at-1] == '\\' {
			continue // an escaped URI is text
		}
		f.Element, f.Attribute = "a", "href"
		if f.Text = f.Raw; len(f.Text) > maxText {
			f.Text = ""
		}
		kept = append(kept, f)
	}
	m.links = kept
}

// embedHTML reads lines of raw HTML.
func (m *lineMarkup) embedHTML(lines []span) {
	if len(lines) == 0 {
		return
	}
	v := m.join(lines)
	wantLinks := m.wantLinks
	m.embed(v, true, func(inner *harvest) { readHTML(inner, &Input{AnchorsOnly: !wantLinks}, asHTML) })
}

// maxVerbatim is the maximum length of inline verbatim text, in bytes.
const maxVerbatim = 1000

// verbatimEnd returns the end of the verbatim text that the marker at i opens, or -1 if
// it opens none. The markers must not be inside a word, and the text between them must
// neither begin nor end with a space and may contain at most one line break.
func verbatimEnd(b []byte, i int) int {
	marker, breaks := b[i], 0
	if i > 0 && isAlphanumeric(b[i-1]) || i+1 < len(b) && isSpace(b[i+1]) {
		return -1
	}
	for at := i + 2; at < len(b) && at-i < maxVerbatim && breaks < 2; at++ {
		if b[at] == '\n' {
			breaks++
		} else if b[at] == marker && !isSpace(b[at-1]) && (at+1 == len(b) || !isAlphanumeric(b[at+1])) {
			return at + 1
		}
	}
	return -1
}
