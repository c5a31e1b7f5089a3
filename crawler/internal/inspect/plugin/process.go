package plugin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/helper"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

const (
	// closeGrace is the time from the end of standard input to the kill.
	closeGrace = 2 * time.Second
	// stderrGrace is how long the standard error of a killed process is read. It ends with
	// the process group, unless a process has left the group.
	stderrGrace = time.Second
	// maxKept is the memory in bytes that a process keeps for the next page.
	maxKept = 1 << 20
	// maxStderrLine is the longest line of standard error that is shown, in bytes.
	maxStderrLine = 4096
)

var (
	errEnded = errors.New("the program ended or closed its standard output")
	errLong  = fmt.Errorf("the answer is longer than %d MiB", maxLine>>20)
)

// program is a running program, seen from outside.
type program struct {
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser
	group          helper.Group
}

// launch starts a program in a process group of its own.
func launch(command, env []string) (*program, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = slices.Concat([]string{}, env) // nil would be our own environment
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	group, err := helper.StartGroup(cmd)
	if err != nil {
		return nil, err
	}
	return &program{stdin: stdin, stdout: stdout, stderr: stderr, group: group}, nil
}

// process is a program that speaks the protocol. It has one owner, who stops or closes it.
type process struct {
	*program
	pages   int64         // that were sent, and so the id of the last one
	sent    []byte        // the last line, whose memory is used again
	lines   chan line     // of standard output, closed at its end
	stopped chan struct{} // closed by stop
	logged  chan struct{} // closed at the end of standard error
	tasks   sync.WaitGroup
}

// line is a line of standard output, or errLong.
type line struct {
	text []byte
	err  error
}

// newProcess takes over a program. The lines of its standard error are given to log.
func newProcess(running *program, log func(string)) *process {
	p := &process{program: running, lines: make(chan line), stopped: make(chan struct{}), logged: make(chan struct{})}
	p.tasks.Go(p.read)
	p.tasks.Go(func() { p.readStderr(log) })
	return p
}

// exchangePage sends a page and returns the line that comes back, as exchange does.
func (p *process) exchangePage(ctx context.Context, pg *page.Page, maxBody int, timeout time.Duration) ([]byte, error) {
	p.pages++
	if cap(p.sent) > maxKept {
		p.sent = nil
	}
	p.sent = appendRequest(p.sent[:0], p.pages, pg, maxBody)
	return p.exchange(ctx, p.sent, timeout)
}

// exchange sends a line and returns the line that comes back. After an error the process
// must be stopped; until then the line that is sent must not be changed.
func (p *process) exchange(ctx context.Context, message []byte, timeout time.Duration) ([]byte, error) {
	written := make(chan error, 1)
	p.tasks.Go(func() {
		_, err := p.stdin.Write(message)
		written <- err
	})
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var answer line
	lines := p.lines
	for lines != nil || written != nil {
		select {
		case l, ok := <-lines:
			if !ok {
				return nil, errEnded
			}
			if l.err != nil {
				return nil, l.err
			}
			answer, lines = l, nil
		case err := <-written:
			if err != nil {
				return nil, errEnded
			}
			written = nil
		case <-timer.C:
			return nil, fmt.Errorf("no answer within %v", timeout)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return answer.text, nil
}

// read hands on the lines of standard output.
func (p *process) read() {
	defer close(p.lines)
	reader := bufio.NewReaderSize(p.stdout, 16<<10)
	for {
		var l line
		if l.text, l.err = readLine(reader); l.err != nil && l.err != errLong {
			return
		}
		select {
		case p.lines <- l:
		case <-p.stopped:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads a line and returns it without its end. A line that is longer than maxLine
// is not read to its end.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := reader.ReadSlice('\n')
		if len(text)+len(part) > maxLine+1 || len(text)+len(part) == maxLine+1 && err != nil {
			return nil, errLong
		}
		text = append(text, part...)
		switch err {
		case nil:
			return bytes.TrimSuffix(text, []byte("\n")), nil
		case bufio.ErrBufferFull:
		default:
			return nil, err
		}
	}
}

// readStderr hands the lines of standard error to log.
func (p *process) readStderr(log func(string)) {
	defer close(p.logged)
	reader := bufio.NewReaderSize(p.stderr, maxStderrLine)
	cut := false
	for {
		text, more, err := reader.ReadLine()
		if err != nil {
			return
		}
		if !cut {
			shown := strings.ToValidUTF8(string(text), "\uFFFD")
			if more {
				shown += "…"
			}
			log(shown)
		}
		cut = more
	}
}

// close ends standard input, and stops the process when its outputs have ended, or after
// closeGrace.
func (p *process) close() {
	p.stdin.Close()
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	for open := true; open; {
		select {
		case _, open = <-p.lines:
		case <-ctx.Done():
			open = false
		}
	}
	select {
	case <-p.logged:
	case <-ctx.Done():
	}
	p.stop()
}

// stop kills the process group. When it returns, nothing of the process is left.
func (p *process) stop() {
	close(p.stopped)
	p.group.Kill()
	p.stdin.Close()
	p.stdout.Close()
	timer := time.AfterFunc(stderrGrace, func() { p.stderr.Close() })
	p.tasks.Wait()
	timer.Stop()
	p.stderr.Close()
	p.group.Wait()
}
