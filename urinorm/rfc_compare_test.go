package urinorm

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

func TestCompareRungs(t *testing.T) {
	tests := []struct {
		a, b string
		want Rung
	}{
		{"http://h/", "http://h/", RungString},
		{"", "", RungString},
		{"HTTP://H/%3a", "http://h/%3A", RungCase},
		{"http://h/%7e", "http://h/~", RungPercent},
		{"http://%48/", "http://h/", RungPercent},
		{"http://h/a/../b", "http://h/b", RungDots},
		{"http://h/%2e%2e/b", "http://h/b", RungDots},
		{"http://h:80", "HTTP://H/", RungScheme},
		{"file:/x", "file:///x", RungScheme},
		{"file:/x", "file://localhost/x", RungScheme},
		{"file:/x", "file://h/x", RungNone},
		{"ws://h/", "http://h/", RungNone},
		{"http://h/#", "http://h/", RungNone},
		{"http://h/a%28b", "http://h/a(b", RungNone},
		{"urn:foo:x", "URN:foo:x", RungCase},
		{"urn:foo:x", "urn:FOO:x", RungScheme},
		{"urn:foo:%2d", "urn:foo:-", RungNone},
		{"urn:foo:a/../b", "urn:foo:b", RungNone},
		{"urn:%66oo:a/../b", "urn:foo:a/../b", RungNone},
		{"urn:%66oo:a/../b", "urn:foo:b", RungNone},
		{"urn:foo:x?+r?=q#f", "urn:foo:x", RungScheme},
		{"urn:isbn:0-395-36341-1", "urn:ISBN:0395363411", RungScheme},
		{"urn:issn:1234-567x", "urn:issn:1234-567X", RungScheme},
		{"urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", RungScheme},
		{"urn:ietf:rfc:2648", "urn:ietf:RFC:2648", RungScheme},
		{"mailto:a@B.C", "mailto:a@b.c", RungScheme},
		{"mailto:a@b.c", "mailto:A@b.c", RungNone},
		{"mailto:a@b.c,d@e.f", "mailto:a@b.c?to=d@e.f", RungScheme},
		{"mailto:a@b.c,d@e.f", "mailto:?To=a@b.c,d@e.f", RungScheme},
		{"mailto:a@b.c?Subject=x&CC=d@E.f", "mailto:a@b.c?subject=x&cc=d@e.f", RungScheme},
		{"mailto:a@b.c?subject=x", "mailto:a@b.c", RungNone},
		{"tel:+1-201-555-0123", "tel:+1(201)5550123", RungScheme},
		{"tel:863-1234;phone-context=+1-914-555;ext=1", "tel:8631234;EXT=1;phone-context=+1914555", RungScheme},
		{"tel:+12015550123", "tel:+12015550124", RungNone},
		{"geo:66.30,-16.610;crs=WGS84", "geo:66.3,-16.61", RungScheme},
		{"geo:90,-22.43", "geo:90,46", RungScheme},
		{"geo:0.0,-180", "geo:-0,180.0;u=0", RungNone},
		{"geo:0.0,-180;u=1.0", "geo:-0,180.0;u=1", RungScheme},
		{"geo:1,2", "geo:1,3", RungNone},
		{"doi:10.1000/AbC", "doi:10.1000/aBc", RungScheme},
		{"info:LCCN/n1", "info:lccn/n1", RungScheme},
		{"../a", "b/../../a", RungNone},
		{"%7e", "~", RungPercent},
	}
	for _, test := range tests {
		for range 2 {
			if got, err := Compare(test.a, test.b); err != nil || got != test.want {
				t.Errorf("Compare(%q, %q) = %v, %v; want %v", test.a, test.b, got, err, test.want)
			}
			test.a, test.b = test.b, test.a
		}
	}
	for _, pair := range [][2]string{{"%", "a"}, {"a", "%"}, {"%", "%"}} {
		if rung, err := Compare(pair[0], pair[1]); err == nil {
			t.Errorf("the rung of %q is %v", pair, rung)
		}
	}
}

// A URI and its normal form are equivalent, at the latest on RungScheme.
func TestCompareAgreesWithNormalize(t *testing.T) {
	for _, c := range rfcCorpus(t, "rfc3986-normalize-derived.json") {
		rung, err := Compare(c.Input, c.Expect)
		if err != nil || !rung.Equivalent() || rung > RungScheme {
			t.Errorf("%s: the rung of %q and its normal form is %v, %v", c.ID, c.Input, rung, err)
		}
		if rung > RungDots && c.ExpectSyntax == c.Expect {
			t.Errorf("%s: %q needs its scheme, though 6.2.2 is enough", c.ID, c.Input)
		}
	}
}

func TestRungNames(t *testing.T) {
	for r := RungNone; r <= RungProtocol; r++ {
		if r.String() == "" || (r.Section() == "") != (r == RungNone) {
			t.Errorf("rung %d: %q, section %q", int(r), r, r.Section())
		}
	}
	if got := Rung(99).String() + Rung(-1).Section(); got != "Rung(99)" {
		t.Errorf("undefined rungs: %q", got)
	}
}

func TestEqualHTTP1(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"http://abc.com:80/~smith/home.html", "http://ABC.com/%7Esmith/home.html", true}, // RFC 2616 3.2.3
		{"http://abc.com:80/~smith/home.html", "http://ABC.com:/%7esmith/home.html", true},
		{"http://h", "http://h/", true},
		{"http://h/a%28b%29%21", "http://h/a(b)!", true},
		{"http://h/a%2f", "http://h/a%2F", true},
		{"http://h/a%2F", "http://h/a/", false},
		{"http://h/%3B", "http://h/;", false},
		{"http://h/a/../b", "http://h/b", false},
		{"http://h/A", "http://h/a", false},
		{"http://h:8080/", "http://h/", false},
	}
	for _, test := range tests {
		if got, err := EqualHTTP1(test.a, test.b); err != nil || got != test.want {
			t.Errorf("EqualHTTP1(%q, %q) = %v, %v", test.a, test.b, got, err)
		}
	}
	for _, pair := range [][2]string{{"%", "a"}, {"a", "%"}} {
		if _, err := EqualHTTP1(pair[0], pair[1]); err == nil {
			t.Errorf("%q: no error", pair)
		}
	}
}

func TestEquivalences(t *testing.T) {
	var e Equivalences
	observe := func(from, to string) {
		t.Helper()
		if err := e.Observe(from, to); err != nil {
			t.Fatal(err)
		}
	}
	compare := func(a, b string, want Rung) {
		t.Helper()
		if got, err := e.Compare(a, b); err != nil || got != want {
			t.Errorf("%q and the rung of %q is %v, %v; want %v", a, b, got, err, want)
		}
	}
	compare("http://example.com/data", "http://example.com/data/", RungNone)
	observe("http://example.com/data", "http://example.com/data/") // section 6.2.4
	compare("http://example.com/data", "http://example.com/data/", RungProtocol)
	compare("http://EXAMPLE.com/data", "http://example.com:80/data/", RungProtocol)
	compare("http://example.com/data#x", "http://example.com/data/#x", RungProtocol)
	compare("http://example.com/data#x", "http://example.com/data/#y", RungNone)
	compare("http://example.com/data", "http://example.com/data/#", RungNone)
	compare("http://example.com/data/", "http://EXAMPLE.com/data/", RungCase)

	observe("http://a/", "http://b/")
	observe("http://b/", "http://c/")
	observe("http://c/", "http://a/") // a redirect loop is harmless
	compare("http://c/", "http://a/", RungProtocol)
	compare("http://c/", "http://example.com/data", RungNone)

	for _, pair := range [][2]string{{"%", "a:"}, {"a:", "%"}} {
		if err := e.Observe(pair[0], pair[1]); err == nil {
			t.Errorf("%q: no error", pair)
		}
		if _, err := e.Compare(pair[0], pair[1]); err == nil {
			t.Errorf("%q: no error", pair)
		}
	}
}

func TestEquivalencesIsFull(t *testing.T) {
	e := Equivalences{parent: make(map[string]string)}
	for i := range maxEquivalences {
		e.parent[fmt.Sprint(i)] = "x"
	}
	if err := e.Observe("http://a/", "http://b/"); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v", err)
	}
}

func TestEquivalencesConcurrently(t *testing.T) {
	var e Equivalences
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 100 {
				if err := e.Observe(fmt.Sprintf("http://h/%d", j), fmt.Sprintf("http://h/%d", j+1)); err != nil {
					t.Error(err)
				}
				if _, err := e.Compare(fmt.Sprintf("http://h/%d", i), "http://h/1"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if rung, _ := e.Compare("http://h/0", "http://h/100"); rung != RungProtocol {
		t.Errorf("the rung of the ends of the chain is %v", rung)
	}
}
