package validator

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// maxKept is the size of all answers that are kept, in bytes.
const maxKept = 16 << 20

// answers keeps what was found in documents, so that documents with equal text are checked
// once: error pages and frames of a documentation often are. The oldest ones are forgotten
// when there are too many.
type answers struct {
	mu     sync.Mutex
	byText map[textKey]*kept
	oldest []textKey // in the order in which they were answered
	size   int
}

// textKey identifies a document by its text and by how it is checked.
type textKey [sha256.Size]byte

type kept struct {
	done     chan struct{} // closed when the rest is set
	findings []judging.Finding
	err      error
	size     int
}

func (a *answers) init() { a.byText = map[textKey]*kept{} }

func keyOf(p *page.Page) (key textKey) {
	h := sha256.New()
	h.Write([]byte(mediaType(p)))
	h.Write([]byte{0})
	if p.Charset == "utf-8" {
		h.Write([]byte{1})
	}
	h.Write([]byte{0})
	h.Write(p.Text)
	h.Sum(key[:0])
	return key
}

// get returns the findings of a document, by ask if they are not known. Callers with the same
// document wait for the first one. The findings must not be changed.
func (a *answers) get(ctx context.Context, key textKey, ask func() ([]judging.Finding, error)) ([]judging.Finding, error) {
	a.mu.Lock()
	known := a.byText[key]
	if known != nil {
		a.mu.Unlock()
		select {
		case <-known.done:
			return known.findings, known.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	k := &kept{done: make(chan struct{})}
	a.byText[key] = k
	a.mu.Unlock()

	k.findings, k.err = ask()
	close(k.done)

	a.mu.Lock()
	defer a.mu.Unlock()
	if k.err != nil {
		delete(a.byText, key)
		return nil, k.err
	}
	k.size = sizeOf(k.findings)
	a.size += k.size
	a.oldest = append(a.oldest, key)
	for a.size > maxKept {
		a.size -= a.byText[a.oldest[0]].size
		delete(a.byText, a.oldest[0])
		a.oldest = a.oldest[1:]
	}
	return k.findings, nil
}

// sizeOf estimates the memory of an answer.
func sizeOf(findings []judging.Finding) int {
	size := 256 // the entry itself
	for i := range findings {
		f := &findings[i]
		size += 192 + len(f.Rule) + len(f.Raw) + len(f.Text) + len(f.Message)
	}
	return size
}
