//go:build linux

package machines

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A worker that is started before its coordinator waits for it, also if the crawl was done or
// drained before.
func TestWorkerWaitsForNextCrawl(t *testing.T) {
	site, redis := startWebsite(t), startServer(t)
	check := []string{"check", site.url(0, "/"), "--frontier", redis.address("c"), "--state", filepath.Join(t.TempDir(), "one")}
	if p := run(t, check...); p.wait() != 1 {
		t.Fatalf("the first crawl ended with %d\n%s", p.wait(), p.err.Bytes())
	}
	late := run(t, "worker", "--frontier", redis.address("c"), "--name", "late", "--frontier-patience", "2s")
	if code := late.wait(); code != 0 {
		t.Errorf("the worker that nobody starts a crawl for ended with %d\n%s", code, late.err.Bytes())
	}
	late.says(t, "worker late: 0 pages, 0 requests; the crawl is done\n")

	early := run(t, "worker", "--frontier", redis.address("c"), "--name", "early")
	early.says(t, "worker early: waiting for the crawl c\n")
	state := filepath.Join(t.TempDir(), "two")
	again := run(t, "check", site.url(0, "/"), "--frontier", redis.address("c"), "--state", state, "--workers-here", "0", "--delay", "100ms")
	early.says(t, "worker early: joined the crawl c\n")
	if p := run(t, "frontier", "drain", redis.address("c")); p.wait() != 0 {
		t.Fatalf("drain: %s", p.err.Bytes())
	}
	if code := again.wait(); code != 3 && code != 1 {
		t.Fatalf("the drained crawl ended with %d\n%s", code, again.err.Bytes())
	}
	if code := early.wait(); code != 0 {
		t.Errorf("the worker of a drained crawl ended with %d\n%s", code, early.err.Bytes())
	}

	next := run(t, "worker", "--frontier", redis.address("c"), "--name", "next")
	next.says(t, "worker next: waiting for the crawl c\n")
	rest := run(t, "resume", "--state", state)
	if code := rest.wait(); code != 1 {
		t.Errorf("the resumed crawl ended with %d\n%s", code, rest.err.Bytes())
	}
	if code := next.wait(); code != 0 {
		t.Errorf("the worker of a resumed crawl ended with %d\n%s", code, next.err.Bytes())
	}
	next.says(t, "worker next: joined the crawl c\n")

	// A signal ends the wait.
	last := run(t, "worker", "--frontier", redis.address("c"), "--name", "last")
	last.says(t, "worker last: waiting for the crawl c\n")
	if err := last.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := last.wait(); code != 0 {
		t.Errorf("the worker that was told to end ended with %d\n%s", code, last.err.Bytes())
	}
}
