package verdicts

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// Every record leaves a spool with its pair, in the order of arrival, whether or not there is
// room for a temporary file.
func TestReferenceSpool(t *testing.T) {
	for _, disk := range []bool{true, false} {
		for _, pairs := range []int{0, 1, 2, spoolBuckets - 1, spoolBuckets, spoolBuckets + 1, 1000} {
			t.Run(fmt.Sprint(disk, " ", pairs), func(t *testing.T) {
				if !disk {
					t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
					t.Setenv("TMP", filepath.Join(t.TempDir(), "missing"))
				}
				s := newReferenceSpool(pairs, func(i int) int { return 20 * (i % 3) })
				defer s.close()
				random := rand.New(rand.NewPCG(1, 2))
				want, got := make([][]string, pairs), make([][]string, pairs)
				for n := range pairs * 20 {
					i := random.IntN(pairs)
					text := fmt.Sprintf("%d %0*d", n, random.IntN(2000), 0)
					s.add(uint32(i), []byte(text))
					want[i] = append(want[i], text)
				}
				if has := s.file.Size() > 0; has != (disk && pairs > 0) {
					t.Errorf("something is in the file: %t", has)
				}
				for i := range pairs {
					if err := s.load(i, func(i int, record []byte) { got[i] = append(got[i], string(record)) }); err != nil {
						t.Fatal(err)
					}
					if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
						t.Errorf("pair %d: got %d records, want %d", i, len(got[i]), len(want[i]))
					}
				}
			})
		}
	}
}

// What a damaged file contains is an error.
func TestDamagedSpool(t *testing.T) {
	s := newReferenceSpool(1, func(int) int { return 0 })
	defer s.close()
	s.add(0, make([]byte, spoolPartLen))
	s.buckets[0].parts[0].from = 1
	if err := s.load(0, func(int, []byte) {}); err == nil {
		t.Error("no error")
	}
}
