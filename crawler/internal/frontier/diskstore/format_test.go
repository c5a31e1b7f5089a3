package diskstore

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// unpacked decompresses a file of testdata into a temporary directory.
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

// TestFormat1 tests that a crawl is resumed from a file of the first format.
func TestFormat1(t *testing.T) {
	for name, open := range map[string]func(string) (*Store, error){"open": Open, "read only": OpenReadOnly} {
		t.Run(name, func(t *testing.T) {
			file := unpacked(t, "format1.sqlite")
			s, err := open(file)
			if err != nil {
				t.Fatal(err)
			}
			if c, _ := s.Count(context.Background()); c.Settled == 0 || c.Queued == 0 {
				t.Errorf("Count = %+v, want an unfinished crawl", c)
			}
			if kept, err := s.Value("command"); err != nil || string(kept) != "what began it" {
				t.Errorf("Value = %q, %v", kept, err)
			}
			if v, err := s.reader.conn.number("PRAGMA user_version"); err != nil || v != plainFormat {
				t.Errorf("user_version = %d, %v; want %d", v, err, plainFormat)
			}
			urls := 0
			err = s.reader.conn.each("SELECT url, host, settled FROM urls", func(cur *cursor) error {
				urls++
				_, err := cur.text(0)
				return err
			})
			if err != nil || urls != s.Ledger.Known() {
				t.Errorf("the view urls has %d rows, %v; want %d", urls, err, s.Ledger.Known())
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(file); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			p := &script{size: 16, steps: -1}
			if over, err := p.run(s, nil); err != nil || !over {
				t.Fatal(over, err)
			}
			got, want := p.result(t, s), wholeResult(t, p.size)
			for job := range want { // the first format has no column page
				got[job], want[job] = aboutPage.ReplaceAllString(got[job], ""), aboutPage.ReplaceAllString(want[job], "")
			}
			if diff := diff(got, want); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// notNil returns b, or an empty slice for nil, which is stored as a value and not as null.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

var update = flag.Bool("update", false, "write testdata/format4.sqlite.gz")

// keep writes an unfinished crawl in the latest format to testdata.
func keep(t *testing.T) {
	s := createOf(t, frontier.Wide)
	if over, err := (&script{size: 16, steps: 11}).run(s, nil); err != nil || over {
		t.Fatal(over, err)
	}
	if err := errors.Join(s.SetValue("command", []byte("what began it")), s.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(data)
	if err := errors.Join(z.Close(), os.WriteFile("testdata/format4.sqlite.gz", packed.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// TestFormat3 tests that a crawl is resumed from a file of the format with wide fingerprints
// and without checksums.
func TestFormat3(t *testing.T) { resumeKept(t, "format3.sqlite") }

// TestFormat4 tests that a crawl is resumed from a file of the latest format.
func TestFormat4(t *testing.T) {
	if *update {
		keep(t)
	}
	resumeKept(t, "format4.sqlite")
}

// resumeKept resumes the crawl in a file of testdata.
func resumeKept(t *testing.T, name string) {
	t.Helper()
	s, err := Open(unpacked(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if c, _ := s.Count(t.Context()); c.Settled == 0 || c.Queued == 0 {
		t.Errorf("Count = %+v, want an unfinished crawl", c)
	}
	if kept, err := s.Value("command"); err != nil || string(kept) != "what began it" {
		t.Errorf("Value = %q, %v", kept, err)
	}
	p := &script{size: 16, steps: -1}
	if over, err := p.run(s, nil); err != nil || !over {
		t.Fatal(over, err)
	}
	if diff := diff(p.result(t, s), wholeResult(t, p.size)); diff != "" {
		t.Error(diff)
	}
}

// TestFormats tests that files with fingerprints of both widths have the latest format, and
// that the view shows their URLs.
func TestFormats(t *testing.T) {
	for w, want := range map[frontier.Width]string{frontier.Narrow: "", frontier.Wide: "128"} {
		s := createOf(t, w)
		defer s.Close()
		near := frontier.AppendJob(nil, frontier.Job{URL: []byte("https://a/near"), Depth: 127})
		far := frontier.AppendJob(nil, frontier.Job{URL: []byte("https://a/far"), Depth: 128})
		if _, err := s.Add(t.Context(), []frontier.Item{{Fingerprint: printOf(7, w), Host: []byte("a"), Job: near}, {Fingerprint: printOf(8, w), Host: []byte("b"), Job: far}}); err != nil {
			t.Fatal(err)
		}
		if err := s.journal.flush(); err != nil {
			t.Fatal(err)
		}
		if v, err := s.reader.conn.number("PRAGMA user_version"); err != nil || v != plainFormat {
			t.Errorf("%d bits: user_version = %d, %v; want %d", w, v, err, plainFormat)
		}
		if bits, err := s.reader.conn.meta(metaBits); err != nil || string(bits) != want {
			t.Errorf("%d bits: meta says %q, %v; want %q", w, bits, err, want)
		}
		var rows []string
		err := s.reader.conn.each("SELECT url, host, settled FROM urls ORDER BY id", func(cur *cursor) error {
			url, err1 := cur.text(0)
			host, err2 := cur.text(1)
			settled, err3 := cur.int(2)
			rows = append(rows, fmt.Sprint(url, " ", host, " ", settled))
			return errors.Join(err1, err2, err3)
		})
		if want := []string{"https://a/near a 0", "https://a/far b 0"}; err != nil || !slices.Equal(rows, want) {
			t.Errorf("%d bits: the view urls has %q, %v; want %q", w, rows, err, want)
		}
	}
	if _, err := Create(filepath.Join(t.TempDir(), "crawl.sqlite"), 96, nil); err == nil {
		t.Error("fingerprints of 96 bits: no error")
	}
}

func TestOtherFormats(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		want   error
	}{
		"newer":          {"PRAGMA user_version=99", ErrOtherVersion},
		"other records":  {"PRAGMA user_version=2; INSERT INTO meta(name, value) VALUES('encoding', x'3939')", ErrOtherVersion},
		"no number":      {"PRAGMA user_version=2; INSERT INTO meta(name, value) VALUES('encoding', x'')", ErrDamaged},
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
		"said to be":     {"INSERT INTO meta(name, value) VALUES('fingerprint bits', CAST('128' AS BLOB))", ErrDamaged},
		"hosts the same": {"UPDATE hosts SET name='host-0'", ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) { refused(t, "format1.sqlite", c.change, c.want) })
	}
}

func TestOtherWideFormats(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		want   error
	}{
		"newer":       {"PRAGMA user_version=99", ErrOtherVersion},
		"as number":   {"UPDATE targets SET fingerprint=7 WHERE id=3", ErrDamaged},
		"too short":   {"UPDATE targets SET fingerprint=x'00112233445566778899aabbccddee' WHERE id=3", ErrDamaged},
		"too long":    {"UPDATE targets SET fingerprint=x'00112233445566778899aabbccddeeff00' WHERE id=3", ErrDamaged},
		"twice":       {"UPDATE targets SET fingerprint=(SELECT fingerprint FROM targets WHERE id=1) WHERE id=2", ErrDamaged},
		"other width": {"UPDATE meta SET value=CAST('96' AS BLOB) WHERE name='fingerprint bits'", ErrDamaged},
		"forgotten":   {"DELETE FROM meta WHERE name='fingerprint bits'", ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) { refused(t, "format3.sqlite", c.change, c.want) })
	}
}

// refused tests that a file of testdata cannot be opened after a change.
func refused(t *testing.T, kept, change string, want error) {
	file := unpacked(t, kept)
	c, err := connect(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.exec(change); err != nil {
		t.Fatal(err)
	}
	c.close()
	before, _ := os.ReadFile(file)
	s, err := Open(file)
	if err == nil {
		s.Close()
		t.Fatal("Open: no error")
	}
	if want != nil && !errors.Is(err, want) {
		t.Errorf("Open = %v, want %v", err, want)
	}
	if !strings.Contains(err.Error(), file) {
		t.Errorf("the error does not name the file: %v", err)
	}
	if after, _ := os.ReadFile(file); want == ErrOtherVersion && !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

// TestDamaged tests that damage at any place in a file leads to an error at worst.
func TestDamaged(t *testing.T) {
	useFaulty(t) // does not flush, which is faster
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
		p := &script{size: 16, steps: -1}
		if _, err := p.run(s, nil); err == nil {
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
			t.Errorf("%s was not renamed", aside)
		}
	}
	if names[0] == names[1] || names[1] == names[2] || names[0] == names[2] {
		t.Errorf("files set aside have the names %q", names)
	}
}

// TestPermissions tests that only its owner can read the file.
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
	if _, err := Create(s.file, s.Width(), nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("Create of an existing file: %v", err)
	}
}

// TestReadOnlyDirectory tests that a file is read in a directory that cannot be written, if it
// was closed.
func TestReadOnlyDirectory(t *testing.T) {
	disk := useFaulty(t)
	s := create(t)
	p := &script{size: scriptSize, steps: -1}
	if _, err := p.run(s, nil); err != nil {
		t.Fatal(err)
	}
	want := p.result(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	disk.refuse = true
	looked, err := OpenReadOnly(s.file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := diff(p.result(t, looked), want); diff != "" {
		t.Error(diff)
	}
	looked.Close()
	if err := os.WriteFile(s.file+"-wal", []byte("of a killed process"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenReadOnly(s.file); !errors.Is(err, errNotWritable) || !strings.Contains(err.Error(), s.file) {
		t.Errorf("with a write-ahead log: %v, want %v", err, errNotWritable)
	}
	if _, err := Open(s.file); !errors.Is(err, errNotWritable) {
		t.Errorf("Open: %v, want %v", err, errNotWritable)
	}
}

// FuzzRows writes arbitrary values to the columns of a file. Reading them must give records
// or errors.
func FuzzRows(f *testing.F) {
	f.Add([]byte("job 3"), []byte("outcome"), []byte{1, 2, 3}, []byte("links"), []byte{1, 0, 3}, []byte("note"), int64(5), int64(1), int64(0), []byte("a fingerprint of"), true, false)
	f.Add([]byte("job 3"), []byte("outcome"), []byte{1, 2, 3}, []byte("links"), []byte{1, 0, 3}, []byte("note"), int64(5), int64(1), int64(0), []byte("123"), false, false)
	f.Add([]byte(nil), []byte(nil), []byte{0xff, 0xff}, []byte(nil), []byte{0x80}, []byte(nil), int64(-1), int64(1<<40), int64(300), []byte("too short"), true, false)
	f.Add([]byte{0}, []byte{0}, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, []byte{1}, []byte{1, 201, 255}, []byte{0}, int64(1<<62), int64(3), int64(15), make([]byte, 16), true, false)
	f.Add([]byte("fingerpr\x00\x00job 3"), []byte("\x00\x00outcome"), []byte("\x01\x02page"), []byte("links"), []byte{1, 0, 3}, []byte("\x00\x01\x00note"), int64(5), int64(1), int64(0), []byte{1, 2, 3}, false, true)
	f.Add([]byte("fingerprfingerpr\x00\x00job 3"), []byte("\x00"), []byte("\x09\x02page"), []byte("links"), []byte{1, 0, 3}, []byte("\x00\x01"), int64(5), int64(1), int64(0), []byte{1, 2, 3}, true, true)
	f.Fuzz(func(t *testing.T, job, outcome, found, links, changes, note []byte, id, host, tries int64, fingerprint []byte, wide, latest bool) {
		useFaulty(t)
		kept := "format1.sqlite"
		if wide {
			kept = "format3.sqlite"
		}
		file := unpacked(t, kept)
		c, err := connect(file)
		if err != nil {
			t.Fatal(err)
		}
		// Values of the old columns are converted, and those of the new ones are sealed, so
		// that their contents are read.
		type change struct {
			sql  string
			args []any
		}
		rows := []change{
			{"UPDATE targets SET job=?, host=? WHERE id=2", []any{notNil(job), host}},
			{"INSERT OR REPLACE INTO outcomes(id, need, outcome) VALUES(?,?,?)", []any{id, tries, notNil(outcome)}},
			{"INSERT OR REPLACE INTO pages(id, found, links) VALUES(?,?,?)", []any{id, notNil(found), links}},
			{"INSERT OR REPLACE INTO deferred(id, wave, not_before, tries, note) VALUES(?,?,?,?,?)", []any{id, host, id, tries, note}},
			{"INSERT INTO changes(changes) VALUES(?)", []any{notNil(changes)}},
		}
		if wide {
			rows = append(rows, change{"UPDATE targets SET fingerprint=? WHERE id=2", []any{notNil(fingerprint)}})
		}
		if latest {
			file = filepath.Join(t.TempDir(), "crawl.sqlite")
			s, err := Create(file, map[bool]frontier.Width{false: frontier.Narrow, true: frontier.Wide}[wide], nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (&script{size: 16, steps: 9}).run(s, nil); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			c.close()
			if c, err = connect(file); err != nil {
				t.Fatal(err)
			}
			seal := func(t table, key uint64, content []byte) []byte { return t.seal(bytes.Clone(content), 0, key) }
			rows = []change{
				{"UPDATE targets SET record=?, host=? WHERE id=2", []any{seal(targetsTable, targetKey(2, uint32(host)), job), host}},
				{"INSERT OR REPLACE INTO outcomes(id, record) VALUES(?,?)", []any{id, seal(outcomesTable, uint64(id), outcome)}},
				{"INSERT OR REPLACE INTO pages(id, record, links) VALUES(?,?,?)", []any{id, seal(pagesTable, uint64(id), found), links}},
				{"INSERT OR REPLACE INTO deferred(id, record) VALUES(?,?)", []any{id, seal(deferredTable, uint64(id), note)}},
				{"INSERT INTO changes(number, record) VALUES(1000,?)", []any{seal(changesTable, 1000, changes)}},
				{"INSERT OR REPLACE INTO hosts(number, name, record) VALUES(0,'host-0',?)", []any{seal(hostsTable, hostKey(0, "host-0"), fingerprint)}},
				{"INSERT OR REPLACE INTO tallies(name, record) VALUES('pages',?)", []any{seal(talliesTable, nameKey("pages"), fingerprint)}},
			}
		}
		for _, row := range rows {
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

// TestDataSource tests that a drive letter or the host of a network path is not the host of
// the URI.
func TestDataSource(t *testing.T) {
	for path, want := range map[string]string{"/tmp/a b": "file:///tmp/a%20b", "C:/a/b": "file:///C:/a/b", "//server/share/b": "file:////server/share/b"} {
		if got, _, _ := strings.Cut(dataSource(path), "?"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
