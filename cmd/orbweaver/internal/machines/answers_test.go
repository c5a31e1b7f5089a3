//go:build linux

package machines

import (
	"crypto/sha1"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

const (
	memberPages = 40
	password    = "ORBWEAVER_LOGIN_PASSWORD=hunter2"
)

// serveMembers starts a site whose pages are for those who have signed in.
func serveMembers(t *testing.T) string {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		cookie, err := r.Cookie("member")
		page := 0
		switch {
		case r.URL.Path == "/login" && r.Method == http.MethodPost && r.FormValue("pw") == "hunter2":
			http.SetCookie(w, &http.Cookie{Name: "member", Value: "yes", Path: "/"})
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		case r.URL.Path == "/login":
			fmt.Fprint(w, "<!doctype html><title>Sign in</title><form method=post><input name=user><input type=password name=pw><button>Go</button></form>")
			return
		case err != nil || cookie.Value != "yes":
			http.Redirect(w, r, "/login?next="+r.URL.Path, http.StatusFound)
			return
		case r.URL.Path != "/":
			if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &page); err != nil || page > memberPages {
				http.NotFound(w, r)
				return
			}
		}
		fmt.Fprintf(w, "<!doctype html><title>%d</title><h1 id=top>Hello bob</h1>", page)
		for next := 3*page + 1; next <= 3*page+3; next++ { // the last ones are missing
			fmt.Fprintf(w, "<a href='/p%d#top'>next</a> <a href='/p%d#gone%d'>x</a>\n", next, next/2, next%2)
		}
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// loadScript lets the server know a script, and returns its hash.
func loadScript(t *testing.T, s *server, name string) string {
	t.Helper()
	var script strings.Builder
	parts := []string{"common", "queues", "leases", "items", name} // each inside the one before
	for i, file := range parts {
		if i > 0 {
			script.WriteString("\nlocal function inner()\n")
		}
		text, err := os.ReadFile(filepath.Join("../../../../crawler/internal/frontier/redisstore", file+".lua"))
		if err != nil {
			t.Fatal(err)
		}
		script.Write(text)
	}
	script.WriteString(strings.Repeat("\nend\nreturn inner()", len(parts)-1))
	hash := fmt.Sprintf("%x", sha1.Sum([]byte(script.String())))
	if got := s.cli("script", "load", script.String()); got != hash {
		t.Fatalf("the server has the script as %q, want %q", got, hash)
	}
	return hash
}

// settlements are crawls with a login by two workers, one of which reaches the server through a
// proxy.
type settlements struct {
	site  string
	flags []string
	want  string // the report of one process
}

// crawl crawls while one answer to a settlement is lost: the server has made it, but the worker
// does not learn that. Then the server or the worker may be stopped for longer than a lease. It
// returns the number of answers that came through the proxy.
func (c *settlements) crawl(t *testing.T, lose int, stop string) int {
	redis := startServer(t)
	p := startProxy(t, redis)
	p.script, p.lose = loadScript(t, redis, "complete"), lose
	workers := []*process{
		runWith(t, []string{password}, "worker", "--frontier", p.address("c"), "--name", "a", "--concurrency", "4"),
		runWith(t, []string{password}, "worker", "--frontier", redis.address("c"), "--name", "b", "--concurrency", "4"),
	}
	for _, w := range workers { // both have begun to wait
		w.says(t, "waiting for the crawl")
	}
	stopped := make(chan struct{})
	p.lost = func() {
		pid := map[string]int{"server": redis.cmd.Process.Pid, "worker": workers[0].cmd.Process.Pid}[stop]
		if pid == 0 {
			close(stopped)
			return
		}
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Error(err)
		}
		p.all.Go(func() {
			wait(lease + time.Second)
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Error(err)
			}
			close(stopped)
		})
	}
	coordinator := runWith(t, []string{password}, append(c.flags, "--frontier", redis.address("c"), "--state", filepath.Join(t.TempDir(), "state"),
		"--frontier-lease", lease.String(), "--workers-here", "0")...)
	code := coordinator.wait()
	p.mu.Lock()
	answers := p.answers
	p.mu.Unlock()
	if lose > 0 && answers >= lose {
		<-stopped
	}
	if code != 1 {
		t.Errorf("the coordinator ended with %d\n%s", code, coordinator.err.Bytes())
	} else if got := without(afterFault, coordinator.out.Bytes()); got != c.want {
		t.Errorf("the report differs: %s", firstDifference(got, c.want))
	}
	for _, w := range workers {
		if code := w.wait(); code != 0 {
			t.Errorf("a worker ended with %d\n%s", code, w.err.Bytes())
		}
	}
	return answers
}

// crawlUntil crawls again until a number of answers came through the proxy: the worker that joins
// first may make all settlements of a crawl that is as small as this one.
func (c *settlements) crawlUntil(t *testing.T, least, lose int, stop string) (answers int) {
	for range 40 {
		if answers = c.crawl(t, lose, stop); answers >= least || t.Failed() {
			return answers
		}
	}
	t.Fatalf("%d answers to settlements came through the proxy, want %d", answers, least)
	return 0
}

// The report of a crawl with a login does not depend on whether the answer to a settlement is
// lost, whichever that is, and whoever stops then for longer than a lease.
func TestLostAnswers(t *testing.T) {
	c := &settlements{site: serveMembers(t)}
	c.flags = []string{"check", c.site + "/", "--show", "all", "-f", "json", "--login", c.site + "/login", "--login-user", "bob"}
	one := runWith(t, []string{password}, c.flags...)
	if code := one.wait(); code != 1 {
		t.Fatalf("one process: exit status %d\n%s", code, one.err.Bytes())
	}
	c.want = without(afterFault, one.out.Bytes())
	answers := c.crawlUntil(t, 6, 0, "nobody")
	run := func(lose int, stop string) {
		t.Run(fmt.Sprintf("answer %d, %s stopped", lose, stop), func(t *testing.T) {
			t.Parallel()
			t.Logf("%d answers", c.crawlUntil(t, lose, lose, stop))
		})
	}
	if !crawlertest.Long() {
		run(1, "worker")
		run(2, "server")
		run(answers/2, "worker")
		run(answers/2, "nobody")
		return
	}
	for lose := 1; lose <= answers; lose++ {
		for _, stop := range []string{"nobody", "server", "worker"} {
			run(lose, stop)
		}
	}
}
