package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Only a suggestion that stands alone is likely; and only what is asked for is edited.
func TestLevels(t *testing.T) {
	guess := func(url string) check.Suggestion { return check.Suggestion{URL: url, Why: "closest path"} }
	for name, test := range map[string]struct {
		suggestions []check.Suggestion
		unsure      int
		edits       [2]int // at Certain and Likely
	}{
		"none":        {nil, 0, [2]int{0, 0}},
		"one guess":   {[]check.Suggestion{guess("docs/new.html")}, 1, [2]int{0, 1}},
		"two guesses": {[]check.Suggestion{guess("docs/new.html"), guess("docs/now.html")}, 0, [2]int{0, 0}},
		"certain":     {[]check.Suggestion{{URL: "docs/new.html", Why: "closest path", Unique: true}, guess("docs/now.html")}, 0, [2]int{1, 1}},
		"itself":      {[]check.Suggestion{guess("docs/old.html")}, 0, [2]int{0, 0}},
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "docs", "a.html"), []byte(`<a href="old.html">x</a>`), 0o644); err != nil {
			t.Fatal(err)
		}
		r := &result.Result{URL: "docs/old.html", Verdict: check.Broken, Code: check.CodeFileMissing, Suggestions: test.suggestions,
			References: []result.Reference{{Page: "docs/a.html", Line: 1, Column: 10, Element: "a", Attribute: "href", Raw: "old.html"}}}
		for level, want := range test.edits {
			plan, err := Make(dir, dir, []*result.Result{r}, Level(level), nil)
			if err != nil {
				t.Fatal(err)
			}
			unsure := test.unsure
			if Level(level) == Likely {
				unsure = 0
			}
			if plan.Edits() != want || len(plan.Unsure) != unsure || len(plan.LeftOut) > 0 {
				t.Errorf("%s at %d: %d edits, want %d; unsure %v, left out %v", name, level, plan.Edits(), want, plan.Unsure, plan.LeftOut)
			}
			if unsure > 0 && !strings.Contains(plan.Unsure[0].String(), `docs/a.html:1:10: "old.html" may be "docs/new.html" (closest path, but`) {
				t.Errorf("%s: %s", name, plan.Unsure[0])
			}
		}
	}
	for word, want := range map[string]Level{"certain": Certain, "likely": Likely} {
		if got, err := ParseLevel(word); err != nil || got != want {
			t.Errorf("%s: %v, %v", word, got, err)
		}
	}
	if _, err := ParseLevel("sure"); err == nil {
		t.Error("accepts a level that does not exist")
	}
}
