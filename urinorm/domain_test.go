package urinorm

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm/internal/idna"
)

// The list's own tests. Where they expect Unicode, the result is in A-labels (URL
// Standard 3.2).
func TestRegistrableDomainCorpus(t *testing.T) {
	for _, c := range webCorpus(t, "registrable-domain") {
		want, _ := idna.AppendASCII(nil, c.Expect)
		if got := RegistrableDomain(c.Input); got != string(want) {
			t.Errorf("%s: %q: got %q, want %q", c.ID, c.Input, got, want)
		}
	}
}

func TestRegistrableDomain(t *testing.T) {
	for in, want := range map[string]string{
		"com": "", "example.com": "example.com", "sub.www.example.com": "example.com", "EXAMPLE.COM": "example.com",
		"example.com.": "example.com.", "github.io": "", "whatwg.github.io": "whatwg.github.io",
		"sub.example.إختبار": "example.xn--kgbechtv", "[2001:db8::1]": "", "127.0.0.1": "", "0x7f.1": "",
		"localhost": "", "": "", ".": "", "a..com": "", "a b.com": "",
	} {
		if got := RegistrableDomain(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for in, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.255.255.255": true, "[::1]": true,
		"a.localhost": false, "128.0.0.1": false, "127.0.0.1.example": false, "[::ffff:7f00:1]": false, "::1": false, "": false,
	} {
		if got := IsLoopback(in); got != want {
			t.Errorf("%q: got %v", in, got)
		}
	}
}
