//go:build linux

package machines

import (
	"strings"
	"syscall"
	"testing"
)

// A coordinator that is interrupted reports what it has, and another one continues.
func TestInterruptedShards(t *testing.T) {
	t.Parallel()
	d, targets, want := crawlOn(t, 2)
	half := make(chan struct{})
	d.site.at(targets/2, func() { close(half) })
	d.begin()
	<-half
	_ = d.coordinator.cmd.Process.Signal(syscall.SIGTERM)
	if code := d.coordinator.wait(); code != 1 || !strings.Contains(d.coordinator.out.String(), `"stopped_by": "interrupt"`) {
		t.Fatalf("the interrupted coordinator ended with %d\n%s", code, d.coordinator.err.Bytes())
	}
	d.mu.Lock()
	d.coordinator = run(t, "resume", "--state", d.state)
	d.mu.Unlock()
	d.finish(targets, want)
}
