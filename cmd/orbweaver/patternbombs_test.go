package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

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
		"groups replaced":    tomlList("remap", "(.*)="+strings.Repeat("$1", 300), 1),
		"small patterns":     tomlList("exclude", "a", 5000),
		"small globs":        strings.Repeat("[[rule]]\nmatch = '*a'\n", 5000),
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

// A text that the parser would need much time or memory for is refused before it is parsed.
func TestConfigurationBombs(t *testing.T) {
	for text, want := range map[string]string{
		"a = " + strings.Repeat("[", 500_000):   "nested more than 32 levels deep",
		strings.Repeat("a.", 500_000) + "a = 1": "nested more than 32 levels deep",
		strings.Repeat("[[a]]\n", 150_000):      "more than 100000 names and values",
	} {
		if err := foundError(text); err == nil || !strings.HasPrefix(err.Error(), "orbweaver.toml: line ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.10s...: got %v, want %s", text, err, want)
		}
	}
	var keys strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keys, "unknown%d = 1\n", i)
	}
	if err := foundError(keys.String()); err == nil || strings.Count(err.Error(), "unknown key") != maxFaults {
		t.Errorf("1000 unknown keys: %d errors, want %d", strings.Count(fmt.Sprint(err), "unknown key"), maxFaults)
	}
}

// Many names are tried for each link as well.
func TestFoundListsHaveALimit(t *testing.T) {
	for _, key := range []string{"fallback-extensions", "index-files", "link-attributes", "type"} {
		if err := foundError(tomlList(key, "a=html", 251)); err == nil || !strings.Contains(err.Error(), "more than 250 values") || !strings.Contains(err.Error(), "--config orbweaver.toml") {
			t.Errorf("%s: %.300v, want an error about 250 values", key, err)
		}
	}
	if err := foundError("[[rule]]\nmatch = '**'\n" + tomlList("broken_hosts", "*a", 251)); err == nil || !strings.Contains(err.Error(), "more than 250 values") {
		t.Errorf("broken_hosts: %.300v, want an error about 250 values", err)
	}
	if err := foundError(tomlList("link-attributes", "a", 250)); err != nil {
		t.Errorf("250 names: %v", err)
	}
}

// A host that may be asked once in hours keeps a run from ending.
func TestFoundRates(t *testing.T) {
	for text, fine := range map[string]bool{"rate = '6/h'": true, "rate = '0'": true, "rate = 2": true, "rate = '5/h'": false, "rate = '0.001/s'": false,
		"[[rule]]\nmatch = '**'\nrate = '6/h'": true, "[[rule]]\nmatch = '**'\nrate = '0.001/s'": false} {
		if err := foundError(text); (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "less than 6 requests an hour") {
			t.Errorf("%s: %v, want an error %v", text, err, !fine)
		}
	}
}

// The options of an agent may have been written by a stranger as well.
func TestAgentOptionsAreBounded(t *testing.T) {
	for name, texts := range map[string][]string{
		"exclude":         slices.Repeat([]string{`\pL{999}`}, 20_000),
		"no-follow":       slices.Repeat([]string{"a"}, 5000),
		"ignore-fragment": {`[` + strings.Repeat(`\pL`, 100_000) + `]`},
		"index-files":     slices.Repeat([]string{"a"}, 251),
	} {
		err := boundOptions(map[string][]string{name: texts})
		if err == nil || !strings.HasPrefix(err.Error(), "options."+name+": ") {
			t.Errorf("%s: %.300v, want an error", name, err)
		}
	}
	if err := boundOptions(map[string][]string{"exclude": slices.Repeat([]string{"a"}, 1000), "level": {"http-404=off"}}); err != nil {
		t.Errorf("1000 small patterns: %v", err)
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
