//go:build linux

package machines

import (
	"path/filepath"
	"regexp"
	"testing"
)

var elapsed = regexp.MustCompile(`"(elapsed_ms)": ?[0-9.]+`)

// Each process keeps what it asked. All files together are judged as the crawl was.
func TestEvidence(t *testing.T) {
	site, redis, dir := startWebsite(t), startServer(t), t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name+".wacz") }
	settings := []string{"check", site.url(0, "/"), "-f", "json", "--show", "all", "--delay", "0"}
	crawl := run(t, append(settings, "--frontier", redis.address("c"), "--state", filepath.Join(dir, "state"), "--workers-here", "0", "--evidence", file("own"), "--evidence-of", "all")...)
	lacking := run(t, "worker", "--frontier", redis.address("c"), "--name", "w")
	if code := lacking.wait(); code != 2 {
		t.Errorf("a worker without evidence ended with %d", code)
	}
	lacking.says(t, "give this worker --evidence PATH")
	var workers []*process
	for _, name := range []string{"a", "b"} {
		workers = append(workers, run(t, "worker", "--frontier", redis.address("c"), "--name", name, "--evidence", file(name)))
	}
	for _, p := range append(workers, crawl) {
		if code := p.wait(); code > 1 {
			t.Fatalf("a process ended with %d\n%s", code, p.err.Bytes())
		}
	}
	asked, _ := site.count()
	replay := run(t, append(settings, "--replay", file("own"), "--replay", file("a"), "--replay", file("b"))...)
	if code := replay.wait(); code != 1 {
		t.Errorf("the replay ended with %d\n%s", code, replay.err.Bytes())
	}
	if now, _ := site.count(); now != asked {
		t.Errorf("the replay sent %d requests", now-asked)
	}
	want, got := without(elapsed, crawl.out.Bytes()), without(elapsed, replay.out.Bytes())
	if got != want {
		t.Errorf("the replay gives another report:\n%s", firstDifference(want, got))
	}
}
