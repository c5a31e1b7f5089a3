package extract

import (
	"bytes"
	"strings"
)

// attribute takes the references and anchors out of one attribute.
func (r *htmlReader) attribute(t *startTag, a *tagAttribute) {
	switch a.attribute {
	case attrID:
		r.anchorOf(a.value)
		return
	case attrName:
		if (t.element.role == roleA || t.element.role == roleMap) && r.anchorsCount() {
			// An a whose name is its id is one anchor.
			if name := r.attributeView(t, a).text; !bytes.Equal(name, t.get(attrID)) {
				r.anchor(name)
			}
		}
		return
	case attrStyle:
		if r.want {
			r.css.addLinks(r.harvest, r.attributeView(t, a), t.elementName(), "style")
		}
		return
	}
	rule := t.element.rule(a.attribute)
	if rule == nil || !r.want {
		return
	}
	if rule.form == formURL {
		r.urlAttribute(t, a, rule)
		return
	}
	v := r.attributeView(t, a)
	switch rule.form {
	case formSpaces:
		for at := (span{}); ; {
			at.start = skipSpace(v.text, at.end)
			for at.end = at.start; at.end < len(v.text) && !isSpace(v.text[at.end]); at.end++ {
			}
			if at.start == at.end {
				break
			}
			r.based(t, r.reference(v, at, rule.kind, rule.expect, rule))
		}
	case formCommas:
		for start := 0; start <= len(v.text); {
			end := len(v.text)
			if n := bytes.IndexByte(v.text[start:], ','); n >= 0 {
				end = start + n
			}
			if at := trimSpan(v.text, span{start, end}); at.start < at.end {
				r.based(t, r.reference(v, at, rule.kind, rule.expect, rule))
			}
			start = end + 1
		}
	case formSrcset:
		for set := (srcset{in: v.text}); ; {
			c, ok := set.next()
			if !ok {
				break
			}
			r.reference(v, c.url, rule.kind, rule.expect, rule)
		}
	case formDocument:
		r.document(v)
	case formHashName:
		if f := r.reference(v, whole(v), rule.kind, rule.expect, rule); f != nil {
			f.SameDocument = len(v.text) > 0 && v.text[0] == '#'
		}
	case formRel:
		kind, expect := linkMeaning(t.get(attrRel), t.get(attrAs))
		r.reference(v, whole(v), kind, expect, rule)
		if r.doc.Canonical == "" && r.nesting == 0 && hasToken(t.get(attrRel), "canonical") {
			r.doc.Canonical = string(trimSpace(v.text))
		}
	case formMeta:
		r.meta(t, v, rule)
	case formSubmission:
		if !r.post(t, a.attribute) {
			r.reference(v, whole(v), rule.kind, rule.expect, rule)
		}
	case formClass:
		if namesDocument(v.text) {
			r.based(t, r.reference(v, whole(v), rule.kind, rule.expect, rule))
		}
	}
}

// anchorOf notes the anchor that an element's id makes.
func (r *htmlReader) anchorOf(id span) {
	if !r.anchorsCount() {
		return
	}
	if name := r.setValue(id.start, r.view.text[id.start:id.end], true, true).text; r.noscript {
		r.anchor(name) // the same id may stand in what it stands in for
	} else {
		r.id(name, id.start)
	}
}

// urlAttribute handles an attribute that is a URL as a whole.
func (r *htmlReader) urlAttribute(t *startTag, a *tagAttribute, rule *rule) {
	if rule.attribute == attrXlinkHref && t.has(attrHref) {
		return // href wins
	}
	expect := rule.expect
	if expect == ExpectScript && scriptKind(t) != scriptCode {
		expect = ExpectAny
	}
	f := r.url(rule, a.value, expect)
	if f != nil && r.foreign.in() == inSVG && t.element.role != roleA {
		f.SameDocument = strings.HasPrefix(f.Ref, "#")
	}
}

// url notes a link whose reference is an attribute's whole value. It returns nil
// where nothing more is to be said of it: the link repeats another, or there is no
// room for it.
func (r *htmlReader) url(rule *rule, at span, expect Expect) *Link {
	if first, ok := r.firstOf(rule, at); ok {
		r.repeat(first, at.start)
		return nil
	}
	return r.newURL(rule, at, expect)
}

// firstOf returns the place of the link that an attribute's value repeats.
func (r *htmlReader) firstOf(rule *rule, at span) (first int, ok bool) {
	if rule.expect == ExpectScript || at.end-at.start > longestRepeat || r.view.parent != nil || r.full() || r.harvest.reference {
		return 0, false
	}
	// Whether it names a part of the document hangs on the element and the text alone.
	return r.repeated(rule, r.view.text[at.start:at.end])
}

// newURL notes a link that repeats no other.
func (r *htmlReader) newURL(rule *rule, at span, expect Expect) *Link {
	raw := r.view.text[at.start:at.end]
	if r.bare && r.view.parent == nil && !r.full() && !r.tokens.tag.needsUnescape(raw) {
		f, ref := r.another(), inBody(raw)
		*f = Link{Raw: ref, Ref: ref, Element: rule.element, Attribute: attributeNames[rule.attribute], Kind: rule.kind, Expect: expect,
			at: int32(at.start), tag: -1}
		r.place(f)
		return f
	}
	v := r.setValue(at.start, raw, true, true)
	f := r.add(v, whole(v), nil)
	if f != nil {
		f.Kind, f.Expect = rule.kind, expect
		f.Element, f.Attribute = rule.element, attributeNames[rule.attribute]
	}
	return f
}

// attributeView is the value of an attribute, valid until the next one.
func (r *htmlReader) attributeView(t *startTag, a *tagAttribute) *view {
	return r.setValue(a.value.start, t.doc[a.value.start:a.value.end], true, true)
}

func (r *htmlReader) anchorsCount() bool { return r.nesting == 0 && r.shadow == 0 }

// reference notes one link that a rule gave.
func (r *htmlReader) reference(v *view, at span, kind Kind, expect Expect, rule *rule) *Link {
	f := r.add(v, at, nil)
	if f != nil {
		f.Kind, f.Expect = kind, expect
		f.Element, f.Attribute = r.tokens.tag.element.name, attributeNames[rule.attribute]
	}
	return f
}

// stamp gives the links from first on what they owe to the tag they stand in, or behind.
func (r *htmlReader) stamp(first int, inTag bool) {
	if first == len(r.links) {
		return
	}
	tag := r.view.source(r.tokens.tag.start)
	ignored := r.tokens.tag.ignored || inTag && r.ignore.covers(tag)
	for i := first; i < len(r.links); i++ {
		f := &r.links[i]
		f.tag = int32(tag)
		f.NoFollow = f.NoFollow || r.tokens.tag.noFollow
		f.Ignored = f.Ignored || ignored || r.ignore.covers(int(f.at))
	}
}

// based gives a link its element's codebase.
func (r *htmlReader) based(t *startTag, f *Link) {
	if f == nil || t.element.role != roleObject {
		return
	}
	if !t.codebaseRead {
		t.codebaseRead = true
		t.codebase = r.codebase(t)
	}
	f.Base = t.codebase
}

// codebase keeps the base of an element's classid and archive. The data of an
// object is resolved without it, as browsers do; and beside a clsid: it is no
// base but the place to get the software from.
func (r *htmlReader) codebase(t *startTag) string {
	if !t.has(attrCodebase) || t.has(attrClassid) && !namesDocument(t.get(attrClassid)) {
		return ""
	}
	return r.keep(trimSpace(t.get(attrCodebase)))
}

// namesDocument reports whether a classid is the URL of something to fetch, and
// not the name of software (clsid:, java:, python:).
func namesDocument(classid []byte) bool {
	if webAddress(trimSpace(classid)) != nil {
		return true
	}
	scheme, _, colon := bytes.Cut(classid, []byte{':'})
	return len(classid) > 0 && (!colon || bytes.IndexByte(scheme, '/') >= 0)
}

// post reports whether the form would be sent in another way than GET.
func (r *htmlReader) post(t *startTag, a attribute) bool {
	if a == attrFormaction && t.has(attrFormmethod) {
		return isPost(t.get(attrFormmethod))
	}
	return r.form.open && r.form.post
}

// isPost reports whether a form's method is not GET; what is no method is GET.
func isPost(method []byte) bool {
	return equalFold(method, "post") || equalFold(method, "dialog")
}

// describe gives the links of a tag their text, unless they are bare: that of an a is what
// follows, up to its end tag; others have it in attributes.
func (r *htmlReader) describe(t *startTag, first int, bare bool) {
	if t.element.role == roleA {
		if l := &r.link; !bare {
			l.first, l.end, l.text = first, len(r.links), l.text[:0]
			l.title, l.label = t.span(attrTitle), t.span(attrAriaLabel)
		}
		return
	}
	if r.link.first < r.link.end && t.has(attrAlt) {
		r.link.text = foldSpace(r.link.text, t.get(attrAlt))
	}
	if bare || first == len(r.links) {
		return
	}
	if text := r.description(t); len(text) > 0 {
		at := r.keep(text)
		for i := first; i < len(r.links); i++ {
			if f := &r.links[i]; f.Text == "" && f.Element == t.element.name { // those of a srcdoc have their own
				f.Text = at
			}
		}
	}
}

// description is the text of a tag's links that its attributes give, valid until the next one.
func (r *htmlReader) description(t *startTag) []byte {
	for _, a := range [...]attribute{attrAlt, attrTitle, attrAriaLabel, attrRel} {
		if !t.has(a) || a == attrRel && t.element.role != roleLink {
			continue
		}
		r.folded = foldSpace(r.folded[:0], t.get(a))
		if text := trimFolded(r.folded); len(text) > 0 {
			return text
		}
	}
	return nil
}

// document reads the document in a srcdoc. Its links count; its anchors, its
// title and its scripts are its own.
func (r *htmlReader) document(v *view) {
	if r.nesting == MaxNesting {
		r.fault("read srcdoc: nested deeper than %d", MaxNesting)
		return
	}
	inner := &htmlReader{want: r.want, nesting: r.nesting + 1}
	text := v.text
	if len(v.marks) > 0 {
		text = bytes.Clone(text) // v is used again for the next attribute
	}
	inner.begin(r.harvest, &view{text: text, marks: append([]mark(nil), v.marks...), parent: v.parent, base: v.base})
	first := len(r.links)
	inner.read()
	if inner.base.found {
		for i := first; i < len(r.links); i++ {
			if f := &r.links[i]; f.Base == "" {
				f.Base = inner.base.href
			}
		}
	}
}
