package scope

import (
	"sync"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Current is the scope of a run, which grows: redirects of start pages widen it. It is safe for
// concurrent use.
type Current struct {
	widening sync.Mutex
	scope    atomic.Pointer[Scope] // read by every worker
}

// NewCurrent returns the scope of a run that begins.
func NewCurrent(s *Scope) *Current {
	c := &Current{}
	c.scope.Store(s)
	return c
}

// Scope returns the current scope.
func (c *Current) Scope() *Scope { return c.scope.Load() }

// Widen makes the site that a seed redirects to internal.
func (c *Current) Widen(to urinorm.URL) {
	c.widening.Lock()
	defer c.widening.Unlock()
	c.scope.Store(c.Scope().Widened(to))
}
