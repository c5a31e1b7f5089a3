package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
)

// TestFlippedBits flips single bits of a file. Entries and the history are then as they were,
// missing, or the file is set aside.
func TestFlippedBits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	c := open(t, file, at(noon))
	entries := map[cacheentry.Key]cacheentry.Record{}
	for i, r := range samples(noon) {
		r.Run = 7
		key := c.Key("https://example.com/", traffic.Identity{Open: fmt.Sprint(i)})
		c.Put(key, r)
		entries[key] = r
	}
	var broken []Result
	for i := range 20 {
		broken = append(broken, Result{URL: fmt.Sprintf("https://example.com/%d", i), Code: "http-404"})
	}
	if err := c.AddRun(7, noon, true, broken, nil); err != nil {
		t.Fatal(err)
	}
	shut(t, c)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c = open(t, file, at(noon))
	for key := range entries { // as they are read
		entries[key], _ = c.Get(key)
	}
	histories, runs, err := c.Histories()
	if err != nil || len(histories) != len(broken) || runs != 1 {
		t.Fatal(histories, runs, err)
	}
	shut(t, c)
	rng, found := rand.New(rand.NewPCG(2, 3)), 0
	flips := crawlertest.Count(200, 10_000)
	for n := range flips {
		bit := rng.IntN(8 * len(good))
		flipped := append([]byte{}, good...)
		flipped[bit/8] ^= 1 << (bit % 8)
		file := filepath.Join(t.TempDir(), "c.db")
		write(t, file, string(flipped))
		c, err := OpenCache(file, at(noon))
		if err != nil {
			if !errors.Is(err, errForeign) {
				t.Errorf("bit %d: %v", bit, err)
			}
			continue
		}
		changed := func(what string, got, want any) {
			t.Helper()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("bit %d: %s changed from\n%+v to\n%+v", bit, what, want, got)
			}
		}
		intact := 0
		for key, want := range entries {
			if e, ok := c.Get(key); ok {
				intact++
				changed("an entry", e, want)
			}
		}
		got, n2, err := c.Histories()
		if err == nil && n2 > 0 {
			intact++
			changed("the history", got, histories)
		}
		if n%10 == 0 {
			c.Put(cacheentry.Key{1}, presence(noon))
			_ = c.AddRun(8, noon, true, broken, nil) // the error is that of Close
		}
		if err := c.Close(); err != nil {
			t.Errorf("bit %d: %v", bit, err)
		}
		if intact <= len(entries) {
			found++
			if len(c.Notes()) == 0 && intact < len(entries) { // a damaged key is an entry that nobody asks for
				t.Errorf("bit %d: %d entries are missing, and there is no note", bit, len(entries)+1-intact)
			}
		}
		for _, note := range c.Notes() {
			if !strings.Contains(note, file) {
				t.Errorf("bit %d: the note does not name the file: %s", bit, note)
			}
		}
	}
	t.Logf("%d of %d were found to be damaged", found, flips)
}

// TestRefusedDamage tests that an error for a file that is not set aside says that it is damaged,
// whatever SQLite says.
func TestRefusedDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	shut(t, open(t, file, at(noon)))
	run(t, file, "ALTER TABLE history RENAME COLUMN returns TO retusns")
	if _, err := OpenCache(file, CacheOptions{Refuse: true}); !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), file+": it is damaged: ") {
		t.Errorf("%v is not %v", err, errDamaged)
	}
}

// TestSameRun tests that a run that is added again does not count twice.
func TestSameRun(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "c.db"), at(noon))
	for _, run := range []int64{5, 5, 6, 0, 0} {
		if err := c.AddRun(run, noon, true, []Result{{URL: "a", Code: "http-404"}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	histories, runs, err := c.Histories()
	if err != nil || runs != 4 || histories["a"].Runs != 4 {
		t.Errorf("%d runs, %+v, %v; want 4", runs, histories["a"], err)
	}
}

// TestSeal tests that no data is read that was damaged, cut, or written under another key.
func TestSeal(t *testing.T) {
	for i, r := range samples(noon) {
		key := cacheentry.Key{byte(i)}
		record := sealed(key, r.Data)
		if got, err := opened(key, record); err != nil || !bytes.Equal(got, r.Data) {
			t.Errorf("%d: %x, %v", i, got, err)
		}
		if _, err := opened(cacheentry.Key{99}, record); err == nil {
			t.Errorf("%d: read under another key", i)
		}
		for n := range record {
			if _, err := opened(key, record[:n]); err == nil {
				t.Fatalf("%d: read %d of %d bytes", i, n, len(record))
			}
			damaged := bytes.Clone(record)
			damaged[n] ^= 0x20
			if _, err := opened(key, damaged); err == nil {
				t.Fatalf("%d: byte %d changed, and nobody saw it", i, n)
			}
		}
	}
}
