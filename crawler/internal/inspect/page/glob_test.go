package page

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// A glob is compared with the whole printed URL, or with its path.
func TestGlobMatches(t *testing.T) {
	address, _, err := urinorm.ParseWeb("https://example.com/docs/a/b.html?x")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		glob Glob
		url  string
		want bool
	}{
		{"", "https://example.com/docs/a/b.html?x", true},
		{"/docs/**", "https://example.com/docs/a/b.html?x", true},
		{"/docs/*", "https://example.com/docs/a/b.html?x", false},
		{"https://example.com/*", "https://example.com", false},
		{"https://example.com/*", "https://example.com/a", true},
		{"site/**/b.html", "site/docs/b.html", true},
	} {
		if got := c.glob.Match(&Page{URL: c.url, Address: address}); got != c.want {
			t.Errorf("%q matches %s: %v, want %v", c.glob, c.url, got, c.want)
		}
	}
}
