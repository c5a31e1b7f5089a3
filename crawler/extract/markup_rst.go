package extract

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// reStructuredText, as far as it holds links. There is no parser of it for Go; this
// reads the forms in common use:
//
//	read      `text <url>`_ and `text <url>`__, targets (.. _name: url, __ url), bare URIs,
//	          image and figure with :target:, include, literalinclude, the file and url of
//	          tables, the download role, raw HTML
//	anchors   section titles, as docutils makes ids of them; .. _name: and _`name`
//	not read  references to names (`name`_, :ref:, :doc: and other roles, toctree): what they
//	          lead to is known to docutils or Sphinx only; substitutions; files that
//	          are included
//
// Literal blocks (after "::", and of directives for code), literal text and
// comments are not looked into. A target is a link where it is defined, used or not.
var rstFormat = format{
	name:       "restructuredtext",
	media:      []string{"text/x-rst", "text/prs.fallenstein.rst"},
	extensions: []string{"rst"},
	charset:    textCharset,
	read:       readRST,
}

// rstReader reads line by line. A paragraph is gathered, as links may run over
// the end of a line.
type rstReader struct {
	lineMarkup
	// skip is the indentation of what a block to be left out belongs to: lines with
	// more are its content. -1 when there is none.
	skip int
	raw  []span // lines of raw HTML, when that is what is left out
	html bool
	// lone says that the line before is ".." alone.
	lone bool
	// doctest says that the lines up to a blank one are a session of Python.
	doctest bool
	// open is the target whose URL is being read; more of it may stand in the lines
	// that follow, farther in than its own.
	open struct {
		is     bool
		name   []byte
		at     span
		indent int
	}
	ids  rstIDs
	last line // the last line that may be a title
}

func readRST(h *harvest, in *Input) {
	r := rstReader{lineMarkup: newLineMarkup(h, in, withMail), skip: -1}
	r.lines(r.line)
	r.endTarget()
	r.endSkip()
	r.flush(r.inlines)
}

func (r *rstReader) line(l line) {
	if r.open.is && !l.blank() && l.indent > r.open.indent {
		r.open.at.end = l.at.end
		return
	}
	r.endTarget()
	lone := r.lone
	r.lone = false
	if l.blank() {
		if lone { // an empty comment, which ends a list and takes in nothing
			r.endSkip()
		}
		r.doctest = false
		if r.html {
			r.raw = append(r.raw, l.at)
		}
		r.flush(r.inlines)
		r.last = line{}
		return
	}
	if r.skip >= 0 {
		if l.indent > r.skip {
			if r.html {
				r.raw = append(r.raw, l.at)
			}
			return
		}
		r.endSkip()
	}
	text := l.text
	switch {
	case r.doctest:
		return
	case string(text) == "::":
		r.flush(r.inlines)
		r.skip = l.indent
	case string(text) != ".." && isUnderline(text) && r.title(l):
	case bytes.HasPrefix(text, []byte(".. ")) || string(text) == "..":
		r.flush(r.inlines)
		r.explicit(l)
	case bytes.HasPrefix(text, []byte("__ ")):
		r.flush(r.inlines)
		r.target(l.textStart+len("__ "), l.at.end, nil)
	case len(r.paragraph) == 0 && bytes.HasPrefix(text, []byte(">>> ")):
		r.doctest = true
	case bytes.HasPrefix(text, []byte(":target: ")):
		r.flush(r.inlines)
		start := skipBlanks(r.src.text, l.textStart+len(":target:"))
		r.target(start, l.at.end, nil)
	case bytes.HasPrefix(text, []byte(":file: ")) || bytes.HasPrefix(text, []byte(":url: ")):
		r.flush(r.inlines)
		start := l.textStart + bytes.IndexByte(text[1:], ':') + 2
		r.path(span{skipBlanks(r.src.text, start), l.at.end}, "table", string(text[1:bytes.IndexByte(text[1:], ':')+1]), Resource)
	default:
		r.gather(l.at)
		r.last = l
		if bytes.HasSuffix(text, []byte("::")) {
			r.flush(r.inlines)
			r.skip = l.indent
		}
		return
	}
	r.last = line{}
}

func (r *rstReader) endSkip() {
	if r.html {
		r.embedHTML(r.raw)
	}
	r.skip, r.html, r.raw = -1, false, r.raw[:0]
}

// isUnderline reports whether a line may underline a title.
func isUnderline(text []byte) bool {
	if len(text) < 2 || !isPunctuation(text[0]) {
		return false
	}
	return runLength(text, 0) == len(text)
}

// title notes a section when the line before is its title.
func (r *rstReader) title(underline line) bool {
	l := r.last
	if len(l.text) == 0 || l.at.end >= underline.at.start || len(underline.text) < min(len(l.text), 3) || isUnderline(l.text) {
		return len(l.text) == 0 || isUnderline(l.text) // an overline, or a transition
	}
	text := rstPlain(l.text[:min(len(l.text), maxHeading)])
	if r.doc.Title == "" {
		r.doc.Title = string(trimFolded(foldSpace(nil, text)))
	}
	r.ids.section(string(text), func(id string) { r.anchor([]byte(id)) })
	r.flush(r.inlines)
	return true
}

// rstPlain takes the marks of inline markup off.
func rstPlain(text []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if c == '`' || c == '*' || c == '|' || c == '\\' {
			return -1
		}
		return c
	}, text)
}

// rstIDs makes ids as docutils does.
type rstIDs struct {
	taken map[string]int
	next  int
}

// take counts an id and returns how often it was there before.
func (s *rstIDs) take(id string) int {
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	n := s.taken[id]
	s.taken[id] = n + 1
	return n
}

// section tells the ids that a section may have. Where another has it, or no
// letter of ASCII is in its title, docutils counts on from id1; since 0.18 it may put a
// number behind the id instead.
func (s *rstIDs) section(title string, note func(id string)) {
	id := rstID(title)
	n := s.take(id)
	if id != "" && n == 0 {
		note(id)
		return
	}
	s.next++
	note("id" + strconv.Itoa(s.next))
	if id == "" {
		id, n = "section", n+1
	}
	note(id + "-" + strconv.Itoa(n))
}

// rstLetters are those that docutils spells in ASCII, beside what Unicode
// decomposes.
var rstLetters = strings.NewReplacer("ß", "sz", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ħ", "h", "ı", "i", "ł", "l", "ŧ", "t")

// rstID is docutils' make_id: in lower case and without accents, hyphens for what
// is no letter or digit, from the first letter on.
func rstID(name string) string {
	var b strings.Builder
	hyphen := false
	for _, c := range norm.NFKD.String(rstLetters.Replace(strings.ToLower(name))) {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' && b.Len() > 0:
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			b.WriteRune(c)
		case c > 0x7F:
		default:
			hyphen = true
		}
	}
	return b.String()
}

// codeDirectives hold no markup.
var codeDirectives = map[string]bool{
	"code": true, "code-block": true, "sourcecode": true, "parsed-literal": true, "math": true, "raw": true, "graphviz": true,
	"productionlist": true, "prompt": true, "console": true, "doctest": true, "testcode": true, "testoutput": true, "testsetup": true,
	"ipython": true, "mermaid": true, "uml": true, "plantuml": true, "highlight": true, "toctree": true, "tikz": true, "digraph": true, "graph": true,
	"jupyter-execute": true, "code-cell": true,
}

// explicit reads what begins with "..": a target, a directive or a comment.
func (r *rstReader) explicit(l line) {
	b, end := r.src.text, l.at.end
	start := skipBlanks(b, l.textStart+len(".."))
	rest := b[start:end]
	switch {
	case len(rest) == 0:
		r.skip, r.lone = l.indent, true // a comment
	case rest[0] == '_':
		colon := targetColon(rest)
		if colon < 0 {
			r.skip = l.indent
			return
		}
		name := bytes.Trim(rest[1:colon], "`_")
		r.open.is, r.open.name, r.open.indent = true, name, l.indent
		r.open.at = span{min(skipBlanks(b, start+colon+1), end), end}
	case rest[0] == '[': // a footnote or a citation
		if n := bytes.IndexByte(rest, ']'); n > 0 {
			r.gather(span{start + n + 1, end})
		}
	case rest[0] == '|': // a substitution is most often an image
		if n := bytes.Index(rest, []byte("| ")); n > 0 {
			r.directive(l, skipBlanks(b, start+n+1))
		}
	default:
		r.directive(l, start)
	}
}

// namedAnchor notes the id of an explicit target, and its name, as Sphinx's HTML
// and GitHub write it.
func (r *rstReader) namedAnchor(name []byte) {
	id := rstID(string(name))
	r.anchor([]byte(id))
	r.ids.take(id)
	if lower := bytes.ToLower(name); string(lower) != id {
		r.anchor(lower)
	}
}

// targetColon finds the colon that ends a target's name, behind its underscore.
func targetColon(rest []byte) int {
	i := 1
	if len(rest) > 1 && rest[1] == '`' {
		n := bytes.IndexByte(rest[2:], '`')
		if n < 0 {
			return -1
		}
		i = 2 + n
	}
	for ; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case ':':
			if i+1 == len(rest) || rest[i+1] == ' ' || rest[i+1] == '\t' {
				return i
			}
		}
	}
	return -1
}

// directive reads ".. name:: argument", whose name begins at start.
func (r *rstReader) directive(l line, start int) {
	b := r.src.text
	rest := b[start:l.at.end]
	n := bytes.Index(rest, []byte("::"))
	if n <= 0 || bytes.IndexByte(rest[:n], ' ') >= 0 {
		r.skip = l.indent // a comment
		return
	}
	name := string(bytes.ToLower(rest[:n]))
	argument := trimSpan(b, span{start + n + 2, l.at.end})
	switch name {
	case "image", "figure":
		if !bytes.HasSuffix(b[argument.start:argument.end], []byte(".*")) { // Sphinx chooses one for its output
			r.path(argument, name, "src", Resource)
		}
	case "include", "literalinclude":
		r.doc.Static = r.doc.Static && name != "include"
		if argument.start < argument.end && b[argument.start] != '<' {
			r.path(argument, name, "src", Resource)
		}
		r.skip = l.indent
	case "raw":
		r.skip = l.indent
		r.html = string(b[argument.start:argument.end]) == "html"
	default:
		if codeDirectives[name] {
			r.skip = l.indent
		} else if argument.start < argument.end {
			r.gather(argument)
			r.flush(r.inlines)
		}
	}
}

// endTarget notes the target that has ended: a link, or an anchor when it has no URL.
func (r *rstReader) endTarget() {
	o := &r.open
	if !o.is {
		return
	}
	o.is = false
	if at := trimSpan(r.src.text, o.at); at.start < at.end {
		r.target(at.start, at.end, o.name)
	} else if len(o.name) > 0 {
		r.namedAnchor(o.name)
	}
}

// target reads the URL of a target. One that ends with an underscore is the name
// of another.
func (r *rstReader) target(start, end int, name []byte) {
	at := trimSpan(r.src.text, span{start, end})
	url := r.src.text[at.start:at.end]
	if len(url) == 0 || url[len(url)-1] == '_' && !bytes.HasSuffix(url, []byte("\\_")) {
		return
	}
	r.note(&r.src, at, rstUnescape(url), name)
}

// path notes the argument of a directive.
func (r *rstReader) path(at span, element, attribute string, kind Kind) {
	f := r.note(&r.src, trimSpan(r.src.text, at), nil, nil)
	if f == nil {
		return
	}
	f.Element, f.Attribute, f.Kind = element, attribute, kind
	if element == "image" || element == "figure" {
		f.Element, f.Expect = "img", ExpectImage
	}
}

// rstUnescape takes backslashes and white space out of a URL; nil when there are none.
func rstUnescape(url []byte) []byte {
	if !bytes.ContainsAny(url, "\\ \t\r\n") {
		return nil
	}
	var out []byte
	for i := 0; i < len(url); i++ {
		if c := url[i]; c == '\\' && i+1 < len(url) {
			i++
			out = append(out, url[i])
		} else if !isSpace(c) && c != '\\' {
			out = append(out, c)
		}
	}
	return out
}

// inlines reads a paragraph.
func (r *rstReader) inlines(v *view) {
	b, free := v.text, 0
	take := func(end, next int) {
		r.bare(v, span{free, end})
		free = next
	}
	for i := 0; i < len(b); {
		switch {
		case b[i] == '\\':
			i += 2
		case b[i] != '`':
			i++
		case i+1 < len(b) && b[i+1] == '`':
			end := r.closing(b, i+2, "``")
			if end < 0 {
				i += 2
				continue
			}
			take(i, end)
			i = end
		default:
			end := r.closing(b, i+1, "`")
			if end < 0 {
				i++
				continue
			}
			content := span{i + 1, end - 1}
			switch {
			case end < len(b) && b[end] == '_':
				take(i, end+1)
				r.embedded(v, content, false)
			case i > 0 && b[i-1] == '_':
				take(i, end)
				r.namedAnchor(b[content.start:content.end])
			default: // a role
				take(i, end)
				if bytes.HasSuffix(b[:i], []byte(":download:")) {
					r.embedded(v, content, true)
				}
			}
			i = end
		}
	}
	take(len(b), len(b))
}

// embedded reads "text <url>" between backticks. Where a role says that it is one,
// the text alone is the URL.
func (r *rstReader) embedded(v *view, content span, alone bool) {
	b := v.text[content.start:content.end]
	open := bytes.LastIndexByte(b, '<')
	if open < 0 || b[len(b)-1] != '>' || open > 0 && !isSpace(b[open-1]) {
		if alone {
			r.note(v, content, nil, nil)
		}
		return
	}
	at := trimSpan(v.text, span{content.start + open + 1, content.end - 1})
	url := v.text[at.start:at.end]
	if n := len(url); n == 0 || url[n-1] == '_' && (n == 1 || url[n-2] != '\\') {
		return // the name of another target
	}
	r.note(v, at, rstUnescape(url), b[:open])
}
