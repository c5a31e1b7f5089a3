package extract

import (
	"bytes"
	"cmp"
	"slices"
)

// inlineScanner finds what stands in a block (CommonMark 6), in time in proportion
// to its length: code spans, autolinks, raw HTML, links and images. Emphasis
// means nothing for links.
type inlineScanner struct {
	text  []byte
	defs  definitions
	items []inline // in the order of their beginnings, once read has returned
	ids   []span   // names in {#name}

	brackets []bracket
	// inactive is how many of the brackets, from the outermost on, open no link any
	// more: a link stands inside of them, and links do not nest.
	inactive int
	ticks    map[int][]int // by length, where runs of backticks begin
	angle    angleScanner
}

// inline is one construct.
type inline struct {
	kind inlineKind
	at   span // all of it
	text span // the text of a link, the content of code, the URL of an autolink
	dest span // of a link with a destination of its own
	// definition is what a reference link refers to.
	definition *definition
}

type inlineKind uint8

const (
	inlineCode inlineKind = iota
	inlineTag             // raw HTML
	inlineAutolink
	inlineMail // an autolink without mailto:
	inlineLink
	inlineImage
)

// bracket is a '[' or a '![' that may open a link or an image.
type bracket struct {
	start, text int
	image       bool
	nested      bool // another bracket opened behind it: its text is no label
}

// read scans a block.
func (s *inlineScanner) read(text []byte, defs definitions) {
	s.text, s.defs = text, defs
	s.items, s.ids, s.brackets, s.inactive = s.items[:0], s.ids[:0], s.brackets[:0], 0
	s.ticks = nil
	s.angle.reset(text)
	for i := 0; i < len(text); {
		switch text[i] {
		case '\\':
			i += 2
		case '`':
			i = s.code(i)
		case '<':
			i = s.angled(i)
		case '{':
			i = s.attributes(i)
		case '!':
			if i++; i < len(text) && text[i] == '[' {
				s.open(bracket{start: i - 1, text: i + 1, image: true})
				i++
			}
		case '[':
			i++
			s.open(bracket{start: i - 1, text: i})
		case ']':
			i = s.close(i)
		default:
			i++
		}
	}
	// Each link was noted when it ended, behind what stands in it.
	if byStart := func(a, b inline) int { return cmp.Compare(a.at.start, b.at.start) }; !slices.IsSortedFunc(s.items, byStart) {
		slices.SortFunc(s.items, byStart)
	}
}

func (s *inlineScanner) open(b bracket) {
	if n := len(s.brackets); n > 0 {
		s.brackets[n-1].nested = true
	}
	s.brackets = append(s.brackets, b)
}

// code reads the code span at i and returns what follows it, or the backticks
// when they open none.
func (s *inlineScanner) code(i int) int {
	n := runLength(s.text, i)
	if s.ticks == nil {
		s.ticks = map[int][]int{}
		for at := i; at < len(s.text); {
			if s.text[at] != '`' {
				at++
				continue
			}
			length := runLength(s.text, at)
			s.ticks[length] = append(s.ticks[length], at)
			at += length
		}
	}
	runs := s.ticks[n]
	for len(runs) > 0 && runs[0] < i+n {
		runs = runs[1:]
	}
	s.ticks[n] = runs
	if len(runs) == 0 {
		return i + n
	}
	s.items = append(s.items, inline{kind: inlineCode, at: span{i, runs[0] + n}, text: span{i + n, runs[0]}})
	return runs[0] + n
}

// runLength counts how often the byte at i is repeated.
func runLength(b []byte, i int) int {
	n := 1
	for i+n < len(b) && b[i+n] == b[i] {
		n++
	}
	return n
}

func (s *inlineScanner) angled(i int) int {
	if kind, end := s.angle.autolink(i); end >= 0 {
		s.items = append(s.items, inline{kind: kind, at: span{i, end}, text: span{i + 1, end - 1}})
		return end
	}
	if end := s.angle.tag(i); end >= 0 {
		s.items = append(s.items, inline{kind: inlineTag, at: span{i, end}})
		return end
	}
	return i + 1
}

// attributes reads {#id}, which Pandoc, kramdown and others put behind headings
// and spans, with a colon or classes beside it, or in a comment of MDX; and {id="name"},
// which is the same to all of them but MDX.
func (s *inlineScanner) attributes(i int) int {
	if id, ok := explicitID(s.text[i:]); ok {
		s.ids = append(s.ids, span{i + id.start, i + id.end})
	}
	return i + 1
}

// maxAttributes is how far the closing brace of {#id} is looked for, in bytes.
const maxAttributes = 256

func explicitID(b []byte) (id span, ok bool) {
	for i := 1; i < len(b) && i < maxAttributes; i++ {
		switch c := b[i]; {
		case c == '#' && id.end == 0 && (i == 1 || bytes.IndexByte([]byte(" \t:*"), b[i-1]) >= 0):
			id.start = i + 1
			for i+1 < len(b) && b[i+1] > ' ' && bytes.IndexByte([]byte("{}#*"), b[i+1]) < 0 {
				i++
			}
			id.end = i + 1
		case c == 'i' && id.end == 0 && bytes.HasPrefix(b[i:], []byte("id=")) && bytes.IndexByte([]byte("{ \t:"), b[i-1]) >= 0:
			if id = attributeValue(b, i+len("id=")); id.end == id.start {
				return id, false
			}
			i = id.end - 1
		case c == '}':
			return id, id.end > id.start
		case c == '\n' || c == '{' || c == '%':
			return id, false
		}
	}
	return id, false
}

// attributeValue is the value that begins at i among attributes in braces, without its
// quotes. It is empty where there is none, or no end of it.
func attributeValue(b []byte, i int) span {
	ends := " \t\r\n{}\"'"
	if i < len(b) && (b[i] == '"' || b[i] == '\'') {
		ends = string(b[i])
		i++
	}
	n := bytes.IndexAny(b[i:min(len(b), i+maxAttributes)], ends)
	if n < 0 {
		return span{i, i}
	}
	return span{i, i + n}
}

// withoutAttributes returns where a heading ends when the attributes behind it
// ({#id .class}) are taken off.
func withoutAttributes(b []byte) int {
	trimmed := len(trimSpaceRight(b))
	if trimmed == 0 || b[trimmed-1] != '}' {
		return len(b)
	}
	start := trimmed - 1
	for start > 0 && b[start] != '{' && trimmed-start < maxAttributes {
		start--
	}
	if b[start] != '{' || trimmed-start < 3 {
		return len(b)
	}
	first := skipBlanks(b, start+1)
	switch c := b[first]; {
	case c == '#' || c == '.' || c == ':' || c == '-' && b[first+1] == '}', c == '/' && b[first+1] == '*', isQuotedAttribute(b[first:trimmed]):
		return len(trimSpaceRight(b[:start]))
	}
	return len(b)
}

// isQuotedAttribute reports whether b begins with name="value".
func isQuotedAttribute(b []byte) bool {
	n := bytes.IndexByte(b, '=')
	if n <= 0 || n+1 == len(b) || b[n+1] != '"' && b[n+1] != '\'' {
		return false
	}
	for _, c := range b[:n] {
		if !isAlphanumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// close handles the ']' at i and returns where to go on.
func (s *inlineScanner) close(i int) int {
	n := len(s.brackets) - 1
	if n < 0 {
		return i + 1
	}
	b := s.brackets[n]
	s.brackets = s.brackets[:n]
	active := b.image || n >= s.inactive
	s.inactive = min(s.inactive, n)
	if !active {
		return i + 1
	}
	it := inline{kind: inlineLink, text: span{b.text, i}}
	if b.image {
		it.kind = inlineImage
	}
	end := -1
	if it.dest, end = s.tail(i + 1); end < 0 {
		it.definition, end = s.reference(b, i)
	}
	if end < 0 {
		return i + 1
	}
	it.at = span{b.start, end}
	s.items = append(s.items, it)
	if !b.image {
		s.inactive = n
	}
	return end
}

// tail reads "(destination "title")" at i and returns what follows it, -1 when it
// is none.
func (s *inlineScanner) tail(i int) (dest span, end int) {
	b := s.text
	if i >= len(b) || b[i] != '(' {
		return span{}, -1
	}
	i = skipSpace(b, i+1)
	if dest, i = readDestination(b, i); i < 0 {
		return span{}, -1
	}
	if next := skipSpace(b, i); next > i {
		if _, behind := readTitle(b, next); behind >= 0 {
			next = skipSpace(b, behind)
		}
		i = next
	}
	if i >= len(b) || b[i] != ')' {
		return span{}, -1
	}
	return dest, i + 1
}

// reference finds the definition that the bracket closed at i refers to, by the
// label behind it or by its text, and returns what follows; -1 when there is none.
func (s *inlineScanner) reference(b bracket, i int) (d *definition, end int) {
	if len(s.defs) == 0 {
		return nil, -1
	}
	if i+1 < len(s.text) && s.text[i+1] == '[' {
		if label, end := readLabel(s.text, i+1); end >= 0 {
			if len(trimSpace(s.text[label.start:label.end])) == 0 { // collapsed: [text][]
				label = span{b.text, i}
				if b.nested {
					return nil, -1
				}
			}
			if d = s.defs.find(s.text[label.start:label.end]); d != nil {
				return d, end
			}
			if s.text[label.start] != '^' { // to python-markdown, a footnote may follow
				return nil, -1
			}
		}
	}
	if b.nested {
		return nil, -1
	}
	if d = s.defs.find(s.text[b.text:i]); d == nil {
		return nil, -1
	}
	return d, i + 1
}
