package urinorm

import (
	"errors"
	"testing"
)

func TestRemoveDotSegments(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"/a/b/c/./../../g", "/a/g"},    // the examples of
		{"mid/content=5/../6", "mid/6"}, // section 5.2.4
		{"/", "/"}, {".", ""}, {"..", ""}, {"./", ""}, {"../", ""}, {"../../a", "a"}, {"./../a", "a"},
		{"/.", "/"}, {"/..", "/"}, {"/./", "/"}, {"/../", "/"}, {"/../a", "/a"}, {"/a/..", "/"}, {"a/..", "/"},
		{"a/../b", "/b"}, {"/a/.", "/a/"}, {"/a/b/..", "/a/"}, {"//..//", "//"}, {"/a//../b", "/a/b"},
		{"/...", "/..."}, {"/.a/..b/c./d..", "/.a/..b/c./d.."}, {"/%2e/%2E%2e", "/%2e/%2E%2e"},
		{"a/b/c", "a/b/c"}, {"a/./b", "a/b"}, {"a/b/..", "a/"},
	} {
		if got := RemoveDotSegments(test.in); got != test.want {
			t.Errorf("RemoveDotSegments(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestResolveRFCErrors(t *testing.T) {
	if _, err := ResolveRFC("//h/a", "b", true); !errors.Is(err, ErrBase) {
		t.Errorf("relative base: %v", err)
	}
	for _, test := range [][2]string{{"http://h/ ", "b"}, {"http://h/", "b c"}, {"http://h/", ":x"}} {
		if got, err := ResolveRFC(test[0], test[1], true); err == nil {
			t.Errorf("%q against %q: %q", test[1], test[0], got)
		}
	}
}

// References that repeat the scheme of the base, strict and backward compatible.
func TestResolveRFCSameScheme(t *testing.T) {
	for _, test := range []struct{ base, ref, strict, loose string }{
		{"http://a/b/c?q", "http:g", "http:g", "http://a/b/g"},
		{"http://a/b/c?q", "HTTP:g", "HTTP:g", "http://a/b/g"},
		{"http://a/b/c?q", "http:", "http:", "http://a/b/c?q"},
		{"http://a/b/c?q", "http:?x", "http:?x", "http://a/b/c?x"},
		{"http://a/b/c?q", "http://h/x", "http://h/x", "http://h/x"},
		{"http://a/b/c?q", "https:g", "https:g", "https:g"},
	} {
		if got, err := ResolveRFC(test.base, test.ref, true); err != nil || got != test.strict {
			t.Errorf("strict %q: %q, %v", test.ref, got, err)
		}
		if got, err := ResolveRFC(test.base, test.ref, false); err != nil || got != test.loose {
			t.Errorf("compatible %q: %q, %v", test.ref, got, err)
		}
	}
}

func TestSameDocument(t *testing.T) {
	const base = "http://a/b/c?q#old"
	for ref, want := range map[string]bool{
		"": true, "#": true, "#x": true, "c?q": true, "http://a/b/c?q#y": true, "?q": true,
		"c": false, "?": false, "?r": false, "HTTP://a/b/c?q": false, "../b/c?q": true,
	} {
		if got, err := SameDocument(base, ref); err != nil || got != want {
			t.Errorf("%q: %v, %v", ref, got, err)
		}
	}
	if _, err := SameDocument(base, "%"); err == nil {
		t.Error("a malformed reference is the same document")
	}
}

func TestFromSuffix(t *testing.T) {
	for in, want := range map[string]string{
		"www.example.com":        "https://www.example.com",
		"www.w3.org/Addressing/": "https://www.w3.org/Addressing/",
		"example.com:8080/a?b#c": "https://example.com:8080/a?b#c",
		"ftp.is.co.za/rfc":       "ftp://ftp.is.co.za/rfc",
		"localhost":              "https://localhost",
		"localhost:8000/x":       "https://localhost:8000/x",
		"127.0.0.1/x":            "https://127.0.0.1/x",
		"[::1]:80/":              "https://[::1]:80/",
		"www.bücher.example":     "https://www.bücher.example",
		"example.com.":           "https://example.com.",
		"":                       "", "docs": "", "docs/index": "", "../www.example.com": "", "/x.y": "", "a..b": "",
		"http://example.com": "", "mailto:a@b.c": "", "joe@example.com": "", "1.2": "", "v1.2": "", "[::x]": "",
		"www.example.com:": "", "www.example.com:a": "", "-a.example": "", "a b.example": "", ".example.com": "",
	} {
		got, ok := FromSuffix(in)
		if got != want || ok != (want != "") {
			t.Errorf("FromSuffix(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}
