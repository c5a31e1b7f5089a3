package extract

import "bytes"

// lineMarkup is what the readers of lightweight markup share that go through a
// document line by line: reStructuredText, AsciiDoc and Org.
type lineMarkup struct {
	*harvest
	want      bool
	habit     habit
	paragraph []span // lines gathered
	joined    []byte
	block     view
	endless   map[string]int // closings that do not stand behind an offset of the block
}

func newLineMarkup(h *harvest, in *Input, how habit) lineMarkup {
	h.doc.Static = true
	return lineMarkup{harvest: h, want: !in.AnchorsOnly, habit: how}
}

// line is one line of a document, without its end.
type line struct {
	at        span
	indent    int    // blanks in front; a tab counts as one
	textStart int    // where its text begins
	text      []byte // without white space around it
}

func (l line) blank() bool { return len(l.text) == 0 }

// lines calls fn for each line.
func (m *lineMarkup) lines(fn func(l line)) {
	b := m.src.text
	for i := 0; i < len(b); i = nextLine(b, i) {
		end := endOfLine(b, i)
		start := skipBlanks(b, i)
		start = min(start, end)
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
	clear(m.endless)
	read(v)
}

// join makes one text of lines, with line breaks between them.
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

// closing returns what follows the next closing at or behind i in a paragraph, -1
// when there is none; that is remembered, so that it is looked for once.
func (m *lineMarkup) closing(b []byte, i int, closing string) int {
	if known, ok := m.endless[closing]; ok && i >= known || i > len(b) {
		return -1
	}
	if n := bytes.Index(b[i:], []byte(closing)); n >= 0 {
		return i + n + len(closing)
	}
	if m.endless == nil {
		m.endless = map[string]int{}
	}
	m.endless[closing] = i
	return -1
}

// note notes a link; ref is its reference where that is escaped, text its text.
func (m *lineMarkup) note(v *view, at span, ref, text []byte) *Link {
	seen := ref
	if seen == nil {
		seen = v.text[at.start:at.end]
	}
	if !m.want || at.start >= at.end || holdsPlaceholder(seen) {
		return nil
	}
	f := m.add(v, at, ref)
	if f != nil {
		f.Element, f.Attribute = "a", "href"
		f.Text = m.keep(trimFolded(foldSpace(nil, text)))
	}
	return f
}

// bare notes the URIs that stand in running text.
func (m *lineMarkup) bare(v *view, at span) {
	if !m.want || at.start >= at.end {
		return
	}
	first := len(m.links)
	m.running(&view{text: v.text[at.start:at.end], parent: v, base: at.start}, m.habit)
	kept := m.links[:first]
	for _, f := range m.links[first:] {
		if f.at > 0 && m.src.text[f.at-1] == '\\' {
			continue // escaped: text
		}
		f.Element, f.Attribute = "a", "href"
		if f.Text = f.Raw; len(f.Text) > MaxText {
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
	want := m.want
	m.embed(v, true, func(inner *harvest) { readHTML(inner, &Input{AnchorsOnly: !want}, false) })
}

// maxVerbatim is how long verbatim text within a line may be, in bytes.
const maxVerbatim = 1000

// verbatimEnd returns what follows the verbatim text that the marker at i opens,
// -1 when it opens none: it must not stand within a word, what it encloses must
// neither begin nor end with a blank, and at most one line break is in it.
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
