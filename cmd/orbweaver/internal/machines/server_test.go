//go:build linux

package machines

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// server is a redis-server that can fail in many ways. It listens on a socket in its own
// directory.
type server struct {
	t      testing.TB
	dir    string
	config []string // further arguments

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
	sizes  []logSize // of the append-only file, while it is written
	closed chan struct{}
}

// logSize is the size of the append-only file at some time.
type logSize struct {
	at   time.Time
	file string
	size int64
}

// startServer starts a server. Without redis-server the test is skipped, but fails in CI.
func startServer(t testing.TB, config ...string) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: dir, config: config, closed: make(chan struct{})}
	var watching sync.WaitGroup
	t.Cleanup(func() {
		close(s.closed)
		watching.Wait()
		s.kill()
		_ = os.RemoveAll(dir)
	})
	s.start()
	watching.Go(s.watchLog)
	return s
}

// start starts the server and waits until it answers. A write to a full disk must not kill it.
func (s *server) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	args := append([]string{"-c", `trap '' XFSZ; exec redis-server "$@"`, "redis-server", "--port", "0", "--unixsocket", s.socket(), "--dir", s.dir, "--save", "",
		"--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0"}, s.config...)
	cmd := exec.Command("sh", args...)
	_ = os.Remove(s.socket())
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	s.cmd, s.exited, s.sizes = cmd, exited, nil
	for range 1000 {
		if c, err := net.Dial("unix", s.socket()); err == nil {
			c.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Error("redis-server does not answer")
}

// kill kills the server and waits for its end.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
}

// watchLog notes the size of the append-only file.
func (s *server) watchLog() {
	for {
		select {
		case <-s.closed:
			return
		case <-time.After(50 * time.Millisecond):
		}
		s.mu.Lock()
		if file := s.logFile(); file != "" {
			if info, err := os.Stat(file); err == nil {
				s.sizes = append(s.sizes, logSize{time.Now(), file, info.Size()})
			}
		}
		s.mu.Unlock()
	}
}

// logFile returns the append-only file that is written now.
func (s *server) logFile() string {
	files, _ := filepath.Glob(filepath.Join(s.dir, "appendonlydir", "*.incr.aof"))
	last := ""
	for _, f := range files {
		if len(f) > len(last) || len(f) == len(last) && f > last {
			last = f
		}
	}
	return last
}

// losePower kills the server and removes what it has written in the last moments.
func (s *server) losePower(lost time.Duration) {
	s.kill()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.sizes) - 1; i >= 0; i-- {
		if size := s.sizes[i]; time.Since(size.at) >= lost {
			if err := os.Truncate(size.file, size.size); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.t.Error(err)
			}
			return
		}
	}
}

// fillDisk lets the server write no more to its append-only file, and returns what ends that.
func (s *server) fillDisk() (end func()) {
	limit := func(size string) {
		s.mu.Lock()
		pid := s.cmd.Process.Pid
		s.mu.Unlock()
		if out, err := exec.Command("prlimit", "--pid", fmt.Sprint(pid), "--fsize="+size+":").CombinedOutput(); err != nil {
			s.t.Errorf("prlimit: %v\n%s", err, out)
		}
	}
	limit("1")
	return func() { limit("unlimited") }
}

// fillMemory lets the server take no more memory, and returns what ends that.
func (s *server) fillMemory() (end func()) {
	s.cli("config", "set", "maxmemory", "700kb")
	return func() { s.cli("config", "set", "maxmemory", "0") }
}

func (s *server) socket() string { return s.dir + "/s" }

// address returns the address of a crawl on the server.
func (s *server) address(crawl string) string { return "unix://" + s.socket() + "?crawl=" + crawl }

// cli runs a command on the server.
func (s *server) cli(args ...string) string {
	out, err := exec.Command("redis-cli", append([]string{"-s", s.socket()}, args...)...).Output()
	if err != nil {
		s.t.Errorf("redis-cli %s: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// proxy is a connection to a server that fails.
type proxy struct {
	listener net.Listener
	server   *server

	mu      sync.Mutex
	open    map[net.Conn]bool
	stalled chan struct{} // closed when replies are passed on again; nil while they are
	dropped int           // replies that are still to be dropped, with their connections
	script  string        // the hash of a script whose answers are counted; "" for none
	answers int           // that it has given
	lose    int           // the number of the one that is lost; 0 for none
	lost    func()        // is called when that happens
	all     sync.WaitGroup
}

// startProxy starts a proxy to a server.
func startProxy(t *testing.T, s *server) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: s, open: map[net.Conn]bool{}}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.cut()
		p.all.Wait()
	})
	return p
}

func (p *proxy) address(crawl string) string {
	return "redis://" + p.listener.Addr().String() + "?crawl=" + crawl
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.server.socket())
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		p.open[client], p.open[server] = true, true
		p.mu.Unlock()
		end := func() {
			client.Close()
			server.Close()
			p.mu.Lock()
			delete(p.open, client)
			delete(p.open, server)
			p.mu.Unlock()
		}
		var calls atomic.Bool // the last request calls the script; there is one at a time
		p.all.Go(func() {
			defer end()
			forward(server, client, func(request []byte) bool {
				if p.script != "" {
					calls.Store(bytes.Contains(request, []byte(p.script)) || calls.Load() && !bytes.HasPrefix(request, []byte("*")))
				}
				return true
			})
		})
		p.all.Go(func() {
			defer end()
			forward(client, server, func([]byte) bool { return p.passes() && !(calls.Swap(false) && p.loses()) })
		})
	}
}

// forward copies what is read while passes allows it.
func forward(to, from net.Conn, passes func([]byte) bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !passes(buffer[:n]) {
			return
		}
		if _, wrong := to.Write(buffer[:n]); err != nil || wrong != nil {
			return
		}
	}
}

// passes reports whether a reply is passed on; it waits while replies are stalled.
func (p *proxy) passes() bool {
	p.mu.Lock()
	stalled := p.stalled
	drop := p.dropped > 0
	if drop {
		p.dropped--
	}
	p.mu.Unlock()
	if stalled != nil {
		<-stalled
	}
	return !drop
}

// loses counts an answer of the script, and reports whether it is lost.
func (p *proxy) loses() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers++
	if p.answers != p.lose {
		return false
	}
	p.lost()
	return true
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.Close()
	}
}

// stall stops all replies, and returns what ends that.
func (p *proxy) stall() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled != nil {
		return func() {}
	}
	stalled := make(chan struct{})
	p.stalled = stalled
	return func() {
		p.mu.Lock()
		p.stalled = nil
		p.mu.Unlock()
		close(stalled)
	}
}

// drop loses the next replies: the server has done what it was asked, but nobody learns it.
func (p *proxy) drop(replies int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropped += replies
}
