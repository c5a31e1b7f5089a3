package tomlsize

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
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
		err := Check(text, 1000)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		strings.Repeat("[a.b]\n", 30):       "line 26: there are more than 50 names and values",
		"a = [" + strings.Repeat("1, ", 50): "line 1: there are more than 50",
		strings.Repeat("a = '[[,.='\n", 40): "",
	} {
		err := Check(text, 50)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
	}
}
