package extract

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark/text"
)

// mdx is what MDX adds to the blocks of Markdown. The block parser knows none of it, so it is
// found before.
type mdx struct {
	text     []byte // the document with its comments blanked out
	comments []span // {/* … */}
	modules  []span // the blocks of imports and exports
	tags     []span // tags over several lines
}

// hide hides from the block parser what it would misread: modules, and the line breaks of tags.
// Prettier puts the '>' of a tag on a line of its own, which would begin a block quote.
func (m *mdx) hide(source []byte) {
	for _, at := range m.modules {
		blankOut(source[min(at.start, len(source)):min(at.end, len(source))])
	}
	for _, at := range m.tags {
		tag := source[min(at.start, len(source)):min(at.end, len(source))]
		for i, c := range tag {
			if c == '\n' || c == '\r' {
				tag[i] = ' '
			}
		}
	}
}

// mdxScanner goes through a document of MDX.
type mdxScanner struct {
	mdx
	at int
	// open is set after a module whose brackets are not closed. Later ones end at a blank line.
	open bool
}

// readMDX finds what MDX adds, from an offset on, outside of code.
func readMDX(text []byte, from int) mdx {
	s := mdxScanner{mdx: mdx{text: bytes.Clone(text)}, at: from}
	blank := true // the line before is blank, or a module
	for s.at < len(s.text) {
		line := s.text[s.at:endOfLine(s.text, s.at)]
		fence := fenceOf(line)
		switch {
		case fence != nil:
			s.skipFenced(fence)
			blank = true
		case blank && isModule(line):
			end := s.moduleEnd()
			s.modules = append(s.modules, span{s.at, end})
			s.at = end
		default:
			blank = len(trimSpace(line)) == 0
			s.line()
		}
	}
	return s.mdx
}

// fenceOf returns the fence that begins a line, after the marks of quotations and lists, or nil if
// there is none.
func fenceOf(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t>")
	if item := bytes.TrimLeft(line, "0123456789"); len(item) > 1 && bytes.IndexByte([]byte("-*+.)"), item[0]) >= 0 && item[1] == ' ' {
		line = bytes.TrimLeft(item[1:], " \t>")
	}
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	n := runLength(line, 0)
	if n < 3 || line[0] == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return nil
	}
	return line[:n]
}

// skipFenced goes to the end of fenced code. Code that is not closed ends with the document.
func (s *mdxScanner) skipFenced(fence []byte) {
	for s.at = nextLine(s.text, s.at); s.at < len(s.text); {
		line := trimSpace(bytes.TrimLeft(s.text[s.at:endOfLine(s.text, s.at)], " \t>"))
		s.at = nextLine(s.text, s.at)
		if len(line) >= len(fence) && line[0] == fence[0] && runLength(line, 0) == len(line) {
			return
		}
	}
}

// isModule reports whether a line begins a module: statements that import and export.
func isModule(line []byte) bool {
	for _, word := range [...]string{"import", "export"} {
		if rest, ok := bytes.CutPrefix(line, []byte(word)); ok && len(rest) > 0 && bytes.IndexByte([]byte(" \t{*'\""), rest[0]) >= 0 {
			return word == "export" || bytes.ContainsAny(rest, "'\"{*")
		}
	}
	return false
}

// moduleEnd returns the end of the module that begins here: the first blank line outside of
// brackets, strings and comments.
func (s *mdxScanner) moduleEnd() int {
	first, depth := -1, 0
	for i := s.at; i < len(s.text); {
		switch c := s.text[i]; c {
		case '\n', '\r':
			i = nextLine(s.text, i)
			if end := endOfLine(s.text, i); len(trimSpace(s.text[i:end])) > 0 {
				continue
			}
			if depth <= 0 || s.open {
				return i
			}
			if first < 0 {
				first = i
			}
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		default:
			i = scriptTokenEnd(s.text, i)
			continue
		}
		i++
	}
	if first >= 0 {
		s.open = true
		return first
	}
	return len(s.text)
}

// scriptTokenEnd returns the end of the string or the comment at i, or i+1 if there is neither.
func scriptTokenEnd(b []byte, i int) int {
	end := -1
	switch c := b[i]; {
	case c == '"' || c == '\'' || c == '`':
		end = stringEnd(b, i)
	case c == '/' && i+1 < len(b) && b[i+1] == '/' && (i == 0 || b[i-1] != ':'):
		end = endOfLine(b, i)
	case c == '/' && i+1 < len(b) && b[i+1] == '*':
		if n := bytes.Index(b[i+2:], []byte("*/")); n >= 0 {
			end = i + 2 + n + 2
		}
	}
	return max(end, i+1)
}

// stringEnd returns the end of the string of a script at i, or -1 if there is none. Only those in
// backticks extend over lines.
func stringEnd(b []byte, i int) int {
	quote := b[i]
	most := min(len(b), i+maxComponent)
	for at := i + 1; at < most; at++ {
		switch c := b[at]; {
		case c == '\\':
			at++
		case c == quote:
			return at + 1
		case quote != '`' && (c == '\n' || c == '\r'):
			return -1
		}
	}
	return -1
}

// line reads a line, and what begins on it.
func (s *mdxScanner) line() {
	b := s.text
	quoted := bytes.HasPrefix(trimSpace(b[s.at:endOfLine(b, s.at)]), []byte(">"))
	for s.at < len(b) && b[s.at] != '\n' && b[s.at] != '\r' {
		i := s.at
		switch b[i] {
		case '\\':
			if i+1 < len(b) && isPunctuation(b[i+1]) {
				i++
			}
		case '`':
			s.at = codeSpanEnd(b, i)
			continue
		case '{':
			if end := jsxCommentEnd(b, i); end >= 0 {
				s.comment(span{i, end})
				s.at = end
				continue
			}
		case '<':
			if end := jsxTag(b, i, nil); end >= 0 && !quoted {
				s.tag(span{i, end})
			}
		}
		s.at = i + 1
	}
	s.at = nextLine(b, s.at)
}

// tag notes a tag that extends over several lines. Blank lines end a tag of HTML.
func (s *mdxScanner) tag(at span) {
	tag := s.text[at.start:at.end]
	if bytes.ContainsAny(tag, "\r\n") && (isComponent(tag, 0) || !bytes.Contains(tag, []byte("\n\n")) && !bytes.Contains(tag, []byte("\n\r"))) {
		s.tags = append(s.tags, at)
	}
}

// comment blanks out a comment. One that gives a heading its id, {/* #id */}, is kept.
func (s *mdxScanner) comment(at span) {
	s.comments = append(s.comments, at)
	if _, ok := explicitID(s.text[at.start:at.end]); !ok {
		blankOut(s.text[at.start:at.end])
	}
}

// jsxCommentEnd returns the end of the expression in braces at i that is nothing but a comment, or
// -1 if there is none.
func jsxCommentEnd(b []byte, i int) int {
	start := skipSpace(b, i+1)
	if start+1 >= len(b) || b[start] != '/' || b[start+1] != '*' {
		return -1
	}
	n := bytes.Index(b[start+2:min(len(b), start+maxJSXComment)], []byte("*/"))
	if n < 0 {
		return -1
	}
	end := skipSpace(b, start+2+n+2)
	if end == len(b) || b[end] != '}' {
		return -1
	}
	return end + 1
}

// maxJSXComment is the maximum length of a comment in braces, in bytes.
const maxJSXComment = 64 << 10

// codeSpanEnd returns the end of the code span at i, or of its backticks if they do not open one.
func codeSpanEnd(b []byte, i int) int {
	n := runLength(b, i)
	most := b[:min(len(b), i+maxComponent)]
	for at := indexFrom(most, i+n, '`'); at < len(most); {
		length := runLength(most, at)
		if length == n && !bytes.Contains(b[i:at], []byte("\n\n")) {
			return at + n
		}
		at = indexFrom(most, at+length, '`')
	}
	return i + n
}

// readModules adds what imports and exports refer to: files, the links of components, and URLs.
func (m *mdx) readModules(r *markdownReader) {
	for _, at := range m.modules {
		at.end = min(at.end, len(r.source))
		if at.start >= at.end {
			continue
		}
		copy(r.source[at.start:at.end], r.src.text[at.start:at.end]) // the block parser is done
		v := r.view([]text.Segment{text.NewSegment(at.start, at.end)})
		r.scan.read(v.text, nil)
		r.scan.items = slices.DeleteFunc(r.scan.items, func(it inline) bool {
			return it.kind == inlineLink || it.kind == inlineImage || it.kind == inlineWiki || it.kind == inlineWikiImage
		})
		r.readItems(v)
		if r.wantLinks {
			m.imports(r, v)
		}
	}
}

// imports adds the files of a project that a script imports.
func (m *mdx) imports(r *markdownReader, v *view) {
	b := v.text
	for i := 0; i < len(b); {
		end := scriptTokenEnd(b, i)
		if c := b[i]; (c == '"' || c == '\'') && end > i+1 {
			keyword := importKeyword(b[max(0, i-maxKeyword):i])
			if at := modulePath(b, span{i + 1, end - 1}); keyword != "" && at.start < at.end {
				if f := r.link(v, at, escapePath(b[at.start:at.end]), Resource); f != nil {
					f.Element, f.Attribute, f.Expect, f.Module = keyword, "from", ExpectAny, true
				}
			}
		}
		i = end
	}
}

// maxKeyword is how many bytes before a string are searched for what it stands for.
const maxKeyword = 32

// importKeyword returns "import" or "require" if the text before a string makes it the path of a
// module, and "" otherwise.
func importKeyword(before []byte) string {
	before = trimSpaceRight(before)
	before = trimSpaceRight(bytes.TrimSuffix(before, []byte("(")))
	for _, word := range [...]string{"from", "import", "require"} {
		rest, ok := bytes.CutSuffix(before, []byte(word))
		if !ok || len(rest) > 0 && (isAlphanumeric(rest[len(rest)-1]) || rest[len(rest)-1] == '_' || rest[len(rest)-1] == '.') {
			continue
		}
		if word == "require" {
			return word
		}
		return "import"
	}
	return ""
}

// modulePath returns the part of a module's name that is the path of a file of the project,
// without the loaders and the query of bundlers. It is empty for other modules, such as packages.
func modulePath(b []byte, name span) span {
	text := b[name.start:name.end]
	text = text[bytes.LastIndexByte(text, '!')+1:]
	name.start = name.end - len(text)
	if !bytes.HasPrefix(text, []byte("./")) && !bytes.HasPrefix(text, []byte("../")) {
		return span{}
	}
	if n := bytes.IndexByte(text, '?'); n >= 0 {
		name.end = name.start + n
	}
	return name
}

// escapePath returns a path of the file system as a reference, or nil if they are the same.
func escapePath(path []byte) []byte {
	if !bytes.ContainsAny(path, "%# ") {
		return nil
	}
	path = bytes.ReplaceAll(path, []byte("%"), []byte("%25"))
	path = bytes.ReplaceAll(path, []byte("#"), []byte("%23"))
	return bytes.ReplaceAll(path, []byte(" "), []byte("%20"))
}
