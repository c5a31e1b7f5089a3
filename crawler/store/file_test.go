package store

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func at(now time.Time) CacheOptions { return CacheOptions{Now: func() time.Time { return now }} }

func open(t testing.TB, file string, o CacheOptions) *Cache {
	t.Helper()
	c, err := OpenCache(file, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// shut closes a file, which must succeed.
func shut(t testing.TB, c *Cache) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// presence returns a small record.
func presence(checked time.Time) cacheentry.Record {
	return cacheentry.Record{Checked: checked, URL: "http://example.com/", Kind: "presence", Status: 200, Data: []byte("there")}
}

// samples returns records of several sizes.
func samples(checked time.Time) (all []cacheentry.Record) {
	for _, size := range []int{1, 20, 100, 500, 5000} {
		r := presence(checked)
		r.Data = make([]byte, size)
		rand.NewChaCha8([32]byte{byte(size)}).Read(r.Data)
		all = append(all, r)
	}
	return all
}

// has reports whether there is a record of a request.
func has(c *Cache, key cacheentry.Key) bool {
	_, ok := c.Get(key)
	return ok
}

// alone fails the test if there are other files beside a file.
func alone(t testing.TB, file string) {
	t.Helper()
	names, err := filepath.Glob(file + "*")
	if err != nil || len(names) != 1 {
		t.Errorf("beside the file: %v %v", names, err)
	}
}

func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "a ?#%20 file.db")
	c := open(t, file, at(noon))
	want := samples(noon.Add(-time.Hour))
	var keys []cacheentry.Key
	for i, r := range want {
		key := c.Key("https://example.com/", traffic.Identity{Open: fmt.Sprint(i)})
		keys = append(keys, key)
		c.Put(key, r)
	}
	if r, ok := c.Get(keys[0]); !ok || !r.Checked.Equal(want[0].Checked) {
		t.Errorf("before it was written: %+v", r)
	}
	shut(t, c)
	alone(t, file)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	c = open(t, file, at(noon.Add(time.Hour)))
	for i, key := range keys {
		if r, ok := c.Get(key); !ok || !r.Checked.Equal(noon.Add(-time.Hour)) || !bytes.Equal(r.Data, want[i].Data) {
			t.Errorf("%d: %+v", i, r)
		}
	}
	c.Delete(keys[0])
	c.Confirm(keys[1], 7, noon)
	if has(c, keys[0]) {
		t.Error("deleted and there")
	}
	shut(t, c)
	c = open(t, file, at(noon))
	if has(c, keys[0]) {
		t.Error("deleted and still there")
	}
	if r, ok := c.Get(keys[1]); !ok || !r.Checked.Equal(noon.Add(time.Hour)) {
		t.Errorf("confirmed: %+v", r)
	}
	if len(c.Notes()) > 0 {
		t.Error(c.Notes())
	}
	shut(t, c)
	shut(t, c) // has no effect
	alone(t, file)
}

// TestOrigin tests that an entry has the run that observed it, so that a run that is resumed
// in another process knows its own entries.
func TestOrigin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	c := open(t, file, at(noon))
	if c.Older(1) {
		t.Error("an empty file has entries of other runs")
	}
	own, changed, confirmed, other := cacheentry.Key{1}, cacheentry.Key{2}, cacheentry.Key{3}, cacheentry.Key{4}
	for _, key := range []cacheentry.Key{own, changed, confirmed} {
		r := presence(noon)
		r.Run = 1
		if key == changed {
			r.Before = noon.Add(-time.Hour)
		}
		c.Put(key, r)
	}
	c.Put(other, presence(noon.Add(-time.Minute)))
	want := func(when string) {
		t.Helper()
		for key, want := range map[cacheentry.Key]time.Time{own: {}, changed: noon.Add(-time.Hour), confirmed: {}, other: noon.Add(-time.Minute)} {
			if r, ok := c.Get(key); !ok || !r.Earlier(1).Equal(want) {
				t.Errorf("%s: %d: %+v, want %v", when, key[0], r, want)
			}
		}
	}
	want("before it was written")
	shut(t, c)
	c = open(t, file, at(noon))
	want("after")
	if !c.Older(1) || !c.Older(2) {
		t.Error("the file has entries of other runs")
	}
	c.Confirm(confirmed, 2, noon)
	c.Delete(other)
	c.Delete(changed)
	shut(t, c)
	c = open(t, file, at(noon.Add(time.Hour)))
	if r, ok := c.Get(confirmed); !ok || !r.Earlier(2).Equal(noon) || !r.Earlier(1).Equal(noon) || r.Run != 2 {
		t.Errorf("confirmed: %+v", r)
	}
	c.Delete(confirmed)
	shut(t, c)
	c = open(t, file, at(noon))
	if c.Older(1) || !c.Older(2) {
		t.Error("the file has only entries of run 1")
	}
	shut(t, c)
}

// TestFlush tests that few changes are written after a while.
func TestFlush(t *testing.T) {
	file, now := filepath.Join(t.TempDir(), "c.db"), noon
	c := open(t, file, CacheOptions{Now: func() time.Time { return now }})
	var rows int
	for i, want := range []int{0, 0, 3} {
		c.Put(cacheentry.Key{byte(i)}, presence(noon))
		if query(t, file, "SELECT count(*) FROM entry", &rows); rows != want {
			t.Errorf("%d rows after %v, want %d", rows, now.Sub(noon), want)
		}
		now = now.Add(flushAfter/2 + 1)
	}
	shut(t, c)
}

// The history is written together with what is pending, so that other processes see both.
func TestAddRunFlushes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	c := open(t, file, CacheOptions{})
	defer shut(t, c)
	key := cacheentry.Key{1}
	c.Put(key, presence(noon))
	day(t, c, 0, "x")
	other := open(t, file, CacheOptions{})
	defer shut(t, other)
	if !has(other, key) {
		t.Error("another process does not see the record that was pending")
	}
	if _, runs, err := other.Histories(); runs != 1 || err != nil {
		t.Errorf("another process sees %d runs, %v, want 1", runs, err)
	}
}

func TestKeys(t *testing.T) {
	c, other := open(t, filepath.Join(t.TempDir(), "a"), CacheOptions{}), open(t, filepath.Join(t.TempDir(), "b"), CacheOptions{})
	keys := map[cacheentry.Key]string{}
	for _, id := range []traffic.Identity{{}, {Open: "x"}, {Secret: "x"}, {Cookies: "x"}, {Open: "x", Secret: "x"}, {Secret: "x", Cookies: "x"}} {
		key := c.Key("http://example.com/", id)
		if same, ok := keys[key]; ok {
			t.Errorf("%+v has the key of %s", id, same)
		}
		keys[key] = fmt.Sprint(id)
		if key != c.Key("http://example.com/", id) {
			t.Errorf("%+v has two keys", id)
		}
		if key == c.Key("http://example.com/a", id) {
			t.Error("two URLs have one key")
		}
		if same := key == other.Key("http://example.com/", id); same != (id.Secret+id.Cookies == "") {
			t.Errorf("%+v in another file has the same key: %t", id, same)
		}
	}
}

// TestSecrets tests that the file contains no secret and no plain hash of one.
func TestSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c")
	c := open(t, file, CacheOptions{})
	c.Put(c.Key("http://example.com/", traffic.Identity{Open: "open", Secret: "s3cret", Cookies: "visit=1"}), presence(noon))
	shut(t, c)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"s3cret", "open", "visit"} {
		if bytes.Contains(text, []byte(s)) {
			t.Errorf("the file contains %q", s)
		}
	}
}

func TestSetAside(t *testing.T) {
	for _, test := range []struct {
		name   string
		spoil  func(t *testing.T, file string)
		suffix string
	}{
		{"garbage", func(t *testing.T, file string) { write(t, file, "garbage") }, ".damaged"},
		{"another tool's cache", func(t *testing.T, file string) { write(t, file, "https://example.com/,200,1700000000\n") }, ".damaged"},
		{"cut in half", func(t *testing.T, file string) {
			info, err := os.Stat(file)
			if err == nil {
				err = os.Truncate(file, info.Size()/2)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, ".damaged"},
		{"overwritten in the middle", func(t *testing.T, file string) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			copy(text[4096:], bytes.Repeat([]byte("no"), 4096))
			write(t, file, string(text))
		}, ".damaged"},
		{"without its tables", func(t *testing.T, file string) { run(t, file, "DROP TABLE entry") }, ".damaged"},
		{"without its salt", func(t *testing.T, file string) { run(t, file, "DELETE FROM meta") }, ".damaged"},
		{"newer", func(t *testing.T, file string) { run(t, file, "PRAGMA user_version = 1000") }, ".newer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.db")
			times := 1
			if test.name == "garbage" {
				times = 2
			}
			for n := range times {
				c := open(t, file, CacheOptions{})
				key := c.Key("http://example.com/", traffic.Identity{})
				for i := range 40 {
					c.Put(c.Key("http://example.com/", traffic.Identity{Open: fmt.Sprint(i)}), samples(noon)[3])
				}
				c.Put(key, presence(noon))
				shut(t, c)
				test.spoil(t, file)
				spoilt, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				write(t, file+"-journal", "")

				if _, err := OpenCache(file, CacheOptions{Refuse: true}); err == nil {
					t.Error("Open with Refuse: no error")
				}
				if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, spoilt) {
					t.Errorf("the file was changed: %v", err)
				}
				c = open(t, file, CacheOptions{})
				aside := file + test.suffix
				if n > 0 {
					aside += "-2"
				}
				if notes := c.Notes(); len(notes) != 1 || !strings.Contains(notes[0], file+" ") || !strings.Contains(notes[0], aside) {
					t.Errorf("notes: %q", notes)
				}
				if has(c, key) {
					t.Error("the new file has the old entries")
				}
				c.Put(key, presence(noon))
				shut(t, c)
				if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, spoilt) {
					t.Errorf("the file that was set aside was changed: %v", err)
				}
				if c = open(t, file, CacheOptions{}); !has(c, key) || len(c.Notes()) > 0 {
					t.Errorf("the new file cannot be used: %q", c.Notes())
				}
				shut(t, c)
			}
		})
	}
}

// TestLateDamage tests that damage that is found later ends the use of the file.
func TestLateDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	c := open(t, file, CacheOptions{})
	key := c.Key("http://example.com/", traffic.Identity{})
	c.Put(key, presence(noon))
	shut(t, c)
	run(t, file, "UPDATE entry SET record = x'010203'")
	c = open(t, file, CacheOptions{})
	if has(c, key) {
		t.Error("a damaged record was read")
	}
	c.Put(key, presence(noon))
	shut(t, c)
	if notes := c.Notes(); len(notes) != 1 || !strings.Contains(notes[0], ".damaged") {
		t.Errorf("notes: %q", notes)
	}
	if _, err := os.Stat(file + ".damaged"); err != nil {
		t.Error(err)
	}
}

// TestForeign tests that files of other programs are not changed.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	places := filepath.Join(dir, "places.sqlite")
	run(t, places, "CREATE TABLE moz_places (id INTEGER)")
	before, err := os.ReadFile(places)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{places: "another program", dir: "not a regular file", filepath.Join(places, "c"): "not a directory"} {
		if _, err := OpenCache(file, CacheOptions{}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if after, err := os.ReadFile(places); err != nil || !bytes.Equal(after, before) {
		t.Errorf("another program's database was changed: %v", err)
	}
}

// TestLocked tests that Open waits for another process, and returns a clear error.
func TestLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	c := open(t, file, CacheOptions{patience: 50 * time.Millisecond})
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(file, CacheOptions{patience: 50 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), file+": another process has locked it") {
		t.Errorf("open: %v", err)
	}
	c.Put(cacheentry.Key{1}, presence(noon))
	if err := c.Close(); err == nil || !strings.Contains(err.Error(), file+": the observations of this run are not all stored: another process has locked it") {
		t.Errorf("close: %v", err)
	}
}

func TestPrune(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	old, used := cacheentry.Key{1}, cacheentry.Key{2}
	c := open(t, file, at(noon))
	c.Put(old, presence(noon))
	c.Put(used, presence(noon))
	shut(t, c)
	c = open(t, file, at(noon.Add(keep/2)))
	if !has(c, used) {
		t.Error("the entry is missing")
	}
	shut(t, c)
	c = open(t, file, at(noon.Add(keep+time.Hour)))
	shut(t, c)
	c = open(t, file, at(noon))
	if has(c, old) || !has(c, used) {
		t.Error("the unused entry is there, or the used one is missing")
	}
}

// TestMaxSize tests that a file that is too large loses the entries that were used longest ago,
// and shrinks.
func TestMaxSize(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	const most = 256 << 10
	random := rand.NewChaCha8([32]byte{1})
	fill := func(day int) {
		o := at(noon.Add(time.Duration(day) * 24 * time.Hour))
		o.maxSize = most
		c := open(t, file, o)
		for i := range 300 {
			r := presence(noon)
			r.Data = make([]byte, 600)
			random.Read(r.Data)
			c.Put(cacheentry.Key{byte(day), byte(i), byte(i >> 8)}, r)
		}
		shut(t, c)
	}
	fill(1)
	fill(2)
	info, err := os.Stat(file)
	if err != nil || info.Size() > most*4/3 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	c := open(t, file, at(noon))
	left := [3]int{}
	for day := 1; day <= 2; day++ {
		for i := range 300 {
			if has(c, cacheentry.Key{byte(day), byte(i), byte(i >> 8)}) {
				left[day]++
			}
		}
	}
	if left[1] != 0 && left[2] != 300 || left[2] == 0 {
		t.Errorf("left of the first day %d, of the second %d", left[1], left[2])
	}
}

// TestShared tests that several processes, here several open files, can use one file at the
// same time.
func TestShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	var working sync.WaitGroup
	const writers, each = 4, 150
	for w := range writers {
		working.Go(func() {
			c, err := OpenCache(file, CacheOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				c.Put(cacheentry.Key{byte(w), byte(i), byte(i >> 8)}, presence(noon))
				c.Put(cacheentry.Key{255, byte(i)}, presence(noon))
				if !has(c, cacheentry.Key{byte(w), byte(i), byte(i >> 8)}) {
					t.Error("an entry is missing after Put")
				}
			}
			if err := c.Close(); err != nil || len(c.Notes()) > 0 {
				t.Error(err, c.Notes())
			}
		})
	}
	working.Wait()
	c := open(t, file, CacheOptions{})
	for w := range writers {
		for i := range each {
			if !has(c, cacheentry.Key{byte(w), byte(i), byte(i >> 8)}) {
				t.Fatalf("entry %d of writer %d is lost", i, w)
			}
		}
	}
	shut(t, c)
	alone(t, file)
}

// writeForever writes entries until the process is killed. It prints a line when the file is
// open and one for each transaction.
func writeForever(file string) {
	c, err := OpenCache(file, CacheOptions{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("open")
	for n := uint64(1); ; n++ {
		var key cacheentry.Key
		binary.LittleEndian.PutUint64(key[:], n)
		r := presence(noon)
		r.Data = bytes.Repeat(fmt.Append(nil, n), 100)
		c.Put(key, r)
		if n%64 == 0 {
			c.mu.Lock()
			c.flush()
			c.mu.Unlock()
			fmt.Println(n)
		}
	}
}

// TestKilled tests that a process that is killed at any instant leaves a file with all entries
// that were written before.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.db")
	random := rand.New(rand.NewPCG(3, 4))
	written := uint64(0)
	for n := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ORBWEAVER_CACHE_WRITER="+file)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		if line, err := lines.ReadString('\n'); err != nil || line != "open\n" {
			t.Fatalf("%s %v", line, err)
		}
		if n == 0 { // one transaction at least, however slow the machine is
			if line, err := lines.ReadString('\n'); err != nil || line != "64\n" {
				t.Fatalf("%s %v", line, err)
			}
		}
		killed := time.AfterFunc(time.Duration(random.IntN(40_000))*time.Microsecond, func() { cmd.Process.Kill() })
		cmd.Wait()
		killed.Stop()

		c := open(t, file, CacheOptions{})
		if notes := c.Notes(); len(notes) > 0 {
			t.Fatalf("run %d: %q", n, notes)
		}
		count := uint64(0)
		for { // the entries of a transaction are all there or all missing
			var key cacheentry.Key
			binary.LittleEndian.PutUint64(key[:], count+1)
			r, ok := c.Get(key)
			if !ok {
				break
			}
			count++
			if !bytes.Equal(r.Data, bytes.Repeat(fmt.Append(nil, count), 100)) {
				t.Fatalf("entry %d is not what was written", count)
			}
		}
		if count%64 != 0 || count < written {
			t.Errorf("run %d: %d entries, after %d", n, count, written)
		}
		written = count
		shut(t, c)
		if len(c.Notes()) > 0 {
			t.Fatal(c.Notes())
		}
		alone(t, file)
	}
	if written == 0 {
		t.Error("no entry was ever written")
	}
}

// TestMigration converts a file that was written by each older version. TestMigratedEntries of
// package recall reads the records.
func TestMigration(t *testing.T) {
	for old := 1; old < formatVersion; old++ {
		text, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("version%d.db", old)))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "c.db")
		write(t, file, string(text))
		c := open(t, file, at(noon))
		runs := 0
		if old >= 2 {
			runs = 1
		}
		if histories, n, err := c.Histories(); err != nil || len(histories) != runs || n != runs {
			t.Errorf("from version %d: history: %v, %d runs, %v", old, histories, n, err)
		}
		shut(t, c)
		var version int
		query(t, file, "PRAGMA user_version", &version)
		if version != formatVersion {
			t.Errorf("from version %d: version %d, want %d", old, version, formatVersion)
		}
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run executes statements on a file, as another program would.
func run(t testing.TB, file, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

func query(t testing.TB, file, question string, into any) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(question).Scan(into); err != nil {
		t.Fatal(err)
	}
}
