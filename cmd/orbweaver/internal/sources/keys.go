package sources

import (
	"net/url"
	"path"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// key is the path of a page or a source in a form that is equal for both: names in lower
// case, without extensions and without the name of an index.
type key []string

// indexNames are the names of files that become the page of a directory.
var indexNames = map[string]bool{"index": true, "_index": true, "readme": true, "default": true}

// pageKey returns the key of the path of a page, which may be percent-encoded. It is the
// same for "guide/index.html", "guide/", "guide.html" and "guide".
func pageKey(p string) key {
	if decoded, err := url.PathUnescape(p); err == nil {
		p = decoded
	}
	k := split(p)
	if len(k) > 0 {
		k[len(k)-1] = withoutExtension(k[len(k)-1])
	}
	return normalized(k)
}

// sourceKeys returns the keys of the pages that a source may become, the most likely
// first.
func sourceKeys(rel string, matter frontMatter) []key {
	k := split(rel)
	if len(k) == 0 {
		return nil
	}
	last := &k[len(k)-1]
	*last = withoutExtension(*last)
	var keys []key
	add := func(k key) {
		for _, have := range keys {
			if same(have, k) {
				return
			}
		}
		keys = append(keys, k)
	}
	if matter.permalink != "" {
		add(pageKey(matter.permalink))
	}
	if matter.slug != "" {
		slugged := append(key(nil), k...)
		slugged[len(slugged)-1] = path.Base(matter.slug)
		add(normalized(slugged))
	}
	add(normalized(k))
	bare := append(key(nil), k...)
	for i := range bare {
		bare[i] = withoutNumber(bare[i])
	}
	bare[len(bare)-1] = withoutLanguage(bare[len(bare)-1])
	add(normalized(bare))
	return keys
}

// split splits a path into names. It removes "." and "..", which the path of a source may
// contain.
func split(p string) key {
	p = strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(p, `\`, "/")), "/")
	if p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

// normalized returns the names of a path as a key, without the name of an index.
func normalized(names []string) key {
	out := make(key, 0, len(names))
	for i, name := range names {
		name = strings.ToLower(name)
		if i == len(names)-1 && indexNames[name] {
			break
		}
		out = append(out, separators.Replace(name))
	}
	return out
}

var separators = strings.NewReplacer(" ", "-", "_", "-")

// sourceExtensions are the extensions of documents and templates that pages are generated
// from.
var sourceExtensions = map[string]bool{
	"md": true, "markdown": true, "mdx": true, "mkd": true, "mdown": true, "qmd": true, "rmd": true, "rst": true, "txt": true,
	"adoc": true, "asciidoc": true, "asc": true, "org": true, "ipynb": true, "html": true, "htm": true, "xhtml": true, "gmi": true,
	"njk": true, "liquid": true, "hbs": true, "mustache": true, "erb": true, "ejs": true, "j2": true, "jinja": true, "jinja2": true,
	"tmpl": true, "gohtml": true, "vue": true, "svelte": true, "astro": true, "php": true,
}

// withoutExtension removes the extensions of a name: both extensions of "guide.html.erb".
func withoutExtension(name string) string {
	for range 3 {
		dot := strings.LastIndexByte(name, '.')
		if dot <= 0 || !sourceExtensions[strings.ToLower(name[dot+1:])] {
			break
		}
		name = name[:dot]
	}
	return name
}

var (
	numbered = lazy.Regexp(`^(?:\d{4}-\d{1,2}-\d{1,2}-|\d+[-_.]\s*)`)
	language = lazy.Regexp(`\.[a-z]{2}(?:-[a-zA-Z]{2,4})?$`)
)

// withoutNumber removes a date or a number that orders files (Jekyll posts, Docusaurus
// pages).
func withoutNumber(name string) string {
	if rest := name[len(numbered().FindString(name)):]; rest != "" {
		return rest
	}
	return name
}

// withoutLanguage removes the language of a page (Hugo: guide.en.md).
func withoutLanguage(name string) string {
	if at := language().FindStringIndex(name); at != nil && at[0] > 0 {
		return name[:at[0]]
	}
	return name
}

func same(a, b key) bool { return len(a) == len(b) && commonNames(a, b) == len(a) }

// commonNames returns the number of names that two keys have in common at their ends.
func commonNames(a, b key) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// frontMatter is the part of a source's front matter that determines the path of its
// page.
type frontMatter struct{ permalink, slug string }

var matterLine = lazy.Regexp(`(?m)^(permalink|url|slug)[ \t]*[:=][ \t]*["']?([^"'\r\n#]+?)["']?[ \t]*\r?$`)

// readFrontMatter reads the address of a page from the YAML or TOML at the beginning of a
// file. It ignores values with placeholders.
func readFrontMatter(head []byte) (m frontMatter) {
	text := string(head)
	mark := ""
	for _, m := range []string{"---", "+++"} {
		if strings.HasPrefix(text, m+"\n") || strings.HasPrefix(text, m+"\r\n") {
			mark = m
		}
	}
	if mark == "" {
		return m
	}
	if end := strings.Index(text[3:], "\n"+mark); end >= 0 {
		text = text[:3+end+1]
	}
	for _, line := range matterLine().FindAllStringSubmatch(text, -1) {
		switch value := line[2]; {
		case strings.ContainsAny(value, ":{}"):
		case line[1] == "slug":
			m.slug = value
		default:
			m.permalink = value
		}
	}
	return m
}
