package disk

import "strings"

// generator is a site generator that creates pages named after the documents in a
// directory. Links in those documents may lead to a page as it will be published.
// Generators that choose page addresses in other ways, for example from the content of
// documents, are not supported.
type generator struct {
	marker string   // a name in the root directory of its sources
	anyOf  []string // further names of which one must be present; nil if marker is enough
	clean  bool     // a page also has a URL without ".html"
	public string   // the directory of files to publish at the root; "" if there is none
}

var generators = [...]generator{
	{marker: "book.toml"}, // mdBook
	{marker: ".vitepress", clean: true, public: "public"},
	{marker: "_config.yml", clean: true},                          // Jekyll
	{marker: "conf.py", anyOf: []string{"index.rst", "index.md"}}, // Sphinx
}

// generatorOf returns the generator whose sources a root contains, or nil if it is
// unknown.
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

// documentExtensions are the extensions of documents from which generators create
// pages.
var documentExtensions = [...]string{".md", ".markdown", ".rst", ".adoc"}

// renaming leads from the path of a page to that of its source.
type renaming struct{ before, cut, after string }

func (r *renaming) of(path string) string {
	return r.before + strings.TrimSuffix(path, r.cut) + r.after
}

// sourceOf finds the source of a page that does not exist yet. The result is a
// redirect, because findings in a document read under two names would be reported
// twice.
func (l *locator) sourceOf(rel string) location {
	g := l.generator
	stem, html := strings.CutSuffix(rel, ".html")
	if html || g.clean {
		for _, extension := range documentExtensions {
			if l.index.isFile(stem + extension) {
				return location{source: &renaming{cut: rel[len(stem):], after: extension}}
			}
		}
	}
	if dir, ok := strings.CutSuffix(rel, "index.html"); ok && (dir == "" || strings.HasSuffix(dir, "/")) && l.index.isFile(dir+"README.md") {
		return location{source: &renaming{cut: "index.html", after: "README.md"}}
	}
	if g.public != "" && l.index.isFile(g.public+"/"+rel) {
		return location{source: &renaming{before: g.public + "/"}}
	}
	return location{}
}

// isFile reports whether there is a file at a path.
func (x *directoryIndex) isFile(rel string) bool { return x.walk("", rel, matchNorm).kind == entryFile }
