package fetch

import "testing"

func TestTypeByName(t *testing.T) {
	for name, want := range map[string]string{
		"index.html": "text/html", "a/b.HTM": "text/html", "x.tar.gz": "application/gzip", "style.css": "text/css", "README.md": "text/markdown",
		"x": "", "a.b/c": "", ".htaccess": "", "x.": "", "pic.JPeG": "image/jpeg", "feed.atom": "application/atom+xml",
		"drawing.svgz":    "application/gzip", // its bytes are gzip; a host would declare that in Content-Encoding
		"app.webmanifest": "application/manifest+json", "notes.ipynb": "application/x-ipynb+json", "places.sqlite": "application/vnd.sqlite3",
	} {
		if got := TypeByName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
