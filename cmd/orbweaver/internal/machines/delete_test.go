//go:build linux

package machines

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Processes that are stopped while their crawl is deleted add nothing when they continue, and
// end.
func TestDeleteWhileStopped(t *testing.T) {
	site, redis := startWebsite(t), startServer(t)
	stopped := make(chan struct{})
	coordinator := run(t, "check", site.url(0, "/"), "--frontier", redis.address("c"), "--state", filepath.Join(t.TempDir(), "state"), "--workers-here", "2", "--delay", "100ms")
	worker := run(t, "worker", "--frontier", redis.address("c"), "--name", "w")
	site.at(5, func() {
		for _, p := range []*process{coordinator, worker} {
			if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
		}
		close(stopped)
	})
	select {
	case <-stopped:
	case <-time.After(patience):
		t.Fatal("no request arrives")
	}
	if p := run(t, "frontier", "delete", redis.address("c")); p.wait() != 2 {
		t.Errorf("delete without --force: %s", p.err.Bytes())
	}
	if p := run(t, "frontier", "delete", redis.address("c"), "--force"); p.wait() != 0 {
		t.Fatalf("delete: %s", p.err.Bytes())
	}
	wantEmpty := func(when string) {
		t.Helper()
		if size := redis.cli("dbsize"); size != "0" {
			t.Errorf("%s, the server has %s keys: %s", when, size, redis.cli("keys", "*"))
		}
	}
	wantEmpty("after delete")
	for _, p := range []*process{coordinator, worker} {
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
	}
	for name, p := range map[string]*process{"coordinator": coordinator, "worker": worker} {
		if code := p.wait(); code != 3 || !strings.Contains(p.err.String(), "deleted") {
			t.Errorf("the %s ended with %d\n%s", name, code, p.err.Bytes())
		}
	}
	wantEmpty("after the processes have continued")
}

// A crawl that is refused leaves nothing in its state directory.
func TestRefusedCrawlIsForgotten(t *testing.T) {
	site, redis := startWebsite(t), startServer(t)
	begun := make(chan struct{})
	site.at(1, func() { close(begun) })
	first := run(t, "check", site.url(0, "/"), "--frontier", redis.address("c"), "--state", filepath.Join(t.TempDir(), "state"), "--delay", "100ms")
	select {
	case <-begun:
	case <-time.After(patience):
		t.Fatal("no request arrives")
	}
	dir := filepath.Join(t.TempDir(), "state")
	if p := run(t, "check", site.url(0, "/"), "--frontier", redis.address("c"), "--state", dir); p.wait() != 2 {
		t.Errorf("a second coordinator: %s", p.err.Bytes())
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		if strings.Contains(file, "sqlite") {
			t.Errorf("the refused crawl left %s", file)
		}
	}
	if err := first.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	first.wait()
}

// A server that loses the crawl again and again while it is filled is not filled without end.
func TestServerThatKeepsNothing(t *testing.T) {
	site, redis := startWebsite(t), startServer(t)
	p := run(t, "check", site.url(0, "/"), "--frontier", redis.address("c"), "--state", filepath.Join(t.TempDir(), "state"), "--frontier-patience", "1s")
	c, err := net.Dial("unix", redis.socket())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for answer := make([]byte, 100); ; {
		_, err := c.Write([]byte("DEL {orbweaver:c}:c\r\n"))
		if err == nil {
			_, err = c.Read(answer)
		}
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.done:
			if code := p.wait(); code != 3 || !strings.Contains(p.err.String(), "lost parts of the crawl again and again") {
				t.Errorf("the coordinator ended with %d\n%s", code, p.err.Bytes())
			}
			return
		default:
		}
	}
}
