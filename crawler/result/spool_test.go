package result

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// Every record leaves a spool with its value, in the order of arrival, whether or not there is
// room for a temporary file.
func TestSpool(t *testing.T) {
	for _, disk := range []bool{true, false} {
		for _, values := range []int{0, 1, 2, spoolBuckets - 1, spoolBuckets, spoolBuckets + 1, 1000} {
			t.Run(fmt.Sprint(disk, " ", values), func(t *testing.T) {
				if !disk {
					t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
					t.Setenv("TMP", filepath.Join(t.TempDir(), "missing"))
				}
				s := NewSpool(values, func(i int) int { return 20 * (i % 3) })
				defer s.Close()
				random := rand.New(rand.NewPCG(1, 2))
				want, got := make([][]string, values), make([][]string, values)
				for n := range values * 20 {
					i := random.IntN(values)
					text := fmt.Sprintf("%d %0*d", n, random.IntN(2000), 0)
					s.Add(uint32(i), []byte(text))
					want[i] = append(want[i], text)
				}
				if has := s.file.Size() > 0; has != (disk && values > 0) {
					t.Errorf("something is in the file: %t", has)
				}
				for i := range values {
					if err := s.Load(i, func(i int, record []byte) { got[i] = append(got[i], string(record)) }); err != nil {
						t.Fatal(err)
					}
					if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
						t.Errorf("value %d: got %d records, want %d", i, len(got[i]), len(want[i]))
					}
				}
			})
		}
	}
}

// What a damaged file contains is an error.
func TestDamagedSpool(t *testing.T) {
	s := NewSpool(1, func(int) int { return 0 })
	defer s.Close()
	s.Add(0, make([]byte, spoolPartLen))
	s.buckets[0].parts[0].from = 1
	if err := s.Load(0, func(int, []byte) {}); err == nil {
		t.Error("no error")
	}
}
