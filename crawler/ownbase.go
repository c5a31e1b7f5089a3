package crawler

import (
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/urinorm"
)

// ownBases are the URLs at which pages of directories say that they are published.
type ownBases struct {
	mu    sync.Mutex
	pages map[string]int // by base
}

// add notes that a page, at a path below its directory, has a canonical URL.
func (o *ownBases) add(path string, canonical urinorm.URL) {
	if s := canonical.Scheme(); s != "http" && s != "https" {
		return
	}
	address, _, _ := strings.Cut(canonical.String(), "#")
	address, _, _ = strings.Cut(address, "?")
	for _, name := range [...]string{path, strings.TrimSuffix(path, "index.html"), strings.TrimSuffix(path, ".html")} {
		base, ok := strings.CutSuffix(address, name)
		if !ok || !strings.HasSuffix(base, "/") || strings.HasSuffix(base, "//") {
			continue
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.pages == nil {
			o.pages = map[string]int{}
		}
		o.pages[base]++
		return
	}
}

// usual returns the base of most pages, and their number.
func (o *ownBases) usual() (base string, pages int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for b, n := range o.pages {
		if n > pages || n == pages && b < base {
			base, pages = b, n
		}
	}
	return base, pages
}
