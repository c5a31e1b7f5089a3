package diskstore

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/frontier/storetest"
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

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) frontier.Store { return create(t) })
}

func TestWideStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) frontier.Store { return createOf(t, frontier.Wide) })
}

func TestDurable(t *testing.T)     { durable(t, frontier.Narrow) }
func TestWideDurable(t *testing.T) { durable(t, frontier.Wide) }

func durable(t *testing.T, w frontier.Width) {
	storetest.RunDurable(t, func(t *testing.T) func() frontier.Store {
		file := filepath.Join(t.TempDir(), "crawl.sqlite")
		s, err := Create(file, w, nil)
		return func() frontier.Store {
			if s == nil {
				s, err = Open(file)
			}
			if err != nil {
				t.Fatal(err)
			}
			opened := s
			s = nil
			return opened
		}
	})
}
