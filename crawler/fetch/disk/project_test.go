package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// projectSite opens a directory with the files of a project of Docusaurus, MyST and a wiki.
func projectSite(t testing.TB) *Site {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"web/docusaurus.config.ts": "routeBasePath: '/', path: 'handbook'", "web/handbook/intro.md": "---\nslug: /\n---\n", "web/handbook/a/a.mdx": "",
		"web/static/x y.png": "", "book/conf.py": "", "book/index.rst": "", "book/b.md": "", "wiki/Home.md": "", "wiki/_Footer.md": "", "none/a.md": "",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	base, _, err := urinorm.ParseWeb("https://1.site.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenSite(SiteConfig{Base: base, Dir: dir, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestProjectLead(t *testing.T) {
	s := projectSite(t)
	for _, row := range []struct{ document, ref, want string }{
		{"web/handbook/intro.md", "/x%20y.png?v#f", "web/static/x%20y.png?v#f"},
		{"web/handbook/intro.md", "@site/handbook/a/a.mdx", "web/handbook/a/a.mdx"},
		{"web/handbook/intro.md", "/a", "web/handbook/a/a.mdx"},
		{"web/handbook/intro.md", "/handbook/a/", "web/handbook/a/a.mdx"},
		{"web/handbook/a/a.mdx", "/", "web/handbook/intro.md"},
		{"web/handbook/a/a.mdx", "../", "web/handbook/intro.md"},
		{"web/handbook/intro.md", "a/a.mdx", ""}, // the file itself
		{"web/handbook/intro.md", "//host/a", ""},
		{"web/handbook/intro.md", "https://host/a", ""},
		{"web/handbook/intro.md", "#x", ""},
		{"book/b.md", "index", "book/index.rst"},
		{"book/b.md", "project:index#x", "book/index.rst#x"},
		{"book/b.md", "/index.rst", "book/index.rst"},
		{"book/b.md", "path:../web/none", ""},
		{"book/b.md", "inv:x#y", ""},
		{"wiki/Home.md", "Home", "wiki/Home.md"},
		{"wiki/Home.md", "other/Home/", "wiki/Home.md"},
		{"wiki/Home.md", "https://host/Home", ""},
		{"none/a.md", "b", ""},
	} {
		document, err := s.URLOf(row.document)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if p := ProjectOf(s, document); p != nil {
			got, _ = p.Lead(document, row.ref)
		}
		if got = strings.TrimPrefix(got, "https://1.site.invalid/"); got != row.want {
			t.Errorf("%s in %s leads to %q, want %q", row.ref, row.document, got, row.want)
		}
	}
}

// Whatever a reference is, it leads to a URL of the site.
func FuzzProjectLead(f *testing.F) {
	for _, ref := range []string{"@site/../x", "path:/../../x", "project:a", "/..", "./../..", "pathname:////x", "a%2Fb", "%", "@site/%2e%2e/x"} {
		f.Add("web/handbook/intro.md", ref)
		f.Add("book/b.md", ref)
		f.Add("wiki/Home.md", ref)
	}
	s := projectSite(f)
	f.Fuzz(func(t *testing.T, at, ref string) {
		document, err := s.URLOf(at)
		if err != nil {
			return
		}
		p := ProjectOf(s, document)
		if p == nil {
			return
		}
		target, ok := p.Lead(document, ref)
		if !ok {
			return
		}
		u, _, err := urinorm.ParseWeb(target)
		if err == nil && !s.Holds(u) {
			t.Errorf("%q in %q leads to %s", ref, at, target)
		}
	})
}
