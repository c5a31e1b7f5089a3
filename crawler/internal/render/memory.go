package render

import (
	"time"
)

// maxMemory is how much memory one process of the browser may use for a page, in bytes.
const maxMemory = 1 << 30

// guardMemory ends processes of the browser that use too much memory, until the browser has
// ended. Their pages fail.
func (p *process) guardMemory() {
	const often = 200 * time.Millisecond
	tick := time.NewTicker(often)
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-tick.C:
		}
		if p.isBusy() {
			killLarge(p.cmd.Process.Pid, maxMemory)
		}
	}
}

// isBusy reports whether any page is being rendered.
func (p *process) isBusy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.contexts) > 0
}
