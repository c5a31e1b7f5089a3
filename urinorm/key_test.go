package urinorm

import "testing"

func TestKeyCorpus(t *testing.T) {
	for _, c := range webCorpus(t, "dedupe-key") {
		u, _, err := resolveWeb(c)
		if err != nil {
			t.Errorf("%s: %q: %v", c.ID, c.Input, err)
			continue
		}
		if u.String() != c.Href {
			t.Errorf("%s: %q: got href %q, want %q", c.ID, c.Input, u, c.Href)
		}
		if got := KeyOf(u); string(got) != c.Expect {
			t.Errorf("%s: %q: got key %q, want %q", c.ID, c.Input, got, c.Expect)
		}
	}
}

func TestKey(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"wss://u:p@example.com:443/%7ea#f", "wss://example.com/~a"},
		{"foo://u:p@Host/%7Ea", "foo://u:p@Host/~a"},
		{"foo:/.//a", "foo:/.//a"},
		{`http://a"b{}/`, "http://a%22b%7B%7D/"},
		{"http://a%22b{%7d/", "http://a%22b%7B%7D/"},
		{"http://[::1]:8080/[x]", "http://[::1]:8080/%5Bx%5D"},
		{"foo://h/a\\b", "foo://h/a%5Cb"},
		{"mailto:%61@example.com?a|b#x", "mailto:%61@example.com?a|b"},
		{"http://h/?'`{}", "http://h/?%27%60%7B%7D"},
		{"file:///%43|/", "file:///C%7C/"},
	} {
		if got := KeyOf(mustParse(t, c.in)); string(got) != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

// URLs that a server may distinguish have different keys.
func TestKeysThatDiffer(t *testing.T) {
	for _, pair := range [][2]string{
		{"http://h/a", "http://h/a/"},
		{"http://h/a", "http://h//a"},
		{"http://h/", "https://h/"},
		{"http://h/", "http://www.h/"},
		{"http://h/", "http://h./"},
		{"http://h/?", "http://h/"},
		{"http://h/?a&b", "http://h/?b&a"},
		{"http://h/a", "http://h/A"},
		{"http://h/a%2Fb", "http://h/a/b"},
		{"http://h/a%20b", "http://h/a+b"},
		{"http://h/?a%26b", "http://h/?a&b"},
		{"http://h/%2541", "http://h/%41"},
		{"http://h/é", "http://h/e\u0301"},
		{"http://h/it's", "http://h/it%27s"},
		{"http://h/;a", "http://h/%3Ba"},
		{"ftp://u@h/", "ftp://h/"},
	} {
		if a, b := KeyOf(mustParse(t, pair[0])), KeyOf(mustParse(t, pair[1])); a == b {
			t.Errorf("%q and %q share the key %q", pair[0], pair[1], a)
		}
	}
}
