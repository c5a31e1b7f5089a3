package verdicts

import (
	"fmt"
	"slices"
	"testing"
)

// Random URLs cause a pattern for each page. They are reported in a few notes.
func TestTrapNotes(t *testing.T) {
	trapped := map[string]int{}
	for i := range 6 {
		trapped[fmt.Sprint("pattern ", i)] = 1
	}
	if notes := trapNotes(trapped); len(notes) != 6 {
		t.Errorf("of 6 patterns %q", notes)
	}
	trapped["pattern 8"], trapped["pattern 7"] = 2, 3
	want := []string{
		"3 pages not read, because the URLs look like an endless series (pattern 7)",
		"2 pages not read, because the URLs look like an endless series (pattern 8)",
		"1 page not read, because the URLs look like an endless series (pattern 0)",
		"1 page not read, because the URLs look like an endless series (pattern 1)",
		"1 page not read, because the URLs look like an endless series (pattern 2)",
		"3 pages not read, because the URLs look like an endless series (3 other patterns)",
	}
	if notes := trapNotes(trapped); !slices.Equal(notes, want) {
		t.Errorf("got  %q\nwant %q", notes, want)
	}
	if notes := trapNotes(nil); notes != nil {
		t.Errorf("of no trap %q", notes)
	}
}
