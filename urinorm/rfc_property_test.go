package urinorm

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// rfcSeeds are the inputs of all corpora of this profile.
func rfcSeeds(t testing.TB) []string {
	var seeds []string
	for _, name := range []string{
		"rfc3986-5.4.json", "rfc3986-edge.json", "rfc3986-parse.json", "rfc3986-normalize-derived.json",
		"equivalence.json", "rfc3986-resolve-derived.json.gz",
	} {
		for _, c := range rfcCorpus(t, name) {
			seeds = append(seeds, c.Input)
		}
	}
	return seeds
}

// checkRFCProperties checks the properties of all strings.
func checkRFCProperties(t *testing.T, s string) {
	t.Helper()
	if got := Split(s).String(); got != s {
		t.Fatalf("%q is recomposed as %q", s, got)
	}
	r, err := ParseRFC(s)
	if err != nil {
		return
	}
	if r != Split(s) {
		t.Fatalf("%q: ParseRFC and Split differ", s)
	}
	for _, normalize := range []func(string) (string, error){NormalizeSyntax, NormalizeRFC} {
		normal, err := normalize(s)
		if err != nil {
			t.Fatalf("%q parses and has no normal form: %v", s, err)
		}
		if _, err := ParseRFC(normal); err != nil {
			t.Fatalf("the normal form %q of %q is no URI reference: %v", normal, s, err)
		}
		if again, err := normalize(normal); err != nil || again != normal {
			t.Fatalf("%q normalizes to %q and then to %q, %v", s, normal, again, err)
		}
		if len(normal) > len(s)+len("/.")+len("/") {
			t.Fatalf("%q grew to %q", s, normal)
		}
		if rung, err := Compare(s, normal); err != nil || !rung.Equivalent() {
			t.Fatalf("%q and its normal form the rung of %q is %v, %v", s, normal, rung, err)
		}
	}
	if !r.IsAbsolute() {
		return
	}
	if same, err := SameDocument(s, ""); err != nil || !same {
		t.Fatalf("%q is not the same document as itself: %v", s, err)
	}
}

// checkRFCResolve checks the properties of all bases and references.
func checkRFCResolve(t *testing.T, base, ref string) {
	t.Helper()
	for _, strict := range []bool{true, false} {
		target, err := ResolveRFC(base, ref, strict)
		if err != nil {
			continue
		}
		parsed, err := ParseRFC(target)
		if err != nil || !parsed.IsAbsolute() {
			t.Fatalf("%q against %q gives %q, no URI: %v", ref, base, target, err)
		}
		again, err := ResolveRFC(base, target, true)
		if err != nil {
			t.Fatal(err)
		}
		// The empty reference keeps the dot segments of the base's path; resolving
		// the result as an absolute URI removes them.
		once := parsed
		once.Path = RemoveDotSegments(once.Path)
		if once = once.guardPath(); once.String() != again {
			t.Fatalf("%q against %q gives %q, and that %q", ref, base, target, again)
		}
		if third, err := ResolveRFC(base, again, true); err != nil || third != again {
			t.Fatalf("%q resolves to %q, %v", again, third, err)
		}
	}
}

func TestRFCProperties(t *testing.T) {
	seeds := rfcSeeds(t)
	for _, s := range seeds {
		checkRFCProperties(t, s)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		checkRFCResolve(t, seeds[rng.IntN(len(seeds))], seeds[rng.IntN(len(seeds))])
	}
}

func FuzzRFC(f *testing.F) {
	for i, s := range rfcSeeds(f) {
		if i%8 == 0 {
			f.Add(s)
		}
	}
	f.Add("s:/a/..//b")
	f.Add("urn:example:a%2d?+r?=q#f")
	f.Add("urn:%49SBN:1")
	f.Add("urn:./ISBN:1")
	f.Add("file://LOCALHOST")
	f.Add("mailto:A@B,C@D")
	f.Fuzz(func(t *testing.T, s string) {
		checkRFCProperties(t, s)
		if _, err := ParseRFC(s); (err == nil) != rfcAppendixA.MatchString(s) {
			t.Fatalf("%q: the parser says %v, appendix A does not", s, err)
		}
	})
}

func FuzzResolveRFC(f *testing.F) {
	for i, c := range rfcCorpus(f, "rfc3986-resolve-derived.json.gz") {
		if i%8 == 0 {
			f.Add(c.Base, c.Input)
		}
	}
	f.Fuzz(checkRFCResolve)
}

func FuzzCheckSyntax(f *testing.F) {
	for _, s := range []string{
		"mailto:a@b.example?cc=c@d&x=y", "tel:+1(2)3;ext=4", "sms:+1,+2?body=x", "geo:1,-2.0,3;crs=wgs84;u=4",
		"doi:10.1000/1", "info:lccn/1", "magnet:?xt=urn:btih:0", "data:;base64,aGk=", "urn:isbn:0-395-36341-1", "http://",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		scheme, rest, _ := strings.Cut(s, ":")
		_ = CheckSyntax(scheme, rest)
	})
}

const (
	growingRFC = 100_000 // bytes of the longer input
	rfcGrowth  = 10      // times the length of the shorter one
)

func TestRFCGrowth(t *testing.T) {
	for _, w := range rfcWork() {
		checkGrowth(t, w, growingRFC, rfcGrowth)
	}
}

func BenchmarkRFCGrowth(b *testing.B) {
	for _, w := range rfcWork() {
		benchmarkGrowth(b, w, growingRFC, rfcGrowth)
	}
}

// rfcWork returns the work of each function on each piece.
func rfcWork() (all []growingWork) {
	inputs := map[string]string{
		"dots": "../", "encoded dots": "%2e%2e/", "segments": "a/../", "deep": "a/", "percent": "%41", "at": "@",
		"colons": "a:", "brackets": "[", "slashes": "/", "question": "?", "commas": "a@b,", "semicolons": "a;",
		"tel": "tel:", "www": "www.,", "angle": "<a:", "angles": "<http://a\n", "mail": "a@", "quotes": "'http://a",
		"parens": "http://a/((", "spaces": " \n", "schemes": "x://a ", "long scheme": "abc", "dashes": "a-",
		"mailto": "mailto:a,", "urn": "urn:a:", "base64": "data:,", "plus": "+", "data": ";base64",
	}
	functions := map[string]func(string){
		"NormalizeRFC":   func(s string) { _, _ = NormalizeRFC("http://h/" + s) },
		"normalize path": func(s string) { _, _ = NormalizeRFC("s:" + s) },
		"host":           func(s string) { _, _ = NormalizeRFC("http://" + s) },
		"ResolveRFC":     func(s string) { _, _ = ResolveRFC("http://h/a/b", s, true) },
		"resolve base":   func(s string) { _, _ = ResolveRFC("http://h/"+s, "../x", false) },
		"Compare":        func(s string) { _, _ = Compare("tel:1"+s, "tel:2"+s) },
		"compare mail":   func(s string) { _, _ = Compare("mailto:a@b?to="+s, "mailto:"+s) },
		"ExplainNorm":    func(s string) { _, _ = ExplainNormalize("http://h/" + s) },
		"ParseURN":       func(s string) { _, _ = ParseURN("urn:ab:" + s) },
		"ParseMailto":    func(s string) { _, _ = ParseMailto("mailto:" + s) },
		"tel":            func(s string) { _ = CheckSyntax("tel", "+1;"+s) },
		"geo":            func(s string) { _ = CheckSyntax("geo", "1,2;"+s) },
		"magnet":         func(s string) { _ = CheckSyntax("magnet", "?"+s) },
		"data":           func(s string) { _ = CheckSyntax("data", ";base64,"+s) },
		"FindURIs":       func(s string) { FindURIs(s, TextOptions{WWW: true, Mail: true}) },
		"NearestScheme":  func(s string) { NearestScheme(s) },
		"FromSuffix":     func(s string) { FromSuffix("www." + s) },
	}
	for name, f := range functions {
		for kind, piece := range inputs {
			all = append(all, growingWork{name + " of " + kind, piece, f})
		}
	}
	return all
}
