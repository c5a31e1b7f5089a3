package webtest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/programtest"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

var (
	program string          // under test
	browser context.Context // of all tests
)

func TestMain(m *testing.M) { os.Exit(programtest.Run(m, &program)) }

// TestPages runs all tests with one browser.
func TestPages(t *testing.T) {
	browser = crawlertest.StartBrowser(t)
	t.Run("direct", func(t *testing.T) { testFlow(t, serve(t, "127.0.0.1:0", "")) })
	t.Run("behind nginx", func(t *testing.T) { testFlow(t, behindNginx(t)) })
	t.Run("without scripts", testWithoutScripts)
	t.Run("keyboard", testKeyboard)
	t.Run("live", testLive)
}

// server is a running server.
type server struct {
	base  string // with the final slash
	setup string // the address of the set-up page; empty with --auth none
	log   *bytes.Buffer
	kill  func() // without any warning
}

// serve starts a server. public is its --public-url.
func serve(t *testing.T, listen, public string, args ...string) *server {
	t.Helper()
	s := &server{log: &bytes.Buffer{}}
	all := append([]string{"serve", "--data", filepath.Join(t.TempDir(), "data"), "--listen", listen, "--allow-private", "127.0.0.0/8"}, args...)
	if public != "" {
		all = append(all, "--public-url", public)
	}
	cmd := exec.Command(program, all...)
	cmd.Stderr = s.log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the log of the server:\n%s", s.log)
		}
	})
	lines := bufio.NewScanner(out)
	open := len(args) > 0 // with --auth none there is no second line
	for lines.Scan() && (s.base == "" || !open && s.setup == "") {
		if at, found := strings.CutPrefix(lines.Text(), "listening on "); found {
			s.base = at
		}
		if at, found := strings.CutPrefix(lines.Text(), "set up at "); found {
			s.setup = at
			break
		}
		if s.base != "" && open {
			break
		}
	}
	if s.base == "" {
		t.Fatalf("the server does not listen:\n%s", s.log)
	}
	return s
}

// freePort returns a port that is free now.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// behindNginx starts a server below /links/ of an nginx.
func behindNginx(t *testing.T) *server {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal("nginx is missing")
			}
			t.Skip("nginx is missing")
		}
	}
	for try := 0; ; try++ {
		port := freePort(t)
		public := "http://127.0.0.1:" + strconv.Itoa(port) + "/links/"
		s := serve(t, "127.0.0.1:0", public)
		token := s.setup[strings.Index(s.setup, "setup?"):]
		if startNginx(t, path, port, s.base) {
			return &server{base: public, setup: public + token, log: s.log}
		}
		if try == 5 {
			t.Fatal("nginx does not start")
		}
	}
}

// startNginx starts nginx as a proxy of a server, and reports whether it listens.
func startNginx(t *testing.T, path string, port int, server string) bool {
	t.Helper()
	dir := t.TempDir()
	upstream := strings.TrimSuffix(strings.TrimPrefix(server, "http://"), "/links/")
	config := fmt.Sprintf(`daemon off;
pid %[1]s/pid;
error_log %[1]s/error.log;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	gzip on; gzip_types text/event-stream text/css text/javascript application/json;
	server {
		listen 127.0.0.1:%[2]d;
		location /links/ { proxy_pass http://%[3]s/; proxy_set_header Host $http_host; proxy_http_version 1.1; proxy_set_header Connection ""; }
	}
}
`, dir, port, upstream)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-c", file, "-p", dir, "-e", filepath.Join(dir, "error.log"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	address := "http://127.0.0.1:" + strconv.Itoa(port) + "/links/healthz"
	for {
		resp, err := http.Get(address)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// site is a site to check. A page waits until it is let go.
type site struct {
	*httptest.Server
	letGo chan struct{}
	once  sync.Once
	mu    sync.Mutex
	fixed bool
}

func newSite(t *testing.T) *site {
	s := &site{letGo: make(chan struct{})}
	pages := map[string]string{
		"/":            `<title>Home</title><a href="guide/">Guide</a> <a href="news/one">One</a> <a href="news/two">Two</a> <a href="gone">Gone</a> <a href="slow">Slow</a> <a href="old">Old</a>`,
		"/guide/":      `<title>Guide</title><h1 id="set-up">Set up</h1><a href="../gone">Gone, too</a> <a href="#setup">Set up</a> <a href="../">Home</a>`,
		"/news/one":    `<title>News one</title><a href="../gone">The missing page</a> <a href="two">Two</a>`,
		"/news/two":    `<title>News two</title><a href="one">One</a>`,
		"/guide/start": `<title>Start</title>`,
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		fixed := s.fixed
		s.mu.Unlock()
		switch text, ok := pages[r.URL.Path]; {
		case ok:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!DOCTYPE html><html lang=en>"+text)
		case r.URL.Path == "/old":
			http.Redirect(w, r, "/guide/start", http.StatusMovedPermanently)
		case r.URL.Path == "/slow" || r.URL.Path == "/gone" && fixed:
			if r.URL.Path == "/slow" {
				<-s.letGo
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!DOCTYPE html><html lang=en><title>Here</title>")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() {
		s.release()
		s.Close()
	})
	return s
}

func (s *site) release() { s.once.Do(func() { close(s.letGo) }) }

func (s *site) fix() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fixed = true
}
