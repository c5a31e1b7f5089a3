package references

import (
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

func TestIDSet(t *testing.T) {
	var s idSet
	if s.has(0) || s.has(5) {
		t.Error("an empty set holds something")
	}
	ids := []frontier.ID{1, 63, 64, blockIDs - 1, blockIDs, 5*blockIDs + 7, 2 * blockIDs}
	var g sync.WaitGroup
	for _, id := range ids {
		g.Go(func() {
			s.add(id)
			if !s.has(id) {
				t.Errorf("%d is not there", id)
			}
		})
	}
	g.Wait()
	for _, id := range ids {
		if !s.has(id) || s.has(id+1) != (id == 63 || id == blockIDs-1) || s.has(3*blockIDs) || s.has(100*blockIDs) {
			t.Errorf("about %d", id)
		}
	}
}
