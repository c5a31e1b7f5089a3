package extract

import (
	"slices"
	"strings"
	"testing"
)

// TestNames checks that every known name is found in any letter case, and similar names are
// not.
func TestNames(t *testing.T) {
	for _, table := range []*nameTable{knownAttributes, htmlElements.names, svgElements.names} {
		for i, known := range table.names {
			if known == "" {
				continue
			}
			for _, name := range []string{known, strings.ToUpper(known)} {
				if got := table.find(keyOf([]byte(name)), []byte(name)); got != int(table.numbers[i]) {
					t.Errorf("%s is number %d, want %d", name, got, table.numbers[i])
				}
			}
			for _, name := range []string{known + "x", known + "\x00", "\x00" + known, known[1:] + "\x11", strings.ReplaceAll(known, "1", "\x11") + "\x7f"} {
				if got := table.find(keyOf([]byte(name)), []byte(name)); got >= 0 && !slices.Contains(table.names, name) {
					t.Errorf("%q was found", name)
				}
			}
		}
		if table.find(keyOf(nil), nil) >= 0 {
			t.Error("the empty name was found")
		}
	}
}
