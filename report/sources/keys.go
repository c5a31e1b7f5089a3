package sources

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// key is the path of a page or of a source in the form in which both meet: names
// in lower case, without extensions and without the name of an index.
type key []string

// indexNames are what a directory's own page is made from.
var indexNames = map[string]bool{"index": true, "_index": true, "readme": true, "default": true}

// pageKey is the key of a page's path, percent-encoded or not: "guide/index.html",
// "guide/", "guide.html" and "guide" are one.
func pageKey(p string) key {
	if decoded, err := url.PathUnescape(p); err == nil {
		p = decoded
	}
	k := split(p)
	if len(k) > 0 {
		k[len(k)-1] = withoutExtension(k[len(k)-1])
	}
	return folded(k)
}

// sourceKeys are the keys of pages that a source may have been made into, the
// likeliest first.
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
		add(folded(slugged))
	}
	add(folded(k))
	bare := append(key(nil), k...)
	for i := range bare {
		bare[i] = withoutNumber(bare[i])
	}
	bare[len(bare)-1] = withoutLanguage(bare[len(bare)-1])
	add(folded(bare))
	return keys
}

// split cuts a path into names. "." and "..", which a source may be reached by, are worked off.
func split(p string) key {
	p = strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(p, `\`, "/")), "/")
	if p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

// folded writes the names of a path as they are compared, without that of an index.
func folded(names []string) key {
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

// sourceExtensions are those of documents and templates that pages are made from.
var sourceExtensions = map[string]bool{
	"md": true, "markdown": true, "mdx": true, "mkd": true, "mdown": true, "qmd": true, "rmd": true, "rst": true, "txt": true,
	"adoc": true, "asciidoc": true, "asc": true, "org": true, "ipynb": true, "html": true, "htm": true, "xhtml": true, "gmi": true,
	"njk": true, "liquid": true, "hbs": true, "mustache": true, "erb": true, "ejs": true, "j2": true, "jinja": true, "jinja2": true,
	"tmpl": true, "gohtml": true, "vue": true, "svelte": true, "astro": true, "php": true,
}

// withoutExtension takes off what stands behind the name of a page: of
// "guide.html.erb" both.
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
	numbered = regexp.MustCompile(`^(?:\d{4}-\d{1,2}-\d{1,2}-|\d+[-_.]\s*)`)
	language = regexp.MustCompile(`\.[a-z]{2}(?:-[a-zA-Z]{2,4})?$`)
)

// withoutNumber takes off a date or a number that orders files (Jekyll's posts,
// Docusaurus' pages).
func withoutNumber(name string) string {
	if rest := name[len(numbered.FindString(name)):]; rest != "" {
		return rest
	}
	return name
}

// withoutLanguage takes off the language of a page (Hugo: guide.en.md).
func withoutLanguage(name string) string {
	if at := language.FindStringIndex(name); at != nil && at[0] > 0 {
		return name[:at[0]]
	}
	return name
}

func same(a, b key) bool { return len(a) == len(b) && shared(a, b) == len(a) }

// shared is how many names at their ends two keys have in common.
func shared(a, b key) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// frontMatter is what the head of a source says of where its page goes.
type frontMatter struct{ permalink, slug string }

var matterLine = regexp.MustCompile(`(?m)^(permalink|url|slug)[ \t]*[:=][ \t]*["']?([^"'\r\n#]+?)["']?[ \t]*\r?$`)

// readFrontMatter reads the lines of YAML or TOML at the top of a file that name
// the page's address. One with placeholders is passed over.
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
	for _, line := range matterLine.FindAllStringSubmatch(text, -1) {
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
