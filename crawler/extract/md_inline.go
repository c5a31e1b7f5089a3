package extract

import (
	"bytes"
	"cmp"
	"slices"
)

// inlineScanner finds the inlines of a block (CommonMark 6) in linear time: code spans,
// autolinks, raw HTML, links and images. It ignores emphasis, which has no effect on
// links.
type inlineScanner struct {
	text  []byte
	defs  definitions
	items []inline // sorted by start when read returns
	ids   []span   // names in {#name}

	undefined undefined // of the document
	brackets  []bracket
	// inactive is the number of brackets, counted from the outermost, that can no
	// longer open a link: they contain a link, and links do not nest.
	inactive  int
	backticks backticks
	angle     angleScanner
	mathEnds  bool // no formula begins in the rest of the text
	mdx       bool // components count
	wiki      bool // wiki links count
}

// inline is one inline construct.
type inline struct {
	kind inlineKind
	at   span // the whole construct
	text span // the text of a link, the content of code, the URL of an autolink
	dest span // the destination of an inline link or image
	// definition is the target of a reference link; nil for any other inline.
	definition *definition
}

type inlineKind uint8

const (
	inlineCode      inlineKind = iota
	inlineTag                  // raw HTML
	inlineComponent            // the start tag of a component of MDX, or one with expressions
	inlineAutolink
	inlineMail // an autolink without mailto:
	inlineLink
	inlineImage
	inlineWiki      // [[Page]]
	inlineWikiImage // ![[image.png]]
)

// bracket is a '[' or a '![' that may open a link or an image.
type bracket struct {
	start  int32
	image  bool
	nested bool // another bracket was opened after it, so its text is not a label
}

// text returns the start of the bracket's content.
func (b bracket) text() int {
	if b.image {
		return int(b.start) + len("![")
	}
	return int(b.start) + len("[")
}

// maxBrackets is the number of open brackets beyond which the outermost are text.
const maxBrackets = 1 << 16

// read scans a block.
func (s *inlineScanner) read(text []byte, defs definitions) {
	s.text, s.defs = text, defs
	s.items, s.ids, s.brackets, s.inactive = s.items[:0], s.ids[:0], s.brackets[:0], 0
	s.backticks.searched, s.backticks.known = false, false
	s.angle.reset(text)
	s.mathEnds = false
	for i := 0; i < len(text); {
		switch text[i] {
		case '\\':
			i += 2
		case '`':
			i = s.code(i)
		case '<':
			i = s.angleBracket(i)
		case '{':
			i = s.attributes(i)
		case '$':
			i = s.math(i)
		case '!':
			if s.wiki {
				if end := s.wikiLink(i, i+1); end >= 0 {
					i = end
					continue
				}
			}
			if i++; i < len(text) && text[i] == '[' {
				s.open(bracket{start: int32(i - 1), image: true})
				i++
			}
		case '[':
			if s.wiki {
				if end := s.wikiLink(i, i); end >= 0 {
					i = end
					continue
				}
			}
			i++
			s.open(bracket{start: int32(i - 1)})
		case ']':
			i = s.close(i)
		default:
			i++
		}
	}
	// Each link was added when it ended, after the inlines it contains.
	if byStart := func(a, b inline) int { return cmp.Compare(a.at.start, b.at.start) }; !slices.IsSortedFunc(s.items, byStart) {
		slices.SortFunc(s.items, byStart)
	}
}

func (s *inlineScanner) open(b bracket) {
	n := len(s.brackets)
	if n == maxBrackets {
		const half = maxBrackets / 2
		n = copy(s.brackets, s.brackets[half:])
		s.brackets, s.inactive = s.brackets[:n], max(0, s.inactive-half)
	}
	if n > 0 {
		s.brackets[n-1].nested = true
	}
	s.brackets = append(s.brackets, b)
}

// backticks remembers the last run of backticks of each length, so that a run without an
// equal one after it is not searched for again.
type backticks struct {
	searched bool // last is of this text
	known    bool // all runs up to the end of the text were seen
	last     [maxBackticks + 1]int
}

// maxBackticks is the longest run of backticks that can open a code span.
const maxBackticks = 80

// code reads the code span at i and returns its end, or the end of the backticks if
// they do not open a code span.
func (s *inlineScanner) code(i int) int {
	n := runLength(s.text, i)
	if n > maxBackticks || s.backticks.known && s.backticks.last[n] < i+n {
		return i + n
	}
	if !s.backticks.searched {
		s.backticks.searched, s.backticks.last = true, [maxBackticks + 1]int{}
	}
	for at := indexFrom(s.text, i+n, '`'); at < len(s.text); {
		length := runLength(s.text, at)
		if length == n {
			s.items = append(s.items, inline{kind: inlineCode, at: span{i, at + n}, text: span{i + n, at}})
			return at + n
		}
		if length <= maxBackticks {
			s.backticks.last[length] = at
		}
		at = indexFrom(s.text, at+length, '`')
	}
	s.backticks.known = true
	return i + n
}

// math returns the end of the displayed formula at i: lines from one that begins with $$ to one
// that ends with it. If there is none, it returns the end of the dollar signs. The brackets of a
// formula are no links.
func (s *inlineScanner) math(i int) int {
	n := runLength(s.text, i)
	line := i
	for line > 0 && i-line < 4 && s.text[line-1] == ' ' {
		line--
	}
	if n != 2 || s.mathEnds || line > 0 && s.text[line-1] != '\n' {
		return i + n
	}
	for at := i + n; ; {
		end := bytes.Index(s.text[at:], []byte("$$"))
		if end < 0 {
			s.mathEnds = true
			return i + n
		}
		at += end + n
		after := at
		for after < len(s.text) && (s.text[after] == ' ' || s.text[after] == '\r') {
			after++
		}
		if after == len(s.text) || s.text[after] == '\n' {
			return after
		}
		at = after
	}
}

// runLength returns the length of the run of equal bytes that starts at i.
func runLength(b []byte, i int) int {
	n := 1
	for i+n < len(b) && b[i+n] == b[i] {
		n++
	}
	return n
}

func (s *inlineScanner) angleBracket(i int) int {
	if s.mdx && isComponent(s.text, i) {
		if end := jsxTag(s.text, i, nil); end >= 0 {
			s.items = append(s.items, inline{kind: inlineComponent, at: span{i, end}})
			return end
		}
	}
	if kind, end := s.angle.autolink(i); end >= 0 {
		s.items = append(s.items, inline{kind: kind, at: span{i, end}, text: span{i + 1, end - 1}})
		return end
	}
	if end := s.angle.tag(i); end >= 0 {
		s.items = append(s.items, inline{kind: inlineTag, at: span{i, end}})
		return end
	}
	if s.mdx { // a tag of HTML with expressions as values
		if end := jsxTag(s.text, i, nil); end >= 0 {
			s.items = append(s.items, inline{kind: inlineComponent, at: span{i, end}})
			return end
		}
	}
	return i + 1
}

// attributes reads {#id}, which Pandoc, kramdown and others allow after headings and
// spans. It may include a colon or classes, or be in an MDX comment. {id="name"} means
// the same to all of them except MDX.
func (s *inlineScanner) attributes(i int) int {
	if id, ok := explicitID(s.text[i:]); ok {
		s.ids = append(s.ids, span{i + id.start, i + id.end})
	}
	return i + 1
}

// maxAttributes is the maximum length of {#id}, in bytes.
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

// attributeValue returns the attribute value that begins at i, without its quotes. It is
// empty if there is no value or the value has no end.
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

// withoutAttributes returns the end of a heading without its trailing attributes
// ({#id .class}).
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

// close handles the ']' at i and returns the offset to resume at.
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
	it := inline{kind: inlineLink, text: span{b.text(), i}}
	if b.image {
		it.kind = inlineImage
	}
	end := -1
	if it.dest, end = s.destinationAndTitle(i + 1); end < 0 {
		it.definition, end = s.reference(b, i)
	}
	if end < 0 {
		s.undefined.consider(s.text, int(b.start), b.text(), i)
		return i + 1
	}
	it.at = span{int(b.start), end}
	s.items = append(s.items, it)
	if !b.image {
		s.inactive = n
	}
	return end
}

// destinationAndTitle reads "(destination "title")" at i and returns its end, or -1 if
// there is none.
func (s *inlineScanner) destinationAndTitle(i int) (dest span, end int) {
	b := s.text
	if i >= len(b) || b[i] != '(' {
		return span{}, -1
	}
	i = skipSpace(b, i+1)
	if dest, i = readDestination(b, i); i < 0 {
		return span{}, -1
	}
	if next := skipSpace(b, i); next > i {
		if _, titleEnd := readTitle(b, next); titleEnd >= 0 {
			next = skipSpace(b, titleEnd)
		}
		i = next
	}
	if i >= len(b) || b[i] != ')' {
		return span{}, -1
	}
	return dest, i + 1
}

// reference finds the definition for the bracket that is closed at i, by the label that
// follows it or by its text. It returns the end of the reference, or -1 if there is no
// such definition.
func (s *inlineScanner) reference(b bracket, i int) (d *definition, end int) {
	if len(s.defs) == 0 {
		return nil, -1
	}
	if i+1 < len(s.text) && s.text[i+1] == '[' {
		if label, end := readLabel(s.text, i+1); end >= 0 {
			if len(trimSpace(s.text[label.start:label.end])) == 0 { // collapsed: [text][]
				label = span{b.text(), i}
				if b.nested {
					return nil, -1
				}
			}
			if d = s.defs.find(s.text[label.start:label.end]); d != nil {
				s.undefined.defined(s.text[label.start:label.end])
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
	if d = s.defs.find(s.text[b.text():i]); d == nil {
		return nil, -1
	}
	return d, i + 1
}
