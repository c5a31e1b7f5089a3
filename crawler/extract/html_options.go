package extract

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// What Options ask for in HTML is read in a pass of its own, after the others, so that it
// costs nothing otherwise.

// verbatimElements contain code, or text as it was typed.
var verbatimElements = map[string]bool{"pre": true, "code": true, "samp": true, "kbd": true, "tt": true, "var": true,
	"listing": true, "xmp": true, "plaintext": true, "textarea": true}

// htmlOptionsReader reads what Options ask for.
type htmlOptionsReader struct {
	*harvest
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
	z := html.NewTokenizer(bytes.NewReader(h.src.text))
	for at := 0; ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := z.Raw()
		end := at + len(raw)
		r.token(kind, span{at, end})
		at = end
	}
	slices.SortStableFunc(h.links, func(a, b Link) int {
		if a.tag != b.tag {
			return int(a.tag) - int(b.tag)
		}
		return int(a.at) - int(b.at)
	})
}

// token reads the token at a place in the document.
func (r *htmlOptionsReader) token(kind html.TokenType, at span) {
	raw := r.src.text[at.start:at.end]
	switch kind {
	case html.CommentToken:
		r.ignore.read(raw, at.end, &r.src)
	case html.StartTagToken, html.SelfClosingTagToken:
		name := tagName(raw)
		r.element, r.tag = strings.ToLower(string(raw[name.start:name.end])), at.start
		if kind == html.StartTagToken {
			r.enter()
		}
		if len(r.options.Attributes) > 0 {
			r.attributes(at.start+name.end, at.end)
		}
	case html.EndTagToken:
		name := tagName(raw)
		r.leave(strings.ToLower(string(raw[name.start:name.end])))
	case html.TextToken:
		if r.options.Verbatim && len(r.verbatim) > 0 && r.inert == 0 {
			r.text(at)
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

// attributes adds the references in the attributes of a start tag, which are between two
// offsets.
func (r *htmlOptionsReader) attributes(from, to int) {
	first := len(r.links)
	for {
		name, value, next := nextAttribute(r.src.text[:to], from)
		if name.start == name.end {
			break
		}
		from = next
		attribute := strings.ToLower(string(r.src.text[name.start:name.end]))
		if value.start < value.end && r.options.reads(r.element, attribute) && !isKnownAttribute(r.element, attribute) {
			r.attribute(attribute, value)
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

// nextAttribute returns the name and the value of the first attribute at or after an offset
// in a start tag, without quotes, and the offset behind it. The name is empty at the end.
func nextAttribute(tag []byte, i int) (name, value span, next int) {
	for i < len(tag) && (isSpace(tag[i]) || tag[i] == '/') {
		i++
	}
	name.start = i
	for i < len(tag) && !isSpace(tag[i]) && tag[i] != '/' && tag[i] != '>' && (tag[i] != '=' || i == name.start) {
		i++
	}
	name.end = i
	after := skipSpace(tag, i)
	if after >= len(tag) || tag[after] != '=' || name.start == name.end {
		return name, value, i
	}
	i = skipSpace(tag, after+1)
	if i < len(tag) && (tag[i] == '"' || tag[i] == '\'') {
		end := indexFrom(tag, i+1, tag[i])
		return name, span{i + 1, end}, min(len(tag), end+1)
	}
	value.start = i
	for i < len(tag) && !isSpace(tag[i]) && tag[i] != '>' {
		i++
	}
	value.end = i
	return name, value, i
}
