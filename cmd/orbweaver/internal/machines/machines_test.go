//go:build linux

// Package machines tests crawls of several processes with a real server: whatever fails at
// any instant, the report equals that of one process.
//
//	DRILLS=long go test ./cmd/orbweaver/internal/machines -v -timeout 4h
//
// runs the long form, as .ci/drills does: TestDrills has 100 drills with random faults, and prints a
// line for each, instead of three with nine faults. TestLostAnswers loses each answer to a settlement
// in a crawl of its own, with each fault that it knows.
package machines

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/programtest"
)

// patience is how long a test waits for anything.
const patience = 5 * time.Minute

var program string

func TestMain(m *testing.M) { os.Exit(programtest.Run(m, &program)) }

// process is a running orbweaver.
type process struct {
	cmd   *exec.Cmd
	out   bytes.Buffer
	err   output
	done  chan struct{}
	ended time.Time // set when done is closed
}

// output is what a process has written up to now.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed by the next write, if somebody waits for it
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
	return o.text.Write(b)
}

// String returns the output.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Bytes returns the output.
func (o *output) Bytes() []byte { return []byte(o.String()) }

// says waits until the process has written a text to standard error. It fails the test if the
// process ends without that.
func (p *process) says(t *testing.T, text string) {
	t.Helper()
	for {
		p.err.mu.Lock()
		if p.err.more == nil {
			p.err.more = make(chan struct{})
		}
		more, found := p.err.more, strings.Contains(p.err.text.String(), text)
		p.err.mu.Unlock()
		if found {
			return
		}
		select {
		case <-more:
		case <-p.done:
			if !strings.Contains(p.err.String(), text) {
				t.Fatalf("the process ended with %d and does not say %q:\n%s", p.wait(), text, p.err.Bytes())
			}
			return
		}
	}
}

// run starts the program.
func run(t testing.TB, args ...string) *process { return runWith(t, nil, args...) }

// runWith starts the program in a changed environment.
func runWith(t testing.TB, environment []string, args ...string) *process {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	p := &process{cmd: exec.CommandContext(ctx, program, args...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), environment...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGQUIT) } // it shows what it waits for
	p.cmd.WaitDelay = 10 * time.Second
	if err := p.cmd.Start(); err != nil {
		t.Error(err)
	}
	go func() {
		_ = p.cmd.Wait()
		p.ended = time.Now()
		cancel()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

// wait waits for the end of the process and returns its exit status, -1 if it was killed.
func (p *process) wait() int {
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

var (
	afterFault = regexp.MustCompile(`"(elapsed_ms|attempts|requests)": ?[0-9.]+`)
	started    = regexp.MustCompile(`"started": ?"[^"]*"`)
)

// without returns a report without the fields that may differ.
func without(fields *regexp.Regexp, report []byte) string {
	return string(started.ReplaceAll(fields.ReplaceAll(report, []byte(`"$1":0`)), []byte(`"started":""`)))
}

// firstDifference returns the first line in which two reports differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %s\n%s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}
