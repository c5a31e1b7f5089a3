package diskstore

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(createVariable); file != "" {
		createUntilKilled(file)
		return
	}
	goleak.VerifyTestMain(m)
}

func create(t testing.TB) *Store { return createOf(t, frontier.Narrow) }

func createOf(t testing.TB, w frontier.Width) *Store {
	t.Helper()
	s, err := Create(filepath.Join(t.TempDir(), "crawl.sqlite"), w, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ReadTallies reads the sums of a state as Open does, and tells damage.
func TestReadTallies(t *testing.T) {
	s := create(t)
	if err := s.Tally(t.Context(), []frontier.Tally{{Name: "pages", By: 7}, {Name: "finished", By: 1}}); err != nil {
		t.Fatal(err)
	}
	want, err := s.Tallies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sums, err := ReadTallies(s.file)
	if err != nil || !maps.Equal(sums, want) || sums["pages"] != 7 {
		t.Errorf("the sums are %v, %v; want %v", sums, err, want)
	}
	if _, err := ReadTallies(s.file + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no file: %v", err)
	}
	c, err := connect(s.file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.exec("UPDATE tallies SET record = x'0011223344'"), c.close()); err != nil {
		t.Fatal(err)
	}
	if sums, err := ReadTallies(s.file); !errors.Is(err, ErrDamaged) {
		t.Errorf("of a damaged file: %v, %v", sums, err)
	}
}
