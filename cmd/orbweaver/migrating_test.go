package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/migrate"
)

// TestMuffetTable holds the table of muffet's flags in the guide and the import together: each
// flag on the left, as the command of a makefile, gives the setting on the right.
func TestMuffetTable(t *testing.T) {
	guide, err := os.ReadFile("docs/migrating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(guide), "<!-- muffet -->\n")
	table, _, found := strings.Cut(table, "<!-- /muffet -->")
	if !found {
		t.Fatal("the guide has no table")
	}
	row := regexp.MustCompile("^\\| `(--[a-z-]+) ?([^`]*)` \\| (–|`--([a-z-]+) ?([^`]*)`) \\|")
	for line := range strings.Lines(table) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%s is not a row of the table", line)
			continue
		}
		c, err := migrate.Read("Makefile", []byte("x:\n\tmuffet "+m[1]+" "+m[2]+" http://localhost\n"))
		if err != nil {
			t.Fatal(err)
		}
		if m[3] == "–" {
			if len(c.Skipped) != 1 || len(c.Settings) != 0 {
				t.Errorf("%s gives %+v, %+v; the table says that it has no equal", m[1], c.Settings, c.Skipped)
			}
			continue
		}
		want := strings.Trim(m[5], "'")
		if len(c.Settings) != 1 || len(c.Skipped) != 0 || c.Settings[0].Key != m[4] || !c.Settings[0].Switch && c.Settings[0].Values[0] != want {
			t.Errorf("%s gives %+v, %+v; the table says %s", m[1], c.Settings, c.Skipped, m[3])
		}
		if _, known := configRows()[m[4]]; !known {
			t.Errorf("--%s is not a flag", m[4])
		}
	}
}
