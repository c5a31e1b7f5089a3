package urinorm

import (
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"https://example.com/", "https://example.com/"},
		{"https://user@example.com/", "https://user@example.com/"},
		{"https://user:@example.com/", "https://user:@example.com/"},
		{"https://user:secret@example.com/a@b", "https://user:***@example.com/a@b"},
		{"https://user:sec:r@et@example.com:80/", "https://user:***@example.com:80/"},
		{"HTTPS:user:secret@example.com", "HTTPS:user:***@example.com"},
		{"http:/user:secret@example.com", "http:/user:***@example.com"},
		{`http:\\user:secret@example.com`, `http:\\user:***@example.com`},
		{"http:///user:secret@example.com", "http:///user:***@example.com"},
		{"//user:secret@example.com", "//user:***@example.com"},
		{`/\user:secret@example.com`, `/\user:***@example.com`},
		{"git+ssh://user:secret@example.com/x", "git+ssh://user:***@example.com/x"},
		{`foo://user:se\cret@example.com/x`, "foo://user:***@example.com/x"},
		{"ht\ntp:\t/\t/us\ner:secret@example.com", "http://user:***@example.com"},
		{"h\tttp:user:secret@example.com", "http:user:***@example.com"},
		{`get "http://user:secret@a.example/": refused; then //b:secret@c`, `get "http://user:***@a.example/": refused; then //b:***@c`},
		{"https://a.example/?next=http://user:secret@b.example/", "https://a.example/?next=http://user:***@b.example/"},
		{"mailto:user@example.com", "mailto:user@example.com"},
		{"http://h:80/a@b", "http://h:80/a@b"},
		{"http://[::1]:80/a@b", "http://[::1]:80/a@b"},
		// These are not URLs, but they contain a readable password.
		{"http://user:sec/ret@example.com/", "http://user:***@example.com/"},
		{"http://user:sec#ret@example.com/ x@y", "http://user:***@example.com/ x@y"},
		{"http://user:sec?ret@example.com/", "http://user:***@example.com/"},
		{"http://user:sec/ret@example x:y@z/a@b", "http://user:***@z/a@b"},
		{"//user:sec//u:a word@example.com", "//user:***@example.com"},
		{strings.Repeat("//u:a ", 100_000) + "//u:a@b", "//u:***@b"}, // in a time that grows with its length
	} {
		if got := Redact(c.in); got != c.want {
			t.Errorf("Redact(%.100q) = %.100q, want %q", c.in, got, c.want)
		}
	}
}

// Redact removes what a browser takes for a password and changes nothing else.
func FuzzRedact(f *testing.F) {
	for _, c := range webCorpus(f, "wpt-urltestdata") {
		f.Add(c.Input)
	}
	f.Add("ht\ntp:/\t/us\ner:secret@example.com")
	f.Add(`x//a:b@c\d:e@f//g:h@i`)
	var bases []*Base
	for _, s := range []string{"http://example.com/a/b", "foo://h/a/b", "file:///a"} {
		bases = append(bases, mustBase(f, s, ""))
	}
	f.Fuzz(func(t *testing.T, s string) {
		redacted := Redact(s)
		if again := Redact(redacted); again != redacted {
			t.Errorf("Redact(%q) = %q, then %q", s, redacted, again)
		}
		for _, base := range bases {
			u, _, err := base.Resolve(s)
			if err != nil || u.Password() == "" {
				continue
			}
			v, _, err := base.Resolve(redacted)
			if err != nil || v.Password() != "***" || v.Username() != u.Username() {
				t.Errorf("%q redacted is %q: %q, %v", s, redacted, v, err)
			}
			_, rest, _ := strings.Cut(u.Printed(), "//")
			if end := strings.IndexAny(rest, "/?#"); end >= 0 {
				rest = rest[:end] // a path may have the same characters
			}
			if strings.Contains(rest, ":"+u.Password()+"@") && u.Password() != "***" {
				t.Errorf("%q printed: %q", s, u.Printed())
			}
		}
	})
}
