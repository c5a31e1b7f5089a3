package stored

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
)

// What visits have counted, and what sessions have recorded, is read again, and so is a copy.
func TestSumsAreReadAsKept(t *testing.T) {
	ctx, began := t.Context(), time.Unix(1_700_000_000, 5)
	store, other := frontier.NewMemory(), frontier.NewMemory()
	counts := Counts{Traps: []string{"a/a/a", "a/a/a"}, Sitemaps: []string{"http://site.test/sitemap.xml"}}
	for n := range counts.Of {
		counts.Of[n] = n + 1
	}
	gaps := []gap.Kind{gap.Trap, gap.Trap, gap.URLLength}
	for what, err := range map[string]error{
		"tally":        store.Tally(ctx, counts.AppendTallies(nil, gaps, nil)),
		"begin":        Begin(ctx, store, began),
		"add time":     AddTime(ctx, store, time.Second),
		"more time":    AddTime(ctx, store, time.Minute),
		"interval":     SetInterval(ctx, store, 0, 3*time.Second),
		"next session": SetInterval(ctx, store, 3*time.Second, 2*time.Second),
		"finish":       Finish(ctx, store),
	} {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	want := Sums{Of: counts.Of, Trapped: map[string]int{"a/a/a": 2}, Sitemaps: counts.Sitemaps, Began: began,
		Elapsed: time.Minute + time.Second, Interval: 2 * time.Second, Finished: true}
	want.Gaps[gap.Trap], want.Gaps[gap.URLLength] = 2, 1
	got, err := ReadSums(ctx, store)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.CopyTo(ctx, other); err != nil {
		t.Fatal(err)
	}
	copied, err := ReadSums(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Sums{"the store": got, "the copy": copied} {
		s.all = nil
		if !reflect.DeepEqual(*s, want) {
			t.Errorf("%s has %+v, want %+v", name, *s, want)
		}
	}
}

// States of older versions tell less.
func TestSumsOfOlderVersions(t *testing.T) {
	for name, row := range map[string]struct {
		all  map[string]int64
		want map[gap.Kind]int
	}{
		"nothing":            {nil, nil},
		"only the patterns":  {map[string]int64{"trap:a/a/a": 7}, map[gap.Kind]int{gap.Trap: 1}},
		"long URLs":          {map[string]int64{"too long": 3}, map[gap.Kind]int{gap.URLLength: 3}},
		"what is told today": {map[string]int64{"trap:a/a/a": 7, "stopped:" + gap.Trap.String(): 9}, map[gap.Kind]int{gap.Trap: 9}},
	} {
		var want gap.Counts
		for g, n := range row.want {
			want[g] = n
		}
		if s := sumsOf(row.all); s.Gaps != want || !s.Began.IsZero() || s.Finished {
			t.Errorf("%s: %v gaps, began %v, finished %t; want %v gaps, not begun", name, s.Gaps, s.Began, s.Finished, want)
		}
	}
}

// What a visit has counted of what it read does not hold if the target is visited again. Requests
// were sent, and nobody else learns of traps and sitemaps.
func TestCountsOfRepeatedVisits(t *testing.T) {
	c := Counts{Traps: []string{"a/a/a"}, Sitemaps: []string{"http://site.test/sitemap.xml"}}
	for n := range c.Of {
		c.Of[n] = 1
	}
	for name, row := range map[string]struct {
		counts Counts
		want   []string
	}{
		"settled": {c, []string{"blank", "broken", "checked", "hidden", "pages", "requests", "shells", "sitemap:http://site.test/sitemap.xml",
			"stopped:" + gap.Trap.String(), "trap:a/a/a", "unfollowed"}},
		"put back": {c.Repeated(), []string{"broken", "checked", "requests", "sitemap:http://site.test/sitemap.xml",
			"stopped:" + gap.Trap.String(), "trap:a/a/a"}},
	} {
		var got []string
		for _, tally := range row.counts.AppendTallies(nil, []gap.Kind{gap.Trap}, nil) {
			if tally != (frontier.Tally{Name: tally.Name, By: 1}) {
				t.Errorf("%s: %s: %d, want 1", name, tally.Name, tally.By)
			}
			got = append(got, tally.Name)
		}
		slices.Sort(got)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: the store is told %q, want %q", name, got, row.want)
		}
	}
}
