package urinorm

import (
	"fmt"
	"strings"
	"testing"
)

func TestExplainWeb(t *testing.T) {
	for in, want := range map[string]string{
		"https://example.com/": "",
		" HTTP://Example.COM:080/a/./b/../c?q=ü x#f y\n": "URL Standard 4.4 leading and trailing spaces and control characters removed: HTTP://Example.COM:080/a/./b/../c?q=ü x#f y|" +
			"URL Standard 4.4 scheme in lower case: http://Example.COM:080/a/./b/../c?q=ü x#f y|" +
			"URL Standard 3.5 host in lower case, IPv4 address in canonical form: http://example.com:080/a/./b/../c?q=ü x#f y|" +
			"URL Standard 4.4 empty port, default port or leading zeros of the port removed: http://example.com/a/./b/../c?q=ü x#f y|" +
			"URL Standard 4.4 dot segments removed: http://example.com/a/c?q=ü x#f y|" +
			"URL Standard 1.3 query percent-encoded: http://example.com/a/c?q=%C3%BC%20x#f y|" +
			"URL Standard 1.3 fragment percent-encoded: http://example.com/a/c?q=%C3%BC%20x#f%20y",
		`http:\\user:pass@h\a`: `URL Standard 4.4 backslashes replaced by slashes: http://user:pass@h/a|RFC 3986 7.5 remark: the URL contains a password: http://user:pass@h/a`,
		"https:example.com":    "URL Standard 4.4 two slashes before the authority: https://example.com|URL Standard 4.4 empty path replaced by \"/\": https://example.com/",
		"http://0x7f.1/%zz":    "URL Standard 3.5 host in lower case, IPv4 address in canonical form: http://127.0.0.1/%zz|URL Standard 4.4 remark: a % without two hexadecimal digits after it is kept: http://127.0.0.1/%zz|RFC 3986 7.4 remark: the host is an IPv4 address in an unusual form: http://127.0.0.1/%zz",
		"http://bücher.example/ä": "URL Standard 3.5 host converted to ASCII (UTS 46): http://xn--bcher-kva.example/ä|" +
			"URL Standard 1.3 path percent-encoded: http://xn--bcher-kva.example/%C3%A4",
		"file:/tmp/x":       "URL Standard 4.4 two slashes before the authority: file:///tmp/x",
		"http://h/\xff\xfe": "URL Standard 4.4 bytes that are not UTF-8 replaced by U+FFFD: http://h/��|URL Standard 1.3 path percent-encoded: http://h/%EF%BF%BD%EF%BF%BD",
		"mailto:a b@c":      "", // its path is opaque
		"http://[::0:1]/":   "URL Standard 3.5 IPv6 address in canonical form: http://[::1]/",
		"http://h/../a%2e":  "URL Standard 4.4 dot segments removed: http://h/a%2e|RFC 3986 5.4.2 remark: \"..\" at the root is ignored: http://h/a%2e",
	} {
		steps, err := ExplainWeb(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
		}
		var got []string
		for _, s := range steps {
			got = append(got, fmt.Sprintf("%s %s: %s", s.Section, s.What, s.Result))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q gave\n%s, want\n%s", in, strings.Join(got, "|"), want)
		}
	}
	if _, err := ExplainWeb("no scheme"); err == nil {
		t.Error("a relative reference has no steps")
	}
}

// The last step is the result of ParseWeb, and every step changes something.
func checkExplainWeb(t *testing.T, in string) {
	t.Helper()
	u, _, err := ParseWeb(in)
	steps, explainErr := ExplainWeb(in)
	if (err == nil) != (explainErr == nil) {
		t.Fatalf("%q: %v, %v", in, err, explainErr)
	}
	at := in
	for _, s := range steps {
		if s.Result == at && !strings.HasPrefix(s.What, "remark") {
			t.Fatalf("%q: %q does nothing", in, s.What)
		}
		at = s.Result
	}
	if err == nil && at != u.String() {
		t.Fatalf("%q: the steps end at %q, not at %q", in, at, u)
	}
}

func TestExplainWebCorpus(t *testing.T) {
	for _, name := range []string{"wpt-urltestdata", "web-differential", "web-ada-extra"} {
		for _, c := range webCorpus(t, name) {
			checkExplainWeb(t, c.Input)
		}
	}
}

func FuzzExplainWeb(f *testing.F) {
	for _, s := range []string{"HTTP://Ex.com:80/a/../b", "file:c|/x", "web+demo:/..//x", "mailto:a ?b c#d e", "http:///a//b/%2e%2E/", `ws:\\a@b@c:/`, "http://\xff.a/", "data:x y#\x00"} {
		f.Add(s)
	}
	f.Fuzz(checkExplainWeb)
}
