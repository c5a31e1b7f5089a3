package report

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestBlocksCopyNoReferences: what a block of one fault costs does not depend on the number of its
// references, and neither does a fault that makes no block.
func TestBlocksCopyNoReferences(t *testing.T) {
	for _, c := range []struct {
		name  string
		pages int // of one fault; all references are on one page if it is 1
	}{{"a footer", 20_000}, {"a table", 1}} {
		t.Run(c.name, func(t *testing.T) {
			allocated := func(links int) uint64 {
				refs := make([]result.Reference, links)
				for i := range refs {
					refs[i] = result.Reference{Page: fmt.Sprintf("p%05d.html", i%c.pages), Line: i + 1, Raw: "gone.html"}
				}
				faults := []*fault{newFault(row{word: "broken", code: "file-missing", url: "gone.html"}, refs)}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				blocks, rest := blocksOf(faults)
				runtime.ReadMemStats(&after)
				if len(blocks)+len(rest) != 1 || len(blocks) == 1 && blocks[0].links != links {
					t.Errorf("blocks of a fault with %d links: %v, and %d others", links, blocks, len(rest))
				}
				return after.TotalAlloc - before.TotalAlloc
			}
			const most = 64 << 10 // the references take 4 MB
			if few, many := allocated(50), allocated(20_000); many > few+most {
				t.Errorf("%d bytes for 50 references, %d for 20,000", few, many)
			}
		})
	}
}
