package servetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/programtest"
)

// program is the program under test.
var program string

func TestMain(m *testing.M) { os.Exit(programtest.Run(m, &program)) }

// patience is how long a test waits for something that must happen.
const patience = 3 * time.Minute

// server is a running server.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	base   string // with the final slash
	token  string
	log    *output
	out    *output // standard output, after the first line
	exited chan error
	api    *description // checks answers; nil until the first one
}

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start starts a server on a data directory. Sites of tests are on loopback addresses, which
// runs may reach.
func start(t *testing.T, data string, args ...string) *server {
	t.Helper()
	return startPlain(t, data, append([]string{"--allow-private", "127.0.0.0/8"}, args...)...)
}

// startPlain starts a server whose runs may reach no private address.
func startPlain(t *testing.T, data string, args ...string) *server {
	t.Helper()
	return startCommand(t, exec.Command(program, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...)...))
}

// startCommand starts a server by a command.
func startCommand(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, cmd: cmd, log: &output{}, out: &output{}, exited: make(chan error, 1)}
	s.cmd.Stderr = s.log
	s.cmd.Env = append(os.Environ(), "ORBWEAVER_DEPTH=0", "HTTP_PROXY=http://127.0.0.1:1/", "http_proxy=http://127.0.0.1:1/") // runs must not obey them
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for s.base == "" && lines.Scan() {
		s.base, _ = strings.CutPrefix(lines.Text(), "listening on ")
	}
	go func() {
		for lines.Scan() {
			fmt.Fprintln(s.out, lines.Text())
		}
		s.exited <- s.cmd.Wait()
	}()
	if s.base == "" {
		t.Fatalf("the server does not listen:\n%s", s.log)
	}
	return s
}

// open starts a server that lets everybody in.
func open(t *testing.T, data string, args ...string) *server {
	t.Helper()
	return start(t, data, append([]string{"--auth", "none"}, args...)...)
}

// wait waits until the process ends and returns its exit status.
func (s *server) wait() int {
	s.t.Helper()
	select {
	case <-s.exited:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		s.t.Fatalf("the server does not end:\n%s", s.log)
		return -1
	}
}

// kill ends the process without any warning.
func (s *server) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	s.wait()
}

// eventually asks the server again and again until something holds.
func (s *server) eventually(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !holds(); s.send("GET", "healthz", nil) {
		if time.Now().After(end) {
			s.t.Fatalf("it does not hold that %s:\n%s", what, s.log)
		}
	}
}

// answer is what the server said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// noRedirects does not follow redirects.
var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// send sends a request to a path below the base and compares the answer with the API's
// description. A body that is no string is sent as JSON.
func (s *server) send(method, path string, body any, change ...func(*http.Request)) *answer {
	s.t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		in = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, s.base+strings.TrimPrefix(path, "/"), in)
	if err != nil {
		s.t.Fatal(err)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	for _, c := range change {
		c(req)
	}
	res, err := noRedirects.Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", method, path, err, s.log)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	a := &answer{res.StatusCode, res.Header, text}
	s.check(req, a)
	return a
}

// call is send for an answer with a status, which is decoded.
func (s *server) call(method, path string, body any, status int, into any) *answer {
	s.t.Helper()
	a := s.send(method, "api/v1/"+strings.TrimPrefix(path, "/"), body)
	if a.status != status {
		s.t.Fatalf("%s %s: status %d, want %d:\n%s\n%s", method, path, a.status, status, a.body, s.log)
	}
	if into != nil {
		if err := json.Unmarshal(a.body, into); err != nil {
			s.t.Fatalf("%s %s: %v:\n%s", method, path, err, a.body)
		}
	}
	return a
}

// object is a JSON object.
type object = map[string]any

// create makes a project and returns its id.
func (s *server) create(project object) string {
	s.t.Helper()
	if project["name"] == nil {
		project["name"] = "test"
	}
	var p struct{ ID string }
	s.call("POST", "projects", project, 201, &p)
	return p.ID
}

// runOf starts a run of a project and returns its id.
func (s *server) runOf(project string) string {
	s.t.Helper()
	var r struct{ ID string }
	s.call("POST", "projects/"+project+"/runs", nil, 202, &r)
	return r.ID
}

// until waits until a run is in one of the states, and returns it.
func (s *server) until(run string, states ...string) object {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		var r object
		s.call("GET", "runs/"+run, nil, 200, &r)
		for _, state := range states {
			if r["state"] == state {
				return r
			}
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("run %s is %v, and does not become %v:\n%s", run, r["state"], states, s.log)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// checked runs a project to its end.
func (s *server) checked(project string) string {
	s.t.Helper()
	run := s.runOf(project)
	s.until(run, "done", "failed")
	return run
}

// items returns the items of a list.
func (s *server) items(path string) []object {
	s.t.Helper()
	var list struct{ Items []object }
	s.call("GET", path, nil, 200, &list)
	return list.Items
}

// orbweaver runs the program and returns its output and exit status.
func orbweaver(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
