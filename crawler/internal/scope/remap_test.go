package scope

import (
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A replacement that repeats the URL ends when it is longer than any URL that is requested, however often it matches.
func TestReplaceIsBounded(t *testing.T) {
	long := strings.Repeat("a", MaxReference)
	var before, after runtime.MemStats
	for _, m := range []Remap{
		{regexp.MustCompile(`.`), strings.Repeat("b", 1000)},
		{regexp.MustCompile(`(.*?)a`), "${1}" + long},
		{regexp.MustCompile(``), long},
	} {
		runtime.ReadMemStats(&before)
		to := m.replace(long)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; len(to) <= MaxReference || len(to) > 4*MaxReference || used > 64<<20 {
			t.Errorf("%.20s=%.20s: a URL of %d bytes with %d bytes of memory", m.Pattern, m.Replacement, len(to), used)
		}
	}
	for _, row := range []struct{ pattern, replacement, in, want string }{
		{`b+`, "<$0>", "abba b", "a<bb>a <b>"},
		{`^(.)(.)`, "$2$1", "abc", "bac"},
		{`x`, "y", "abc", "abc"},
		{``, "-", "ab", "-a-b-"},
		{`a`, "", strings.Repeat("a", maxReplaced+1), "a"},
	} {
		m := Remap{regexp.MustCompile(row.pattern), row.replacement}
		if got := m.replace(row.in); got != row.want {
			t.Errorf("%s=%s of %s: got %s, want %s", row.pattern, row.replacement, row.in, got, row.want)
		}
	}
}
