package storetest

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/sharedmemory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	for name, open := range map[string]func() *frontier.Memory{
		"narrow":                            frontier.NewMemory,
		"wide":                              frontier.NewWideMemory,
		"moving almost everything to files": func() *frontier.Memory { return frontier.NewMemoryOf(64, 64) },
	} {
		t.Run(name, func(t *testing.T) { run(t, func(*testing.T) frontier.Store { return open() }) })
	}
}

func TestSharedMemory(t *testing.T) {
	run(t, func(*testing.T) frontier.Store { return sharedmemory.New().Store() })
	runShared(t, func(*testing.T) func(name string) frontier.Shared {
		c := sharedmemory.New()
		return func(string) frontier.Shared { return c.Store() }
	})
}

func TestFile(t *testing.T) { testFile(t, frontier.Narrow) }

func testFile(t *testing.T, w frontier.Width) {
	create := func(t *testing.T) (file string, s *diskstore.Store) {
		file = filepath.Join(t.TempDir(), "crawl.sqlite")
		s, err := diskstore.Create(file, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		return file, s
	}
	run(t, func(t *testing.T) frontier.Store {
		_, s := create(t)
		return s
	})
	runDurable(t, func(t *testing.T) func() frontier.Store {
		file, s := create(t)
		return func() frontier.Store {
			opened := s
			if s = nil; opened == nil {
				var err error
				if opened, err = diskstore.Open(file); err != nil {
					t.Fatal(err)
				}
			}
			return opened
		}
	})
}
