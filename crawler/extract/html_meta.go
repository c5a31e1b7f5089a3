package extract

import "bytes"

// metaURLs are the names (in name or property) of meta elements whose content is a URL: those
// of the Open Graph protocol and of Twitter cards.
var metaURLs = map[string]Expect{
	"og:url": ExpectAny, "og:image": ExpectImage, "og:image:url": ExpectImage, "og:image:secure_url": ExpectImage,
	"og:audio": ExpectAny, "og:audio:url": ExpectAny, "og:audio:secure_url": ExpectAny,
	"og:video": ExpectAny, "og:video:url": ExpectAny, "og:video:secure_url": ExpectAny,
	"twitter:url": ExpectAny, "twitter:image": ExpectImage, "twitter:image:src": ExpectImage,
	"twitter:player": ExpectAny, "twitter:player:stream": ExpectAny,
}

// meta adds the reference in a meta element's content.
func (x *htmlAttributes) meta(v *view, rule *rule) {
	t := x.tag
	if equalFold(t.get(attrHTTPEquiv), "refresh") {
		at, ok := refreshURL(v.text)
		switch {
		case ok:
			x.addReference(v, at, Navigation, ExpectAny, rule)
		case !isRefresh(v.text) && !x.isSetByScript("content"):
			if f := x.addReference(v, whole(v), Navigation, ExpectAny, rule); f != nil {
				f.Flaw = &Flaw{Kind: flawRefresh}
			}
		}
		return
	}
	for _, a := range [...]attribute{attrProperty, attrName} {
		name := trimSpace(t.get(a))
		if len(name) == 0 || len(name) > longestKnown {
			continue
		}
		var lower [longestKnown]byte
		if expect, ok := metaURLs[string(appendLower(lower[:0], name))]; ok {
			if len(trimSpace(v.text)) > 0 { // an empty one is a placeholder
				x.addReference(v, whole(v), rule.kind, expect, rule)
			}
			return
		}
	}
}

// forbids reports whether the content of a robots meta element contains a word, or "none".
func forbids(content []byte, what string) bool {
	for word := range bytes.FieldsFuncSeq(content, func(c rune) bool { return c == ',' || c <= ' ' }) {
		if equalFold(word, what) || equalFold(word, "none") {
			return true
		}
	}
	return false
}

// scriptContent is the kind of content of a script element.
type scriptContent uint8

const (
	scriptCode       scriptContent = iota // JavaScript
	scriptLinkedData                      // JSON-LD
	scriptImports                         // an import map
	scriptData                            // any other data block
)

// javaScriptTypes are the JavaScript media types of MIME Sniffing 4.6.
var javaScriptTypes = map[string]bool{
	"application/ecmascript": true, "application/javascript": true, "application/x-ecmascript": true,
	"application/x-javascript": true, "text/ecmascript": true, "text/javascript": true, "text/javascript1.0": true,
	"text/javascript1.1": true, "text/javascript1.2": true, "text/javascript1.3": true, "text/javascript1.4": true,
	"text/javascript1.5": true, "text/jscript": true, "text/livescript": true, "text/x-ecmascript": true,
	"text/x-javascript": true,
}

// scriptKind returns the kind of a script element from its type, or from the obsolete
// language attribute (HTML 4.12.1.1). A type with parameters counts as code although no
// browser runs it: a page is static only if it certainly has no scripts.
func scriptKind(t *startTag) scriptContent {
	kind := trimSpace(t.get(attrType))
	if len(kind) == 0 {
		language := t.get(attrLanguage)
		if t.has(attrType) || len(language) == 0 {
			return scriptCode
		}
		kind = append([]byte("text/"), language...)
	}
	kind, _, _ = bytes.Cut(kind, []byte{';'})
	kind = trimSpace(kind)
	var lower [longestMediaType]byte
	switch {
	case len(kind) > len(lower):
		return scriptData
	case equalFold(kind, "application/ld+json"):
		return scriptLinkedData
	case equalFold(kind, "importmap"):
		return scriptImports
	case equalFold(kind, "module"), javaScriptTypes[string(appendLower(lower[:0], kind))]:
		return scriptCode
	}
	return scriptData
}

// longestMediaType is at least the length of the longest media type in a table.
const longestMediaType = 64
