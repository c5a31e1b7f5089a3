package option

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// Every key of a configuration is permitted or refused with a reason, and nothing else is.
func TestEveryKeyHasAReason(t *testing.T) {
	for _, f := range All() {
		isKey := f.On&Check != 0 && f.Group != Configuration
		if isKey != (f.Found.use != unsafe) || isKey != (f.Found.why != "") {
			t.Errorf("--%s: a key %v, permission %+v", f.Name, isKey, f.Found)
		}
	}
}

// A path that cannot be followed is refused.
func TestPathsThatCannotBeFollowed(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("loop", "loop"); err != nil {
		t.Fatal(err)
	}
	if err := staysInside("", "loop/a", true); !errors.Is(err, errOutside) {
		t.Error(err)
	}
}

// TestGuideListsEveryKey: the table of the guide has each key once, in the rows of those that are refused or of those
// that are not.
func TestGuideListsEveryKey(t *testing.T) {
	guide, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(guide), "## Files that were found")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]string{} // what a found file may do, by key
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| `") || len(cells) != 3 {
			continue
		}
		for i, key := range strings.Split(cells[0], "`") {
			if i%2 == 1 {
				if rows[key] != "" {
					t.Errorf("the guide has %s twice", key)
				}
				rows[key] = cells[1]
			}
		}
	}
	for _, f := range Of(Check) {
		if f.Group == Configuration {
			continue
		}
		may, listed := rows[f.Name]
		for key, word := range rows {
			if prefix, ok := strings.CutSuffix(key, "*"); ok && strings.HasPrefix(f.Name, prefix) && !listed {
				may, listed = word, true
			}
		}
		if !listed {
			t.Errorf("the guide does not have %s", f.Name)
		} else if refused := f.Found.use == refused && f.Found.but == nil; refused != (may == "nothing") {
			t.Errorf("the guide says %q of %s, want refused %v", may, f.Name, refused)
		}
	}
}
