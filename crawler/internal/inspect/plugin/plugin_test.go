package plugin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// fake is a program that is a function: it reads lines and writes lines until its input
// ends or it is killed.
type fake struct {
	in     *bufio.Reader
	out    io.Writer
	stderr io.Writer
	killed chan struct{}
	number int // of the start, from 0
}

// next returns the next line, false at the end.
func (f *fake) next() (map[string]any, bool) {
	text, err := f.in.ReadBytes('\n')
	var message map[string]any
	return message, err == nil && json.Unmarshal(text, &message) == nil
}

// id returns the id of the next page, 0 at the end.
func (f *fake) id() int {
	message, _ := f.next()
	id, _ := message["id"].(float64)
	return int(id)
}

func (f *fake) say(format string, args ...any) { fmt.Fprintf(f.out, format+"\n", args...) }

// hello answers the first line.
func (f *fake) hello() {
	f.next()
	f.say(`{"hello":{"codes":[{"code":"spell-word","title":"unknown word"}]}}`)
}

// answer answers all pages with one finding.
func (f *fake) answer() {
	for id := f.id(); id != 0; id = f.id() {
		f.say(`{"id":%d,"findings":[{"code":"spell-word","message":"page %d of process %d"}]}`, id, id, f.number)
	}
}

// ending is an output of a fake: when a process is stopped, both of its outputs are closed.
type ending struct {
	io.Reader
	end func()
}

func (e ending) Close() error { e.end(); return nil }

// newFake returns a plugin whose program is a function. It is not started.
func newFake(c Config, run func(*fake)) *Plugin {
	c.Name = "spell"
	p := newPlugin(c)
	starts := 0
	var mu sync.Mutex
	p.launch = func() (*program, error) {
		mu.Lock()
		defer mu.Unlock()
		in, stdin := io.Pipe()
		stdout, out := io.Pipe()
		stderr, diagnostics := io.Pipe()
		f := &fake{in: bufio.NewReader(in), out: out, stderr: diagnostics, killed: make(chan struct{}), number: starts}
		starts++
		end := func() {
			in.Close()
			out.Close()
			diagnostics.Close()
		}
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			run(f)
			end()
		}()
		return &program{stdin: stdin, stdout: ending{stdout, func() { close(f.killed); end() }}, stderr: ending{stderr, func() { <-finished }}}, nil
	}
	return p
}

// started runs a test with a plugin in a bubble, and closes it.
func started(t *testing.T, c Config, run func(*fake), test func(t *testing.T, p *Plugin)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newFake(c, run)
		if err := startAll(t.Context(), []*Plugin{p}); err != nil {
			t.Fatal(err)
		}
		test(t, p)
		p.Close()
		p.Close()
	})
}

// messages checks a page and returns the messages of its findings.
func (p *Plugin) messages(t *testing.T, ctx context.Context) string {
	t.Helper()
	answer, err := p.Check(ctx, &page.Page{URL: "https://example.com/", Text: []byte("text")})
	if err != nil {
		return "error: " + err.Error()
	}
	var messages []string
	for _, f := range answer.Findings {
		if f.Code == judging.CodePluginFailed && f.Rule != "spell" {
			t.Errorf("the rule is %q", f.Rule)
		}
		messages = append(messages, f.Message)
	}
	return strings.Join(messages, ", ")
}

func wantMessage(t *testing.T, p *Plugin, want string) {
	t.Helper()
	if got := p.messages(t, t.Context()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Nobody answers hello: the start fails after the timeout, and nothing is left.
func TestStartTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		p := newFake(Config{Workers: 3}, func(f *fake) { <-f.killed })
		err := startAll(t.Context(), []*Plugin{p})
		if err == nil || err.Error() != "plugin spell: hello: no answer within 10s" {
			t.Error(err)
		}
		if took := time.Since(begin); took != DefaultTimeout {
			t.Errorf("the start took %v", took)
		}
	})
}

func TestStartCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p := newFake(Config{}, func(f *fake) { <-f.killed })
		if err := startAll(ctx, []*Plugin{p}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// Processes must agree about the codes, and plugins must not.
func TestStartCodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFake(Config{Workers: 2}, func(f *fake) {
			f.next()
			f.say(`{"hello":{"codes":[{"code":"spell-%d"}]}}`, f.number)
			f.answer()
		})
		if err := startAll(t.Context(), []*Plugin{p}); err == nil || err.Error() != "plugin spell: two of its processes declared different codes" {
			t.Error(err)
		}
		one, other := newFake(Config{}, func(f *fake) { f.hello(); f.answer() }), newFake(Config{}, func(f *fake) { f.hello(); f.answer() })
		if err := startAll(t.Context(), []*Plugin{one, other}); err == nil || err.Error() != "plugin spell: the code spell-word is also declared by plugin spell" {
			t.Error(err)
		}
	})
}

func TestStartFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good, bad := newFake(Config{}, func(f *fake) { f.hello(); f.answer() }), newFake(Config{}, nil)
		bad.launch = func() (*program, error) { return nil, errors.New("no such program") }
		if err := startAll(t.Context(), []*Plugin{good, bad}); err == nil || err.Error() != "plugin spell: the program cannot be started: no such program" {
			t.Error(err)
		}
	})
}

// Each process has one page at a time, and pages wait for a free one.
func TestCheckWaits(t *testing.T) {
	const workers, pages = 3, 30
	started(t, Config{Workers: workers}, func(f *fake) {
		f.hello()
		for id := f.id(); id != 0; id = f.id() {
			time.Sleep(time.Second)
			f.say(`{"id":%d,"findings":[{"code":"spell-word","message":"%d"}]}`, id, id)
		}
	}, func(t *testing.T, p *Plugin) {
		begin := time.Now()
		count := map[string]int{}
		var mu sync.Mutex
		var checks sync.WaitGroup
		for range pages {
			checks.Go(func() {
				got := p.messages(t, t.Context())
				mu.Lock()
				defer mu.Unlock()
				count[got]++
			})
		}
		checks.Wait()
		if took := time.Since(begin); took != pages/workers*time.Second {
			t.Errorf("%d pages of a second took %v", pages, took)
		}
		for id := range pages / workers {
			if got := count[fmt.Sprint(id+1)]; got != workers {
				t.Errorf("%d pages have the id %d", got, id+1)
			}
		}
	})
}

// A wait for a free process and a wait for an answer end with the context. The page does
// not count as a failure, and the process, which is not in step any more, is replaced.
func TestCheckCanceled(t *testing.T) {
	started(t, Config{}, func(f *fake) {
		f.hello()
		if f.number == 0 {
			<-f.killed
		}
		f.answer()
	}, func(t *testing.T, p *Plugin) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var checks sync.WaitGroup
		for range 2 * maxFailures {
			checks.Go(func() {
				if got := p.messages(t, ctx); got != "error: context deadline exceeded" {
					t.Error(got)
				}
			})
		}
		checks.Wait()
		if took := time.Since(begin); took != time.Second {
			t.Errorf("the end took %v", took)
		}
		wantMessage(t, p, "page 1 of process 1")
		for range 50 { // nothing is sent when the context has ended already
			if got := p.messages(t, ctx); got != "error: context deadline exceeded" {
				t.Error(got)
			}
		}
		wantMessage(t, p, "page 2 of process 1")
		if err := p.Lost(); err != nil {
			t.Error(err)
		}
	})
}

// The timeout is for each answer, and the page costs no more than that.
func TestCheckTimeout(t *testing.T) {
	started(t, Config{Timeout: 3 * time.Second}, func(f *fake) {
		time.Sleep(3*time.Second - 1)
		f.hello()
		f.id()
		time.Sleep(3*time.Second - 1)
		f.say(`{"id":1}`)
		f.id()
		select {
		case <-f.killed:
		case <-time.After(3 * time.Second):
			f.say(`{"id":2}`)
		}
	}, func(t *testing.T, p *Plugin) {
		wantMessage(t, p, "")
		begin := time.Now()
		wantMessage(t, p, "no answer within 3s")
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("the answer took %v", took)
		}
	})
}

// A program that does not read what it is sent is late, too.
func TestCheckUnread(t *testing.T) {
	started(t, Config{}, func(f *fake) {
		f.hello()
		f.say(`{"id":1}`)
		<-f.killed
	}, func(t *testing.T, p *Plugin) {
		p.config.Timeout = time.Second
		big := &page.Page{Text: make([]byte, 1<<20)}
		answer, err := p.Check(t.Context(), big)
		if err != nil || len(answer.Findings) != 1 || answer.Findings[0].Message != "no answer within 1s" {
			t.Errorf("%+v %v", answer, err)
		}
	})
}

// A second line for a page costs the next page, and is ignored if there is none. It makes
// no difference when the line is written.
func TestSecondLine(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Second} {
		started(t, Config{}, func(f *fake) {
			f.hello()
			for id := f.id(); id != 0; id = f.id() {
				f.say(`{"id":%d}`, id)
				time.Sleep(delay)
				f.say(`{"id":%d}`, id)
			}
		}, func(t *testing.T, p *Plugin) {
			wantMessage(t, p, "")
			wantMessage(t, p, "an answer has the id of another page")
			wantMessage(t, p, "")
			time.Sleep(10 * time.Second)
			wantMessage(t, p, "an answer has the id of another page")
			wantMessage(t, p, "")
		})
	}
}

// An end between two pages costs the next page.
func TestEndBetweenPages(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Second} {
		started(t, Config{}, func(f *fake) {
			f.hello()
			f.say(`{"id":%d,"findings":[{"code":"spell-word","message":"%d"}]}`, f.id(), f.number)
		}, func(t *testing.T, p *Plugin) {
			for i := range 2 * maxFailures {
				wantMessage(t, p, fmt.Sprint(i))
				time.Sleep(wait)
				wantMessage(t, p, "the program ended or closed its standard output")
			}
		})
	}
}

// A start that fails costs the page for which the process was started.
func TestRestartFails(t *testing.T) {
	started(t, Config{}, func(f *fake) {
		switch f.number {
		case 1:
			f.next()
			f.say("Hello!")
		case 2:
			f.next()
			f.say(`{"hello":{"codes":[]}}`)
		default:
			f.hello()
		}
		if f.number != 0 {
			f.answer()
		}
	}, func(t *testing.T, p *Plugin) {
		wantMessage(t, p, "the program ended or closed its standard output")
		wantMessage(t, p, "it was to be started again: the answer to hello is not JSON: invalid character 'H' looking for beginning of value: "+
			`"Hello!" (only answers belong on standard output; notes belong on standard error)`)
		wantMessage(t, p, "two of its processes declared different codes")
		wantMessage(t, p, "page 1 of process 3")
		launch := p.launch
		p.launch = func() (*program, error) { return nil, errors.New("no such program") }
		wantMessage(t, p, "page 2 of process 3")
		(<-p.free).process.close()
		p.free <- &worker{}
		wantMessage(t, p, "it was to be started again: the program cannot be started: no such program")
		p.launch = launch
		wantMessage(t, p, "page 1 of process 4")
	})
}

// Five failures in a row, over all workers, end the plugin; four and an answer do not.
func TestLost(t *testing.T) {
	for _, workers := range []int{1, 3} {
		answering := false
		started(t, Config{Workers: workers}, func(f *fake) {
			f.hello()
			for id := f.id(); id != 0; id = f.id() {
				if !answering {
					return
				}
				f.say(`{"id":%d}`, id)
			}
		}, func(t *testing.T, p *Plugin) {
			const failed = "the program ended or closed its standard output"
			for range 3 {
				answering = false
				for range maxFailures - 1 {
					wantMessage(t, p, failed)
				}
				answering = true
				wantMessage(t, p, "")
			}
			answering = false
			if err := p.Lost(); err != nil {
				t.Error(err)
			}
			// Workers that answered still have a process, which now fails as well.
			for range maxFailures {
				wantMessage(t, p, failed)
			}
			want := "plugin spell failed on 5 pages in a row and gets no more: the program ended or closed its standard output"
			if err := p.Lost(); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			answering = true
			for range 10 {
				wantMessage(t, p, "")
			}
			if p.Lost() == nil {
				t.Error("an answer came from a plugin that is lost")
			}
		})
	}
}

// Pages that wait for a process of a plugin that gets lost do not wait on.
func TestLostWhileWaiting(t *testing.T) {
	started(t, Config{Workers: 2}, func(f *fake) {
		f.hello()
		<-f.killed
	}, func(t *testing.T, p *Plugin) {
		begin := time.Now()
		failed := 0
		var mu sync.Mutex
		var checks sync.WaitGroup
		for range 50 {
			checks.Go(func() {
				if got := p.messages(t, t.Context()); got != "" {
					mu.Lock()
					failed++
					mu.Unlock()
				}
			})
		}
		checks.Wait()
		// The page with the other worker is late at the same time as the fifth.
		if took := time.Since(begin); took != 3*DefaultTimeout || failed < maxFailures || failed > maxFailures+1 || p.Lost() == nil {
			t.Errorf("%d pages failed in %v, then %v", failed, took, p.Lost())
		}
	})
}

// A program has two seconds from the end of its input.
func TestClose(t *testing.T) {
	for _, test := range []struct {
		work, want time.Duration
	}{{0, 0}, {time.Second, time.Second}, {3 * time.Second, 2 * time.Second}, {time.Hour, 2 * time.Second}} {
		var finished atomic.Int32
		started(t, Config{Workers: 2}, func(f *fake) {
			f.hello()
			f.answer()
			select {
			case <-f.killed:
			case <-time.After(test.work):
				finished.Add(1)
			}
		}, func(t *testing.T, p *Plugin) {
			begin := time.Now()
			p.Close()
			if took := time.Since(begin); took != test.want || (finished.Load() == 2) != (test.work < 2*time.Second) {
				t.Errorf("a program that works for %v is closed in %v; %d of 2 have finished", test.work, took, finished.Load())
			}
			wantMessage(t, p, "")
		})
	}
}

// lines is a writer of lines.
type lines func(line string)

func (l lines) Write(p []byte) (int, error) {
	l(strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// What a program writes before its end is shown; lines are cut.
func TestStderr(t *testing.T) {
	var got []string
	started(t, Config{Stderr: lines(func(line string) { got = append(got, line) })}, func(f *fake) {
		f.hello()
		f.id()
		fmt.Fprintf(f.stderr, "one\r\n\ntwo \xff\n%s\nlast", strings.Repeat("x", 3*maxStderrLine))
		f.say(`{"id":1}`)
		f.id()
	}, func(t *testing.T, p *Plugin) {
		wantMessage(t, p, "")
	})
	want := []string{"spell: one", "spell: ", "spell: two \uFFFD", "spell: " + strings.Repeat("x", maxStderrLine) + "…", "spell: last"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}
