package extract

import (
	"bytes"
	"sync"
)

// htmlReader reads one HTML document in one pass over its tokens. It builds no
// tree: what a link means depends on a few open elements only, and each of those
// has its field here. The document of a srcdoc is read by a reader of its own.
type htmlReader struct {
	*harvest
	view    *view // the document's text
	xml     bool  // served as XHTML: "/>" ends any element
	want    bool  // links are wanted
	nesting int   // of srcdoc

	tokens  tokens
	foreign foreign
	content content // what the text to come is

	templates []template
	inert     int // open templates whose content is not shown
	shadow    int // open templates that make a shadow tree: links count, anchors do not
	noscript  bool
	form      struct{ open, post bool }

	bodyFilled bool // too late for a frameset
	framesets  int  // open ones

	link linkText
	base struct {
		found bool
		href  string
	}
	ignore ignoreMarks
	known  *knownTags // of the documents before; nil in a reader that is soon gone

	value   view // of the attribute or text being read
	decoded []byte
	folded  []byte // text that is soon kept
	css     cssScanner
	json    jsonScanner
}

// content says what the text that follows a start tag is.
type content uint8

const (
	contentShown content = iota
	contentHidden
	contentTitle
	contentStyle
	contentJSON
	contentImports
)

type template struct {
	inert   bool
	foreign int // open foreign elements outside of it
}

// linkText gathers the text of the a element that is open, unless its link is bare.
type linkText struct {
	first, end   int // its links; none when equal
	text         []byte
	title, label span // of the attributes title and aria-label, for a link without text
}

// begin starts a document, or one that stands in a srcdoc.
func (r *htmlReader) begin(h *harvest, v *view) {
	r.harvest, r.view = h, v
	r.tokens.reset(v.text)
	r.tokens.reference = h.reference
	r.tokens.tag.clean = v == &h.src && h.places.clean
	r.foreign.cut(0)
	r.content = contentShown
	r.templates, r.inert, r.shadow, r.noscript = r.templates[:0], 0, 0, false
	r.form.open, r.form.post = false, false
	r.bodyFilled, r.framesets = false, 0
	r.link.first, r.link.end = 0, 0
	r.base.found = false
	r.ignore = ignoreMarks{lineEnd: -1}
}

// htmlReaders are kept for the next document.
var htmlReaders = sync.Pool{New: func() any { return &htmlReader{known: new(knownTags)} }}

// release forgets the document and gives the reader back to the pool, unless a
// large document made it large.
func (r *htmlReader) release() {
	small := len(r.view.text) <= keptBytes
	r.harvest, r.view = nil, nil
	r.tokens.release()
	r.value.text, r.value.parent = nil, nil
	r.css.src, r.json.src = nil, nil
	if small {
		htmlReaders.Put(r)
	}
}

// read reads the document to its end.
func (r *htmlReader) read() {
	for {
		if r.tokens.skip = r.meaningless(); r.tokens.skip != skipNothing {
			r.plainLinks()
			r.tokens.skip = r.meaningless()
		}
		if !r.knownTags() && !r.step() {
			return
		}
	}
}

// step reads what comes next; false at the end of the document.
func (r *htmlReader) step() bool {
	switch r.tokens.next() {
	case eventEnd:
		r.endLink()
		return false
	case eventText:
		r.text()
	case eventStartTag:
		r.startTag()
	case eventEndTag:
		r.endTag()
	case eventComment:
		r.comment()
	}
	return true
}

// meaningless says what would tell the reader nothing.
func (r *htmlReader) meaningless() skipping {
	switch {
	case r.content != contentShown || !r.bodyFilled || len(r.foreign.open) > 0:
		return skipNothing
	case r.link.first < r.link.end:
		return skipTags
	}
	return skipText
}

func (r *htmlReader) startTag() {
	r.content = contentShown
	t := &r.tokens.tag
	closed := r.enter(t)
	if r.inert > 0 {
		return
	}
	e := t.element
	if e.fillsBody && !(e.role == roleInput && equalFold(t.get(attrType), "hidden")) {
		r.bodyFilled = true
	}
	if t.present == 0 && e.role == roleNone {
		return // most tags
	}
	t.noFollow = e.role != roleLink && t.has(attrRel) && hasToken(t.get(attrRel), "nofollow")
	t.ignored = t.has(attrIgnore)
	r.ignore.marked = r.ignore.marked || t.ignored
	if e.role == roleA {
		r.endLink()
	}
	first := len(r.links)
	r.unplaced = r.bare && r.inPlain() && !t.has(attrSrcdoc)
	if !r.act(t, closed) {
		for i := range t.attrs {
			if a := &t.attrs[i]; (e.holds|alwaysRead)>>a.attribute&1 != 0 {
				r.attribute(t, a)
			}
		}
	}
	r.stamp(first, true)
	r.describe(t, first, r.settle(first))
	if closed && e.role == roleA {
		r.endLink()
	}
	r.remember(first)
}

// settle makes the link bare that is the only one of its tag, where that may be, and finds
// the places of several.
func (r *htmlReader) settle(first int) (bare bool) {
	if !r.unplaced {
		return false
	}
	r.unplaced = false
	if first+1 == len(r.links) {
		r.links[first].Tag = r.links[first].tag + 1
		return true
	}
	for i := first; i < len(r.links); i++ {
		r.place(&r.links[i])
	}
	return false
}

// inPlain reports whether a tag, and what follows, means here what it means anywhere in a
// page, and is read by the scanner. The end of a template would close what is open then.
func (r *htmlReader) inPlain() bool {
	return r.tokens.inPlace() && len(r.templates) == 0 && len(r.foreign.open) == 0 && r.view.parent == nil
}

// enter follows a start tag into and out of SVG, MathML and templates, finds the
// element it stands for, and reports whether the tag closes it at once.
func (r *htmlReader) enter(t *startTag) (closed bool) {
	in, html := r.foreign.in(), t.element
	if in != inHTML {
		if t.element.breaksOut || t.is("font") && (t.has(attrColor) || t.has(attrFace) || t.has(attrSize)) {
			r.foreign.breakOut()
			r.tokens.allowCDATA(false)
			in = inHTML
		}
	} else if r.tokens.cdata {
		r.tokens.allowCDATA(false) // it counted right behind the tag of an integration point
	}
	switch in {
	case inSVG:
		t.element = svgElements.find(t.key, t.doc[t.name.start:t.name.end])
	case inMath:
		t.element = &unknownElement
	}
	role := t.element.role
	if in == inHTML && role == roleNone {
		if closed = r.tokens.selfClosing && r.xml; closed {
			r.tokens.contentIsMarkup()
		}
		return closed
	}
	closed = r.tokens.selfClosing && (r.xml || in != inHTML || role == roleSVG || role == roleMath)
	if closed || in != inHTML || role == roleNoscript {
		r.tokens.contentIsMarkup()
	}
	point := integrationPoint(in, t)
	switch {
	case closed:
	case role == roleTemplate:
		r.openTemplate(t)
	case role == roleSVG || in == inMath && t.is("svg"):
		r.foreign.push(inSVG, nameSVG)
		r.tokens.allowCDATA(true)
	case role == roleMath:
		r.foreign.push(inMath, nameMath)
		r.tokens.allowCDATA(true)
	case in != inHTML && html.endBreaksOut:
		r.foreign.pushOther(in, html)
	case point == annotationXML && !isHTMLType(t.get(attrEncoding)):
	case point >= 0:
		r.foreign.push(inHTML, point)
	}
	return closed
}

func isHTMLType(encoding []byte) bool {
	return equalFold(encoding, "text/html") || equalFold(encoding, "application/xhtml+xml")
}

func (r *htmlReader) openTemplate(t *startTag) {
	mode := t.get(attrShadowrootmode)
	shadow := equalFold(mode, "open") || equalFold(mode, "closed")
	r.templates = append(r.templates, template{!shadow, len(r.foreign.open)})
	if shadow {
		r.shadow++
	} else {
		r.inert++
	}
}

func (r *htmlReader) closeTemplate() {
	n := len(r.templates)
	if n == 0 {
		return
	}
	last := r.templates[n-1]
	r.templates = r.templates[:n-1]
	if last.inert {
		r.inert--
	} else {
		r.shadow--
	}
	r.foreign.cut(min(last.foreign, len(r.foreign.open)))
}

// act does what an element asks for beside its references, and reports whether
// a parser drops it.
func (r *htmlReader) act(t *startTag, closed bool) (dropped bool) {
	switch t.element.role {
	case roleBase:
		if t.has(attrHref) && !r.base.found && r.shadow == 0 {
			r.base.found = true
			r.base.href = r.keep(t.get(attrHref))
		}
	case roleMeta:
		if equalFold(trimSpace(t.get(attrName)), "robots") && r.nesting == 0 {
			r.doc.NoFollow = r.doc.NoFollow || forbids(t.get(attrContent), "nofollow")
			r.doc.NoIndex = r.doc.NoIndex || forbids(t.get(attrContent), "noindex")
		}
	case roleForm:
		if r.form.open {
			return true // a form in a form is none
		}
		r.form.open, r.form.post = true, isPost(t.get(attrMethod))
	case roleInput:
		if equalFold(t.get(attrType), "password") && r.nesting == 0 {
			r.doc.LoginForm = true
		}
	case roleScript:
		r.script(t, closed)
	case roleStyle:
		if kind := trimSpace(t.get(attrType)); !closed {
			r.content = contentHidden
			if len(kind) == 0 || equalFold(kind, "text/css") {
				r.content = contentStyle
			}
		}
	case roleTitle:
		if !closed {
			r.content = contentHidden
			if r.doc.Title == "" && r.nesting == 0 && r.shadow == 0 {
				r.content = contentTitle
			}
		}
	case roleNoscript:
		r.noscript = !closed
	case roleFrameset:
		if !r.bodyFilled {
			r.framesets++
		}
	case roleFrame:
		return r.framesets == 0
	case roleRawText:
		if !closed {
			r.content = contentHidden
		}
	}
	return false
}

func (r *htmlReader) script(t *startTag, closed bool) {
	kind := scriptKind(t)
	if kind == scriptCode && !r.noscript && r.nesting == 0 {
		r.doc.Static = false
	}
	if closed {
		return
	}
	r.content = contentHidden
	switch kind {
	case scriptLinkedData:
		r.content = contentJSON
	case scriptImports:
		r.content = contentImports
	}
}

func (r *htmlReader) endTag() {
	r.content = contentShown
	at := r.tokens.endName
	name := r.view.text[at.start:at.end]
	if len(r.foreign.open) > 0 {
		r.foreign.endTag(name)
		r.tokens.allowCDATA(r.foreign.in() != inHTML)
	}
	switch len(name) {
	case len("a"):
		if name[0]|0x20 == 'a' && r.inert == 0 {
			r.endLink()
		}
	case len("form"):
		if r.inert == 0 && equalFold(name, "form") {
			r.form.open, r.form.post = false, false
		}
	case len("template"):
		switch {
		case equalFold(name, "template") && (r.foreign.in() == inHTML || len(r.templates) > 0):
			r.closeTemplate()
			r.tokens.allowCDATA(r.foreign.in() != inHTML)
		case equalFold(name, "noscript"):
			r.noscript = false
		case equalFold(name, "frameset"):
			r.framesets = max(0, r.framesets-1)
		}
	}
}

// text reads what stands between tags: a title, a style sheet, JSON-LD, or the
// text of a link.
func (r *htmlReader) text() {
	if r.inert > 0 || r.content == contentHidden {
		return
	}
	start, raw, literal := r.tokens.start, r.tokens.raw(), r.content == contentJSON || r.content == contentImports
	if r.tokens.cdata && bytes.HasPrefix(raw, []byte("<![CDATA[")) {
		start += len("<![CDATA[")
		raw = bytes.TrimSuffix(raw[len("<![CDATA["):], []byte("]]>"))
		literal = true
	}
	first := len(r.links)
	switch r.content {
	case contentShown:
		if !r.bodyFilled && len(trimSpace(raw)) > 0 {
			r.bodyFilled = true
		}
		if r.link.first < r.link.end && len(r.link.text) < MaxText {
			r.link.text = foldSpace(r.link.text, r.textView(start, raw, literal).text)
		}
	case contentTitle:
		r.folded = foldSpace(r.folded[:0], r.textView(start, raw, literal).text)
		r.doc.Title = string(trimFolded(r.folded))
	case contentStyle:
		// The text of a style element is literal, but for the one in an SVG.
		if r.want {
			r.css.addLinks(r.harvest, r.textView(start, raw, literal || r.foreign.in() == inHTML), "style", "url")
		}
	case contentJSON:
		if r.want {
			r.json.addLinkedData(r.harvest, r.textView(start, raw, literal))
		}
	case contentImports:
		if r.want {
			r.json.addImportMap(r.harvest, r.textView(start, raw, literal))
		}
	}
	r.stamp(first, false)
}

// textView is the text of an element; what is not literal holds character references.
func (r *htmlReader) textView(start int, raw []byte, literal bool) *view {
	return r.setValue(start, raw, !literal, false)
}

func (r *htmlReader) setValue(start int, raw []byte, references, attribute bool) *view {
	v := &r.value
	v.parent, v.base, v.marks, v.text = r.view, start, v.marks[:0], raw
	if references && r.tokens.tag.needsUnescape(raw) {
		r.decoded, v.marks = unescape(r.decoded[:0], v.marks, raw, attribute)
		v.text = r.decoded
	}
	return v
}

// endLink closes the a element that is open, if any: its text is known now.
func (r *htmlReader) endLink() {
	l := &r.link
	if l.first == l.end {
		return
	}
	text := trimFolded(l.text)
	for _, at := range [...]span{l.title, l.label} {
		if len(text) > 0 {
			break
		}
		r.folded = foldSpace(r.folded[:0], r.setValue(at.start, r.view.text[at.start:at.end], true, true).text)
		text = trimFolded(r.folded)
	}
	if len(text) > 0 {
		at := r.textAgain(l.first, text)
		for i := l.first; i < l.end; i++ {
			r.links[i].Text = at
		}
	}
	l.first, l.end = 0, 0
}

// textAgain makes a string of the text of a link. What repeats another link most often
// has its text too, and shares it.
func (r *htmlReader) textAgain(link int, text []byte) string {
	if first := r.links[link].Repeats - 1; first >= 0 && r.links[first].Text == string(text) {
		return r.links[first].Text
	}
	return r.keep(text)
}
