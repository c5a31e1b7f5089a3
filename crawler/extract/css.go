package extract

import "bytes"

var cssFormat = format{
	name:       "css",
	media:      []string{"text/css"},
	extensions: []string{"css"},
	charset:    cssCharset,
	read:       readCSS,
}

// readCSS reads a style sheet: url(), src(), image-set() and both forms of @import.
func readCSS(h *harvest, in *Input) {
	h.doc.Static = true
	if !in.AnchorsOnly {
		new(cssScanner).addLinks(h, &h.src, "style", "url")
	}
}

// addLinks adds the URLs of a style sheet or a style attribute. A URL that is only a fragment
// names an element of the page being styled, such as a gradient (CSS Values 4, 4.5.2). It is
// a link only if that page is the document itself.
func (s *cssScanner) addLinks(h *harvest, v *view, element, attribute string) {
	if !mayHoldURL(v.text) {
		return
	}
	s.reset(v.text)
	for {
		u, ok := s.next()
		if !ok {
			return
		}
		local := u.text[0] == '#'
		if local && (!s.onPage || u.imported || u.font || bytes.HasPrefix(u.text, []byte("#default#"))) { // #default#VML names a part of old browsers
			continue
		}
		f := h.add(v, u.at, u.text)
		if f == nil {
			return
		}
		f.SameDocument = local
		f.Element, f.Attribute, f.Kind = element, attribute, Resource
		f.AnyFragment = u.font
		if u.imported {
			f.Attribute, f.Kind, f.Expect = "@import", Stylesheet, ExpectStyle
		}
	}
}

// cssCharset returns the encoding of a style sheet when neither a byte order mark nor the
// media type determines it: that of @charset in the first bytes, else UTF-8 (CSS Syntax 3.2).
func cssCharset(body []byte) string {
	rule, ok := bytes.CutPrefix(body[:min(len(body), prescanLength)], []byte(`@charset "`))
	if label, _, closed := bytes.Cut(rule, []byte{'"'}); ok && closed {
		if name := documentCharset(label); name != "" {
			return name
		}
	}
	return "utf-8"
}
