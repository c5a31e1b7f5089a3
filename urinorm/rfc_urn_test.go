package urinorm

import (
	"errors"
	"strings"
	"testing"
)

func TestParseURN(t *testing.T) {
	tests := []struct {
		in   string
		want URN
	}{
		{"urn:example:1/406/47452/2", URN{NID: "example", NSS: "1/406/47452/2"}},
		{"URN:Example:a%2Cb", URN{NID: "Example", NSS: "a%2Cb"}},
		{"urn:example:foo-bar-baz-qux?+CCResolve:cc=uk",
			URN{NID: "example", NSS: "foo-bar-baz-qux", R: Present("CCResolve:cc=uk")}},
		{"urn:example:weather?=op=map&lat=39.56", URN{NID: "example", NSS: "weather", Q: Present("op=map&lat=39.56")}},
		{"urn:example:x?+r?b/c?=q?+d?=e#f/?", URN{NID: "example", NSS: "x",
			R: Present("r?b/c"), Q: Present("q?+d?=e"), F: Present("f/?")}},
		{"urn:example:a:b:c#", URN{NID: "example", NSS: "a:b:c", F: Present("")}},
		{"urn:e-x:%61", URN{NID: "e-x", NSS: "%61"}},
		{"urn:" + strings.Repeat("a", 32) + ":b", URN{NID: strings.Repeat("a", 32), NSS: "b"}},
	}
	for _, test := range tests {
		got, err := ParseURN(test.in)
		if err != nil || got != test.want {
			t.Errorf("ParseURN(%q) = %+v, %v", test.in, got, err)
		}
		if got.String()[len("urn:"):] != test.in[len("urn:"):] {
			t.Errorf("%q is recomposed as %q", test.in, got)
		}
	}
}

func TestParseURNFault(t *testing.T) {
	tests := []struct {
		in, rule string
		offset   int
	}{
		{"", "assigned-name", 0},
		{"uri:a:b", "assigned-name", 0},
		{"urn:", "assigned-name", 4},
		{"urn:example", "assigned-name", 11},
		{"urn:e:b", "NID", 4},
		{"urn:" + strings.Repeat("a", 33) + ":b", "NID", 4},
		{"urn:-ab:c", "NID", 4},
		{"urn:ab-:c", "NID", 6},
		{"urn:a_b:c", "NID", 5},
		{"urn:ab:", "NSS", 7},
		{"urn:ab:/c", "NSS", 7},
		{"urn:ab:c d", "NSS", 8},
		{"urn:ab:c%2", "pct-encoded", 8},
		{"urn:ab:c?d", "rq-components", 8},
		{"urn:ab:c?+", "r-component", 10},
		{"urn:ab:c?+/d", "r-component", 10},
		{"urn:ab:c?=", "q-component", 10},
		{"urn:ab:c?=d^", "q-component", 11},
		{"urn:ab:c?+d^", "r-component", 11},
		{"urn:ab:c?+d?=", "q-component", 13},
		{"urn:ab:c#d#", "f-component", 10},
	}
	for _, test := range tests {
		_, err := ParseURN(test.in)
		var fault *SyntaxError
		if !errors.As(err, &fault) || fault.Rule != test.rule || fault.Offset != test.offset {
			t.Errorf("%q: %v; want rule %s at byte %d", test.in, err, test.rule, test.offset)
		}
	}
}

// Equivalent agrees with the tables of RFC 2141 and RFC 8141.
func TestURNEquivalentCorpus(t *testing.T) {
	seen := 0
	for _, c := range rfcCorpus(t, "equivalence.json") {
		if c.Profile != "urn" {
			continue
		}
		seen++
		a, err := ParseURN(c.Input)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseURN(c.Other)
		if err != nil {
			t.Fatal(err)
		}
		if a.Equivalent(b) != c.Equal {
			t.Errorf("%s: %q and %q", c.ID, c.Input, c.Other)
		}
	}
	if seen < 20 {
		t.Errorf("only %d cases", seen)
	}
}

func TestURNCheck(t *testing.T) {
	tests := []struct {
		in string
		ok bool
	}{
		{"urn:isbn:0451450523", true},
		{"urn:ISBN:0-395-36341-1", true},
		{"urn:isbn:080442957X", true},
		{"urn:isbn:080442957x", true},
		{"urn:isbn:978-0-306-40615-7", true},
		{"urn:isbn:978-0-306-40615-8", false},
		{"urn:isbn:0451450524", false},
		{"urn:isbn:045145052", false},
		{"urn:isbn:08044X9570", false},
		{"urn:isbn:isbn", false},
		{"urn:issn:0167-6423", true},
		{"urn:issn:2434-561x", true},
		{"urn:issn:01676423", true},
		{"urn:issn:0167-6424", false},
		{"urn:issn:016-76423", false},
		{"urn:issn:0167-642", false},
		{"urn:issn:016X-6423", false},
		{"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", true},
		{"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf", false},
		{"urn:uuid:f81d4fae7dec11d0a76500a0c91e6bf6", false},
		{"urn:uuid:g81d4fae-7dec-11d0-a765-00a0c91e6bf6", false},
		{"urn:oid:1.3.6.1.4.1", true},
		{"urn:oid:1..3", false},
		{"urn:oid:1.03", false},
		{"urn:ietf:rfc:2648", true},
		{"urn:example:anything", true},
	}
	for _, test := range tests {
		u, err := ParseURN(test.in)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Check(); (err == nil) != test.ok {
			t.Errorf("%q: %v", test.in, err)
		}
		scheme, rest, _ := strings.Cut(test.in, ":")
		if err := CheckSyntax(scheme, rest); (err == nil) != test.ok {
			t.Errorf("CheckSyntax of %q: %v", test.in, err)
		}
	}
}
