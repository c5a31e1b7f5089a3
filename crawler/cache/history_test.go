package cache

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

// day is one run: what it finds broken ("x"), and mended ("o"), of targets a, b, c …;
// "." tells nothing. A run that begins with "!" is not complete.
func day(t *testing.T, c *Cache, n int, run string) {
	t.Helper()
	run, incomplete := strings.CutPrefix(run, "!")
	var broken, ok []Told
	for i, found := range run {
		told := Told{URL: string(rune('a' + i)), Code: "http-404"}
		switch found {
		case 'x':
			broken = append(broken, told)
		case 'o':
			ok = append(ok, told)
		}
	}
	if err := c.Remember(noon.Add(time.Duration(n)*24*time.Hour), !incomplete, broken, ok); err != nil {
		t.Fatal(err)
	}
}

// since is the number of a day.
func since(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return fmt.Sprint(int(at.Sub(noon).Hours() / 24))
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	for n, run := range []string{"x.xxx", "xxoo.", "x.xxx", "!x.ooo", "xxoo."} {
		c := open(t, file, Options{})
		day(t, c, n, run)
		shut(t, c)
	}
	c := open(t, file, Options{})
	pasts, runs, err := c.Pasts()
	if err != nil || runs != 5 {
		t.Fatalf("%d runs, %v", runs, err)
	}
	// url: state, runs in a row since first last ok, broken of told, returns
	want := map[string]string{
		"a": "dead 5 since 0 first 0 last 4 ok -, 5 of 5, 0",
		"b": "new 2 since 1 first 1 last 4 ok -, 2 of 2, 0", // what was not told is no row's end
		"c": "flaky 0 since 2 first 0 last 2 ok 4, 2 of 4, 1",
		"d": "flaky 0 since 2 first 0 last 2 ok 4, 2 of 4, 1",
		"e": "new 2 since 0 first 0 last 2 ok -, 2 of 2, 0", // an incomplete run mends nothing
	}
	for _, url := range slices.Sorted(maps.Keys(pasts)) {
		p := pasts[url]
		got := fmt.Sprintf("%s %d since %s first %s last %s ok %s, %d of %d, %d", p.State(3), p.Runs, since(p.Since), since(p.First), since(p.Last), since(p.OK), p.Broken, p.Told, p.Returns)
		if got != want[url] {
			t.Errorf("%s: %s, want %s", url, got, want[url])
		}
		if p.URL != url || p.Code != "http-404" {
			t.Errorf("%s: %+v", url, p)
		}
	}
	if len(pasts) != len(want) {
		t.Errorf("%d targets", len(pasts))
	}
	shut(t, c)
}

func TestStates(t *testing.T) {
	for _, test := range []struct {
		past  Past
		after int
		want  State
	}{
		{Past{Runs: 1}, 3, New},
		{Past{Runs: 2}, 3, New},
		{Past{Runs: 3}, 3, Dead},
		{Past{Runs: 1}, 1, Dead},
		{Past{Runs: 1, Returns: 1}, 3, Flaky},
		{Past{Runs: 3, Returns: 1}, 3, Dead},
		{Past{Returns: 2}, 3, Flaky},
		{Past{}, 3, Fixed},
	} {
		if got := test.past.State(test.after); got != test.want {
			t.Errorf("%+v: %s, want %s", test.past, got, test.want)
		}
	}
}

// What was mended long ago is forgotten, and what nobody told of for very long.
func TestHistoryForgets(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "c.db"), Options{})
	day(t, c, 0, "xx")
	day(t, c, 1, "o.")
	day(t, c, 80, "")
	if pasts, _, _ := c.Pasts(); len(pasts) != 2 {
		t.Errorf("%v", pasts)
	}
	day(t, c, 100, "")
	if pasts, _, _ := c.Pasts(); len(pasts) != 1 || pasts["b"].Runs != 1 {
		t.Errorf("%v", pasts)
	}
	day(t, c, 400, "")
	if pasts, _, _ := c.Pasts(); len(pasts) != 0 {
		t.Errorf("%v", pasts)
	}
}

func TestHistoryIsShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			c, err := Open(file, Options{})
			if err == nil {
				err = c.Remember(noon, true, []Told{{URL: "a", Code: "timeout"}}, nil)
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
	c := open(t, file, Options{})
	if pasts, runs, err := c.Pasts(); err != nil || runs != 8 || pasts["a"].Runs != 8 {
		t.Errorf("%d runs, %+v, %v", runs, pasts, err)
	}
}

// A history that cannot be written is an error: nobody may think that it is kept.
func TestHistoryLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	c := open(t, file, Options{Patience: 20 * time.Millisecond})
	other := open(t, file, Options{})
	tx, err := other.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if err := c.Remember(noon, true, nil, nil); err == nil || !strings.Contains(err.Error(), file+": another process has locked it") {
		t.Errorf("%v", err)
	}
}
