package disk

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// TestRelist tests after which changes of files other answers are noticed, and after which all pages may have other
// references.
func TestRelist(t *testing.T) {
	files := map[string]string{"README.md": "", "a.md": "", "b/README.md": "", "c/x.png": ""}
	for _, row := range []struct {
		name   string
		change func(files map[string]string)
		ok     bool
		other  []string // the URLs with other answers
	}{
		{"nothing", func(map[string]string) {}, true, nil},
		{"created", func(f map[string]string) { f["new.md"] = "" }, true, []string{"new.md"}},
		{"deleted", func(f map[string]string) { delete(f, "a.md") }, true, []string{"a.md"}},
		{"in another letter case", func(f map[string]string) { delete(f, "a.md"); f["A.md"] = "" }, true, []string{"a.md"}},
		{"an index", func(f map[string]string) { delete(f, "b/README.md"); f["b/index.md"] = "" }, true, []string{"b/"}},
		{"the last file of a directory", func(f map[string]string) { delete(f, "c/x.png") }, true, []string{"c/"}},
		{"a page in place of a directory", func(f map[string]string) { f["b.html"] = "" }, true, []string{"b"}},
		{"the index of a site", func(f map[string]string) { f["index.html"] = "" }, false, nil},
		{"the page of a repository", func(f map[string]string) { delete(f, "README.md") }, false, nil},
		{"a configuration", func(f map[string]string) { f["b/mkdocs.yml"] = "" }, false, nil},
		{"one where no document is", func(f map[string]string) { f["c/mkdocs.yml"] = "" }, true, nil},
		{"a project", func(f map[string]string) { f["docusaurus.config.js"] = "" }, false, nil},
		{"redirects", func(f map[string]string) { f["_redirects"] = "" }, false, nil},
		{"a link", func(f map[string]string) { f["new.md"] = "-> a.md" }, false, nil},
	} {
		dir, now := t.TempDir(), maps.Clone(files)
		before := listed(t, dir, now)
		row.change(now)
		after := listed(t, dir, now)
		var documents []urinorm.URL
		for _, rel := range []string{"README.md", "a.md", "b/README.md"} {
			documents = append(documents, must(before.URLOf(rel)))
		}
		r, ok := Relist(before, after, documents)
		if ok != row.ok {
			t.Errorf("%s: references are the same: %t, want %t", row.name, ok, row.ok)
		}
		if !ok {
			continue
		}
		var other []string
		for _, rel := range []string{"", "a.md", "new.md", "b", "b/", "b/README.md", "c/", "c/x.png", "none.md"} {
			if !r.Same(must(before.URLOf(rel))) && rel != "b/README.md" && rel != "c/x.png" {
				other = append(other, rel)
			}
		}
		if !slices.Equal(other, row.other) {
			t.Errorf("%s: other answers for %q, want %q", row.name, other, row.other)
		}
	}
}

// listed returns a site of a directory that is made to hold files, and has been walked. The text of a symbolic link
// is "-> target".
func listed(t *testing.T, dir string, files map[string]string) *Site {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"b", "c"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		err := os.WriteFile(filepath.Join(dir, name), nil, 0o600)
		if len(text) > 3 {
			os.Remove(filepath.Join(dir, name))
			err = os.Symlink(text[3:], filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	base, _, _ := urinorm.ParseWeb("https://1.site.invalid/")
	s, err := OpenSite(SiteConfig{Dir: dir, Base: base, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Walk(nil, func(string, os.DirEntry) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return s
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
