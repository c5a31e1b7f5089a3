package result

import (
	"slices"
	"sync"
)

// Paths collects paths of files. The zero value has none. It is safe for concurrent use.
type Paths struct {
	mu    sync.Mutex
	paths []string
}

// Add adds a path.
func (p *Paths) Add(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paths = append(p.paths, path)
}

// All returns the paths, sorted.
func (p *Paths) All() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(slices.Values(p.paths))
}
