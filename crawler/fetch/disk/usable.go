package disk

import (
	"bufio"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
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
var wellKnown = lazy.Regexp(`^(index\.[a-z]+|favicon\.[a-z]+|apple-touch-icon.*|android-chrome.*|mstile-.*|[45]\d\d\.html?|` +
	`sw\.js|service-?worker\.js|workbox-.*\.js|(google|yandex_|pinterest-|naver)[0-9a-f]+\.html|offline\.html?|.*\.config\.m?js)$`)

// needsReference reports whether a file of a site, with its path as in Walk, is a page, an image, a
// style sheet or a script that is of use only if something refers to it.
func needsReference(rel string) bool {
	for _, name := range strings.Split(rel, "/") {
		if strings.HasPrefix(name, ".") { // .well-known, and the files of tools
			return false
		}
	}
	name := strings.ToLower(path.Base(rel))
	return isUsed[path.Ext(name)] && !wellKnown().MatchString(name)
}

// FindUsable leaves in Files of each site the files that are of use only if a document refers to them:
// pages, images, style sheets and scripts that no script and no JSON file in Files of any of the sites
// names. Scripts make addresses from such names. It reads at most 16 MiB of each script.
func FindUsable(sites []*Site) {
	candidates := map[string]string{}
	for _, s := range sites {
		for _, rel := range s.Files {
			if needsReference(rel) {
				candidates[s.pathTo(rel)] = rel
			}
		}
	}
	names := namesOf(candidates)
	for _, s := range sites {
		for _, rel := range s.Files {
			if ext := path.Ext(rel); ext == ".js" || ext == ".mjs" || ext == ".json" {
				names.read(s, rel, candidates)
			}
		}
	}
	for _, s := range sites {
		s.Files = slices.DeleteFunc(s.Files, func(rel string) bool {
			_, found := candidates[s.pathTo(rel)]
			return !found
		})
	}
}

// mentions are names by which scripts may mean files: whole names, those without extension, and
// hashes in them, from which loaders make the names.
type mentions map[string][]string // paths of files

const (
	leastHash  = 6        // characters of a part of a name that says enough
	maxMention = 16 << 20 // bytes of a script that are searched for names
)

func namesOf(files map[string]string) mentions {
	names := mentions{}
	add := func(name, file string) { names[name] = append(names[name], file) }
	for file, rel := range files {
		name := path.Base(rel)
		add(name, file)
		stem := strings.TrimSuffix(name, path.Ext(name))
		if len(stem) >= leastHash {
			add(stem, file)
		}
		for _, part := range strings.FieldsFunc(stem, func(c rune) bool { return c == '.' || c == '-' || c == '_' }) {
			if len(part) >= leastHash && strings.ContainsAny(part, "0123456789") {
				add(part, file)
			}
		}
	}
	return names
}

// read removes the files that a script names from the candidates. What cannot be read names none.
func (n mentions) read(s *Site, rel string, candidates map[string]string) {
	f, err := s.tree.root.Open(filepath.FromSlash(rel))
	if err != nil {
		return
	}
	defer f.Close()
	script := s.pathTo(rel)
	found := func(word string) {
		for _, file := range n[word] {
			if file != script {
				delete(candidates, file)
			}
		}
	}
	var word []byte
	for b := bufio.NewReader(io.LimitReader(f, maxMention)); ; {
		c, err := b.ReadByte()
		if err == nil && isNameByte(c) && len(word) < 256 {
			word = append(word, c)
			continue
		}
		text := strings.Trim(string(word), ".-_")
		found(text)
		for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == '.' || c == '-' || c == '_' }) {
			found(part)
		}
		if err != nil {
			return
		}
		word = word[:0]
	}
}

// isNameByte reports whether a byte is one of those that names in scripts have.
func isNameByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '.' || c == '-' || c == '_' || c >= 0x80
}
