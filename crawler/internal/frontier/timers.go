package frontier

import (
	"container/heap"
	"slices"
	"time"
)

// epoch is the time from which timers count. A duration takes a third of the memory of a
// time and keeps the monotonic clock.
type epoch time.Time

func (e epoch) since(t time.Time) time.Duration { return t.Sub(time.Time(e)) }
func (e epoch) time(d time.Duration) time.Time  { return time.Time(e).Add(d) }

// timer is a target and the time at which its lease or its deferral ends.
type timer struct {
	at    time.Duration // since the epoch
	fence uint64        // of the lease; 0 for a deferral
	id    ID
}

// timers is a heap of timers by their time.
type timers []timer

func (t *timers) push(x timer) { heap.Push((*timerHeap)(t), x) }
func (t *timers) pop() timer   { return heap.Pop((*timerHeap)(t)).(timer) }

// advance moves the timer of a lease to an earlier time. It looks at all timers, because
// leases are rarely shortened.
func (t *timers) advance(fence uint64, at time.Duration) {
	if i := slices.IndexFunc(*t, func(x timer) bool { return x.fence == fence }); i >= 0 {
		(*t)[i].at = at
		heap.Fix((*timerHeap)(t), i)
	}
}

type timerHeap []timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
