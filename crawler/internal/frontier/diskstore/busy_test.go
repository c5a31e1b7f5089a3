package diskstore_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
)

// A state can be opened while another connection closes it, for which SQLite locks the whole file.
func TestOpenWhileAnotherCloses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	s, err := diskstore.Create(file, frontier.Narrow, nil)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	again := func(open func(string) (*diskstore.Store, error)) func() error {
		return func() error {
			for range 200 {
				s, err := open(file)
				if err == nil {
					err = s.Close()
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	var group errgroup.Group
	group.Go(again(diskstore.Open))
	group.Go(again(diskstore.OpenReadOnly))
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}
