package scope

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

func TestReservedName(t *testing.T) {
	for in, want := range map[string]string{
		"https://example.com/":                "example.com",
		"https://EXAMPLE.com:8080/a":          "example.com",
		"https://docs.example.org/":           "example.org",
		"https://example.net./":               "example.net",
		"http://a.b.test/":                    "test",
		"http://test/":                        "test",
		"ftp://mirror.example/":               "example",
		"https://host.invalid/":               "invalid",
		"mailto:me@example.com":               "example.com",
		"mailto:me@mail.EXAMPLE.com?cc=a@b.c": "example.com",
		"https://example.de/":                 "",
		"https://notexample.com/":             "",
		"https://example.com.evil.org/":       "",
		"https://test.com/":                   "",
		"http://localhost/":                   "",
		"http://app.localhost/":               "",
		"http://192.0.2.1/":                   "",
		"http://[::1]/":                       "",
		"mailto:me@test.org":                  "",
		"tel:+1":                              "",
		"urn:example:a":                       "",
		"file:///tmp/a":                       "",
	} {
		u, _, err := urinorm.ParseWeb(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := ReservedName(HrefOf(u)); got != want {
			t.Errorf("ReservedName(%s) = %q, want %q", in, got, want)
		}
	}
}
