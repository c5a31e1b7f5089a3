package plugin

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// patience is the timeout for answers that come.
const patience = 5 * time.Minute

// watcher has a connection to each process of a test, which lives as long as the process.
type watcher struct {
	listener net.Listener
	accept   sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
}

func newWatcher(t testing.TB) *watcher {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{listener: listener}
	w.accept.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			w.mu.Lock()
			w.conns = append(w.conns, conn)
			w.mu.Unlock()
			conn.Write([]byte{1})
		}
	})
	return w
}

// allEnded waits until all processes have ended, and returns how many there were. Those that
// are left end when their connections are closed.
func (w *watcher) allEnded(t testing.TB) int {
	w.listener.Close()
	w.accept.Wait()
	for i, conn := range w.conns {
		conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
			t.Errorf("process %d is left", i)
		}
		conn.Close()
	}
	return len(w.conns)
}

// childConfig is the config of a plugin that is one of children.
func childConfig(name string, w *watcher) Config {
	env := append(os.Environ(), "PLUGIN_TEST_CHILD="+name)
	if w != nil {
		env = append(env, "PLUGIN_TEST_ADDRESS="+w.listener.Addr().String())
	}
	return Config{Name: "spell", Command: []string{os.Args[0]}, Timeout: patience, Env: env}
}

var smallPage = &page.Page{URL: "https://example.com/", ContentType: "text/html", Text: []byte("<p>text"), Body: []byte("<p>text")}

const (
	ended   = "the program ended or closed its standard output"
	otherID = "an answer has the id of another page"
	late    = "no answer within 200ms"
	tooLong = "the answer is longer than 1 MiB"
)

func TestTorture(t *testing.T) {
	bigPage := &page.Page{Text: []byte(strings.Repeat("<p>text", 300_000))}
	for _, test := range []struct {
		child   string
		page    *page.Page
		want    []string      // the messages about each page
		timeout time.Duration // for pages, if no answer is expected
		starts  int           // of processes, grandchildren included
	}{
		{child: "good", want: []string{"page 1", "page 2", "page 3"}, starts: 1},
		{child: "good", page: bigPage, want: []string{"page 1", "page 2", "page 3"}, starts: 1},
		{child: "never answers", want: []string{late}, timeout: 200 * time.Millisecond, starts: 1},
		{child: "reads nothing", page: bigPage, want: []string{late}, timeout: 200 * time.Millisecond, starts: 1},
		{child: "answers at once", page: bigPage, want: []string{"", "page 2"}, starts: 1},
		{child: "wrong id", want: []string{otherID, otherID, otherID, otherID, otherID, "", ""}, starts: 5},
		{child: "answers twice", want: []string{"", otherID, "", otherID}, starts: 2},
		{child: "no JSON", want: []string{`the answer is not JSON: invalid character 'p' looking for beginning of value: "page 1 is fine"`}, starts: 1},
		{child: "empty line", want: []string{`the answer is not JSON: unexpected end of JSON input: ""`}, starts: 1},
		{child: "undeclared code", want: []string{`a finding has the code "spell-other", which was not declared`}, starts: 1},
		{child: "too many findings", want: []string{"the answer has more than 200 findings"}, starts: 1},
		{child: "deep", want: []string{`the answer is not JSON: invalid character '[' exceeded max depth: "{\"id\":1,\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[…"`}, starts: 1},
		{child: "invalid UTF-8", want: []string{`the answer is not JSON: it is not UTF-8: "{\"id\":1,\"findings\":[{\"code\":\"spell-word\"…"`}, starts: 1},
		{child: "ignores the end", want: []string{"page 1"}, starts: 1},
		{child: "ends after a page", want: []string{"", ended, "", ended}, starts: 2},
		{child: "closes its output", want: []string{ended, ended}, starts: 2},
		{child: "closes its input", want: []string{ended, ended}, starts: 2},
		{child: "half a line", want: []string{ended}, starts: 1},
		{child: "dies at the third page", want: []string{"", "", ended, "", "", ended, ""}, starts: 3},
		{child: "answers in pieces", want: []string{"naïve", "naïve"}, starts: 1},
		{child: "line of 1 MiB", want: []string{"long", tooLong, "long"}, starts: 2},
		{child: "line of 100 MB", want: []string{tooLong, tooLong}, starts: 2},
		{child: "floods standard error", want: []string{"", ""}, starts: 1},
		{child: "forks", want: []string{"page 1", "page 2"}, starts: 2},
		{child: "forks and ends", want: []string{late}, timeout: 200 * time.Millisecond, starts: 2},
	} {
		t.Run(test.child, func(t *testing.T) {
			t.Parallel()
			w := newWatcher(t)
			c := childConfig(test.child, w)
			holding := make(chan bool, 1)
			c.Stderr = lines(func(line string) {
				if line == "spell: holding" {
					holding <- true
				}
			})
			plugins, err := Start(t.Context(), []Config{c})
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(test.child, "forks") {
				<-holding
			}
			p := plugins[0]
			if test.timeout != 0 {
				p.config.Timeout = test.timeout
			}
			pg := test.page
			if pg == nil {
				pg = smallPage
			}
			for i, want := range test.want {
				answer, err := p.Check(t.Context(), pg)
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if len(answer.Findings) > 0 {
					got = answer.Findings[0].Message
				}
				if got != want {
					t.Errorf("page %d: got %q, want %q", i+1, got, want)
				}
				if failed := len(answer.Findings) > 0 && answer.Findings[0].Code == judging.CodePluginFailed; failed && (len(answer.Findings) > 1 || answer.Links != nil) {
					t.Errorf("page %d: a part of the answer is used: %+v", i+1, answer)
				}
			}
			p.Close()
			if got := w.allEnded(t); got != test.starts {
				t.Errorf("%d processes, want %d", got, test.starts)
			}
		})
	}
}

func TestTortureStart(t *testing.T) {
	for _, test := range []struct {
		child   string
		timeout time.Duration
		want    string
	}{
		{"never says hello", 200 * time.Millisecond, "plugin spell: hello: no answer within 200ms"},
		{"ends at the start", patience, "plugin spell: hello: the program ended or closed its standard output"},
		{"prints at start", patience, `plugin spell: the answer to hello is not JSON: invalid character 'L' looking for beginning of value: "Loading…" (only answers belong on standard output; notes belong on standard error)`},
	} {
		t.Run(test.child, func(t *testing.T) {
			t.Parallel()
			w := newWatcher(t)
			c := childConfig(test.child, w)
			c.Timeout, c.Workers = test.timeout, 3
			var mu sync.Mutex
			var said []string
			c.Stderr = lines(func(line string) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, line)
			})
			_, err := Start(t.Context(), []Config{c})
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if test.child == "ends at the start" && strings.Join(said, "\n") != strings.Repeat("spell: no dictionary\n", 2)+"spell: no dictionary" {
				t.Errorf("standard error: %q", said)
			}
			w.allEnded(t)
		})
	}
	t.Run("no such program", func(t *testing.T) {
		_, err := Start(t.Context(), []Config{{Name: "spell", Command: []string{"no-such-program-at-all"}}})
		if err == nil || !strings.HasPrefix(err.Error(), "plugin spell: the program cannot be started: ") {
			t.Error(err)
		}
	})
}

// A line of 100 MB takes no more memory than the longest answer.
func TestLongLineMemory(t *testing.T) {
	plugins, err := Start(t.Context(), []Config{childConfig("line of 100 MB", nil)})
	if err != nil {
		t.Fatal(err)
	}
	before := allocated()
	plugins[0].Check(t.Context(), smallPage)
	plugins[0].Close()
	if used := allocated() - before; used > 8<<20 {
		t.Errorf("%d bytes", used)
	}
}

// The program gets the arguments as they are, and no variable that was not passed on.
func TestSurrounding(t *testing.T) {
	t.Setenv("ORBWEAVER_LOGIN_PASSWORD", "secret")
	c := childConfig("tells its surrounding", nil)
	c.Command = append(c.Command, "$HOME; echo *", "")
	c.Env = []string{"PLUGIN_TEST_CHILD=tells its surrounding", "A=b"}
	plugins, err := Start(t.Context(), []Config{c})
	if err != nil {
		t.Fatal(err)
	}
	defer plugins[0].Close()
	answer, err := plugins[0].Check(t.Context(), smallPage)
	if err != nil || len(answer.Findings) != 1 {
		t.Fatalf("%+v %v", answer, err)
	}
	got := answer.Findings[0].Message
	for _, want := range []string{`"A=b"`, `"$HOME; echo *",""]`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if strings.Contains(got, "PASSWORD") || strings.Contains(got, "HOME=") {
		t.Errorf("our environment is passed on: %s", got)
	}
}

// Several crawl workers use several processes; some pages are canceled.
func TestConcurrency(t *testing.T) {
	w := newWatcher(t)
	c := childConfig("good", w)
	c.Workers = 3
	plugins, err := Start(t.Context(), []Config{c})
	if err != nil {
		t.Fatal(err)
	}
	p := plugins[0]
	var checks sync.WaitGroup
	for i := range 16 {
		checks.Go(func() {
			for range 20 {
				if i == 0 {
					ctx, cancel := context.WithCancel(t.Context())
					go cancel()
					p.Check(ctx, smallPage)
					continue
				}
				answer, err := p.Check(t.Context(), smallPage)
				if err != nil || len(answer.Findings) != 1 || !strings.HasPrefix(answer.Findings[0].Message, "page ") {
					t.Errorf("%+v %v", answer, err)
				}
			}
		})
	}
	checks.Wait()
	if err := p.Lost(); err != nil {
		t.Error(err)
	}
	p.Close()
	w.allEnded(t)
}
