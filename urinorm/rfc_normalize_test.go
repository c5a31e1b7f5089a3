package urinorm

import (
	"slices"
	"testing"
)

func TestNormalizeRFC(t *testing.T) {
	tests := []struct{ in, syntax, full string }{
		// The examples of section 6.2.
		{"eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D", "example://a/b/c/%7Bfoo%7D"},
		{"http://example.com", "http://example.com", "http://example.com/"},
		{"http://example.com:/", "http://example.com:/", "http://example.com/"},
		{"http://example.com:80/", "http://example.com:80/", "http://example.com/"},
		{"mailto:Joe@Example.COM", "mailto:Joe@Example.COM", "mailto:Joe@example.com"},
		{"mailto:A@B.C,D@E.F?To=G@H", "mailto:A@B.C,D@E.F?To=G@H", "mailto:A@b.c,D@e.f?To=G@H"},
		{"file://LOCALHOST/etc/fstab", "file://localhost/etc/fstab", "file:///etc/fstab"},
		{"file://u@localhost/x", "file://u@localhost/x", "file://u@localhost/x"},
		{"file:/etc/fstab", "file:/etc/fstab", "file:/etc/fstab"},
		// Delimiters of empty components are kept.
		{"http://@h/?#", "http://@h/?#", "http://@h/?#"},
		// Ports.
		{"https://h:0443/", "https://h:0443/", "https://h/"},
		{"https://h:00/", "https://h:00/", "https://h:0/"},
		{"foo://h:080", "foo://h:080", "foo://h:80/"},
		{"telnet://h:23/", "telnet://h:23/", "telnet://h/"},
		{"ldap://h:389/", "ldap://h:389/", "ldap://h:389/"},
		// Case and percent-encoding, decoded once.
		{"HTTP://EX%41MPLE.%c3%a9/%2541%7e%2e", "http://example.%C3%A9/%2541~.", "http://example.%C3%A9/%2541~."},
		{"http://[2001:DB8::1]/", "http://[2001:db8::1]/", "http://[2001:db8::1]/"},
		{"http://[V1.AB%c3]/", "", ""},
		{"http://[V1.AB]/", "http://[v1.ab]/", "http://[v1.ab]/"},
		// Dot segments, encoded ones included; a path never becomes an authority.
		{"http://h/%2e%2e/a/%2e/b", "http://h/a/b", "http://h/a/b"},
		{"s:/a/..//b", "s:/.//b", "s:/.//b"},
		{"s:a/../b", "s:/b", "s:/b"},
		{"about:/../", "about:/", "about:/"},
		// The content of a data: or javascript: URI has no dot segments.
		{"data:,a/../b", "data:,a/../b", "data:,a/../b"},
		{"javascript:a/../b", "javascript:a/../b", "javascript:a/../b"},
		{"javascript:/../", "javascript:/", "javascript:/"},
		// URNs: RFC 8141 forbids decoding.
		{"URN:Foo:a%2d/../b", "urn:Foo:a%2D/../b", "urn:foo:a%2D/../b"},
		// An invalid URN does not become a valid one.
		{"urn:a/../b", "urn:a/../b", "urn:a/../b"},
		{"URN:%69SBN:a%2d", "urn:%69SBN:a%2D", "urn:%69SBN:a%2D"},
		{"urn:./ISBN:1", "urn:./ISBN:1", "urn:./ISBN:1"},
		{"urn:/a/../ISBN:1", "urn:/ISBN:1", "urn:/ISBN:1"},
		// Relative references keep their dot segments and have no scheme rules.
		{"../a/./%7e", "../a/./~", "../a/./~"},
		{"//H:80", "//h:80", "//h:80"},
		{"", "", ""},
	}
	for _, test := range tests {
		wantErr := test.full == "" && test.in != ""
		if got, err := NormalizeSyntax(test.in); got != test.syntax || (err != nil) != wantErr {
			t.Errorf("NormalizeSyntax(%q) = %q, %v; want %q", test.in, got, err, test.syntax)
		}
		if got, err := NormalizeRFC(test.in); got != test.full || (err != nil) != wantErr {
			t.Errorf("NormalizeRFC(%q) = %q, %v; want %q", test.in, got, err, test.full)
		}
	}
}

func TestExplainNormalize(t *testing.T) {
	steps, err := ExplainNormalize("HTTP://EXAMPLE.com:80/%7efoo/../%c3")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, step := range steps {
		got = append(got, step.Section+" "+step.Result)
		if step.What == "" {
			t.Errorf("%+v does not say what", step)
		}
	}
	want := []string{
		"RFC 3986 6.2.2.1 http://EXAMPLE.com:80/%7efoo/../%c3",
		"RFC 3986 6.2.2.1 http://example.com:80/%7efoo/../%c3",
		"RFC 3986 6.2.2.1 http://example.com:80/%7Efoo/../%C3",
		"RFC 3986 6.2.2.2 http://example.com:80/~foo/../%C3",
		"RFC 3986 6.2.2.3 http://example.com:80/%C3",
		"RFC 3986 6.2.3 http://example.com/%C3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps %q", got)
	}
	if steps, err := ExplainNormalize("http://example.com/"); err != nil || len(steps) != 0 {
		t.Errorf("steps of a normal form: %v, %v", steps, err)
	}
	if _, err := ExplainNormalize("%"); err == nil {
		t.Error("no error")
	}
}

// The last step is the result of NormalizeRFC.
func TestExplainAgreesWithNormalize(t *testing.T) {
	for _, c := range rfcCorpus(t, "rfc3986-normalize-derived.json") {
		steps, err := ExplainNormalize(c.Input)
		if err != nil {
			t.Fatal(err)
		}
		last := c.Input
		if len(steps) > 0 {
			last = steps[len(steps)-1].Result
		}
		if last != c.Expect {
			t.Errorf("%s: the steps end at %q, want %q", c.ID, last, c.Expect)
		}
	}
}

func TestRFCPercentDecode(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "%41": "A", "%": "%", "%4": "%4", "a%4zb%c3%A9": "a%4zb\xc3\xa9", "%2541": "%41", "%%41": "%A",
	} {
		if got := percentDecode(in); got != want {
			t.Errorf("percentDecode(%q) = %q", in, got)
		}
	}
}
