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
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// serveCommand is the first argument of the server process. The process prints its
// address, answers each line on standard input with the requests since the previous line,
// and exits at the end of the input.
const serveCommand = "serve-for-bench"

// sampleInterval is the time between two samples of the request counter.
const sampleInterval = 100 * time.Millisecond

// requestCounts are the requests of one run.
type requestCounts struct {
	Requests int
	Series   []int // total number of requests at each sample, from the first request on
	External *externalSeen
}

// externalSeen are what the servers of an external site saw in one run.
type externalSeen struct{ Lookups, Connections, Resumed, HTTP2 int64 }

// counter counts requests and samples the count.
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

// linkcheckerHeader turns off a limit of LinkChecker: without the header it waits a third
// of a second between two requests, whatever its configuration.
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

// take returns the counts and resets them.
func (c *counter) take() requestCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := requestCounts{Requests: int(c.requests.Swap(0)), Series: c.series}
	c.series = nil
	return seen
}

// serve runs the server process.
func serve(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet(serveCommand, flag.ContinueOnError)
	latency := flags.Duration("latency", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	external, is, err := parseExternal(flags.Arg(0))
	switch {
	case err != nil:
		return err
	case is:
		return external.serve(*latency, in, out)
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
	if err := answer(in, out, c.take); err != nil {
		return err
	}
	if err := server.Close(); err != nil {
		return err
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// answer answers each line of the input with the counts of the moment.
func answer(in io.Reader, out io.Writer, take func() requestCounts) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if err := json.NewEncoder(out).Encode(take()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// serve runs the servers of an external site. The line that it prints is where they are.
func (s *externalSite) serve(latency time.Duration, in io.Reader, out io.Writer) error {
	var requests counter
	at, err := s.start(latency, &requests)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(out).Encode(at); err != nil {
		return err
	}
	return answer(in, out, func() requestCounts {
		seen, c := requests.take(), &s.counts
		seen.External = &externalSeen{c.lookups.Swap(0), c.connections.Swap(0), c.resumed.Swap(0), c.http2.Swap(0)}
		return seen
	})
}

// server is a running server process.
type server struct {
	address  string
	external externalService // of an external site
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
}

// startServer starts a server process for a corpus.
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
	line, err := s.out.ReadBytes('\n')
	if err == nil && line[0] == '{' {
		err = json.Unmarshal(line, &s.external)
	}
	if s.address = strings.TrimSpace(string(line)); err != nil {
		s.stop()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	return s, nil
}

// serverEnvironment makes garbage collections of the server rarer.
var serverEnvironment = []string{"GOGC=400"}

// take returns the requests since the previous call.
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
