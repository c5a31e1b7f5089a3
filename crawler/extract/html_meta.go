package extract

import "bytes"

// metaURLs are the names (in name or property) of meta elements whose content is
// a URL: the Open Graph protocol and Twitter's cards.
var metaURLs = map[string]Expect{
	"og:url": ExpectAny, "og:image": ExpectImage, "og:image:url": ExpectImage, "og:image:secure_url": ExpectImage,
	"og:audio": ExpectAny, "og:audio:url": ExpectAny, "og:audio:secure_url": ExpectAny,
	"og:video": ExpectAny, "og:video:url": ExpectAny, "og:video:secure_url": ExpectAny,
	"twitter:url": ExpectAny, "twitter:image": ExpectImage, "twitter:image:src": ExpectImage,
	"twitter:player": ExpectAny, "twitter:player:stream": ExpectAny,
}

// meta takes the reference out of a meta element's content.
func (x *htmlAttributes) meta(v *view, rule *rule) {
	t := x.tag
	if equalFold(t.get(attrHTTPEquiv), "refresh") {
		if at, ok := refreshURL(v.text); ok {
			x.reference(v, at, Navigation, ExpectAny, rule)
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
			if len(trimSpace(v.text)) > 0 { // an empty one was left to be filled in
				x.reference(v, whole(v), rule.kind, expect, rule)
			}
			return
		}
	}
}

// forbids looks for a word, or for "none", in the content of a robots meta element.
func forbids(content []byte, what string) bool {
	for word := range bytes.FieldsFuncSeq(content, func(c rune) bool { return c == ',' || c <= ' ' }) {
		if equalFold(word, what) || equalFold(word, "none") {
			return true
		}
	}
	return false
}

// scriptContent is what a script element holds.
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

// scriptKind reads a script element's type, or the language attribute of old
// (HTML 4.12.1.1). A type with parameters, which no browser runs, is taken for code all the
// same: to say of a page that no script touches it takes certainty.
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

// longestMediaType is longer than any media type in a table.
const longestMediaType = 64
