//go:build linux

package machines

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A worker that is started before its coordinator waits for it. One whose crawl is over ends at once.
func TestWorkerWaits(t *testing.T) {
	site, redis := startWebsite(t), startServer(t)
	early := run(t, "worker", "--frontier", redis.address("c"), "--name", "early")
	early.says(t, "worker early: waiting for the crawl c\n")
	state := filepath.Join(t.TempDir(), "state")
	check := run(t, "check", site.url(0, "/"), "--frontier", redis.address("c"), "--state", state, "--workers-here", "0", "--delay", "100ms")
	early.says(t, "worker early: joined the crawl c\n")
	if p := run(t, "frontier", "drain", redis.address("c")); p.wait() != 0 {
		t.Fatalf("drain: %s", p.err.Bytes())
	}
	if code := check.wait(); code != 3 && code != 1 {
		t.Fatalf("the drained crawl ended with %d\n%s", code, check.err.Bytes())
	}
	if code := early.wait(); code != 0 {
		t.Errorf("the worker of a drained crawl ended with %d\n%s", code, early.err.Bytes())
	}
	if p := run(t, "check", site.url(0, "/"), "--frontier", redis.address("d"), "--state", filepath.Join(t.TempDir(), "d")); p.wait() != 1 {
		t.Errorf("another crawl ended with %d\n%s", p.wait(), p.err.Bytes())
	}
	for crawl, state := range map[string]string{"c": "drained", "d": "done"} {
		late := run(t, "worker", "--frontier", redis.address(crawl), "--name", "late")
		if code := late.wait(); code != 0 {
			t.Errorf("the worker of a crawl that is %s ended with %d\n%s", state, code, late.err.Bytes())
		}
		late.says(t, "worker late: 0 pages, 0 requests; the crawl is "+state+"\n")
	}

	// A signal ends the wait.
	last := run(t, "worker", "--frontier", redis.address("other"), "--name", "last")
	last.says(t, "worker last: waiting for the crawl other\n")
	if err := last.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := last.wait(); code != 0 {
		t.Errorf("the worker that was told to end ended with %d\n%s", code, last.err.Bytes())
	}
}
