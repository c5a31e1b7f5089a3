package extract

import (
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// htmlReader reads an HTML document in one pass over its tokens. It builds no tree: the
// meaning of a link depends on only a few open elements, each of which has a field here. A
// separate reader reads the document of a srcdoc.
type htmlReader struct {
	*harvest
	xml    bool     // XHTML: "/>" closes any element
	broken xmlFault // of XHTML, which is read as HTML from there on

	tokens     tokens
	open       openElements
	attributes htmlAttributes
	content    content // the meaning of the next text
	bodyFilled bool    // a frameset is no longer allowed

	link linkText
	base struct {
		found bool
		href  string
	}
	ignore ignoreMarks
	form   accountForm
	known  *knownTags // from earlier documents; nil in a reader for embedded HTML

	folded []byte // buffer for collapsed text
	json   jsonScanner
}

// content is the meaning of the text after a start tag.
type content uint8

const (
	contentShown content = iota
	contentHidden
	contentTitle
	contentStyle
	contentJSON
	contentImports
)

// linkText collects the text of the open a element, unless its link is bare.
type linkText struct {
	first, end   int // range of its links; equal if none is open
	text         []byte
	title, label span // the attributes title and aria-label, for a link without text
	tag          int  // offset of its start tag
}

// begin starts reading a document, or one in a srcdoc.
func (r *htmlReader) begin(h *harvest, v *view) {
	r.harvest = h
	r.attributes.harvest, r.attributes.view = h, v
	r.attributes.tag, r.attributes.open = &r.tokens.tag, &r.open
	r.tokens.reset(v.text)
	r.tokens.slowPath = h.slowPath
	r.tokens.tag.clean = v == &h.src && h.places.clean
	r.open.reset()
	r.content = contentShown
	r.bodyFilled = false
	r.form, r.attributes.inPicture = accountForm{}, false
	r.link.first, r.link.end = 0, 0
	r.base.found = false
	r.broken = xmlFault{}
	r.ignore = ignoreMarks{lineEnd: -1}
}

// htmlReaders is the pool of readers.
var htmlReaders = sync.Pool{New: func() any { return &htmlReader{known: new(knownTags)} }}

// newNestedReader returns a reader for HTML inside another document, such as a srcdoc.
func newNestedReader(want bool, nesting int) *htmlReader {
	return &htmlReader{attributes: htmlAttributes{want: want, nesting: nesting}}
}

// release drops the references to the document and returns the reader to the pool, unless a
// large document made it large.
func (r *htmlReader) release() {
	small := len(r.tokens.doc) <= keptBytes
	r.harvest = nil
	r.tokens.release()
	r.attributes.release()
	r.json.src = nil
	if small {
		htmlReaders.Put(r)
	}
}

// read reads the document to its end.
func (r *htmlReader) read() {
	for {
		if r.xml && r.broken.cause != "" && r.tokens.end >= r.broken.at.start {
			if r.xml = false; r.attributes.want {
				r.broken.report(r.harvest)
			}
		}
		if r.tokens.skip = r.skippable(); r.tokens.skip != skipNothing {
			r.plainLinks()
			r.tokens.skip = r.skippable()
		}
		if !r.knownTags() && !r.step() {
			return
		}
	}
}

// step reads the next event. It returns false at the end of the document.
func (r *htmlReader) step() bool {
	switch r.tokens.next() {
	case eventEnd:
		if r.tokens.z.Dropped {
			r.fault("read HTML: a tag has more than %d attributes; the others are not read", htmltoken.MaxAttributes)
		}
		r.endLink()
		r.form.close(r.doc, r.attributes.nesting > 0)
		r.attributes.maps.resolve(r.links)
		return false
	case eventText:
		r.text()
	case eventStartTag:
		r.startTag()
	case eventEndTag:
		r.endTag()
	case eventComment:
		r.ignore.read(r.tokens.raw(), r.tokens.end, r.attributes.view)
	}
	return true
}

// skippable returns what the reader can skip at this point.
func (r *htmlReader) skippable() skipping {
	switch {
	case r.content != contentShown || !r.bodyFilled || r.tokens.z.Foreign.Depth() > 0:
		return skipNothing
	case r.link.first < r.link.end:
		return skipTags
	}
	return skipText
}

func (r *htmlReader) startTag() {
	r.content = contentShown
	t := &r.tokens.tag
	closed := r.open.enter(&r.tokens, r.xml)
	if r.open.inert > 0 {
		return
	}
	e := t.element
	if e.fillsBody && !(e.role == roleInput && equalFold(t.get(attrType), "hidden")) {
		r.bodyFilled = true
	}
	if t.present == 0 && e.role == roleNone {
		return // true of most tags
	}
	if t.has(attrOnload) && !r.open.noscript && r.attributes.nesting == 0 {
		r.doc.Static = false
	}
	t.noFollow = e.role != roleLink && t.has(attrRel) && hasToken(t.get(attrRel), "nofollow")
	t.ignored = t.has(attrIgnore) || t.has(attrNoCheck)
	r.ignore.marked = r.ignore.marked || t.ignored
	if e.role == roleA {
		r.endLink()
	}
	first := len(r.links)
	r.unplaced = r.bare && r.inOrdinaryContext() && !t.has(attrSrcdoc)
	if !r.applyElement(t, closed) {
		for i := range t.attrs {
			if a := &t.attrs[i]; (e.ruleBits|alwaysRead)>>a.attribute&1 != 0 {
				r.attributes.read(a)
			}
		}
	}
	r.setTagInfo(first, true)
	r.setLinkText(t, first, r.makeBare(first))
	if closed && e.role == roleA {
		r.endLink()
	}
	r.rememberTag(first)
}

// makeBare makes the only link of a tag bare, if possible, and sets the positions of the
// links if there are several.
func (r *htmlReader) makeBare(first int) (bare bool) {
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

// inOrdinaryContext reports whether fast paths are in use and nothing around the current tag
// changes its meaning. Inside a template, the end of the template would close open
// elements.
func (r *htmlReader) inOrdinaryContext() bool {
	return !r.tokens.slowPath && len(r.open.templates) == 0 && r.tokens.z.Foreign.Depth() == 0 && r.attributes.view.parent == nil
}

// applyElement applies the effects of an element other than its references, and reports
// whether a parser would drop it.
func (r *htmlReader) applyElement(t *startTag, closed bool) (dropped bool) {
	switch t.element.role {
	case roleBase:
		if t.has(attrHref) && !r.base.found && r.open.shadow == 0 {
			r.base.found = true
			r.base.href = r.keep(t.get(attrHref))
		}
	case roleMeta:
		if equalFold(trimSpace(t.get(attrName)), "robots") && r.attributes.nesting == 0 {
			r.doc.NoFollow = r.doc.NoFollow || forbids(t.get(attrContent), "nofollow")
			r.doc.NoIndex = r.doc.NoIndex || forbids(t.get(attrContent), "noindex")
		}
	case roleForm:
		if r.open.form.open {
			return true // a form cannot be nested
		}
		r.open.form.open, r.open.form.post = true, isPost(t.get(attrMethod))
		r.form.open(t)
	case roleInput:
		if equalFold(t.get(attrType), "password") && r.attributes.nesting == 0 {
			r.doc.LoginForm = true
		}
		if r.open.form.open {
			r.form.field(t)
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
			if r.doc.Title == "" && r.attributes.nesting == 0 && r.open.shadow == 0 {
				r.content = contentTitle
			}
		}
	case roleNoscript:
		r.open.noscript = !closed
	case roleFrameset:
		if !r.bodyFilled {
			r.open.framesets++
		}
	case roleFrame:
		return r.open.framesets == 0
	case roleImg:
		r.attributes.image()
	case roleSource:
		r.attributes.inPicture = r.attributes.inPicture || r.attributes.alwaysShown()
	case roleRawText:
		if !closed {
			r.content = contentHidden
		}
		if t.is("textarea") {
			r.form.textArea()
		}
	}
	return false
}

func (r *htmlReader) script(t *startTag, closed bool) {
	kind := scriptKind(t)
	if kind == scriptCode && !r.open.noscript && r.attributes.nesting == 0 {
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
	name := r.tokens.doc[at.start:at.end]
	r.open.leave(name, &r.tokens)
	if len(name) == len("form") && !r.open.form.open {
		r.form.close(r.doc, r.attributes.nesting > 0)
	}
	if len(name) == len("a") && name[0]|0x20 == 'a' && r.open.inert == 0 {
		r.endLink()
	}
}

// text reads the text between tags: a title, a style sheet, JSON-LD, or the text of a link.
func (r *htmlReader) text() {
	if r.open.inert > 0 || r.content == contentHidden {
		return
	}
	token := &r.tokens.z.Token
	start, raw := token.DataStart, r.tokens.doc[token.DataStart:token.DataEnd]
	literal := r.content == contentJSON || r.content == contentImports || token.Kind == htmltoken.CDATA
	first := len(r.links)
	switch r.content {
	case contentShown:
		if !r.bodyFilled && len(trimSpace(raw)) > 0 {
			r.bodyFilled = true
		}
		if r.link.first < r.link.end && len(r.link.text) < maxText {
			r.link.text = foldSpace(r.link.text, r.attributes.text(start, raw, literal).text)
		}
	case contentTitle:
		r.folded = foldSpace(r.folded[:0], r.attributes.text(start, raw, literal).text)
		r.doc.Title = string(trimFolded(r.folded))
	case contentStyle:
		// The text of a style element is literal, except in SVG.
		if r.attributes.want {
			r.attributes.css.onPage = r.attributes.keepsAnchors()
			r.attributes.css.addLinks(r.harvest, r.attributes.text(start, raw, literal || !token.Foreign), "style", "url")
		}
	case contentJSON:
		if r.attributes.want {
			r.json.addLinkedData(r.harvest, r.attributes.text(start, raw, literal))
		}
	case contentImports:
		if r.attributes.want {
			r.json.addImportMap(r.harvest, r.attributes.text(start, raw, literal))
		}
	}
	r.setTagInfo(first, false)
}

// endLink closes the open a element, if any, whose text is now complete.
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
		r.folded = foldSpace(r.folded[:0], r.attributes.value(at).text)
		text = trimFolded(r.folded)
	}
	if len(text) > 0 {
		at := r.sharedText(l.first, text)
		for i := l.first; i < l.end; i++ {
			r.links[i].Text = at
		}
	}
	if r.input.Acts != nil {
		r.markActions()
	}
	l.first, l.end = 0, 0
}

// sharedText returns the text of a link as a string. A link that repeats another usually has
// the same text, and then shares its string.
func (r *htmlReader) sharedText(link int, text []byte) string {
	if first := r.links[link].Repeats - 1; first >= 0 && r.links[first].Text == string(text) {
		return r.links[first].Text
	}
	return r.keep(text)
}

// setTagInfo sets the fields of the links from first on that depend on the start tag they are
// in, or after.
func (r *htmlReader) setTagInfo(first int, inTag bool) {
	if first == len(r.links) {
		return
	}
	tag := r.attributes.view.source(r.tokens.tag.start)
	ignored := r.tokens.tag.ignored || inTag && r.ignore.covers(tag)
	for i := first; i < len(r.links); i++ {
		f := &r.links[i]
		f.tag = int32(tag)
		f.NoFollow = f.NoFollow || r.tokens.tag.noFollow
		f.Ignored = f.Ignored || ignored || r.ignore.covers(int(f.at))
	}
}

// setLinkText sets the text of a tag's links, unless they are bare. The text of an a element
// is the text up to its end tag; for other elements it is in attributes.
func (r *htmlReader) setLinkText(t *startTag, first int, bare bool) {
	if t.element.role == roleA {
		if l := &r.link; !bare {
			l.first, l.end, l.text = first, len(r.links), l.text[:0]
			l.title, l.label, l.tag = t.span(attrTitle), t.span(attrAriaLabel), t.start
		}
		return
	}
	if r.link.first < r.link.end && t.has(attrAlt) {
		r.link.text = foldSpace(r.link.text, t.get(attrAlt))
	}
	if bare || first == len(r.links) {
		return
	}
	if text := r.attributes.description(); len(text) > 0 {
		at := r.keep(text)
		for i := first; i < len(r.links); i++ {
			if f := &r.links[i]; f.Text == "" && f.Element == t.element.name { // links of a srcdoc have their own text
				f.Text, f.Acts = at, f.Acts || f.Kind == Navigation && r.input.Acts != nil && r.input.Acts(text)
			}
		}
	}
}
