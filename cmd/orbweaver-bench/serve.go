package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// serveCommand is the first argument of the server's process. It prints its
// address, answers each line on its standard input with the requests since the
// last one, and ends with that input.
const serveCommand = "serve-for-bench"

// sampleInterval is how often the server looks at its own counter.
const sampleInterval = 100 * time.Millisecond

// requestCounts is what the server saw of one run.
type requestCounts struct {
	Requests int
	Series   []int // requests until each sampling, the first of them at the first request
}

// counter counts requests and samples their number.
type counter struct {
	http.Handler
	latency  time.Duration
	requests atomic.Int64

	mu     sync.Mutex
	series []int
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	w.Header()["Linkchecker"] = linkcheckerHeader
	if c.latency > 0 {
		time.Sleep(c.latency)
	}
	c.Handler.ServeHTTP(w, r)
}

// linkcheckerHeader lets LinkChecker ask as fast as it is told to: without the header it waits
// a third of a second between two requests, whatever its configuration says.
var linkcheckerHeader = []string{"1"}

func (c *counter) sample() {
	for range time.Tick(sampleInterval) {
		if n := int(c.requests.Load()); n > 0 {
			c.mu.Lock()
			c.series = append(c.series, n)
			c.mu.Unlock()
		}
	}
}

// take returns what was counted, and begins anew.
func (c *counter) take() requestCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := requestCounts{Requests: int(c.requests.Swap(0)), Series: c.series}
	c.series = nil
	return seen
}

// serve is the server's process.
func serve(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet(serveCommand, flag.ContinueOnError)
	latency := flags.Duration("latency", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	corpus, err := parseCorpus(flags.Arg(0))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c := &counter{Handler: corpus.handler(), latency: *latency}
	server := &http.Server{Handler: c}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	go c.sample()
	if _, err := fmt.Fprintln(out, listener.Addr()); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if err := json.NewEncoder(out).Encode(c.take()); err != nil {
			return err
		}
	}
	if err := server.Close(); err != nil {
		return err
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return lines.Err()
}

// server is a server's process, seen from outside.
type server struct {
	address string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startServer starts one for a corpus.
func startServer(c corpus, latency time.Duration) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	name := c.name
	if c.dir != "" {
		name = c.dir
	}
	s := &server{cmd: exec.Command(self, serveCommand, "-latency", latency.String(), name)}
	s.cmd.Stderr = os.Stderr
	s.cmd.Env = append(os.Environ(), serverEnvironment...)
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := fmt.Fscanln(s.out, &s.address); err != nil {
		s.stop()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	return s, nil
}

// serverEnvironment spares the server collections: it keeps what it serves.
var serverEnvironment = []string{"GOGC=400"}

// take returns what the server counted since the last call.
func (s *server) take() (requestCounts, error) {
	if _, err := fmt.Fprintln(s.in); err != nil {
		return requestCounts{}, err
	}
	var seen requestCounts
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return seen, err
	}
	return seen, json.Unmarshal(line, &seen)
}

func (s *server) stop() {
	_ = s.in.Close()
	_ = s.cmd.Wait()
}
