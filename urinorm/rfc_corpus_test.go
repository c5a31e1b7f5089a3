package urinorm

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// rfcCase is a test case of the standards; ../testdata/README.md names the source of
// each file.
type rfcCase struct {
	ID            string             `json:"id"`
	Op            string             `json:"op"`
	Profile       string             `json:"profile"`
	Input         string             `json:"input"`
	Base          string             `json:"base"`
	Other         string             `json:"other"`
	Expect        string             `json:"expect"`
	ExpectSyntax  string             `json:"expect_syntax"`
	RFC3986Expect string             `json:"rfc3986_expect"`
	Error         bool               `json:"error"`
	Equal         bool               `json:"equal"`
	Parts         map[string]*string `json:"parts"`
	Agrees        struct {
		Strict    *bool `json:"strict"`
		StrictKey *bool `json:"strict_key"`
	} `json:"agrees"`
}

func rfcCorpus(t testing.TB, name string) []rfcCase {
	t.Helper()
	f, err := os.Open("../testdata/standards/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var cases []rfcCase
	if err := json.NewDecoder(r).Decode(&cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s holds no cases", name)
	}
	return cases
}

func TestRFCResolveCorpora(t *testing.T) {
	for _, name := range []string{"rfc3986-5.4.json", "rfc3986-edge.json", "rfc3986-resolve-derived.json.gz"} {
		t.Run(name, func(t *testing.T) {
			for _, c := range rfcCorpus(t, name) {
				if c.Profile == "web" {
					continue // a case of the web profile, which the web tests cover
				}
				got, err := ResolveRFC(c.Base, c.Input, c.Profile == "strict")
				if err != nil || got != c.Expect {
					t.Errorf("%s: %q against %q: %q, %v; want %q", c.ID, c.Input, c.Base, got, err, c.Expect)
				}
			}
		})
	}
}

// The tables of RFC 1808 and RFC 2396 are superseded. The data contains their
// results for information; the test expects those of RFC 3986.
func TestRFCSupersededTables(t *testing.T) {
	for _, c := range rfcCorpus(t, "superseded-rfc1808-rfc2396.json") {
		got, err := ResolveRFC(c.Base, c.Input, true)
		if err != nil || got != c.RFC3986Expect {
			t.Errorf("%s: %q against %q: %q, %v; want %q", c.ID, c.Input, c.Base, got, err, c.RFC3986Expect)
		}
	}
}

func TestRFCParseCorpus(t *testing.T) {
	for _, c := range rfcCorpus(t, "rfc3986-parse.json") {
		r, err := ParseRFC(c.Input)
		if c.Error {
			var fault *SyntaxError
			if !errors.As(err, &fault) {
				t.Errorf("%s: %q parses as %+v", c.ID, c.Input, r)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		for name, part := range rfcParts(r) {
			want := Component{}
			if s := c.Parts[name]; s != nil {
				want = Present(*s)
			}
			if part != want {
				t.Errorf("%s: %s of %q is %+v, want %+v", c.ID, name, c.Input, part, want)
			}
		}
		if r.String() != c.Input {
			t.Errorf("%s: %q is recomposed as %q", c.ID, c.Input, r)
		}
	}
}

func rfcParts(r Reference) map[string]Component {
	return map[string]Component{
		"scheme": r.Scheme, "authority": r.Authority(), "userinfo": r.Userinfo, "host": r.Host,
		"port": r.Port, "path": Present(r.Path), "query": r.Query, "fragment": r.Fragment,
	}
}

func TestRFCNormalizeCorpus(t *testing.T) {
	for _, c := range rfcCorpus(t, "rfc3986-normalize-derived.json") {
		got, err := NormalizeRFC(c.Input)
		if err != nil || got != c.Expect {
			t.Errorf("%s: %q gives %q, %v; want %q", c.ID, c.Input, got, err, c.Expect)
		}
		got, err = NormalizeSyntax(c.Input)
		if err != nil || got != c.ExpectSyntax {
			t.Errorf("%s: syntax of %q gives %q, %v; want %q", c.ID, c.Input, got, err, c.ExpectSyntax)
		}
	}
}

func TestRFCEquivalenceCorpus(t *testing.T) {
	for _, c := range rfcCorpus(t, "equivalence.json") {
		rung, err := Compare(c.Input, c.Other)
		if err != nil || rung.Equivalent() != c.Equal {
			t.Errorf("%s: %q and %q are equivalent on %v, %v; want equal=%v", c.ID, c.Input, c.Other, rung, err, c.Equal)
		}
		back, err := Compare(c.Other, c.Input)
		if err != nil || back != rung {
			t.Errorf("%s: the other way round: %v, %v", c.ID, back, err)
		}
	}
}

// The tests of ten other projects, as far as these follow RFC 3986. The other cases
// are about their options, such as sorting queries.
func TestRFCThirdPartyCorpus(t *testing.T) {
	binding := 0
	for _, c := range rfcCorpus(t, "third-party-normalizers.json.gz") {
		strict := c.Agrees.Strict != nil && *c.Agrees.Strict
		key := c.Agrees.StrictKey != nil && *c.Agrees.StrictKey
		if !strict && !key {
			continue
		}
		binding++
		got, err := rfcThirdParty(c)
		if strict {
			if (err != nil) != c.Error || got != c.Expect {
				t.Errorf("%s: %s %q (base %q) gives %q, %v; want %q, error %v",
					c.ID, c.Op, c.Input, c.Base, got, err, c.Expect, c.Error)
			}
			continue
		}
		if got, _, _ = strings.Cut(got, "#"); err != nil || got != c.Expect {
			t.Errorf("%s: key of %q is %q, %v; want %q", c.ID, c.Input, got, err, c.Expect)
		}
	}
	if binding < 900 {
		t.Errorf("only %d cases are binding", binding)
	}
}

func rfcThirdParty(c rfcCase) (string, error) {
	if c.Op == "resolve" {
		return ResolveRFC(c.Base, c.Input, true)
	}
	return NormalizeRFC(c.Input)
}

func TestDataURLCorpus(t *testing.T) {
	for _, c := range rfcCorpus(t, "mime-data-urls.json") {
		u, _, err := ParseWeb(c.Input)
		if err == nil {
			scheme, rest, _ := strings.Cut(u.String(), ":")
			err = CheckSyntax(scheme, rest)
		}
		if (err != nil) != c.Error {
			t.Errorf("%s: %q gives %v, want an error: %v", c.ID, c.Input, err, c.Error)
		}
	}
}
