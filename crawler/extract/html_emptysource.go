package extract

import "bytes"

// mustName are the attributes, by element, that must name something: browsers show nothing,
// or an error, for an empty value.
var mustName = map[string]attribute{
	"img": attrSrc, "source": attrSrc, "video": attrSrc, "audio": attrSrc, "track": attrSrc, "bgsound": attrSrc, "input": attrSrc,
	"script": attrSrc, "iframe": attrSrc, "frame": attrSrc, "layer": attrSrc, "ilayer": attrSrc, "embed": attrSrc,
	"object": attrData, "link": attrHref,
}

// IsEmpty reports whether the reference must name something and is empty: the src of an image,
// the href of a link element. An empty href of an a element is the document itself.
func (l *Link) IsEmpty() bool {
	if len(l.Ref) > 0 && len(trimSpace([]byte(l.Ref))) > 0 {
		return false
	}
	a, must := mustName[l.Element]
	return must && l.Attribute == attributeNames[a] || l.Element == "video" && l.Attribute == "poster"
}

// isAbsent reports whether an attribute is missing or empty.
func (t *startTag) isAbsent(a attribute) bool { return len(trimSpace(t.get(a))) == 0 }

// emptyIsFine reports whether an empty or missing attribute of the current tag is no fault:
// the element has another source, or a script sets the attribute.
func (x *htmlAttributes) emptyIsFine(a attribute) bool {
	t := x.tag
	switch {
	case t.element.role == roleImg && (x.inPicture || !t.isAbsent(attrSrcset)):
		return true
	case t.element.role == roleSource && !t.isAbsent(attrSrcset), t.element.name == "iframe" && t.has(attrSrcdoc):
		return true
	case t.element.role == roleInput && !equalFold(t.get(attrType), "image"):
		return true
	}
	return x.isSetByScript(attributeNames[a])
}

// commonImages are the media types of images that every browser shows.
var commonImages = map[string]bool{"image/jpeg": true, "image/jpg": true, "image/png": true, "image/gif": true, "image/webp": true,
	"image/svg+xml": true, "image/x-icon": true, "image/bmp": true, "image/apng": true}

// alwaysShown reports whether the current tag, of a source element, gives a picture an image in every
// browser: it has one, or a script sets it, and neither media nor type is a condition.
func (x *htmlAttributes) alwaysShown() bool {
	t := x.tag
	if x.isSetByScript("srcset") {
		return true
	}
	media, kind := trimSpace(t.get(attrMedia)), trimSpace(t.get(attrType))
	return !t.isAbsent(attrSrcset) && (len(media) == 0 || equalFold(media, "all")) && (len(kind) == 0 || commonImages[string(bytes.ToLower(kind))])
}

// isSetByScript reports whether the current tag has another attribute from which a script sets
// the named one: data-src, v-bind:src, ng-src, or a class of a library that loads images late.
// Such a name has a word that ends in the attribute's, which srclang and hreflang do not.
func (x *htmlAttributes) isSetByScript(attribute string) bool {
	t := x.tag
	tag := t.doc[t.start:]
	for s := (attributeScanner{tag: tag, pos: t.name.end - t.start}); ; {
		at, value, ok := s.next()
		if !ok {
			return false
		}
		name := bytes.ToLower(tag[at.start:at.end])
		about := bytes.TrimPrefix(name, []byte("data-"))
		switch {
		case string(name) == attribute, string(name) == "src", string(name) == "srcset":
		case hasWordOf(about, attribute):
			return true
		case len(about) < len(name) && (bytes.Contains(about, []byte("lazy")) || bytes.Contains(about, []byte("original"))):
			return true
		case string(name) == "v-bind", string(name) == "x-bind", bytes.ContainsAny(name, "{<"):
			return true
		case string(name) == "class" && bytes.Contains(bytes.ToLower(tag[value.start:value.end]), []byte("lazy")):
			return true
		}
	}
}

// hasWordOf reports whether a word of an attribute's name ends in the name of an attribute, or in src
// or srcset. Words are letters; anything else is between them.
func hasWordOf(name []byte, attribute string) bool {
	for word := range bytes.FieldsFuncSeq(name, func(c rune) bool { return c < 'a' || c > 'z' }) {
		if bytes.HasSuffix(word, []byte(attribute)) || bytes.HasSuffix(word, []byte("src")) || bytes.HasSuffix(word, []byte("srcset")) {
			return true
		}
	}
	return false
}

// image reads an img element. Without any source, it refers to nothing.
func (x *htmlAttributes) image() {
	t := x.tag
	if !t.has(attrSrc) && x.want && !x.open.noscript && !x.emptyIsFine(attrSrc) {
		if f := x.add(x.text(t.start, nil, true), span{}, nil); f != nil {
			f.Kind, f.Expect, f.Element, f.Attribute = Resource, ExpectImage, "img", "src"
		}
	}
	x.inPicture = false
}
