package extract

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// rstFormat is reStructuredText. There is no Go parser for it, so this reader handles
// the link syntax in common use itself:
//
//	read      `text <url>`_ and `text <url>`__, targets (.. _name: url, __ url), bare URIs,
//	          image and figure with :target:, include, literalinclude, the file and url of
//	          tables, the download role, raw HTML
//	anchors   section titles, with the ids that docutils gives them; .. _name: and _`name`
//	by name   :doc:, :ref:, toctree, and names and substitutions that the document does not
//	          define (markup_rst_names.go)
//	not read  other roles; included files
//
// Literal blocks (after "::" and in code directives), literal text and comments are
// ignored. A target is a link at its definition, whether or not it is used.
var rstFormat = format{
	name:       "restructuredtext",
	media:      []string{"text/x-rst", "text/prs.fallenstein.rst"},
	extensions: []string{"rst"},
	charset:    textCharset,
	read:       readRST,
}

// rstReader reads line by line. It gathers the lines of a paragraph before it reads
// them, because a link may extend over a line break.
type rstReader struct {
	underlines []byte // of titles, in the order of their levels
	lineMarkup
	// skip is the indentation of the line that starts the block being skipped, or -1
	// outside of one. Lines that are indented more belong to the block.
	skip int
	raw  []span // the lines of the block, if it is raw HTML
	html bool   // the block is raw HTML
	// emptyComment is true after a line that consists of ".." alone.
	emptyComment bool
	// own is the indentation of the directive whose content may be no markup, or -1 outside of one.
	own     int
	toctree bool // the block being skipped has the entries of a toctree
	names   rstNames
	// doctest is true in an interactive Python session, which ends at a blank line.
	doctest bool
	// open is the target whose URL is being read. The URL may continue on the following
	// lines if they are indented more than the target.
	open struct {
		active bool
		name   []byte
		at     span
		indent int
	}
	ids  rstIDs
	last line // the last line that may be a title
}

func readRST(h *harvest, in *Input) {
	r := rstReader{lineMarkup: newLineMarkup(h, in, markupMailRules), skip: -1, own: -1}
	r.lines(r.line)
	r.endTarget()
	r.endSkip()
	r.flush(r.inlines)
	r.applyMarks()
	if r.wantLinks {
		r.names.report(h)
	}
}

func (r *rstReader) line(l line) {
	if r.open.active && !l.blank() && l.indent > r.open.indent {
		r.open.at.end = l.at.end
		return
	}
	r.endTarget()
	emptyComment := r.emptyComment
	r.emptyComment = false
	if l.blank() {
		if emptyComment { // it ends a list and has no content
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
			if r.toctree {
				r.entry(l)
			}
			return
		}
		r.endSkip()
	}
	if r.own >= 0 && l.indent <= r.own {
		r.flush(r.inlines)
		r.own = -1
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
	r.skip, r.html, r.toctree, r.raw = -1, false, false, r.raw[:0]
}

// isUnderline reports whether a line may underline a title.
func isUnderline(text []byte) bool {
	if len(text) < 2 || !isPunctuation(text[0]) {
		return false
	}
	return runLength(text, 0) == len(text)
}

// title adds a section if the previous line is its title. It reports whether the
// underline has been handled.
func (r *rstReader) title(underline line) bool {
	l := r.last
	if len(l.text) == 0 || l.at.end >= underline.at.start || len(underline.text) < min(len(l.text), 3) || isUnderline(l.text) {
		return len(l.text) == 0 || isUnderline(l.text) // an overline, or a transition
	}
	text := rstPlain(l.text[:min(len(l.text), maxHeading)])
	if r.doc.Title == "" {
		r.doc.Title = string(trimFolded(foldSpace(nil, text)))
	}
	r.spot.mark(l.textStart, r.level(underline.text[0]), l.text)
	r.ids.eachID(string(text), func(id string) { r.anchor([]byte(id)) })
	r.flush(r.inlines)
	return true
}

// level returns the level of a section by the character that underlines its title.
func (r *rstReader) level(c byte) int {
	n := bytes.IndexByte(r.underlines, c)
	if n < 0 {
		n = len(r.underlines)
		r.underlines = append(r.underlines, c)
	}
	return n + 1
}

// rstPlain removes the characters of inline markup.
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

// take counts an id and returns how often it was taken before.
func (s *rstIDs) take(id string) int {
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	n := s.taken[id]
	s.taken[id] = n + 1
	return n
}

// eachID calls yield for each id that a section may have. If the id is taken, or the
// title has no ASCII letters, docutils assigns id1, id2 and so on. Since version 0.18 it
// may append a number to the id instead.
func (s *rstIDs) eachID(title string, yield func(id string)) {
	id := rstID(title)
	n := s.take(id)
	if id != "" && n == 0 {
		yield(id)
		return
	}
	s.next++
	yield("id" + strconv.Itoa(s.next))
	if id == "" {
		id, n = "section", n+1
	}
	yield(id + "-" + strconv.Itoa(n))
}

// rstLetters replaces the letters that docutils spells in ASCII and that Unicode does
// not decompose.
var rstLetters = strings.NewReplacer("ß", "sz", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ħ", "h", "ı", "i", "ł", "l", "ŧ", "t")

// rstID is docutils' make_id. It starts at the first letter, converts to lower case,
// removes accents, and replaces all characters but letters and digits with hyphens.
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

// codeDirectives has the directives whose content is not markup.
var codeDirectives = map[string]bool{
	"code": true, "code-block": true, "sourcecode": true, "parsed-literal": true, "math": true, "raw": true, "graphviz": true,
	"productionlist": true, "prompt": true, "console": true, "doctest": true, "testcode": true, "testoutput": true, "testsetup": true,
	"ipython": true, "mermaid": true, "uml": true, "plantuml": true, "highlight": true, "toctree": true, "tikz": true, "digraph": true, "graph": true,
	"jupyter-execute": true, "code-cell": true,
}

// explicit reads explicit markup, which begins with "..": a target, a directive, a
// comment or the like.
func (r *rstReader) explicit(l line) {
	b, end := r.src.text, l.at.end
	start := skipBlanks(b, l.textStart+len(".."))
	rest := b[start:end]
	switch {
	case len(rest) == 0:
		r.skip, r.emptyComment = l.indent, true
	case rest[0] == '_':
		colon := targetColon(rest)
		if colon < 0 {
			r.skip = l.indent
			return
		}
		name := bytes.Trim(rest[1:colon], "`_")
		r.open.active, r.open.name, r.open.indent = true, name, l.indent
		r.open.at = span{min(skipBlanks(b, start+colon+1), end), end}
	case rest[0] == '[': // a footnote or a citation
		if n := bytes.IndexByte(rest, ']'); n > 0 {
			r.gather(span{start + n + 1, end})
		}
	case rest[0] == '|': // a substitution, usually an image
		if n := bytes.Index(rest, []byte("| ")); n > 0 {
			r.directive(l, skipBlanks(b, start+n+1))
		}
	default:
		r.directive(l, start)
	}
}

// namedAnchor adds the anchors of an explicit target: its id, and its name as Sphinx and
// GitHub write it in HTML.
func (r *rstReader) namedAnchor(name []byte) {
	id := rstID(string(name))
	r.anchor([]byte(id))
	r.ids.take(id)
	if lower := bytes.ToLower(name); string(lower) != id {
		r.anchor(lower)
	}
}

// targetColon returns the offset of the colon that ends a target's name, or -1 if there
// is none. The name follows the underscore that rest begins with.
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
		r.readMark(rest, l.at.end, true)
		return
	}
	name := string(bytes.ToLower(rest[:n]))
	own := r.own
	if own < 0 && !proseDirectives[name] {
		r.own = l.indent
	}
	argument := trimSpan(b, span{start + n + 2, l.at.end})
	switch name {
	case "image", "figure":
		if !bytes.HasSuffix(b[argument.start:argument.end], []byte(".*")) { // Sphinx chooses a format that suits its output
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
			r.skip, r.toctree = l.indent, name == "toctree"
		} else if argument.start < argument.end {
			r.gather(argument)
			r.flush(r.inlines)
		}
		if describesObject(name) {
			r.own = own
		}
	}
}

// endTarget adds the target that has ended: a link, or an anchor if it has no URL.
func (r *rstReader) endTarget() {
	o := &r.open
	if !o.active {
		return
	}
	o.active = false
	if at := trimSpan(r.src.text, o.at); at.start < at.end {
		r.target(at.start, at.end, o.name)
	} else if len(o.name) > 0 {
		r.spot.mark(o.at.start-len(":")-len(o.name), 0, nil)
		r.namedAnchor(o.name)
	}
}

// target adds the URL of a target as a link. A URL that ends with an underscore is the
// name of another target.
func (r *rstReader) target(start, end int, name []byte) {
	at := trimSpan(r.src.text, span{start, end})
	url := r.src.text[at.start:at.end]
	if len(url) == 0 || url[len(url)-1] == '_' && !bytes.HasSuffix(url, []byte("\\_")) {
		return
	}
	r.addLink(&r.src, at, rstUnescape(url), name)
}

// path adds the argument of a directive as a link.
func (r *rstReader) path(at span, element, attribute string, kind Kind) {
	f := r.addLink(&r.src, trimSpan(r.src.text, at), nil, nil)
	if f == nil {
		return
	}
	f.Element, f.Attribute, f.Kind = element, attribute, kind
	if element == "image" || element == "figure" {
		f.Element, f.Expect = "img", ExpectImage
	}
}

// rstUnescape removes backslashes and white space from a URL. It returns nil if there are
// none.
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
	names := r.wantLinks && r.own < 0 && !isRSTTable(b)
	take := func(end, next int) {
		r.bareLinks(v, span{free, end})
		free = next
	}
	for i := 0; i < len(b); {
		switch {
		case b[i] == '\\':
			i += 2
		case b[i] == '_' && names:
			r.simpleName(v, i)
			i++
		case b[i] == '|' && names:
			r.substitution(v, i)
			i++
		case b[i] != '`':
			i++
		case i+1 < len(b) && b[i+1] == '`':
			end := r.endOf(b, i+2, "``")
			if end < 0 {
				i += 2
				continue
			}
			take(i, end)
			i = end
		default:
			end := r.endOf(b, i+1, "`")
			if end < 0 {
				i++
				continue
			}
			content := span{i + 1, end - 1}
			switch {
			case end < len(b) && b[end] == '_':
				take(i, end+1)
				r.phrase(v, content, end+1 < len(b) && b[end+1] == '_')
			case i > 0 && b[i-1] == '_':
				take(i, end)
				r.spot.markInline(v, content.start)
				r.namedAnchor(b[content.start:content.end])
			default: // a role
				take(i, end)
				if bytes.HasSuffix(b[:i], []byte(":download:")) && !isFromRoot(b[content.start:content.end]) {
					r.embedded(v, content, true)
				} else if r.wantLinks && r.own < 0 {
					r.role(v, b[:i], content)
				}
			}
			i = end
		}
	}
	take(len(b), len(b))
}

// phrase reads the content of a reference in backticks: "text <url>", or the name of a target.
func (r *rstReader) phrase(v *view, content span, anonymous bool) {
	if bytes.IndexByte(v.text[content.start:content.end], '<') >= 0 {
		r.embedded(v, content, false)
	} else if r.wantLinks && r.own < 0 && !anonymous {
		r.names.use(v, span{content.start - 1, content.end + 2}, content, false)
	}
}

// embedded reads "text <url>" between backticks. If alone is true, as for the download
// role, text without <url> is itself the URL.
func (r *rstReader) embedded(v *view, content span, alone bool) {
	b := v.text[content.start:content.end]
	open := bytes.LastIndexByte(b, '<')
	if open < 0 || b[len(b)-1] != '>' || open > 0 && !isSpace(b[open-1]) {
		if alone {
			r.addLink(v, content, nil, nil)
		}
		return
	}
	at := trimSpan(v.text, span{content.start + open + 1, content.end - 1})
	url := v.text[at.start:at.end]
	if n := len(url); n == 0 || url[n-1] == '_' && (n == 1 || url[n-2] != '\\') {
		return // the name of another target
	}
	r.addLink(v, at, rstUnescape(url), b[:open])
}
