package content

import (
	"errors"
	"strings"
	"testing"
)

func TestCompileErrors(t *testing.T) {
	long := strings.Repeat("a", MaxLength+1)
	for _, c := range []struct {
		rule   Rule
		key    string
		offset int
		want   string
	}{
		{Rule{Name: "n", Not: []string{"re:a(?=b)"}}, "not", 1, `content rule "n": not: "re:a(?=b)": offset 1: look-around (look-ahead) is not supported by RE2`},
		{Rule{Name: "n", Must: []string{"ok", "re:é(?!b)"}}, "must", 1, `look-around (look-ahead) is not supported`},
		{Rule{Name: "n", Not: []string{"re:xyz(?<=a)b"}}, "not", 3, `look-around (look-behind) is not supported`},
		{Rule{Name: "n", Not: []string{"re:xyz(?<!a>)b"}}, "not", 3, `look-around (look-behind) is not supported`},
		{Rule{Name: "n", Not: []string{`re:\((?=x)|(?=y)`}}, "not", 2, `look-around`},
		{Rule{Name: "n", Not: []string{`re:(a)\1`}}, "not", 3, `a back-reference is not supported`},
		{Rule{Name: "n", Not: []string{`re:a(?P<q>x)(?P=q)`}}, "not", 9, `a back-reference is not supported`},
		{Rule{Name: "n", Not: []string{`re:a(?>b)`}}, "not", 1, `an atomic group is not supported`},
		{Rule{Name: "n", Not: []string{"re:漢字(a(b)"}}, "not", 2, `offset 2: missing closing )`},
		{Rule{Name: "n", Not: []string{`re:\([(]\Q(\E[^]()[:alpha:](](`}}, "not", 26, `missing closing )`},
		{Rule{Name: "n", Not: []string{"re:(a)b)c)"}}, "not", 4, `offset 4: unexpected )`},
		{Rule{Name: "n", Not: []string{"re:[a-z][b"}}, "not", 5, `missing closing ] in [b`},
		{Rule{Name: "n", Not: []string{"re:[a-z][z-a]"}}, "not", 6, `invalid character class range in z-a`},
		{Rule{Name: "n", Not: []string{`re:\**x|*`}}, "not", 5, `missing argument to repetition operator in *`},
		{Rule{Name: "n", Not: []string{"re:a*b**"}}, "not", 3, `invalid nested repetition operator in **`},
		{Rule{Name: "n", Not: []string{"re:x{1001}"}}, "not", 1, `invalid repeat count`},
		{Rule{Name: "n", Not: []string{`re:ab\`}}, "not", 2, `trailing backslash`},
		{Rule{Name: "n", Not: []string{`re:a\Z`}}, "not", 1, `\Z (use \z) is not supported`},
		{Rule{Name: "n", Not: []string{`re:a(?x)b`}}, "not", 1, `invalid or unsupported Perl syntax in (?x`},
		{Rule{Name: "n", Not: []string{"x"}, In: "css:main[["}, "in", -1, `content rule "n": in: "css:main[[": not a CSS selector`},
		{Rule{Name: "n", Not: []string{"x"}, In: "css:p::before"}, "in", -1, `not a CSS selector`},
		{Rule{Name: "n", Not: []string{"x"}, In: "css:"}, "in", -1, `not a CSS selector`},
		{Rule{Name: "n", Not: []string{"x"}, In: "body"}, "in", -1, `in: "body": use text, source, title, css:SELECTOR or header:NAME`},
		{Rule{Name: "n", Not: []string{"x"}, In: "header:"}, "in", -1, `use the name of a header field`},
		{Rule{Name: "n", Not: []string{"x"}, In: "header:a b"}, "in", -1, `use the name of a header field`},
		{Rule{Name: "n", Not: []string{"x"}, Level: "fatal"}, "level", -1, `level: "fatal": use broken, unverified, warning, info or off`},
		{Rule{Name: "n", Not: []string{"x"}, Types: []string{"html"}}, "type", -1, `use a media type such as text/html`},
		{Rule{Name: "n"}, "", -1, `content rule "n": must or not is missing`},
		{Rule{Name: "n", Not: []string{""}}, "not", -1, `the string is empty`},
		{Rule{Name: "n", Must: []string{"re:"}}, "must", -1, `the pattern also matches nothing`},
		{Rule{Name: "n", Not: []string{"\u00ad"}}, "not", -1, `a reader does not see`},
		{Rule{Name: "n", Not: []string{long}}, "not", -1, `use at most 4096 bytes`},
		{Rule{Not: []string{"x"}}, "name", -1, `content rule 2: name: a rule needs a name`},
		{Rule{Name: "No_Drafts", Not: []string{"x"}}, "name", -1, `content rule "No_Drafts": name: use the characters a-z, 0-9 and - only`},
		{Rule{Name: "first", Not: []string{"x"}}, "name", -1, `content rule "first": name: another rule has this name`},
		{Rule{Name: "n", Not: []string{"re:(?=x)"}, Level: "off"}, "not", 0, `look-around`},
	} {
		_, err := Compile([]Rule{{Name: "first", Must: []string{"x"}}, c.rule})
		var faults Errors
		if !errors.As(err, &faults) || len(faults) != 1 {
			t.Errorf("%+v: %v", c.rule, err)
			continue
		}
		f := faults[0]
		if f.Key != c.key || f.Offset != c.offset || f.Number != 2 || !strings.Contains(f.Error(), c.want) {
			t.Errorf("%+v: key %q, offset %d, rule %d: %v; want key %q, offset %d: %s", c.rule, f.Key, f.Offset, f.Number, f, c.key, c.offset, c.want)
		}
	}
}

// A pattern that matches nothing, anywhere, says nothing about a page.
func TestCompileRefusesPatternsForAnyText(t *testing.T) {
	for pattern, any := range map[string]bool{"": true, ".*": true, "x*": true, "(?s)^.*$": true, "a|": true, "(?i)x?": true,
		"^$": false, `^\s*$`: false, ".": false, "x+": false, "^$|draft": false} {
		_, err := Compile([]Rule{{Name: "n", Not: []string{"re:" + pattern}}})
		if refused := err != nil && strings.Contains(err.Error(), "matches every text"); refused != any {
			t.Errorf("%q: %v, want it refused: %t", pattern, err, any)
		}
		if _, err := Compile([]Rule{{Name: "n", Must: []string{"re:" + pattern}, In: "header:etag"}}); err != nil {
			t.Errorf("%q in a header, which may be missing: %v", pattern, err)
		}
	}
}

func TestCompileNamesAllFaults(t *testing.T) {
	_, err := Compile([]Rule{{Name: "a"}, {Name: "a", Not: []string{"re:(", "re:)"}, Level: "x"}})
	if n := strings.Count(err.Error(), "\n") + 1; n != 5 {
		t.Errorf("%d faults: %v", n, err)
	}
}

func TestCompileLimits(t *testing.T) {
	list := func(n int, s string) (all []string) {
		for range n {
			all = append(all, s)
		}
		return all
	}
	for _, c := range []struct {
		rules []Rule
		want  string // empty if it is within the limits
	}{
		{[]Rule{{Name: "n", Not: list(MaxStrings, "x")}}, ""},
		{[]Rule{{Name: "n", Not: list(MaxStrings+1, "x")}}, "more than 10000 strings"},
		{[]Rule{{Name: "n", Not: list(MaxPatterns, "re:x")}}, ""},
		{[]Rule{{Name: "n", Not: list(MaxPatterns+1, "re:x")}}, "more than 1000 patterns"},
		{[]Rule{{Name: "n", Not: list(MaxTotal/MaxLength+1, strings.Repeat("x", MaxLength))}}, "longer than 1048576 bytes together"},
		{make([]Rule, MaxRules+1), "more than 1000 rules"},
	} {
		_, err := Compile(c.rules)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d rules: %v, want %q", len(c.rules), err, c.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	seen := map[uint64]int{}
	for i, r := range []Rule{
		{Name: "n", Not: []string{"a", "b"}}, {Name: "n", Not: []string{"a b"}}, {Name: "n", Must: []string{"a", "b"}}, {Name: "m", Not: []string{"a", "b"}},
		{Name: "n", Not: []string{"a", "b"}, Match: "/x"}, {Name: "n", Not: []string{"a", "b"}, In: "source"}, {Name: "n", Not: []string{"a", "b"}, Level: "info"},
		{Name: "n", Not: []string{"a", "b"}, Types: []string{"text/plain"}},
	} {
		n := compile(t, r).Fingerprint()
		if other, same := seen[n]; same || n != compile(t, r).Fingerprint() {
			t.Errorf("rules %d and %d have the same fingerprint, or one has two", i, other)
		}
		seen[n] = i
	}
}

// FuzzPattern checks that the offset of a fault is within the pattern, and that a pattern
// without look-around is not said to have it.
func FuzzPattern(f *testing.F) {
	for _, s := range []string{"a(?=b)", "(a(b)", "a)b", "[a", `\Q(\E(`, `[[:alpha:]`, "a**", `\8`, "é{1001}", "(?<a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 200 {
			return
		}
		re, offset, err := compilePattern(pattern)
		if (re == nil) == (err == nil) || offset < 0 || offset > len([]rune(pattern)) {
			t.Fatalf("%q: %v, %d, %v", pattern, re, offset, err)
		}
		if err != nil && strings.Contains(err.Error(), "look-around") && !strings.HasPrefix(string([]rune(pattern)[offset:]), "(?") {
			t.Fatalf("%q: offset %d: %v", pattern, offset, err)
		}
	})
}
