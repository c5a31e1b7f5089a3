package diskstore

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// unpacked writes a file of testdata to a directory of the test's own.
func unpacked(t testing.TB, name string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

var aboutPage = regexp.MustCompile(`page "[^"]*"`)

// A file that the first format's program left behind in the midst of a crawl is
// brought up to date and gone on with.
func TestFormat1(t *testing.T) {
	for name, open := range map[string]func(string) (*Store, error){"open": Open, "view": View} {
		t.Run(name, func(t *testing.T) {
			file := unpacked(t, "format1.sqlite")
			s, err := open(file)
			if err != nil {
				t.Fatal(err)
			}
			if c, _ := s.Count(context.Background()); c.Settled == 0 || c.Queued == 0 {
				t.Errorf("Count = %+v, want a crawl on its way", c)
			}
			if kept, err := s.Kept("command"); err != nil || string(kept) != "what began it" {
				t.Errorf("Kept = %q, %v", kept, err)
			}
			if v, err := s.reader.number("PRAGMA user_version"); err != nil || v != format {
				t.Errorf("user_version = %d, %v; want %d", v, err, format)
			}
			urls := 0
			err = s.reader.each("SELECT url, host, settled FROM urls", func(cur *cursor) error {
				urls++
				_, err := cur.text(0)
				return err
			})
			if err != nil || urls != s.ledger.Known() {
				t.Errorf("the view urls has %d rows, %v; want %d", urls, err, s.ledger.Known())
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(file); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			p := &play{size: 16, steps: -1}
			if over, err := p.perform(s, nil); err != nil || !over {
				t.Fatal(over, err)
			}
			got, want := p.end(t, s), whole(t, p.size)
			for job := range want { // the first format knew nothing of pages
				got[job], want[job] = aboutPage.ReplaceAllString(got[job], ""), aboutPage.ReplaceAllString(want[job], "")
			}
			if diff := diff(got, want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOtherFormats(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		want   error
	}{
		"newer":          {"PRAGMA user_version=99", ErrOther},
		"other records":  {"PRAGMA user_version=2; INSERT INTO meta(name, value) VALUES('encoding', x'3939')", ErrOther},
		"none":           {"PRAGMA user_version=0", ErrDamaged},
		"not ours":       {"PRAGMA application_id=0", ErrDamaged},
		"no key":         {"DELETE FROM meta", ErrDamaged},
		"a gap":          {"DELETE FROM targets WHERE id=3", ErrDamaged},
		"no host":        {"UPDATE targets SET host=77 WHERE id=3", ErrDamaged},
		"twice":          {"UPDATE targets SET fingerprint=(SELECT fingerprint FROM targets WHERE id=1) WHERE id=2", ErrDamaged},
		"wave":           {"UPDATE targets SET wave=202 WHERE id=3", ErrDamaged},
		"need":           {"UPDATE targets SET need=-1 WHERE id=3", ErrDamaged},
		"outcome":        {"INSERT INTO outcomes(id, need, outcome) VALUES(99, 0, x'00')", ErrDamaged},
		"deferred":       {"INSERT INTO deferred(id, wave, not_before, tries) VALUES(1, 0, 0, 99)", ErrDamaged},
		"changes":        {"INSERT INTO changes(changes) VALUES(x'ff')", ErrDamaged},
		"no such":        {"INSERT INTO changes(changes) VALUES(x'630000')", ErrDamaged},
		"text":           {"UPDATE targets SET host='x' WHERE id=3", ErrDamaged},
		"tally":          {"INSERT INTO tallies(name, value) VALUES('x', 'y')", ErrDamaged},
		"no table":       {"DROP TABLE changes", nil},
		"hosts the same": {"UPDATE hosts SET name='host-0'", ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			file := unpacked(t, "format1.sqlite")
			c1, err := dial(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := c1.exec(c.change); err != nil {
				t.Fatal(err)
			}
			c1.close()
			before, _ := os.ReadFile(file)
			s, err := Open(file)
			if err == nil {
				s.Close()
				t.Fatal("it opens")
			}
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("Open = %v, want %v", err, c.want)
			}
			if !strings.Contains(err.Error(), file) {
				t.Errorf("the error does not name the file: %v", err)
			}
			if after, _ := os.ReadFile(file); c.want == ErrOther && !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// Wherever a file is damaged, nothing worse comes of it than an error.
func TestDamaged(t *testing.T) {
	useFaulty(t) // it flushes nothing
	file := unpacked(t, "format1.sqlite")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	try := func(data []byte, what string, at int) {
		t.Helper()
		writeFiles(t, file, map[string][]byte{file: data})
		s, err := Open(file)
		if err != nil {
			if refused++; !errors.Is(err, ErrDamaged) {
				t.Errorf("%s at %d: %v is not %v", what, at, err, ErrDamaged)
			}
			return
		}
		defer s.Close()
		p := &play{size: 16, steps: -1}
		if _, err := p.perform(s, nil); err == nil {
			_ = s.Scan(context.Background(), frontier.AllParts, func(*frontier.Record) error { return nil })
		}
	}
	const sector = 512
	for at := 0; at < len(good); at += sector {
		zeroed := bytes.Clone(good)
		clear(zeroed[at : at+sector])
		try(zeroed, "zeros", at)
		garbled := bytes.Clone(good)
		for i := range sector {
			garbled[at+i] ^= byte(i*7 + 1)
		}
		try(garbled, "garbage", at)
		try(good[:at], "end", at)
	}
	if refused < 20 {
		t.Errorf("only %d of the damaged files were refused", refused)
	}
}

func TestSetAside(t *testing.T) {
	file := unpacked(t, "format1.sqlite")
	var names []string
	for range 3 {
		for _, suffix := range []string{"", "-wal"} {
			if err := os.WriteFile(file+suffix, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		aside, err := SetAside(file)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, aside)
		if exists(file) || exists(file+"-wal") || !exists(aside) || !exists(aside+"-wal") {
			t.Errorf("%s is not where it should be", aside)
		}
	}
	if names[0] == names[1] || names[1] == names[2] || names[0] == names[2] {
		t.Errorf("files set aside have the names %q", names)
	}
}

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	l, err := TakeLock(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TakeLock(name); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("TakeLock = %v, want %v and the process", err, ErrLocked)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if l, err = TakeLock(name); err != nil {
		t.Fatalf("TakeLock behind Release: %v", err)
	}
	l.Release()
	if _, err := TakeLock(filepath.Join(name, "under")); err == nil {
		t.Error("a lock where none can be: no error")
	}
}

// The file is its owner's alone.
func TestPermissions(t *testing.T) {
	s := create(t)
	defer s.Close()
	if _, err := s.Add(t.Context(), []frontier.Item{{Host: []byte("a"), Job: []byte("job")}}); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(s.file + suffix); err != nil || info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
			t.Errorf("%s: %v, %v", s.file+suffix, info.Mode(), err)
		}
	}
	if _, err := Create(s.file); !errors.Is(err, os.ErrExist) {
		t.Errorf("Create where a file is: %v", err)
	}
}

// FuzzRows puts any bytes into the places where records lie: reading them gives
// records or errors.
func FuzzRows(f *testing.F) {
	f.Add([]byte("job 3"), []byte("outcome"), []byte{1, 2, 3}, []byte("links"), []byte{1, 0, 3}, []byte("note"), int64(5), int64(1), int64(0))
	f.Add([]byte(nil), []byte(nil), []byte{0xff, 0xff}, []byte(nil), []byte{0x80}, []byte(nil), int64(-1), int64(1<<40), int64(300))
	f.Add([]byte{0}, []byte{0}, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, []byte{1}, []byte{1, 201, 255}, []byte{0}, int64(1<<62), int64(3), int64(15))
	f.Fuzz(func(t *testing.T, job, outcome, found, links, changes, note []byte, id, host, tries int64) {
		useFaulty(t)
		file := unpacked(t, "format1.sqlite")
		c, err := dial(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct {
			sql  string
			args []any
		}{
			{"UPDATE targets SET job=?, host=? WHERE id=2", []any{notNil(job), host}},
			{"INSERT OR REPLACE INTO outcomes(id, need, outcome) VALUES(?,?,?)", []any{id, tries, notNil(outcome)}},
			{"INSERT OR REPLACE INTO pages(id, found, links) VALUES(?,?,?)", []any{id, notNil(found), links}},
			{"INSERT OR REPLACE INTO deferred(id, wave, not_before, tries, note) VALUES(?,?,?,?,?)", []any{id, host, id, tries, note}},
			{"INSERT INTO changes(changes) VALUES(?)", []any{notNil(changes)}},
		} {
			for _, arg := range row.args {
				c.bind(arg)
			}
			if err := c.run(row.sql); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.close(); err != nil {
			t.Fatal(err)
		}
		s, err := Open(file)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("Open: %v is not %v", err, ErrDamaged)
			}
			return
		}
		defer s.Close()
		if err := s.Scan(t.Context(), frontier.AllParts, func(*frontier.Record) error { return nil }); err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("Scan: %v is not %v", err, ErrDamaged)
		}
	})
}
