package diskstore

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// TestFlippedBits flips single bits in the files of finished and unfinished states. Reading a
// finished one gives what was stored, or ErrDamaged. An unfinished one is resumed with the
// same result, or the error is ErrDamaged.
func TestFlippedBits(t *testing.T) {
	const size = 120
	for i, w := range widths {
		want := wholeResult(t, size)
		for name, steps := range map[string]int{"finished": -1, "unfinished": 70, "hardly begun": 3} {
			for _, killed := range []bool{false, true} {
				t.Run(strings.Join([]string{name, map[bool]string{true: "killed", false: "closed"}[killed], []string{"64", "128"}[i]}, " "), func(t *testing.T) {
					checkpointOften(t)
					useFaulty(t) // does not flush, which is faster
					file := filepath.Join(t.TempDir(), "crawl.sqlite")
					s, err := Create(file, w, map[string][]byte{"command": []byte("what began it")})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := (&script{size: size, steps: steps}).run(s, nil); err != nil {
						t.Fatal(err)
					}
					before := filesOf(t, file)
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					if !killed {
						before = filesOf(t, file)
					}
					flipBits(t, file, before, steps < 0 && !killed, size, want)
				})
			}
		}
	}
}

// filesOf returns the files of a state.
func filesOf(t testing.TB, file string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		data, err := os.ReadFile(file + suffix)
		if err == nil {
			files[file+suffix] = data
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return files
}

// flipBits flips bits of a state, one at a time, and reads and resumes it. finished tells that
// reading it must give the whole result.
func flipBits(t *testing.T, file string, files map[string][]byte, finished bool, size int, want map[string]string) {
	rng := rand.New(rand.NewPCG(1, uint64(len(files))))
	names := slices.Sorted(maps.Keys(files))
	found := 0
	flips := crawlertest.Count(7, 1000)
	for range flips {
		name := names[rng.IntN(len(names))]
		bit := rng.IntN(8 * len(files[name]))
		if rng.IntN(4) == 0 {
			name, bit = file, rng.IntN(8*100) // in the header of the database
		}
		flipped := maps.Clone(files)
		flipped[name] = slices.Clone(files[name])
		flipped[name][bit/8] ^= 1 << (bit % 8)
		check := func(what string, s *Store, err error, complete bool) {
			t.Helper()
			var got map[string]string
			if err == nil && what == "resumed" {
				_, err = (&script{size: size, steps: -1}).run(s, nil)
			}
			if err == nil {
				got, err = contents(s)
			}
			if err == nil {
				var command []byte
				if command, err = s.Value("command"); err == nil && string(command) != "what began it" {
					t.Errorf("%s after bit %d of %s: the command is %q", what, bit, name, command)
				}
			}
			if s != nil {
				s.Close()
			}
			switch {
			case err == nil && complete:
				if diff := diff(got, want); diff != "" {
					t.Errorf("%s after bit %d of %s:\n%s", what, bit, name, diff)
				}
			case err != nil && !errors.Is(err, ErrDamaged):
				t.Errorf("%s after bit %d of %s: %v is not %v", what, bit, name, err, ErrDamaged)
			case err != nil && !strings.Contains(err.Error(), file):
				t.Errorf("%s after bit %d of %s: the error does not name the file: %v", what, bit, name, err)
			case err != nil:
				found++
			}
		}
		writeFiles(t, file, flipped)
		s, err := OpenReadOnly(file)
		check("read", s, err, finished)
		writeFiles(t, file, flipped)
		s, err = Open(file)
		check("resumed", s, err, true)
	}
	t.Logf("%d of %d were found to be damaged", found, 2*flips)
}

// TestLostRows removes rows, with an intact file and intact checksums.
func TestLostRows(t *testing.T) {
	for _, sql := range []string{
		"DELETE FROM targets WHERE id=(SELECT max(id) FROM targets)",
		"DELETE FROM outcomes WHERE id=2",
		"DELETE FROM pages WHERE id=2",
		"UPDATE pages SET links=NULL WHERE id=5",
		"UPDATE pages SET links=(SELECT links FROM pages WHERE id=6) WHERE id=5",
		"UPDATE outcomes SET id=1000 WHERE id=2",
		"UPDATE outcomes SET record=(SELECT record FROM outcomes WHERE id=3) WHERE id=2",
		"UPDATE targets SET host=host+1 WHERE id=2",
		"DELETE FROM changes WHERE number=(SELECT max(number) FROM changes)",
		"DELETE FROM tallies WHERE name='pages'",
		"DELETE FROM meta WHERE name='kept command'",
		"DELETE FROM meta WHERE name='totals'",
		"DELETE FROM hosts WHERE number=(SELECT max(number) FROM hosts)",
		"DROP TABLE deferred",
	} {
		t.Run(sql, func(t *testing.T) {
			useFaulty(t)
			file := filepath.Join(t.TempDir(), "crawl.sqlite")
			s, err := Create(file, frontier.Narrow, map[string][]byte{"command": []byte("what began it")})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (&script{size: scriptSize, steps: -1}).run(s, nil); err != nil {
				t.Fatal(err)
			}
			s.Close()
			c, err := connect(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.exec(sql); err != nil {
				t.Fatal(err)
			}
			c.close()
			s, err = OpenReadOnly(file)
			if err == nil {
				_, err = contents(s)
				s.Close()
			}
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%v is not %v", err, ErrDamaged)
			}
		})
	}
}
