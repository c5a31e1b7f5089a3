package fetch

import (
	"context"
	"sync"
)

// tasks counts the lookups and connection attempts of an HTTP: they may outlive the request
// that started them, and none outlives close.
type tasks struct {
	ctx    context.Context // canceled by close
	cancel context.CancelFunc
	mu     sync.Mutex // ensures that the first task begins before close waits
	open   sync.WaitGroup
}

func newTasks() *tasks {
	t := &tasks{}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// begin registers a task that close must wait for, until its end. It returns false after close.
func (t *tasks) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return false
	}
	t.open.Add(1)
	return true
}

func (t *tasks) end() { t.open.Done() }

// close cancels all tasks and waits for them to end.
func (t *tasks) close() {
	t.mu.Lock()
	t.cancel()
	t.mu.Unlock()
	t.open.Wait()
}
