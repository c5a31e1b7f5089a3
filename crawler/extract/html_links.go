package extract

import (
	"bytes"
	"strings"
)

// htmlAttributes reads the references and anchors in the attributes of a document, and
// decodes its text.
type htmlAttributes struct {
	*harvest
	view    *view // the document's text
	want    bool  // links are wanted
	nesting int   // depth of nested srcdoc documents
	tag     *startTag
	open    *openElements

	decoded view // the last value or text returned
	buffer  []byte
	folded  []byte // buffer for collapsed text
	css     cssScanner
	maps    imageMaps
	// inPicture is true after a source element that every browser shows, up to the img element
	// of its picture.
	inPicture bool
}

// release drops the references to the document.
func (x *htmlAttributes) release() {
	x.harvest, x.view = nil, nil
	x.decoded.text, x.decoded.parent = nil, nil
	x.css.reset(nil)
	x.maps.reset()
}

// value returns the value of an attribute. It is valid until the next value or text.
func (x *htmlAttributes) value(at span) *view {
	return x.decode(at.start, x.view.text[at.start:at.end], true, true)
}

// text returns the text of an element. If literal is true, it contains no character
// references.
func (x *htmlAttributes) text(start int, raw []byte, literal bool) *view {
	return x.decode(start, raw, !literal, false)
}

func (x *htmlAttributes) decode(start int, raw []byte, references, attribute bool) *view {
	v := &x.decoded
	v.parent, v.base, v.marks, v.text = x.view, start, v.marks[:0], raw
	if references && x.tag.needsUnescape(raw) {
		x.buffer, v.marks = unescape(x.buffer[:0], v.marks, raw, attribute)
		v.text = x.buffer
	}
	return v
}

// read reads the references and anchors in an attribute.
func (x *htmlAttributes) read(a *tagAttribute) {
	t := x.tag
	switch a.attribute {
	case attrID:
		x.anchorOf(a.value)
		return
	case attrName:
		if t.element.role == roleMap && x.want {
			x.maps.names = append(x.maps.names, x.keep(x.value(a.value).text))
		}
		if t.element.role == roleA && x.keepsAnchors() {
			// An a element whose name equals its id is one anchor.
			if name := x.value(a.value).text; !bytes.Equal(name, t.get(attrID)) {
				x.anchor(name)
			}
		}
		return
	case attrStyle:
		if x.want {
			x.css.onPage = x.keepsAnchors()
			x.css.addLinks(x.harvest, x.value(a.value), t.elementName(), "style")
		}
		return
	}
	rule := t.element.rule(a.attribute)
	if rule == nil || !x.want {
		return
	}
	if rule.form == formURL {
		x.urlAttribute(a, rule)
		return
	}
	v := x.value(a.value)
	switch rule.form {
	case formBackground:
		if len(v.text) > 0 {
			x.addReference(v, whole(v), rule.kind, rule.expect, rule)
		}
	case formSpaces:
		x.spaceSeparated(v, rule)
	case formCommas:
		x.commaSeparated(v, rule)
	case formSrcset:
		for set := (srcset{in: v.text}); ; {
			c, ok := set.next()
			if !ok {
				break
			}
			if f := x.addReference(v, c.url, rule.kind, rule.expect, rule); f != nil {
				f.IgnoredCandidate = c.ignored
			}
		}
	case formDocument:
		x.document(v)
	case formHashName:
		if f := x.addReference(v, whole(v), rule.kind, rule.expect, rule); f != nil {
			f.SameDocument = len(v.text) > 0 && v.text[0] == '#'
			x.maps.uses = append(x.maps.uses, len(x.links)-1)
		}
	case formRel:
		if len(trimSpace(v.text)) == 0 && x.isSetByScript("href") {
			return
		}
		kind, expect := linkMeaning(t.get(attrRel), t.get(attrAs))
		x.addReference(v, whole(v), kind, expect, rule)
		if x.doc.Canonical == "" && x.nesting == 0 && hasToken(t.get(attrRel), "canonical") {
			x.doc.Canonical = string(trimSpace(v.text))
		}
	case formMeta:
		x.meta(v, rule)
	case formSubmission:
		if !x.isPostForm(a.attribute) {
			x.addReference(v, whole(v), rule.kind, rule.expect, rule)
		}
	case formClass:
		if namesDocument(v.text) {
			x.setCodebase(x.addReference(v, whole(v), rule.kind, rule.expect, rule))
		}
	}
}

// spaceSeparated adds the references in a list separated by white space.
func (x *htmlAttributes) spaceSeparated(v *view, rule *rule) {
	for at := (span{}); ; {
		at.start = skipSpace(v.text, at.end)
		for at.end = at.start; at.end < len(v.text) && !isSpace(v.text[at.end]); at.end++ {
		}
		if at.start == at.end {
			return
		}
		x.setCodebase(x.addReference(v, at, rule.kind, rule.expect, rule))
	}
}

// commaSeparated adds the references in a list separated by commas.
func (x *htmlAttributes) commaSeparated(v *view, rule *rule) {
	for start := 0; start <= len(v.text); {
		end := len(v.text)
		if n := bytes.IndexByte(v.text[start:], ','); n >= 0 {
			end = start + n
		}
		if at := trimSpan(v.text, span{start, end}); at.start < at.end {
			x.setCodebase(x.addReference(v, at, rule.kind, rule.expect, rule))
		}
		start = end + 1
	}
}

// anchorOf adds the anchor for an element's id.
func (x *htmlAttributes) anchorOf(id span) {
	if !x.keepsAnchors() {
		return
	}
	if name := x.value(id).text; x.open.noscript {
		x.anchor(name) // the content that noscript replaces may have the same id
	} else {
		x.id(name, id.start)
	}
}

// urlAttribute reads an attribute whose whole value is a URL.
func (x *htmlAttributes) urlAttribute(a *tagAttribute, rule *rule) {
	t := x.tag
	if rule.attribute == attrXlinkHref && t.has(attrHref) {
		return // href takes precedence
	}
	if a.value.start == a.value.end || len(trimSpace(x.view.text[a.value.start:a.value.end])) == 0 {
		if must, named := mustName[rule.element]; (named && must == a.attribute || a.attribute == attrPoster) && x.emptyIsFine(a.attribute) {
			return
		}
	}
	expect := rule.expect
	if expect == ExpectScript && scriptKind(t) != scriptCode {
		expect = ExpectAny
	}
	f := x.url(rule, a.value, expect)
	if f != nil && t.svg && t.element.role != roleA {
		f.SameDocument = strings.HasPrefix(f.Ref, "#")
	}
}

// url adds a link whose reference is an attribute's whole value. It returns nil if the link
// needs no further changes, because it repeats another link or the limit is reached.
func (x *htmlAttributes) url(rule *rule, at span, expect Expect) *Link {
	if first, ok := x.repeatedLink(rule, at); ok {
		x.addRepeat(first, at.start)
		return nil
	}
	return x.newURL(rule, at, expect)
}

// repeatedLink returns the index of the link that an attribute's value repeats.
func (x *htmlAttributes) repeatedLink(rule *rule, at span) (first int, ok bool) {
	if rule.expect == ExpectScript || at.end-at.start > longestRepeat || x.view.parent != nil || x.full() || x.harvest.slowPath {
		return 0, false
	}
	// Whether it refers to a part of the document depends only on the element and the text.
	return x.lookupRepeat(rule, x.view.text[at.start:at.end])
}

// newURL adds a link that does not repeat another.
func (x *htmlAttributes) newURL(rule *rule, at span, expect Expect) *Link {
	raw := x.view.text[at.start:at.end]
	if x.bare && x.view.parent == nil && !x.full() && !x.tag.needsUnescape(raw) {
		f, ref := x.newLink(), bodyString(raw)
		*f = Link{Raw: ref, Ref: ref, Element: rule.element, Attribute: attributeNames[rule.attribute], Kind: rule.kind, Expect: expect,
			at: int32(at.start), tag: -1}
		x.place(f)
		return f
	}
	v := x.decode(at.start, raw, true, true)
	f := x.add(v, whole(v), nil)
	if f != nil {
		f.Kind, f.Expect = rule.kind, expect
		f.Element, f.Attribute = rule.element, attributeNames[rule.attribute]
	}
	return f
}

func (x *htmlAttributes) keepsAnchors() bool { return x.nesting == 0 && x.open.shadow == 0 }

// addReference adds a link found by a rule.
func (x *htmlAttributes) addReference(v *view, at span, kind Kind, expect Expect, rule *rule) *Link {
	f := x.add(v, at, nil)
	if f != nil {
		f.Kind, f.Expect = kind, expect
		f.Element, f.Attribute = x.tag.element.name, attributeNames[rule.attribute]
	}
	return f
}

// setCodebase sets the base of a link to its element's codebase.
func (x *htmlAttributes) setCodebase(f *Link) {
	t := x.tag
	if f == nil || t.element.role != roleObject {
		return
	}
	if !t.codebaseRead {
		t.codebaseRead = true
		t.codebase = x.codebase()
	}
	f.Base = t.codebase
}

// codebase returns the base for an element's classid and archive. As in browsers, it does
// not apply to the data of an object. Next to clsid, it is not a base but the address from
// which to download the software.
func (x *htmlAttributes) codebase() string {
	t := x.tag
	if !t.has(attrCodebase) || t.has(attrClassid) && !namesDocument(t.get(attrClassid)) {
		return ""
	}
	return x.keep(trimSpace(t.get(attrCodebase)))
}

// namesDocument reports whether a classid is the URL of something to fetch, rather than the
// name of software (clsid:, java:, python:).
func namesDocument(classid []byte) bool {
	if webAddress(trimSpace(classid)) != nil {
		return true
	}
	scheme, _, colon := bytes.Cut(classid, []byte{':'})
	return len(classid) > 0 && (!colon || bytes.IndexByte(scheme, '/') >= 0)
}

// isPostForm reports whether the form is sent with a method other than GET.
func (x *htmlAttributes) isPostForm(a attribute) bool {
	t := x.tag
	if a == attrFormaction && t.has(attrFormmethod) {
		return isPost(t.get(attrFormmethod))
	}
	return x.open.form.open && x.open.form.post
}

// isPost reports whether a form's method is not GET. An invalid method means GET.
func isPost(method []byte) bool {
	return equalFold(method, "post") || equalFold(method, "dialog")
}

// description returns the text for a tag's links from its attributes. It is valid until the
// next call.
func (x *htmlAttributes) description() []byte {
	t := x.tag
	for _, a := range [...]attribute{attrAlt, attrTitle, attrAriaLabel, attrRel} {
		if !t.has(a) || a == attrRel && t.element.role != roleLink {
			continue
		}
		x.folded = foldSpace(x.folded[:0], t.get(a))
		if text := trimFolded(x.folded); len(text) > 0 {
			return text
		}
	}
	return nil
}

// document reads the document in a srcdoc. Its links count; its anchors, title and scripts
// belong only to it.
func (x *htmlAttributes) document(v *view) {
	if x.nesting == maxNesting {
		x.fault("read srcdoc: nested deeper than %d", maxNesting)
		return
	}
	inner := newNestedReader(x.want, x.nesting+1)
	text := v.text
	if len(v.marks) > 0 {
		text = bytes.Clone(text) // v is reused for the next attribute
	}
	inner.begin(x.harvest, &view{text: text, marks: append([]mark(nil), v.marks...), parent: v.parent, base: v.base})
	first := len(x.links)
	inner.read()
	if inner.base.found {
		for i := first; i < len(x.links); i++ {
			if f := &x.links[i]; f.Base == "" {
				f.Base = inner.base.href
			}
		}
	}
}
