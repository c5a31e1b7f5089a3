package sharedmemory

import (
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) frontier.Store { return New().Store() })
	storetest.RunShared(t, func(*testing.T) func(name string) frontier.Shared {
		c := New()
		return func(string) frontier.Shared { return c.Store() }
	})
}
