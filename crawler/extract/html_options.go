package extract

import (
	"bytes"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// What Options ask for in HTML is read in a pass of its own, after the others, so that it
// costs nothing otherwise.

// verbatimElements contain code, or text as it was typed.
var verbatimElements = map[string]bool{"pre": true, "code": true, "samp": true, "kbd": true, "tt": true, "var": true,
	"listing": true, "xmp": true, "plaintext": true, "textarea": true}

// htmlOptionsReader reads what Options ask for.
type htmlOptionsReader struct {
	*harvest
	z        htmltoken.Tokenizer
	options  *Options
	ignore   ignoreMarks
	verbatim []string // names of the open elements for code
	inert    int      // open templates and links
	element  string   // of the last start tag
	tag      int      // its offset
	buffer   []byte
	code     view
}

// readHTMLOptions adds the links that the options ask for, and sorts the links.
func readHTMLOptions(h *harvest, options *Options) {
	r := &htmlOptionsReader{harvest: h, options: options, ignore: ignoreMarks{lineEnd: -1}}
	r.z.Reset(h.src.text, false)
	for r.z.Next() {
		r.token()
	}
	slices.SortStableFunc(h.links, func(a, b Link) int {
		if a.tag != b.tag {
			return int(a.tag) - int(b.tag)
		}
		return int(a.at) - int(b.at)
	})
}

// token reads the current token.
func (r *htmlOptionsReader) token() {
	t := &r.z.Token
	switch t.Kind {
	case htmltoken.Comment:
		r.ignore.read(r.src.text[t.Start:t.End], t.End, &r.src)
	case htmltoken.StartTag:
		r.element, r.tag = string(t.Name), t.Start
		if !t.SelfClosing {
			r.enter()
		}
		if len(r.options.Attributes) > 0 {
			r.attributes()
		}
	case htmltoken.EndTag:
		r.leave(string(t.Name))
	case htmltoken.Text:
		if r.options.Verbatim && len(r.verbatim) > 0 && r.inert == 0 {
			r.text(span{t.Start, t.End})
		}
	}
}

func (r *htmlOptionsReader) enter() {
	switch {
	case r.element == "template" || r.element == "a":
		r.inert++
	case verbatimElements[r.element] && len(r.verbatim) < maxOpenVerbatim:
		r.verbatim = append(r.verbatim, r.element)
	}
}

// maxOpenVerbatim is the maximum depth to which elements for code are tracked.
const maxOpenVerbatim = 64

func (r *htmlOptionsReader) leave(name string) {
	if name == "template" || name == "a" {
		r.inert = max(0, r.inert-1)
		return
	}
	for i := len(r.verbatim) - 1; i >= 0; i-- {
		if r.verbatim[i] == name {
			r.verbatim = r.verbatim[:i]
			return
		}
	}
}

// decode returns a part of the document with its character references decoded. It is valid
// until the next call.
func (r *htmlOptionsReader) decode(at span, attribute bool) *view {
	v := &r.code
	*v = view{text: r.src.text[at.start:at.end], marks: v.marks[:0], parent: &r.src, base: at.start}
	if bytes.IndexByte(v.text, '&') >= 0 {
		r.buffer, v.marks = unescape(r.buffer[:0], v.marks, v.text, attribute)
		v.text = r.buffer
	}
	return v
}

// text adds the URLs in the text of an element for code.
func (r *htmlOptionsReader) text(at span) {
	first := len(r.links)
	r.addBareURIs(r.decode(at, false), proseRules)
	for i := first; i < len(r.links); i++ {
		r.links[i].Element = r.verbatim[len(r.verbatim)-1]
	}
	r.finish(first)
}

// attributes adds the references in the attributes of a start tag.
func (r *htmlOptionsReader) attributes() {
	first := len(r.links)
	for _, a := range r.z.Token.Attributes {
		name := string(a.Name)
		if a.ValueStart < a.ValueEnd && r.options.reads(r.element, name) && !isKnownAttribute(r.element, name) {
			r.attribute(name, span{a.ValueStart, a.ValueEnd})
		}
	}
	r.finish(first)
}

// attribute adds the references in the value of an attribute.
func (r *htmlOptionsReader) attribute(name string, value span) {
	kind, expect := Navigation, ExpectAny
	if r.element != "iframe" && r.element != "frame" && r.element != "embed" {
		for _, suffix := range [...]string{"src", "srcset", "poster", "background", "bg", "image", "img"} {
			if strings.HasSuffix(name, suffix) {
				kind = Resource
			}
		}
	}
	if kind == Resource && r.element == "img" {
		expect = ExpectImage
	}
	v := r.decode(value, true)
	add := func(at span) {
		if f := r.add(v, at, nil); f != nil {
			f.Kind, f.Expect, f.Element, f.Attribute = kind, expect, r.keep([]byte(r.element)), r.keep([]byte(name))
		}
	}
	if !strings.HasSuffix(name, "srcset") {
		add(whole(v))
		return
	}
	for set := (srcset{in: v.text}); ; {
		c, ok := set.next()
		if !ok {
			return
		}
		add(c.url)
	}
}

// finish sets what all links of a tag or a text have in common.
func (r *htmlOptionsReader) finish(first int) {
	for i := first; i < len(r.links); i++ {
		f := &r.links[i]
		f.tag = int32(r.tag)
		f.Ignored = f.Ignored || r.ignore.covers(r.tag) || r.ignore.covers(int(f.at))
	}
}

// isKnownAttribute reports whether the attribute of an element is read anyway.
func isKnownAttribute(element, name string) bool {
	e := htmlElements.find(keyOf([]byte(element)), []byte(element))
	for i := range e.list {
		if attributeNames[e.list[i].attribute] == name {
			return true
		}
	}
	return false
}
