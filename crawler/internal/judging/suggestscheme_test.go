package judging

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

func TestMissingScheme(t *testing.T) {
	for url, want := range map[string]string{
		"https://example.org/about/joe@example.com":                "mailto:joe@example.com",
		"https://example.org/joe.b+c@mail.example.co.uk?subject=a": "mailto:joe.b+c@mail.example.co.uk?subject=a",
		"https://example.org/about/www.example.com":                "https://www.example.com/",
		"https://example.org/www.example.com/guide/?q=1":           "https://www.example.com/guide/?q=1",
		"https://example.org/a/www.example.com:8080/":              "https://www.example.com:8080/",

		"https://example.org/logo@2x.png":         "", // no top-level domain
		"https://example.org/joe@localhost":       "",
		"https://example.org/@joe":                "",
		"https://example.org/joe@":                "",
		"https://example.org/a@com":               "",
		"https://example.org/a@b@example.com":     "",
		"https://example.org/a@example.com/page":  "", // as of a fediverse account
		"https://example.org/www.a@example.com/b": "",
		"https://example.org/www.html":            "",
		"https://example.org/www.com":             "",
		"https://example.org/awww.example.com":    "",
		"https://www.example.com/guide":           "",
		"https://example.org/":                    "",
	} {
		u, _, err := urinorm.ParseWeb(url)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := MissingScheme(u)
		if !ok {
			s.URL = ""
		}
		if s.URL != want {
			t.Errorf("%s: %q, want %q", url, s.URL, want)
		}
	}
}
