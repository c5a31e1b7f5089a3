package document

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
)

// emptyRoot finds the element that a script fills: an element with nothing in it,
// by the id that a framework's template gives it, or a custom element.
var emptyRoot = lazy.Regexp(`(?i)<(?:div|main|body|section)\b[^>]*\bid\s*=\s*["']?(?:root|app|main|__next|__nuxt|___gatsby|svelte|mount|application|q-app|react-root|ember[-\w]*)["']?[^>]*>\s*(?:<!--.*?-->\s*)*</(?:div|main|body|section)>|<([a-z][a-z0-9]*(?:-[a-z0-9]+)+)\b[^>]*>\s*(?:loading[.…]*\s*)?</`)

var anyScript = lazy.Regexp(`(?i)<script\b`)

// MaxShell is how much of a page is examined, in bytes: a shell is short.
const MaxShell = 256 << 10

// IsShell reports whether a page is only the frame that a script fills: no link that a
// reader could follow, an empty root, and a script. A bookmark file is not a shell; its
// links may no longer be in the document.
func IsShell(body []byte, doc *extract.Document) bool {
	if doc.Format != "html" {
		return false
	}
	for i := range doc.Links {
		if k := doc.Links[i].Kind; k == extract.Navigation || k == extract.Submission {
			return false
		}
	}
	body = body[:min(len(body), MaxShell)]
	if !anyScript().Match(body) {
		return false
	}
	if emptyRoot().Match(body) {
		return true
	}
	shown, found := shownPart(body)
	return found && !hasWords(shown)
}

// IsBlank reports whether a document without links has no text either.
func IsBlank(body []byte, format string) bool {
	body = body[:min(len(body), MaxShell)]
	if format != "html" {
		return len(bytes.TrimSpace(body)) == 0
	}
	shown, _ := shownPart(body)
	return !hasWords(shown)
}

// shownPart returns a page without its head, if its body element is found, and all of it if not.
func shownPart(page []byte) (shown []byte, found bool) {
	i := bytes.Index(bytes.ToLower(page), []byte("<body"))
	return page[max(i, 0):], i >= 0
}

var (
	scripts = lazy.Regexp(`(?is)<(?:script|style|noscript|template|title)\b.*?</(?:script|style|noscript|template|title)>`)
	tags    = lazy.Regexp(`(?s)<[^>]*>`)
)

// hasWords reports whether a body has any text that is visible without its scripts.
func hasWords(body []byte) bool {
	body = scripts().ReplaceAll(body, nil)
	return len(bytes.TrimSpace(tags().ReplaceAll(body, nil))) > 0
}

// mountPoint finds the empty element that a well-known program fills, the navigation of TypeDoc,
// or a script of Doxygen that makes its menus or its side tree.
var mountPoint = lazy.Regexp(`(?i)<(?:div|main|body|section)\b[^>]*\bid\s*=\s*["']?(?:root|app|main|__next|__nuxt|___gatsby|svelte|mount|application|q-app|react-root|swagger-ui|ember[-\w]*)["'\s>][^>]*>?\s*(?:<!--.*?-->\s*)*</(?:div|main|body|section)>|\bid="tsd-nav-container"|<(?:redoc|rapi-doc|elements-api)\b|\binit(?:Menu|NavTree)\(`)

// NeedsScripts reports whether a page shows little without its scripts: it has a script,
// and either few links and little text, or a mark of a program that makes the rest.
func NeedsScripts(body []byte, doc *extract.Document) bool {
	const fewLinks, littleText = 3, 200
	if doc.Format != "html" || doc.Static {
		return false
	}
	body = body[:min(len(body), MaxShell)]
	if !anyScript().Match(body) {
		return false
	}
	if mountPoint().Match(body) {
		return true
	}
	links := 0
	for i := range doc.Links {
		if doc.Links[i].Kind == extract.Navigation {
			links++
		}
	}
	if links >= fewLinks {
		return false
	}
	shown, _ := shownPart(body)
	text := tags().ReplaceAll(scripts().ReplaceAll(shown, nil), []byte(" "))
	return len(bytes.Join(bytes.Fields(text), []byte(" "))) < littleText
}
