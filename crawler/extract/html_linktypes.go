package extract

// relMeaning is what a link type says about the href of a link element.
type relMeaning struct {
	kind   Kind
	expect Expect
	rank   uint8 // of several types on one element, the one with the highest rank counts
}

// relMeanings are the link types (HTML standard 4.6.8 and its registry of extensions). Any
// other type makes the link Metadata.
var relMeanings = map[string]relMeaning{
	"stylesheet": {Stylesheet, ExpectStyle, 9},

	"preconnect":   {Host, ExpectAny, 8},
	"dns-prefetch": {Host, ExpectAny, 8},
	// These endpoints answer POST only; a GET says nothing about them.
	"pingback": {Host, ExpectAny, 8}, "webmention": {Host, ExpectAny, 8}, "micropub": {Host, ExpectAny, 8},
	"token_endpoint": {Host, ExpectAny, 8}, "authorization_endpoint": {Host, ExpectAny, 8},

	"icon": {Resource, ExpectImage, 7}, "apple-touch-icon": {Resource, ExpectImage, 7},
	"apple-touch-icon-precomposed": {Resource, ExpectImage, 7}, "apple-touch-startup-image": {Resource, ExpectImage, 7},
	"mask-icon": {Resource, ExpectImage, 7}, "fluid-icon": {Resource, ExpectImage, 7},
	"image_src": {Metadata, ExpectImage, 7},

	"preload": {Resource, ExpectAny, 6}, "prefetch": {Resource, ExpectAny, 6}, "prerender": {Resource, ExpectAny, 6},
	"modulepreload": {Resource, ExpectScript, 6}, "subresource": {Resource, ExpectAny, 6},
	"manifest": {Stylesheet, ExpectAny, 6}, "compression-dictionary": {Resource, ExpectAny, 6},

	"canonical": {Metadata, ExpectAny, 5},

	"alternate": {Navigation, ExpectAny, 4}, "next": {Navigation, ExpectAny, 4}, "prev": {Navigation, ExpectAny, 4},
	"previous": {Navigation, ExpectAny, 4}, "first": {Navigation, ExpectAny, 4}, "last": {Navigation, ExpectAny, 4},
	"begin": {Navigation, ExpectAny, 4}, "start": {Navigation, ExpectAny, 4}, "end": {Navigation, ExpectAny, 4},
	"up": {Navigation, ExpectAny, 4}, "top": {Navigation, ExpectAny, 4}, "home": {Navigation, ExpectAny, 4},
	"parent": {Navigation, ExpectAny, 4}, "contents": {Navigation, ExpectAny, 4}, "toc": {Navigation, ExpectAny, 4},
	"index": {Navigation, ExpectAny, 4}, "glossary": {Navigation, ExpectAny, 4}, "chapter": {Navigation, ExpectAny, 4},
	"section": {Navigation, ExpectAny, 4}, "subsection": {Navigation, ExpectAny, 4}, "appendix": {Navigation, ExpectAny, 4},
	"help": {Navigation, ExpectAny, 4}, "bookmark": {Navigation, ExpectAny, 4}, "author": {Navigation, ExpectAny, 4},
	"copyright": {Navigation, ExpectAny, 4}, "license": {Navigation, ExpectAny, 4}, "sitemap": {Navigation, ExpectAny, 4},
	"archives": {Navigation, ExpectAny, 4}, "privacy-policy": {Navigation, ExpectAny, 4}, "terms-of-service": {Navigation, ExpectAny, 4},
}

// linkMeaning returns what the rel and as attributes of a link element mean.
func linkMeaning(rel, as []byte) (Kind, Expect) {
	best := relMeaning{kind: Metadata}
	var lower [longestLinkType]byte
	loads := false
	for len(rel) > 0 {
		var token []byte
		if token, rel = nextToken(rel); len(token) > len(lower) {
			continue
		}
		if m, ok := relMeanings[string(appendLower(lower[:0], token))]; ok && m.rank > best.rank {
			best = m
			loads = equalFold(token, "preload") || equalFold(token, "prefetch")
		}
	}
	if loads {
		switch {
		case equalFold(as, "style"):
			return Stylesheet, ExpectStyle
		case equalFold(as, "script"), equalFold(as, "worker"):
			return Resource, ExpectScript
		case equalFold(as, "image"):
			return Resource, ExpectImage
		}
	}
	return best.kind, best.expect
}

// longestLinkType is at least the length of the longest link type in the table.
const longestLinkType = 32
