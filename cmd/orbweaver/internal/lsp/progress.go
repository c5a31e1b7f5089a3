package lsp

import (
	"sync"
	"time"
)

// unshown is how long a folder is judged again before the editor shows that it is.
const unshown = time.Second

// progress is shown in the editor while a folder is judged.
type progress struct {
	title string
	ask   func(agreed func(bool))    // asks the editor whether it shows it
	tell  func(value map[string]any) // tells it

	mu           sync.Mutex
	begun, ended bool
}

// start shows the progress after a delay, until stop is called.
func (p *progress) start(delay time.Duration) (stop func()) {
	timer := time.AfterFunc(delay, func() {
		p.ask(func(agreed bool) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.begun = agreed; agreed {
				p.tell(map[string]any{"kind": "begin", "title": p.title, "cancellable": true})
			}
			p.settle()
		})
	})
	return func() {
		timer.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended = true
		p.settle()
	}
}

// settle tells the editor of the end of what it shows. Callers hold mu.
func (p *progress) settle() {
	if p.begun && p.ended {
		p.tell(map[string]any{"kind": "end"})
	}
}
