package trap

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// A tail is a long chain of pages that differ only in numbers and the like. What one index lists, and
// what brings named pages or other images, is none.
func TestTail(t *testing.T) {
	day := func(i int) string { return time.Date(2026, 11, i, 0, 0, 0, 0, time.UTC).Format("/cal/2006/01/02") }
	for _, row := range []struct {
		name   string
		pages  int
		found  func(i int) []string // what page i brings; those with .png are no pages
		clicks func(i int) int
		want   string
	}{
		{"calendar", 3000, func(i int) []string { return []string{day(i)} }, nil, "from page 3 on, the pages look generated: 3000 pages like /cal/{n}/{n}/{n}, the first of which is http://a.test/cal/2026/10/31,"},
		{"calendar with a form", 3000, func(i int) []string { return []string{day(i), "/new?on=" + day(i)} }, nil, "6000 pages like /cal/{n}/{n}/{n} and /new?*,"},
		{"calendar in the query", 3000, func(i int) []string { return []string{fmt.Sprint("/cal?day=", i)} }, nil, "3000 pages like /cal?*,"},
		{"calendar that ends with a real page", 3000, func(i int) []string { return append([]string{day(i)}, []string{"/imprint"}[:i/2999]...) }, nil, ""},
		{"short calendar", 900, func(i int) []string { return []string{day(i)} }, nil, ""},
		{"one index", 3000, func(i int) []string { return []string{fmt.Sprintf("/item/%d.html", i)} }, func(int) int { return 1 }, ""},
		{"pages with names", 3000, func(i int) []string {
			return []string{fmt.Sprintf("/item/%d.html", i), "/by/" + strings.Repeat("x", i%40)}
		}, nil, ""},
		{"pictures", 3000, func(i int) []string {
			return []string{fmt.Sprintf("/item/%d.html", i), fmt.Sprintf("/%s/%d.png", strings.Repeat("y", i%40), i)}
		}, nil, ""},
	} {
		tail := NewTail()
		for _, path := range []string{"/", "/about.html"} {
			tail.Add(parseURL(t, "http://a.test"+path), true, 0)
		}
		for i := range row.pages {
			clicks := i
			if row.clicks != nil {
				clicks = row.clicks(i)
			}
			for _, path := range row.found(i) {
				tail.Add(parseURL(t, "http://a.test"+path), !strings.HasSuffix(path, ".png"), clicks)
			}
		}
		got := tail.Describe(urinorm.URL.String)
		if (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}
