package disk

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Texts count in place of files, whether or not these exist.
func TestTextsCountInPlaceOfFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("from disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	base, _, err := urinorm.ParseWeb("https://1.site.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	texts := NewTexts(map[string][]byte{"a.md": []byte("open"), "new/deep/b.md": []byte("only open")}, map[string]string{"new/deep/b.md": "text/org"})
	site, err := OpenSite(SiteConfig{Dir: dir, Base: base, Synthetic: true, Texts: texts})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	var walked []string
	if err := site.Walk(nil, func(rel string, _ fs.DirEntry) error { walked = append(walked, rel); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.md", "new/deep/b.md"}; !slices.Equal(walked, want) {
		t.Errorf("walked %v, want %v", walked, want)
	}
	read := func(rel string) string {
		u, err := site.URLOf(rel)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := site.Fetch(context.Background(), &fetch.Request{URL: u, Need: fetch.Content})
		if err != nil {
			return err.Error()
		}
		if resp.Body == nil {
			t.Fatalf("fetch %s: no body: %+v", rel, resp)
		}
		defer resp.Body.Close()
		if want := map[string]string{"a.md": "text/markdown", "new/deep/b.md": "text/org"}[rel]; want != "" && resp.ContentType != want {
			t.Errorf("%s is %s, want %s", rel, resp.ContentType, want)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if got := read("a.md") + "|" + read("new/deep/b.md"); got != "open|only open" {
		t.Errorf("read %q", got)
	}
	texts.Set(map[string][]byte{"new/deep/b.md": []byte("again"), "a.md": nil})
	if got := read("a.md") + "|" + read("new/deep/b.md"); got != "|again" {
		t.Errorf("after a change: read %q", got)
	}
}
