package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A file is found by its name wherever it is: the one with the fewest directories above it.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b/c/Page.md", "a/Two-Words.md", "a/page.md", "z/page.md", ".hidden/Secret.md", "b/ü.md"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Symlink(".", filepath.Join(dir, "loop")) // does not hang; not everywhere allowed
	site := openNamed(t, SiteConfig{Dir: dir})
	for name, want := range map[string]string{
		"page.md": "a/page.md", "PAGE.MD": "a/page.md", "two words.md": "a/Two-Words.md", "Ü.md": "b/%C3%BC.md",
		"secret.md": "", "page": "", "": "", "nowhere.md": "",
	} {
		u, ok := site.Find(name)
		if got := strings.TrimPrefix(u.String(), "https://1.site.invalid/"); ok != (want != "") || ok && got != want {
			t.Errorf("Find(%q) = %q %v, want %q", name, got, ok, want)
		}
	}
}

func openNamed(t *testing.T, config SiteConfig) *Site {
	t.Helper()
	base, _, err := urinorm.ParseWeb("https://1.site.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	config.Base, config.Synthetic = base, true
	site, err := OpenSite(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return site
}

// Index files and extensions that are given replace those of every style.
func TestGivenIndexesAndExtensions(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"index.html", "home/default.htm", "guide/index.html", "empty/x.bin", "page.html", "note.txt", "_redirects"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for style := range hostStyles {
		for _, c := range []struct {
			indexes, extensions []string
			there, missing      string
		}{
			{[]string{"default.htm"}, nil, "home/ page.html", "guide/ empty/"},
			{[]string{}, []string{}, "page.html", "home/ guide/ page"},
			{[]string{".", "index.html"}, []string{".txt", ".html"}, "home/ guide/ empty/ page note", "nowhere nowhere/"},
		} {
			site := openNamed(t, SiteConfig{Dir: dir, Style: HostStyle(style), Indexes: c.indexes, Extensions: c.extensions})
			for _, path := range strings.Fields(c.there + " " + c.missing) {
				u, _, err := urinorm.ParseWeb("https://1.site.invalid/" + path)
				if err != nil {
					t.Fatal(err)
				}
				_, err = site.Fetch(t.Context(), &fetch.Request{URL: u})
				if want := strings.Contains(" "+c.there+" ", " "+path+" "); want != (err == nil) {
					t.Errorf("%s, %v, %v: %s: %v", HostStyle(style), c.indexes, c.extensions, path, err)
				}
			}
		}
	}
}
