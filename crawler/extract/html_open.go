package extract

import "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// openElements are the open elements that change what a tag means.
type openElements struct {
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
	o.templates, o.inert, o.shadow, o.noscript = o.templates[:0], 0, 0, false
	o.form.open, o.form.post = false, false
	o.framesets = 0
}

// enter updates the state for the current start tag, finds the element that it means in SVG and
// MathML, and reports whether the tag also closes it. In XHTML a tag can close any element.
func (o *openElements) enter(tokens *tokens, xml bool) (closed bool) {
	t, token := &tokens.tag, &tokens.z.Token
	if xml && t.matchCase(tokens.end) {
		tokens.z.Enter(htmltoken.Unknown)
	}
	if t.svg = token.Foreign && !token.Math; token.Foreign {
		switch name := t.doc[t.name.start:t.name.end]; {
		case xml && isUpper(name[0]):
			t.element = &unknownElement
		case token.Math:
			t.element = mathElements.find(keyOf(name), name)
		default:
			t.element = svgElements.find(keyOf(name), name)
		}
		return token.SelfClosing
	}
	if closed = token.SelfClosing && xml; closed {
		tokens.z.Enter(htmltoken.Unknown)
	} else if t.element.role == roleTemplate {
		o.openTemplate(t, tokens.z.Foreign.Depth())
	}
	return closed
}

func (o *openElements) openTemplate(t *startTag, foreign int) {
	mode := t.get(attrShadowrootmode)
	shadow := equalFold(mode, "open") || equalFold(mode, "closed")
	o.templates = append(o.templates, template{!shadow, foreign})
	if shadow {
		o.shadow++
	} else {
		o.inert++
	}
}

func (o *openElements) closeTemplate(z *htmltoken.Tokenizer) {
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
	z.Foreign.Leave(last.foreign)
}

// leave updates the state for an end tag, whose name may be in any letter case.
func (o *openElements) leave(name []byte, tokens *tokens) {
	switch len(name) {
	case len("form"):
		if o.inert == 0 && equalFold(name, "form") {
			o.form.open, o.form.post = false, false
		}
	case len("template"):
		switch {
		case equalFold(name, "template") && !tokens.z.Token.Foreign:
			o.closeTemplate(&tokens.z)
		case equalFold(name, "noscript"):
			o.noscript = false
		case equalFold(name, "frameset"):
			o.framesets = max(0, o.framesets-1)
		}
	}
}
