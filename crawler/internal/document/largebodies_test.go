package document

import (
	"sync/atomic"
	"testing"
)

// Only a few large bodies are in memory at the same time.
func TestLargeBodiesWait(t *testing.T) {
	large := newLargeBodies()
	var held, most atomic.Int64
	done := make(chan struct{})
	for range 50 {
		go func() {
			large.await(nil)
			most.Store(max(most.Load(), held.Add(1)))
			held.Add(-1)
			large.release()
			done <- struct{}{}
		}()
	}
	for range 50 {
		<-done
	}
	if n := most.Load(); n > maxLargeBodies {
		t.Errorf("%d large bodies at once, want at most %d", n, maxLargeBodies)
	}
}
