package urinorm

import "testing"

func TestPrinted(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://EXAMPLE.com", "http://example.com/"},
		{"http://example.com/%7esmith/%2f%c3%A9?%7e=%2f#%7e%2f", "http://example.com/~smith/%2F%C3%A9?~=%2F#~%2F"},
		{"http://example.com/c:/%7Ea", "http://example.com/c:/~a"},
		{"http://example.com/100%/%7e?%7e", "http://example.com/100%/%7e?~"},
		{"http://example.com/a|b?c^d", "http://example.com/a|b?c^d"},
		{"https://bücher.example/é", "https://xn--bcher-kva.example/%C3%A9"},
		{"https://user:secret@example.com:8443/", "https://user:***@example.com:8443/"},
		{"https://:secret@example.com/", "https://:***@example.com/"},
		{"https://user@example.com/", "https://user@example.com/"},
		{"foo://user:secret@Host/%41", "foo://user:***@Host/A"},
		{"foo:/.//a/%41?%41#%41", "foo:/.//a/A?A#A"},
		{"mailto:%61@example.com?subject=%61#%61", "mailto:%61@example.com?subject=%61#a"},
		{"file:///%43%7C/x", "file:///C%7C/x"},
		{"file:///%43|/%7E", "file:///%43|/%7E"},
		{"http://example.com/?", "http://example.com/?"},
		{"http://example.com/#", "http://example.com/#"},
	} {
		if got := mustParse(t, c.in).Printed(); got != c.want {
			t.Errorf("%q is printed %q, want %q", c.in, got, c.want)
		}
	}
}
