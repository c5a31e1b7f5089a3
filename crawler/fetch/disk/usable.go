package disk

import (
	"path"
	"regexp"
	"strings"
)

// isUsed are the extensions of files that are useless unless something refers to them: pages, images,
// style sheets and scripts.
var isUsed = map[string]bool{
	".html": true, ".htm": true, ".xhtml": true,
	".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".svg": true, ".webp": true, ".avif": true, ".bmp": true, ".ico": true,
	".css": true, ".js": true, ".mjs": true,
}

// wellKnown matches the names of files that browsers, search engines, hosts and other programs ask for
// although nothing refers to them: icons, pages for errors, workers, and proofs of ownership.
var wellKnown = regexp.MustCompile(`^(index\.[a-z]+|favicon\.[a-z]+|apple-touch-icon.*|android-chrome.*|mstile-.*|[45]\d\d\.html?|` +
	`sw\.js|service-?worker\.js|workbox-.*\.js|(google|yandex_|pinterest-|naver)[0-9a-f]+\.html|offline\.html?|.*\.config\.m?js)$`)

// NeedsReference reports whether a file of a site, with its path as in Walk, is a page, an image, a
// style sheet or a script that is of use only if something refers to it.
func NeedsReference(rel string) bool {
	for _, name := range strings.Split(rel, "/") {
		if strings.HasPrefix(name, ".") { // .well-known, and the files of tools
			return false
		}
	}
	name := strings.ToLower(path.Base(rel))
	return isUsed[path.Ext(name)] && !wellKnown.MatchString(name)
}
