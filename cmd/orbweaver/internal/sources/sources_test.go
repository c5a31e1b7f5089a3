package sources

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// tree creates files in a new directory and makes it the working directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// TestPages tests which source belongs to a page, following the rules of generators.
func TestPages(t *testing.T) {
	tests := []struct{ generator, source, page string }{
		{"mkdocs", "docs/guide/install.md", "site/guide/install/index.html"},
		{"mkdocs, no directory URLs", "docs/guide/install.md", "site/guide/install.html"},
		{"mkdocs", "docs/guide/index.md", "site/guide/index.html"},
		{"mkdocs", "docs/README.md", "site/index.html"},
		{"mdbook", "src/guide/README.md", "site/guide/index.html"},
		{"mdbook", "src/guide/install.md", "site/guide/install.html"},
		{"hugo", "content/guide/_index.md", "site/guide/index.html"},
		{"hugo", "content/Guide/Install It.md", "site/guide/install-it/index.html"},
		{"hugo, bundle", "content/guide/install/index.md", "site/guide/install/index.html"},
		{"hugo, languages", "content/guide/install.fr.md", "site/fr/guide/install/index.html"},
		{"hugo, slug", "content/posts/first.md", "site/posts/a-title/index.html"},
		{"hugo, url", "content/posts/second.md", "site/about/us/index.html"},
		{"docusaurus", "docs/02-tutorial/01-intro.mdx", "site/docs/tutorial/intro/index.html"},
		{"docusaurus, project path", "docs/02-tutorial/03-next.mdx", "site/project/docs/tutorial/next/index.html"},
		{"jekyll", "_posts/2024-01-02-hello-world.markdown", "site/2024/01/02/hello-world.html"},
		{"jekyll", "_docs/setup.md", "site/docs/setup.html"},
		{"jekyll, permalink", "pages/terms.md", "site/legal/terms-of-use/index.html"},
		{"eleventy", "src/blog/post.njk", "site/blog/post/index.html"},
		{"sphinx", "source/api/client.rst", "site/api/client.html"},
		{"sphinx, dirhtml", "source/api/server.rst", "site/api/server/index.html"},
		{"asciidoctor", "docs/manual.adoc", "site/manual.html"},
		{"antora", "modules/ROOT/pages/nav/start.adoc", "site/component/1.0/nav/start.html"},
		{"org", "org/notes.org", "site/notes.html"},
		{"a template", "templates/contact.html.erb", "site/contact.html"},
		{"a name to be escaped", "docs/Über uns.md", "site/über-uns/index.html"},
	}
	matter := map[string]string{
		"content/posts/first.md":  "---\ntitle: x\nslug: a-title\n---\n",
		"content/posts/second.md": "+++\nurl = \"/about/us/\"\n+++\n",
		"pages/terms.md":          "---\npermalink: /legal/terms-of-use/\n---\n",
	}
	for _, test := range tests {
		t.Run(test.generator+" "+test.source, func(t *testing.T) {
			dir := tree(t, map[string]string{
				test.source: matter[test.source] + "x", test.page: "x",
				"docs/other/elsewhere.md": "x", "content/unrelated.md": "x", "site/guide/x/y.html": "x",
			})
			made, err := Open(".", dir, []string{"site"})
			if err != nil {
				t.Fatal(err)
			}
			found := made.sourcesByPath(test.page)
			var names []string
			for _, id := range found {
				names = append(names, made.name(id))
			}
			if len(names) != 1 || names[0] != test.source {
				t.Errorf("%s is made from %q, want %s", test.page, names, test.source)
			}
		})
	}
}

// mapped maps every reference of a page and returns them as a list.
func mapped(t *testing.T, made *Tree, page string, urlOf func(extract.Link) string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	byURL := map[string]*result.Result{}
	var order []*result.Result
	for _, l := range extract.Extract(extract.Input{Body: body, Name: "x.html"}).Links {
		u := urlOf(l)
		if byURL[u] == nil {
			byURL[u] = &result.Result{URL: u}
			order = append(order, byURL[u])
		}
		byURL[u].References = append(byURL[u].References, result.Reference{Page: page, Line: l.Line, Column: l.Column, Element: l.Element, Attribute: l.Attribute, Raw: l.Raw, Text: l.Text})
	}
	var b strings.Builder
	for _, r := range order {
		made.Map(r)
		for _, ref := range r.References {
			at := "-"
			if s := ref.Source; s != nil {
				at = fmt.Sprintf("%s:%d:%d %s", s.File, s.Line, s.Column, s.Raw)
			}
			fmt.Fprintf(&b, "%d:%d %s %s\n", ref.Line, ref.Column, ref.Raw, at)
		}
	}
	return b.String()
}

func TestMap(t *testing.T) {
	dir := tree(t, map[string]string{
		"docs/index.md": `# Home
See the [guide](guide.md), the [same](guide.md#setup), [twice](guide.md) and [twice](guide.md).
![a picture](img/p.png) <https://e.test/?a&b> [“quoted” text](nope.md)
`,
		"docs/guide.md":       "# Guide\n[home](index.md)\n",
		"docs/fr/about.md":    "[x](https://e.test/only-here)\n[shared](https://e.test/both)\n",
		"docs/de/about.md":    "[shared](https://e.test/both)\n",
		"theme/footer.html":   "<footer><a href=\"/legal/imprint.html\">Imprint</a></footer>\n",
		"site/about/old.html": "x",
		"site/index.html": `<nav><a href="guide/">Guide</a> <a href="/legal/imprint.html">Imprint</a></nav>
<p>See the <a href="guide/">guide</a>, the <a href="guide/#setup">same</a>, <a href="guide/">twice</a> and <a href="guide/">twice</a>.
<img src="img/p.png" alt="a picture"> <a href="https://e.test/?a&amp;b">https://e.test/?a&amp;b</a> <a href="nope/">"quoted" text</a>
<a href="https://e.test/only-here">x</a> <a href="https://e.test/both">shared</a> <a href="generated/">made by a plugin</a>
<footer>Made with <a href="https://generator.test/">Generator</a>, <a href="https://e.test/guide/">see</a></footer>`,
	})
	made, err := Open(".", dir, []string{"site"})
	if err != nil {
		t.Fatal(err)
	}
	urlOf := func(l extract.Link) string {
		if strings.Contains(l.Ref, "://") {
			return l.Ref
		}
		return "site/" + strings.TrimPrefix(l.Ref, "/")
	}
	want := `1:15 guide/ docs/index.md:2:17 guide.md
2:21 guide/ docs/index.md:2:17 guide.md
2:86 guide/ docs/index.md:2:64 guide.md
2:117 guide/ docs/index.md:2:86 guide.md
1:42 /legal/imprint.html theme/footer.html:1:18 /legal/imprint.html
2:53 guide/#setup docs/index.md:2:39 guide.md#setup
3:11 img/p.png docs/index.md:3:14 img/p.png
3:48 https://e.test/?a&amp;b docs/index.md:3:26 https://e.test/?a&b
3:110 nope/ docs/index.md:3:63 nope.md
4:10 https://e.test/only-here docs/fr/about.md:1:5 https://e.test/only-here
4:51 https://e.test/both -
4:92 generated/ -
5:28 https://generator.test/ -
5:77 https://e.test/guide/ -
`
	if got := mapped(t, made, "site/index.html", urlOf); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestMapAmbiguous tests that a reference that matches two sources gets none.
func TestMapAmbiguous(t *testing.T) {
	dir := tree(t, map[string]string{
		"content/en/guide.md": "[x](gone.md)\n", "content/de/guide.md": "[x](gone.md)\n[y](weg.md)\n",
		"site/guide/index.html": `<a href="gone.md">x</a><a href="weg.md">y</a>`,
	})
	made, err := Open("content", dir, []string{"site"})
	if err != nil {
		t.Fatal(err)
	}
	want := "1:10 gone.md -\n1:33 weg.md content/de/guide.md:2:5 weg.md\n"
	if got := mapped(t, made, "site/guide/index.html", func(l extract.Link) string { return "site/guide/" + l.Ref }); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestMapByEditLink tests pages that link to their source.
func TestMapByEditLink(t *testing.T) {
	dir := tree(t, map[string]string{
		"docs/a/strange.md": "[x](gone.md)\n", "docs/b/page.md": "[x](gone.md)\n", "docs/c/deep.rst": "`x <gone.html>`_\n",
		"site/page.html": `<a href="https://github.com/o/n/edit/main/docs/a/strange.md">edit</a> <a href="gone.md">x</a>`,
		"site/deep.html": `<a href="gone.html">x</a> <a href="_sources/c/deep.rst.txt">source</a>`,
	})
	made, err := Open("docs", dir, []string{"site"})
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{"site/page.html": "docs/a/strange.md:1:5 gone.md", "site/deep.html": "docs/c/deep.rst:1:5 gone.html"} {
		if got := mapped(t, made, page, func(l extract.Link) string { return "site/" + l.Ref }); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", page, got, want)
		}
	}
}

// TestMapWebsite tests that crawled pages are matched by the path of their URL.
func TestMapWebsite(t *testing.T) {
	dir := tree(t, map[string]string{"docs/guide/install.md": "[x](../nope.md)\n"})
	made, err := Open("docs", dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &result.Result{URL: "https://e.test/v2/nope/", References: []result.Reference{
		{Page: "https://e.test/v2/guide/install/?x#y", Line: 3, Column: 4, Element: "a", Raw: "../../nope/", Text: "x"},
		{Page: result.CommandLine, Raw: "https://e.test/v2/nope/"},
	}}
	made.Map(r)
	if s := r.References[0].Source; s == nil || *s != (result.Place{File: "docs/guide/install.md", Line: 1, Column: 5, Raw: "../nope.md"}) {
		t.Errorf("%+v", s)
	}
	if r.References[1].Source != nil {
		t.Errorf("%+v", r.References[1].Source)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := tree(t, map[string]string{"file.md": "x"})
	for name, want := range map[string]string{"nosuch": "read sources nosuch: there is no such directory", "file.md": "read sources file.md: not a directory"} {
		if _, err := Open(name, dir, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// generated runs a generator that Debian packages.
func generated(t *testing.T, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// TestMkDocs maps a site generated by MkDocs.
func TestMkDocs(t *testing.T) {
	dir := tree(t, map[string]string{
		"mkdocs.yml":            "site_name: Test\n",
		"docs/index.md":         "# Home\n\nSee [set-up](guide/install.md#setup \"T\"), [again][1] and [again][1].\n\n![pic](img/pic.png)\n\n[1]: guide/install.md#nowhere\n",
		"docs/guide/index.md":   "# Guide\n\n[install](install.md#setup) and [gone](gone.md)\n",
		"docs/guide/install.md": "# Install\n\n## Set-up\n\nRaw <a href=\"../nothing/\">HTML</a>\n",
	})
	generated(t, "mkdocs", "build", "-q")
	made, err := Open("docs", dir, []string{"site"})
	if err != nil {
		t.Fatal(err)
	}
	for page, wants := range map[string][]string{
		"site/index.html": {
			"guide/install/#setup docs/index.md:3:14 guide/install.md#setup",
			"guide/install/#nowhere docs/index.md:7:6 guide/install.md#nowhere",
			"img/pic.png docs/index.md:5:8 img/pic.png",
		},
		"site/guide/index.html":         {"install/#setup docs/guide/index.md:3:11 install.md#setup", "gone.md docs/guide/index.md:3:40 gone.md"},
		"site/guide/install/index.html": {"../nothing/ docs/guide/install.md:5:14 ../nothing/"},
	} {
		got := mapped(t, made, page, resolved(page))
		for _, want := range wants {
			if !strings.Contains(got, " "+want+"\n") {
				t.Errorf("%s lacks %q in\n%s", page, want, got)
			}
		}
	}
}

// TestSphinx maps a site generated by Sphinx.
func TestSphinx(t *testing.T) {
	dir := tree(t, map[string]string{
		"src/conf.py":           "project = 'Test'\n",
		"src/index.rst":         "Home\n====\n\n.. toctree::\n\n   guide/install\n\nSee `broken <guide/nope.html>`_ and http://e.test/x.\n\nA `named link`_ here.\n\n.. _named link: http://e.test/named\n",
		"src/guide/install.rst": "Install\n=======\n\n`fragment <../index.html#hme>`_ and `second <../index.html#hme>`__.\n",
	})
	generated(t, "sphinx-build", "-q", "-b", "html", "src", "out")
	made, err := Open("src", dir, []string{"out"})
	if err != nil {
		t.Fatal(err)
	}
	for page, wants := range map[string][]string{
		"out/index.html": {
			"guide/nope.html src/index.rst:8:14 guide/nope.html", "http://e.test/x src/index.rst:8:37 http://e.test/x",
			"http://e.test/named src/index.rst:12:17 http://e.test/named",
		},
		"out/guide/install.html": {"../index.html#hme src/guide/install.rst:4:12 ../index.html#hme", "../index.html#hme src/guide/install.rst:4:46 ../index.html#hme"},
	} {
		got := mapped(t, made, page, resolved(page))
		for _, want := range wants {
			if !strings.Contains(got, " "+want+"\n") {
				t.Errorf("%s lacks %q in\n%s", page, want, got)
			}
		}
	}
}

// resolved returns the target of a link on a local page as reports print it.
func resolved(page string) func(extract.Link) string {
	return func(l extract.Link) string {
		if strings.Contains(l.Ref, "://") {
			return l.Ref
		}
		name, fragment, has := strings.Cut(l.Ref, "#")
		dir := strings.HasSuffix(name, "/")
		if name == "" {
			name = page
		} else {
			name = filepath.ToSlash(filepath.Join(filepath.Dir(page), name))
		}
		if dir {
			name += "/"
		}
		if has {
			name += "#" + fragment
		}
		return name
	}
}

// FuzzKeys tests that no path of a page or a source causes a panic, and that the path of
// a source leads to it.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"docs/guide.md", "_posts/2024-01-02-x.md", "a/../b.en.md", "%2e%2e/x", "index.md", "/", "a.md.md.md", "---\nslug: x\n---"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, head string) {
		readFrontMatter([]byte(head))
		keys := sourceKeys(name, frontMatter{})
		if len(split(name)) == 0 {
			return
		}
		if strings.Contains(name, "%") {
			return
		}
		k := pageKey(name)
		for _, have := range keys {
			if same(have, k) {
				return
			}
		}
		t.Fatalf("%q has the keys %q, and its page %q", name, keys, k)
	})
}

// A finding of a content check is not a link, so its text is not searched for in sources.
func TestMapFindings(t *testing.T) {
	dir := tree(t, map[string]string{"site/a.html": "", "docs/a.md": "[the only link](b.html)\n"})
	made, err := Open(filepath.Join(dir, "docs"), dir, []string{filepath.Join(dir, "site")})
	if err != nil {
		t.Fatal(err)
	}
	r := &result.Result{Kind: result.KindPage, URL: "site/a.html", References: []result.Reference{{Page: "site/a.html", Line: 1, Column: 1, Raw: "b.html", Text: "the only link"}}}
	if made.Map(r); r.References[0].Source != nil {
		t.Errorf("%+v", r.References[0].Source)
	}
	r.Kind = result.KindTarget
	if made.Map(r); r.References[0].Source == nil {
		t.Error("a link has no source")
	}
}
