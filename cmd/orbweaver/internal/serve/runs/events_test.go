package runs

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

func TestEventsSurviveACut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.events")
	e, err := openEvents(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := e.Append("finding", map[string]any{"fingerprint": string(rune('a' + i))}); err != nil {
			t.Fatal(err)
		}
	}
	whole := e.size
	if err := e.close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, whole-5); err != nil {
		t.Fatal(err)
	}
	if e, err = openEvents(name); err != nil {
		t.Fatal(err)
	}
	defer e.close()
	if seen, err := emitted(name); err != nil || len(seen) != 2 || !seen["a"] || !seen["b"] {
		t.Errorf("after the cut: %v, %v", seen, err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	r := &Reader{file: f, live: e}
	defer r.Close()
	events, changed, err := r.Next()
	if err != nil || len(events) != 2 || events[0].ID >= events[1].ID {
		t.Fatalf("%v, %v", events, err)
	}
	if err := e.Append("progress", 1); err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
	case <-time.After(3 * time.Minute):
		t.Fatal("the reader is not woken")
	}
	if err := e.Append("progress", 2); err != nil {
		t.Fatal(err)
	}
	if events, _, err = r.Next(); err != nil || len(events) != 1 || string(events[0].Data) != "2" {
		t.Errorf("progress is not merged: %v, %v", events, err)
	}
	// A reader that asks for a place within a line begins with the next one.
	within := &Reader{file: f, at: 3, live: e}
	if events, _, err = within.Next(); err != nil || len(events) != 2 || events[0].Type != "finding" || string(events[0].Data) != `{"fingerprint":"b"}` {
		t.Errorf("within a line: %v, %v", events, err)
	}
}

func TestParseRetention(t *testing.T) {
	parse := func(s string) (time.Duration, error) { return time.ParseDuration(s) }
	for text, want := range map[string]Retention{"24h,200": {24 * time.Hour, 200}, "24h": {Age: 24 * time.Hour}, "200": {Count: 200}, "24h, 5": {24 * time.Hour, 5}} {
		if got, err := ParseRetention(text, parse); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "200,24h", "x", "24h,0", "24h,1,2", ",5", "0s"} {
		if got, err := ParseRetention(text, parse); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Progress is told at most twice a second, also the last one of a run.
func TestProgressIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := openEvents(filepath.Join(t.TempDir(), "x.events"))
		if err != nil {
			t.Fatal(err)
		}
		defer e.close()
		var sizes []int64
		for range 10 { // for one second
			if err := e.AppendProgress(api.Progress{}); err != nil {
				t.Fatal(err)
			}
			if n := len(sizes); n == 0 || sizes[n-1] != e.size {
				sizes = append(sizes, e.size)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if len(sizes) != 2 {
			t.Errorf("%d events of progress within a second", len(sizes))
		}
	})
}
