package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// All raw HTML in a Markdown document is read at once. The HTML reader gets a document
// of the same length, in which everything is blank except raw HTML and the text of the
// blocks that contain it. So elements may begin and end anywhere, and every position is
// correct.

// markdownHTML is the document that the HTML reader gets.
type markdownHTML struct {
	markdown []byte // the original document
	source   []byte // the document as the block parser reads it
	text     []byte // as long as markdown; nil until raw HTML is found
	// marked reports whether the document contains ignoreAttribute anywhere. If it
	// does, each Markdown link inserts a tag into text, so that its enclosing elements
	// are known.
	marked  bool
	lastTag int // the offset of the last inserted tag, or -1
	// lastEndTags has the offset of the last end tag of each text element, by name.
	lastEndTags map[string]int
}

// document returns the text, which is blank at first.
func (m *markdownHTML) document() []byte {
	if m.text == nil {
		m.text = bytes.Clone(m.markdown)
		blankOut(m.text)
	}
	return m.text
}

// insertTag puts a void tag at the position of a Markdown link if the elements around
// the link matter and the link is at least as long as the tag. It returns the offset of
// the tag, or -1 if there is none.
func (m *markdownHTML) insertTag(start, end int) int32 {
	const tag = "<br>"
	if !m.marked || end-start < len(tag) || start+len(tag) > len(m.source) {
		return -1
	}
	if m.lastTag < 0 || start >= m.lastTag+len(tag) { // an image in a link shares its tag
		copy(m.document()[start:], tag)
		m.lastTag = start
	}
	return int32(m.lastTag)
}

// isClosed reports whether a tag is harmless: it is not the start tag of a text element,
// or its end tag follows.
func (m *markdownHTML) isClosed(tag []byte, end int) bool {
	at := tagName(tag)
	var buffer [longestKnown]byte
	if tag[1] == '/' || at.end-at.start > longestKnown {
		return true
	}
	name := appendLower(buffer[:0], tag[at.start:at.end])
	if !slices.Contains(textElements, string(name)) {
		return true
	}
	last, known := m.lastEndTags[string(name)]
	if !known {
		last = lastEndTag(m.source, name)
		if m.lastEndTags == nil {
			m.lastEndTags = map[string]int{}
		}
		m.lastEndTags[string(name)] = last
	}
	return last >= end
}

// inAnchorAfter reports whether the text after a tag is inside an a element; before says
// whether the text before the tag is.
func inAnchorAfter(tag []byte, before bool) bool {
	at := tagName(tag)
	if at.end-at.start != 1 || tag[at.start]|0x20 != 'a' {
		return before
	}
	return tag[1] != '/'
}

// htmlBlock copies a block of raw HTML into the document for the HTML reader.
func (r *markdownReader) htmlBlock(n *ast.HTMLBlock) {
	lines := n.Lines()
	copyLine := func(start, stop int) { copy(r.html.document()[start:stop], r.html.markdown[start:stop]) }
	first, last := -1, 0
	for i := range lines.Len() {
		line := lines.At(i)
		copyLine(line.Start, line.Stop)
		if first < 0 {
			first = line.Start
		}
		last = line.Stop
	}
	if n.HasClosure() {
		copyLine(n.ClosureLine.Start, n.ClosureLine.Stop)
		last = n.ClosureLine.Stop
	}
	if first >= 0 {
		r.ignored.readComments(first, last)
	}
}

// rawInline copies the tags of a block, and the text between them, which may be the
// text of a link.
func (r *markdownReader) rawInline(v *view) {
	html := r.html.document()
	for i, m := range v.marks {
		end := len(v.text)
		if i+1 < len(v.marks) {
			end = v.marks[i+1].dec
		}
		copy(html[m.src:], r.html.markdown[m.src:m.src+end-m.dec])
	}
	hide := func(at span) {
		for i := at.start; i < at.end; i++ {
			if v.text[i] == '<' {
				html[v.source(i)] = ' '
			}
		}
	}
	next := 0
	for _, it := range r.scan.items {
		if it.kind != inlineTag || it.at.start < next {
			continue
		}
		hide(span{next, it.at.start})
		next = it.at.end
		start, end := v.source(it.at.start), v.source(it.at.end)
		if tag := v.text[it.at.start:it.at.end]; bytes.HasPrefix(tag, []byte("<!--")) {
			r.ignored.readComments(start, end)
		} else if !r.html.isClosed(tag, end) {
			html[start] = ' '
		}
	}
	hide(span{next, len(v.text)})
}

// textElements are the elements whose content a browser reads as text up to the end tag.
// If one has no end tag in running text, the author meant it as text, and it must not
// hide what follows.
var textElements = []string{"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "template", "textarea", "title", "xmp"}

// lastEndTag returns the start of the last end tag with a name, or -1 if there is none.
func lastEndTag(b, name []byte) int {
	for end := len(b); ; {
		i := bytes.LastIndex(b[:end], []byte("</"))
		if i < 0 {
			return -1
		}
		if n := i + 2 + len(name); n <= len(b) && equalFold(b[i+2:n], string(name)) {
			return i
		}
		end = i
	}
}

// readHTML reads all raw HTML at once and adds its links to those of Markdown.
func (r *markdownReader) readHTML(in *Input) {
	h := r.harvest
	h.doc.Static = true
	if r.html.text == nil {
		return
	}
	own := slices.Clone(h.links)
	h.links = h.links[:0]
	source := h.src.text
	h.src.text = r.html.text
	title := h.doc.Title
	h.bare = false // the body also contains the text that is blanked out here
	readHTML(h, &Input{AnchorsOnly: in.AnchorsOnly}, asHTML)
	// The document becomes part of a page, so its own base and robots directives
	// do not apply.
	h.doc.Base, h.doc.NoFollow, h.doc.NoIndex, h.doc.Canonical = "", false, false, ""
	if title != "" {
		h.doc.Title = title
	}
	for i := range h.links {
		f := &h.links[i]
		if raw := source[f.at : int(f.at)+len(f.Raw)]; f.Raw != string(raw) {
			f.Raw = h.keep(raw) // the value extends over Markdown that is blank to the HTML reader
		}
		f.Placeholder = holdsPlaceholder([]byte(f.Ref)) || strings.HasPrefix(f.Ref, "{") // JSX
		f.Repeats = 0                                                                    // the indexes of links change below
	}
	r.addMarkdownLinks(own)
	h.src.text = source
	if len(h.links) > MaxLinks {
		h.links = h.links[:MaxLinks]
		h.tooManyLinks()
	}
}

// addMarkdownLinks adds the links of Markdown to those of raw HTML. If an element may
// have ignoreAttribute, the links that inserted a tag are checked for it.
func (r *markdownReader) addMarkdownLinks(own []Link) {
	h := r.harvest
	if r.html.marked {
		raw := h.links
		h.links = slices.Clone(own)
		h.links = slices.DeleteFunc(h.links, func(f Link) bool { return f.tag < 0 })
		slices.SortFunc(h.links, func(a, b Link) int { return cmp.Compare(a.tag, b.tag) })
		h.applySelectors(&Input{})
		ignored := map[int32]bool{}
		for i := range h.links {
			if h.links[i].Ignored {
				ignored[h.links[i].tag] = true
			}
		}
		for i := range own {
			own[i].Ignored = own[i].Ignored || own[i].tag >= 0 && ignored[own[i].tag]
		}
		h.links = raw
	}
	h.links = append(h.links, own...)
}
