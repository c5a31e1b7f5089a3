package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

func TestSiblings(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.html", "b c.png", "sub/index.html", "empty/x.txt", "Sub2/Page.html", ".hidden"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	base, _, err := urinorm.ParseWeb("https://e.test/docs/")
	if err != nil {
		t.Fatal(err)
	}
	site, err := OpenSite(SiteConfig{Base: base, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	for path, want := range map[string]string{
		"gone.html":       ".hidden a.html b%20c.png sub/",
		"gone/":           ".hidden a.html b%20c.png sub/",
		"sub/x":           "sub/index.html",
		"sub2/page.html":  "Sub2/Page.html",
		"nosuch/x":        "",
		"a.html/x":        "",
		"%2Fx/y":          "",
		"../../elsewhere": "",
	} {
		b, err := urinorm.NewBase(base, "")
		if err != nil {
			t.Fatal(err)
		}
		u, _, err := b.Resolve(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range site.Siblings(u) {
			got = append(got, strings.TrimPrefix(v.String(), "https://e.test/docs/"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("siblings of %s: %v, want %s", path, got, want)
		}
	}
}
