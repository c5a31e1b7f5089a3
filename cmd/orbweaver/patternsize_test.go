package main

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"testing"
	"unsafe"
)

// No pattern is measured as smaller than what is compiled of it: its instructions, and the classes in them.
func TestPatternSizeIsAnUpperBound(t *testing.T) {
	for _, pattern := range []string{
		"", "a", "https://example.com/old/", `^https?://(www\.)?example\.(com|org)/[a-z0-9-]+(/.*)?$`, "(?i)readme", `\pL{999}`, `^\pL{900}$`,
		`(a{30}b{20}){3,30}`, `(x|y*|z+?){2,}`, `((a{1,10}){1,10}){1,10}`, `[[:alpha:]]{50}`, `(?s).{500}`, `a{0}`, `(?i)[k-ſ]{10}`,
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := syntax.Compile(re.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		least := int64(len(prog.Inst)) * int64(unsafe.Sizeof(syntax.Inst{}))
		shared := map[*rune]bool{}
		for _, inst := range prog.Inst {
			if len(inst.Rune) > 0 && !shared[&inst.Rune[0]] {
				shared[&inst.Rune[0]] = true
				least += int64(len(inst.Rune)) * 4
			}
		}
		if got := patternSize(pattern); got < least {
			t.Errorf("size of %s: got %d, want at least %d", pattern, got, least)
		}
	}
}

// What a found file can hold of each kind of pattern is bounded before anything is compiled: the rest
// of the file is not looked at.
func TestPatternBombs(t *testing.T) {
	for name, text := range map[string]string{
		"classes":            tomlList("exclude", `\pL{999}`, 20_000),
		"anchored classes":   tomlList("include", `^\pL{990}$`, 100),
		"one long class":     tomlList("no-follow", `[`+strings.Repeat(`\pL`, 100_000)+`]`, 1),
		"ranges in any case": tomlList("ignore-fragment", `(?i)[`+strings.Repeat(`b-𞥂`, 3000)+`]`, 1),
		"nested repetitions": tomlList("exclude-except", `(((a{10}){10}){10}b{900})*`, 2000),
		"replacements":       tomlList("remap", `\pL{999}=x`, 20_000),
		"selectors":          "select = 'a:matches(^\\pL{990}$)'\n",
		"nested selectors":   "ignore-select = '" + strings.Repeat(":not(", 100_000) + strings.Repeat(")", 100_000) + "'\n",
		"rules":              strings.Repeat("[[rule]]\nmatch_re = '\\pL{999}'\n", 20_000),
		"globs":              "[[rule]]\nmatch = '" + strings.Repeat("{a,a}", 40) + "'\n",
		"texts of rules":     "[[rule]]\nmatch = '**'\n" + tomlList("broken_texts", `re:\pL{999}`, 20_000),
		"texts of content":   "[[content]]\nname = 'a'\n" + tomlList("not", `re:^\pL{990}$`, 100),
	} {
		err := foundError(text)
		if err == nil || !strings.Contains(err.Error(), "need more than 16 MiB") || !strings.Contains(err.Error(), "--config orbweaver.toml") {
			t.Errorf("%s: %.300v, want an error about 16 MiB", name, err)
		}
	}
	if err := foundError(tomlList("exclude", `^https://(www\.)?example\.com/some/path/[a-z0-9-]+$`, 1000)); err != nil {
		t.Errorf("1000 ordinary patterns: %v", err)
	}
}

// tomlList returns a key with n times a value.
func tomlList(key, value string, n int) string {
	return fmt.Sprintf("%s = ['%s']\n", key, strings.TrimSuffix(strings.Repeat(value+"','", n), "','"))
}

// A file that the user names has a limit, too.
func TestNamedPatternsHaveALimit(t *testing.T) {
	if _, err := parsed(t, tomlList("exclude", `\pL{999}`, 100)); err != nil {
		t.Errorf("100 large patterns: %v", err)
	}
	if _, err := parsed(t, tomlList("exclude", `\pL{999}`, 20_000)); err == nil || !strings.Contains(err.Error(), "need more than 256 MiB") {
		t.Errorf("20000 large patterns: %v", err)
	}
}
