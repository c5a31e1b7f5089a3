package disk

import "testing"

func TestNeedsReference(t *testing.T) {
	for rel, want := range map[string]bool{
		"a.html": true, "a/b.PNG": true, "css/site.css": true, "js/app.js": true, "old.xhtml": true,
		"index.html": false, "a/index.htm": false, "favicon.ico": false, "a/404.html": false, "apple-touch-icon-180x180.png": false,
		"google1234abcd.html": false, "google-maps.html": true, "sw.js": false, "serviceworker.js": false, "postcss.config.js": false,
		".well-known/x.html": false, ".vitepress/a.js": false, "robots.txt": false, "README.md": false, "objects.inv": false, "a.pdf": false, "a": false,
	} {
		if got := needsReference(rel); got != want {
			t.Errorf("needsReference(%q) = %t, want %t", rel, got, want)
		}
	}
}
