package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// A report is recognized in its own format and in no other, with and without findings. Only a
// sitemap and the annotations of github have no mark.
func TestWrote(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report")
	empty := &Report{Head: Head{Tool: Tool{Name: "orbweaver", Version: "1.0.0"}, Started: started}, Summary: result.Summary{Started: started}}
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, format := range Formats {
		for _, run := range []*Report{contractRun(), fullRun(), checkedRun(), hostileRun(), empty} {
			write(render(t, format.Name, Options{}, run))
			for _, other := range Formats {
				want := other == format && format.Name != "github" && format.Name != "sitemap" ||
					strings.HasPrefix(format.Name, "linkchecker") && strings.HasPrefix(other.Name, "linkchecker")
				if got := other.Wrote(name); got != want {
					t.Errorf("a report in %s with %d results is one in %s: got %v, want %v", format.Name, len(run.Results), other.Name, got, want)
				}
			}
		}
	}
	for _, text := range []string{"", "# Notes\n", "<!DOCTYPE html><html><head><title>a</title>", "{}", "[{}]", "1,2,3\n", "SQLite format 3\x00" + strings.Repeat("\x00", 100)} {
		write(text)
		for _, format := range Formats {
			if format.Wrote(name) {
				t.Errorf("%q is a report in %s", text, format.Name)
			}
		}
	}
}
