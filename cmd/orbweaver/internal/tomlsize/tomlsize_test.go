package main

import (
	"strings"
	"testing"
)

func TestCheckDepth(t *testing.T) {
	deep := strings.Repeat("[", 33)
	for text, want := range map[string]string{
		"a = " + deep:                                    "line 1 is nested",
		"b = 1\na" + strings.Repeat(".a", 33):            "line 2 is nested",
		"x = '''\n\n'''\n[" + strings.Repeat("a . ", 34): "line 4 is nested",
		"a = " + strings.Repeat("{a=", 33):               "nested",
		"a = '" + deep + "'":                             "",
		`a = "\"` + deep + `"`:                           "",
		"a = '''\n'" + deep + "'''":                      "",
		"# " + deep:                                      "",
		`a = ["` + strings.Repeat(`a.b", "`, 50) + `"]`:  "",
		"a = [" + strings.Repeat("1.5, ", 50) + "]":      "",
		strings.Repeat("[[rule]]\n", 50):                 "",
		`a = "` + deep[:3]:                               "",
		`a = "\`:                                         "",
		"'''":                                            "",
	} {
		err := checkDepth(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
	}
	// A text that the parser would need minutes for is refused before it is parsed.
	for _, text := range []string{"a = " + strings.Repeat("[", 500_000), strings.Repeat("a.", 500_000) + "a = 1"} {
		if err := foundError(text); err == nil || !strings.Contains(err.Error(), "orbweaver.toml: line 1 is nested more than 32 levels deep") {
			t.Errorf("%.10s...: got %v", text, err)
		}
	}
}
