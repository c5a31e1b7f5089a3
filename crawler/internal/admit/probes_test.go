package admit

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// The made-up page for a target depends on its URL alone, not on which target of the directory is
// visited first. A directory has few of them, whatever names its pages have.
func TestProbedAs(t *testing.T) {
	for url, want := range map[string]string{
		"https://site.test/a":                "https://site.test/ ",
		"https://site.test/a/":               "https://site.test/a/ ",
		"https://site.test/a/b.html?x=.css":  "https://site.test/a/ .html",
		"https://site.test:8443/a/B.HTML":    "https://site.test:8443/a/ .html",
		"https://site.test/style.css":        "https://site.test/ .css",
		"https://site.test/users/jo.doe":     "https://site.test/users/ ",
		"https://site.test/v1.2":             "https://site.test/ ",
		"https://site.test/a.":               "https://site.test/ ",
		"https://site.test/.html":            "https://site.test/ .html",
		"https://site.test/a.do%20.asp":      "https://site.test/ .asp",
		"https://site.test/a.asp%20.aspx%20": "https://site.test/ ",
	} {
		u, _, err := urinorm.ParseWeb(url)
		if err != nil {
			t.Fatal(err)
		}
		if dir, extension := probedAs(u); dir+" "+extension != want {
			t.Errorf("%s: %q %q, want %q", url, dir, extension, want)
		}
	}
}
