package extract

import (
	"slices"
	"strings"
	"testing"
)

// Every known name is found in any letter case, and nothing like it.
func TestNames(t *testing.T) {
	for _, table := range []*nameTable{knownAttributes, htmlElements.names, svgElements.names} {
		for _, s := range table.slots {
			if s.name == "" {
				continue
			}
			for _, name := range []string{s.name, strings.ToUpper(s.name)} {
				if got := table.find(keyOf([]byte(name)), []byte(name)); got != int(s.number) {
					t.Errorf("%s is number %d, want %d", name, got, s.number)
				}
			}
			for _, name := range []string{s.name + "x", s.name + "\x00", "\x00" + s.name, s.name[1:] + "\x11", strings.ReplaceAll(s.name, "1", "\x11") + "\x7f"} {
				if got := table.find(keyOf([]byte(name)), []byte(name)); got >= 0 && !slices.ContainsFunc(table.slots, func(s nameSlot) bool { return s.name == name }) {
					t.Errorf("%q is found", name)
				}
			}
		}
		if table.find(keyOf(nil), nil) >= 0 {
			t.Error("the empty name is found")
		}
	}
}
