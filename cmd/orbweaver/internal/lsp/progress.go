package lsp

import (
	"fmt"
	"sync"
	"time"
)

// unshown is how long a folder is judged again before the editor shows that it is, and reportPause the time
// between two reports on how far that is.
const (
	unshown     = time.Second
	reportPause = time.Second / 4
)

// progress is shown in the editor while a folder is judged. Nothing is shown if it is nil.
type progress struct {
	title string
	ask   func(agreed func(bool))    // asks the editor whether it shows it
	tell  func(value map[string]any) // tells it
	timer *time.Timer

	mu           sync.Mutex
	begun, ended bool
	told         time.Time
}

// start shows the progress after a delay, until stop is called.
func (p *progress) start(delay time.Duration) {
	p.timer = time.AfterFunc(delay, func() {
		p.ask(func(agreed bool) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.begun = agreed; agreed {
				p.tell(map[string]any{"kind": "begin", "title": p.title, "cancellable": true})
				p.told = time.Now()
			}
			p.settle()
		})
	})
}

// report shows how many of the known targets were checked, unless something was shown a moment ago.
func (p *progress) report(checked, known int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun && !p.ended && time.Since(p.told) >= reportPause {
		p.tell(map[string]any{"kind": "report", "message": fmt.Sprintf("%d of %d targets", checked, known)})
		p.told = time.Now()
	}
}

func (p *progress) stop() {
	if p == nil {
		return
	}
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.settle()
}

// settle tells the editor of the end of what it shows. Callers hold mu.
func (p *progress) settle() {
	if p.begun && p.ended {
		p.tell(map[string]any{"kind": "end"})
	}
}
