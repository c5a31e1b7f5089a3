package render

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domsnapshot"
)

// take reads the document of the page. Those of frames are not read.
func (r *Rendered) take(root *cdp.Node) error {
	if root == nil || root.NodeType != documentNode {
		return errors.New("the browser returned no document")
	}
	w := &writer{selectors: &selectors{parent: -1, host: -1}}
	w.write(root)
	r.HTML, r.selectors, r.Base = w.out, w.selectors, root.BaseURL
	r.Empty, r.unseen = !w.visible && !w.words, !w.visible && w.words
	return nil
}

// visibleText returns the text of a page as it is laid out, with white space collapsed.
func visibleText(snap *domsnapshot.CaptureSnapshotResult) string {
	if len(snap.Documents) == 0 || snap.Documents[0] == nil || snap.Documents[0].Layout == nil {
		return ""
	}
	var text strings.Builder
	for _, at := range snap.Documents[0].Layout.Text {
		if at >= 0 && int(at) < len(snap.Strings) {
			text.WriteString(snap.Strings[at])
			text.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// Types of nodes in the DOM Standard.
const (
	elementNode  = 1
	textNode     = 3
	commentNode  = 8
	documentNode = 9
)

// writer writes the nodes of a document as HTML, each element with its attributes on a line
// of their own.
type writer struct {
	out       []byte
	depth     int
	visible   bool // there is something else than text to see
	words     bool // there is text
	selectors *selectors
}

// maxDepth is how deep a document may be nested. Browsers allow 512 levels to parsers, and
// scripts more.
const maxDepth = 5000

// unread are elements whose content is not part of the document: it is text, or inert.
var unread = map[string]bool{"template": true, "noscript": true, "iframe": true, "noembed": true, "noframes": true, "xmp": true, "plaintext": true}

// void are elements without an end tag.
var void = map[string]bool{"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true, "link": true,
	"meta": true, "param": true, "source": true, "track": true, "wbr": true}

// seen are elements that show something other than text.
var seen = map[string]bool{"img": true, "canvas": true, "video": true, "svg": true, "iframe": true, "frame": true, "object": true, "embed": true, "audio": true}

// write writes a node and what is in it.
func (w *writer) write(n *cdp.Node) {
	if n == nil || w.depth >= maxDepth {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	switch n.NodeType {
	case documentNode:
		w.tree(n)
	case textNode:
		w.words = w.words || strings.TrimSpace(n.NodeValue) != ""
		w.out = append(w.out, textEscapes.Replace(n.NodeValue)...)
	case commentNode:
		if c := n.NodeValue; strings.Contains(c, "orbweaver-ignore") && !strings.Contains(c, "--") {
			w.out = append(append(append(w.out, "<!--"...), oneLine(c)...), "-->"...)
		}
	case elementNode:
		w.element(n)
	}
}

// tree writes what is in a document or a shadow root, in which ids are unique.
func (w *writer) tree(root *cdp.Node) {
	ids := map[string]int{}
	countIDs(root, ids, 0)
	outer := w.selectors.enter(ids)
	for _, c := range root.Children {
		w.write(c)
	}
	w.selectors.leave(outer)
}

// countIDs counts the ids of a document or a shadow root, without those of shadow roots in
// it.
func countIDs(n *cdp.Node, ids map[string]int, depth int) {
	for _, c := range n.Children {
		if c == nil || c.NodeType != elementNode || depth >= maxDepth {
			continue
		}
		if id := attribute(c, "id"); id != "" {
			ids[id]++
		}
		countIDs(c, ids, depth+1)
	}
}

// attribute returns the value of an attribute, "" if the element does not have it.
func attribute(n *cdp.Node, name string) string {
	for k := 0; k+1 < len(n.Attributes); k += 2 {
		if n.Attributes[k] == name {
			return n.Attributes[k+1]
		}
	}
	return ""
}

func (w *writer) element(n *cdp.Node) {
	tag := n.LocalName
	if !isName(tag) {
		for _, c := range n.Children {
			w.write(c)
		}
		return
	}
	w.visible = w.visible || seen[tag] || tag == "a" && slices.Contains(n.Attributes, "href")
	w.selectors.open(tag, attribute(n, "id"))
	defer w.selectors.close()
	w.out = append(append(append(w.out, '<'), tag...), '\n')
	for k := 0; k+1 < len(n.Attributes); k += 2 {
		if name := n.Attributes[k]; isName(name) {
			w.out = append(append(append(w.out, ' '), name...), `="`...)
			w.out = append(append(w.out, attributeEscapes.Replace(n.Attributes[k+1])...), '"')
		}
	}
	w.out = append(w.out, '>')
	for _, root := range n.ShadowRoots {
		if root != nil && root.ShadowRootType != cdp.ShadowRootTypeUserAgent {
			w.tree(root)
		}
	}
	switch {
	case void[tag]:
		return
	case tag == "script" || tag == "style":
		if kind := strings.ToLower(attribute(n, "type")); tag == "style" || strings.Contains(kind, "json") || kind == "importmap" || kind == "speculationrules" {
			for _, c := range n.Children {
				if c != nil {
					w.raw(c.NodeValue)
				}
			}
		}
	case tag == "title" || tag == "textarea":
		words := w.words
		for _, c := range n.Children {
			w.write(c)
		}
		w.words = words
	case !unread[tag]:
		for _, c := range n.Children {
			w.write(c)
		}
	}
	w.out = append(append(append(w.out, "</"...), tag...), '>')
}

// isName reports whether a name can be written in a tag.
func isName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r == '"' || r == '\'' || r == '<' || r == '>' || r == '/' || r == '=' || r == 0x7F
	}) < 0 && (s[0] != '!' && s[0] != '?')
}

// oneLine returns a text without line breaks.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\f' {
			return ' '
		}
		return r
	}, s)
}

var textEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ", "\r", " ", "\f", " ", "\x00", "")
var attributeEscapes = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\n", "&#10;", "\r", "&#13;", "\f", "&#12;", "\x00", "")

// raw writes the content of a style or script, which must not end it.
func (w *writer) raw(s string) { w.out = append(w.out, strings.ReplaceAll(oneLine(s), "</", `<\/`)...) }

// selectors are the CSS selectors of the elements of a page, in document order. They are
// put together when one is needed.
type selectors struct {
	elements []step
	ids      map[string]int // how often each id occurs in the current tree
	parent   int            // index of the open element, -1 for none
	counts   []map[string]int
	host     int // the element whose shadow root the tree is, -1 for none
}

// step is one element of a path.
type step struct {
	parent int // the element around it; -1 at the top of a tree
	host   int // of the shadow root that it is in; -1 in the document
	tag    string
	number int    // among the siblings with the same tag, from 1
	id     string // "" unless it is unique in its tree
}

// outerTree is the state of the tree around a shadow root.
type outerTree struct {
	ids          map[string]int
	parent, host int
	counts       []map[string]int
}

// enter begins a document or the shadow root of the open element.
func (s *selectors) enter(ids map[string]int) outerTree {
	outer := outerTree{s.ids, s.parent, s.host, s.counts}
	s.ids, s.host, s.parent, s.counts = ids, s.parent, -1, []map[string]int{{}}
	return outer
}

func (s *selectors) leave(outer outerTree) {
	s.ids, s.parent, s.host, s.counts = outer.ids, outer.parent, outer.host, outer.counts
}

// open begins an element in the open one.
func (s *selectors) open(tag, id string) {
	siblings := s.counts[len(s.counts)-1]
	siblings[tag]++
	if s.ids[id] != 1 {
		id = ""
	}
	s.elements = append(s.elements, step{parent: s.parent, host: s.host, tag: tag, number: siblings[tag], id: id})
	s.parent = len(s.elements) - 1
	s.counts = append(s.counts, map[string]int{})
}

func (s *selectors) close() {
	s.parent = s.elements[s.parent].parent
	s.counts = s.counts[:len(s.counts)-1]
}

// of returns the selector of the n-th element, from 0; "" if there is none.
func (s *selectors) of(n int) string {
	if s == nil || n < 0 || n >= len(s.elements) {
		return ""
	}
	var steps []string
	at := n
	for ; ; at = s.elements[at].parent {
		e := &s.elements[at]
		switch {
		case e.id != "":
			steps = append(steps, "#"+escapeCSS(e.id))
		case e.parent < 0 && e.host < 0:
			steps = append(steps, escapeCSS(e.tag)) // html
		default:
			steps = append(steps, escapeCSS(e.tag)+":nth-of-type("+strconv.Itoa(e.number)+")")
		}
		if e.id != "" || e.parent < 0 {
			break
		}
	}
	slices.Reverse(steps)
	selector := strings.Join(steps, " > ")
	if host := s.elements[n].host; host >= 0 {
		return s.of(host) + " >>> " + selector
	}
	return selector
}

// escapeCSS returns an identifier as CSS.escape writes it (CSSOM 2.1, serialize an
// identifier).
func escapeCSS(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == 0:
			b.WriteRune('\uFFFD')
		case r < 0x20 || r == 0x7F, r >= '0' && r <= '9' && (i == 0 || i == 1 && s[0] == '-'):
			b.WriteString(`\` + strconv.FormatInt(int64(r), 16) + " ")
		case r == '-' && len(s) == 1:
			b.WriteString(`\-`)
		case r >= 0x80 || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			b.WriteRune(r)
		default:
			b.WriteByte('\\')
			b.WriteRune(r)
		}
	}
	return b.String()
}
