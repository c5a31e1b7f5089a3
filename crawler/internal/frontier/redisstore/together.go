package redisstore

import (
	"sync"
	"time"
)

// together collects calls that are made while the server is busy with earlier ones. One of them makes them
// all in the next step.
type together[T any] struct {
	mu      sync.Mutex
	busy    bool
	waiting []*waiting[T]
	began   time.Time // of the last step
}

// stepEvery is the time between the begins of two steps, if calls come that fast: a step costs the server
// as much as some calls in it, and one that is rare enough has all that were made meanwhile.
const stepEvery = 2 * time.Millisecond

// waiting is a call that waits for the server.
type waiting[T any] struct {
	call  T
	err   error
	ready chan bool // true: this call is to make the next step
}

// do makes a call, and returns when it is made. fits reports whether a further call belongs to a step with n
// others, and step makes some calls.
func (g *together[T]) do(call T, fits func(n int, next T) bool, step func([]T) error) error {
	w := &waiting[T]{call: call, ready: make(chan bool, 1)}
	if g.enqueue(w) || <-w.ready {
		time.Sleep(time.Until(g.began.Add(stepEvery)))
		g.began = time.Now()
		all := g.next(fits) // with this one, which is the first
		calls := make([]T, len(all))
		for i, one := range all {
			calls[i] = one.call
		}
		err := step(calls)
		if err != nil { // each call waits for the server only once
			all = append(all, g.rest()...)
		}
		for _, one := range all {
			if one.err = err; one != w {
				one.ready <- false
			}
		}
		g.pass()
	}
	return w.err
}

// enqueue returns true if the caller is to make the next step.
func (g *together[T]) enqueue(w *waiting[T]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, w)
	first := !g.busy
	g.busy = true
	return first
}

// next returns the calls of the next step.
func (g *together[T]) next(fits func(n int, next T) bool) []*waiting[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for n < len(g.waiting) && fits(n, g.waiting[n].call) {
		n++
	}
	some := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	return some
}

// rest returns all calls that wait.
func (g *together[T]) rest() []*waiting[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := g.waiting
	g.waiting = nil
	return all
}

// pass lets one of those that wait make the next step.
func (g *together[T]) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy = len(g.waiting) > 0; g.busy {
		g.waiting[0].ready <- true
	}
}
