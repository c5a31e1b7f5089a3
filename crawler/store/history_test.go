package store

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// day adds a run that finds the targets a, b, c … broken ("x") or fixed ("o"), or does not
// check them ("."). A run that begins with "!" is not complete.
func day(t *testing.T, c *Cache, n int, run string) {
	t.Helper()
	run, incomplete := strings.CutPrefix(run, "!")
	var broken, fixed []Result
	for i, found := range run {
		result := Result{URL: string(rune('a' + i)), Code: "http-404"}
		switch found {
		case 'x':
			broken = append(broken, result)
		case 'o':
			fixed = append(fixed, result)
		}
	}
	if err := c.AddRun(0, noon.Add(time.Duration(n)*24*time.Hour), !incomplete, broken, fixed); err != nil {
		t.Fatal(err)
	}
}

// since returns the number of a day.
func since(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return fmt.Sprint(int(at.Sub(noon).Hours() / 24))
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	for n, run := range []string{"x.xxx", "xxoo.", "x.xxx", "!x.ooo", "xxoo."} {
		c := open(t, file, CacheOptions{})
		day(t, c, n, run)
		shut(t, c)
	}
	c := open(t, file, CacheOptions{})
	histories, runs, err := c.Histories()
	if err != nil || runs != 5 {
		t.Fatalf("%d runs, %v", runs, err)
	}
	// url: state, runs in a row, since, first, last, ok, broken of checked, returns
	want := map[string]string{
		"a": "dead 5 since 0 first 0 last 4 ok -, 5 of 5, 0",
		"b": "new 2 since 1 first 1 last 4 ok -, 2 of 2, 0", // a run that did not check it does not end the row
		"c": "flaky 0 since 2 first 0 last 2 ok 4, 2 of 4, 1",
		"d": "flaky 0 since 2 first 0 last 2 ok 4, 2 of 4, 1",
		"e": "new 2 since 0 first 0 last 2 ok -, 2 of 2, 0", // an incomplete run fixes nothing
	}
	for _, url := range slices.Sorted(maps.Keys(histories)) {
		p := histories[url]
		got := fmt.Sprintf("%s %d since %s first %s last %s ok %s, %d of %d, %d", p.State(3), p.Runs, since(p.Since), since(p.First), since(p.Last), since(p.OK), p.Broken, p.Checked, p.Returns)
		if got != want[url] {
			t.Errorf("%s: %s, want %s", url, got, want[url])
		}
		if p.URL != url || p.Code != "http-404" {
			t.Errorf("%s: %+v", url, p)
		}
	}
	if len(histories) != len(want) {
		t.Errorf("%d targets", len(histories))
	}
	shut(t, c)
}

func TestStates(t *testing.T) {
	for _, test := range []struct {
		history History
		after   int
		want    State
	}{
		{History{Runs: 1}, 3, StateNew},
		{History{Runs: 2}, 3, StateNew},
		{History{Runs: 3}, 3, StateDead},
		{History{Runs: 1}, 1, StateDead},
		{History{Runs: 1, Returns: 1}, 3, StateFlaky},
		{History{Runs: 3, Returns: 1}, 3, StateDead},
		{History{Returns: 2}, 3, StateFlaky},
		{History{}, 3, StateFixed},
	} {
		if got := test.history.State(test.after); got != test.want {
			t.Errorf("%+v: %s, want %s", test.history, got, test.want)
		}
	}
}

// TestHistoryForgets tests when fixed targets, and those that were not checked any more, are
// deleted.
func TestHistoryForgets(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "c.db"), CacheOptions{})
	day(t, c, 0, "xx")
	day(t, c, 1, "o.")
	day(t, c, 80, "")
	if histories, _, _ := c.Histories(); len(histories) != 2 {
		t.Errorf("%v", histories)
	}
	day(t, c, 100, "")
	if histories, _, _ := c.Histories(); len(histories) != 1 || histories["b"].Runs != 1 {
		t.Errorf("%v", histories)
	}
	day(t, c, 400, "")
	if histories, _, _ := c.Histories(); len(histories) != 0 {
		t.Errorf("%v", histories)
	}
}

func TestHistoryIsShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			c, err := OpenCache(file, CacheOptions{})
			if err == nil {
				err = c.AddRun(0, noon, true, []Result{{URL: "a", Code: "timeout"}}, nil)
			}
			if err == nil {
				err = c.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	c := open(t, file, CacheOptions{})
	if histories, runs, err := c.Histories(); err != nil || runs != 8 || histories["a"].Runs != 8 {
		t.Errorf("%d runs, %+v, %v", runs, histories, err)
	}
}

// TestHistoryLocked tests that AddRun returns an error if the file cannot be written.
func TestHistoryLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	c := open(t, file, CacheOptions{patience: 20 * time.Millisecond})
	other := open(t, file, CacheOptions{})
	tx, err := other.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if err := c.AddRun(0, noon, true, nil, nil); err == nil || !strings.Contains(err.Error(), file+": another process has locked it") {
		t.Errorf("%v", err)
	}
}
