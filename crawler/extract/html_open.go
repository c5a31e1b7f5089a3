package extract

// openElements are the open elements that change what a tag means.
type openElements struct {
	foreign   foreign
	templates []template
	inert     int // open templates whose content is not displayed
	shadow    int // open templates that make a shadow tree: links count, anchors do not
	noscript  bool
	form      struct{ open, post bool }
	framesets int
}

type template struct {
	inert   bool
	foreign int // number of open foreign elements outside the template
}

// reset closes all elements.
func (o *openElements) reset() {
	o.foreign.cut(0)
	o.templates, o.inert, o.shadow, o.noscript = o.templates[:0], 0, 0, false
	o.form.open, o.form.post = false, false
	o.framesets = 0
}

// enter updates the state of SVG, MathML and templates for the current start tag, finds the
// element that it means, and reports whether the tag also closes it. In XHTML a tag can close
// any element.
func (o *openElements) enter(tokens *tokens, xml bool) (closed bool) {
	t := &tokens.tag
	if xml && t.matchCase(tokens.end) {
		tokens.contentIsMarkup()
	}
	in, html := o.foreign.in(), t.element
	if in != inHTML {
		if t.element.breaksOut || t.is("font") && (t.has(attrColor) || t.has(attrFace) || t.has(attrSize)) {
			o.foreign.breakOut()
			tokens.allowCDATA(false)
			in = inHTML
		}
	} else if tokens.cdata {
		tokens.allowCDATA(false) // it was allowed directly after the tag of an integration point
	}
	if in != inHTML {
		switch name := t.doc[t.name.start:t.name.end]; {
		case xml && isUpper(name[0]):
			t.element = &unknownElement
		case in == inSVG:
			t.element = svgElements.find(t.key, name)
		default:
			t.element = mathElements.find(t.key, name)
		}
	}
	role := t.element.role
	if in == inHTML && role == roleNone {
		if closed = tokens.selfClosing && xml; closed {
			tokens.contentIsMarkup()
		}
		return closed
	}
	closed = tokens.selfClosing && (xml || in != inHTML || role == roleSVG || role == roleMath)
	if closed || in != inHTML || role == roleNoscript {
		tokens.contentIsMarkup()
	}
	point := integrationPoint(in, t)
	switch {
	case closed:
	case role == roleTemplate:
		o.openTemplate(t)
	case role == roleSVG || in == inMath && t.is("svg"):
		o.foreign.push(inSVG, nameSVG)
		tokens.allowCDATA(true)
	case role == roleMath:
		o.foreign.push(inMath, nameMath)
		tokens.allowCDATA(true)
	case in != inHTML && html.endBreaksOut:
		o.foreign.pushOther(in, html)
	case point == annotationXML && !isHTMLType(t.get(attrEncoding)):
	case point >= 0:
		o.foreign.push(inHTML, point)
	}
	return closed
}

func isHTMLType(encoding []byte) bool {
	return equalFold(encoding, "text/html") || equalFold(encoding, "application/xhtml+xml")
}

func (o *openElements) openTemplate(t *startTag) {
	mode := t.get(attrShadowrootmode)
	shadow := equalFold(mode, "open") || equalFold(mode, "closed")
	o.templates = append(o.templates, template{!shadow, len(o.foreign.open)})
	if shadow {
		o.shadow++
	} else {
		o.inert++
	}
}

func (o *openElements) closeTemplate() {
	n := len(o.templates)
	if n == 0 {
		return
	}
	last := o.templates[n-1]
	o.templates = o.templates[:n-1]
	if last.inert {
		o.inert--
	} else {
		o.shadow--
	}
	o.foreign.cut(min(last.foreign, len(o.foreign.open)))
}

// leave updates the state for an end tag, whose name may be in any letter case.
func (o *openElements) leave(name []byte, tokens *tokens) {
	if len(o.foreign.open) > 0 {
		o.foreign.endTag(name)
		tokens.allowCDATA(o.foreign.in() != inHTML)
	}
	switch len(name) {
	case len("form"):
		if o.inert == 0 && equalFold(name, "form") {
			o.form.open, o.form.post = false, false
		}
	case len("template"):
		switch {
		case equalFold(name, "template") && (o.foreign.in() == inHTML || len(o.templates) > 0):
			o.closeTemplate()
			tokens.allowCDATA(o.foreign.in() != inHTML)
		case equalFold(name, "noscript"):
			o.noscript = false
		case equalFold(name, "frameset"):
			o.framesets = max(0, o.framesets-1)
		}
	}
}
