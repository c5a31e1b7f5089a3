package disk

import "strings"

// generator is a program that makes a site of the documents in a directory, and gives
// its pages the names of the documents. Links in such documents may lead to a page as it
// will be published. Of generators that take the addresses of pages from elsewhere, such
// as from what stands in the documents, nothing can be said from here.
type generator struct {
	marker string   // what the root of its sources has
	anyOf  []string // of which it has one, too; nil where the marker says enough
	clean  bool     // a page goes without ".html", too
	public string   // the directory of files that are published at the root; "" for none
}

var generators = [...]generator{
	{marker: "book.toml"}, // mdBook
	{marker: ".vitepress", clean: true, public: "public"},
	{marker: "_config.yml", clean: true},                          // Jekyll
	{marker: "conf.py", anyOf: []string{"index.rst", "index.md"}}, // Sphinx
}

// generatorOf returns the generator that a root is the source for, nil for none.
func (l *locator) generatorOf(top *listing) *generator {
	has := func(name string) bool {
		kind := l.index.exact(top, "", name)
		return kind == entryFile || kind == entryDir
	}
	for i := range generators {
		g := &generators[i]
		if !has(g.marker) {
			continue
		}
		found := g.anyOf == nil
		for _, name := range g.anyOf {
			found = found || has(name)
		}
		if found {
			return g
		}
	}
	return nil
}

// documentExtensions are those of documents that generators make pages of.
var documentExtensions = [...]string{".md", ".markdown", ".rst", ".adoc"}

// sourceOf finds what a page will be made of that is not there. The answer is a redirect:
// read under both names, what stands in the document would be told twice.
func (l *locator) sourceOf(rel string) location {
	g := l.generator
	stem, html := strings.CutSuffix(rel, ".html")
	if html || g.clean {
		for _, extension := range documentExtensions {
			if l.isFile(stem + extension) {
				return location{source: func(path string) string {
					return strings.TrimSuffix(path, rel[len(stem):]) + extension
				}}
			}
		}
	}
	if dir, ok := strings.CutSuffix(rel, "index.html"); ok && (dir == "" || strings.HasSuffix(dir, "/")) && l.isFile(dir+"README.md") {
		return location{source: func(path string) string {
			return strings.TrimSuffix(path, "index.html") + "README.md"
		}}
	}
	if g.public != "" && l.isFile(g.public+"/"+rel) {
		return location{source: func(path string) string { return g.public + "/" + path }}
	}
	return location{}
}

func (l *locator) isFile(rel string) bool { return l.index.walk("", rel, matchNorm).kind == entryFile }
