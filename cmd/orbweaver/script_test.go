package main

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	stdflag "flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// raceExit makes programs with the race detector end at once: by default each of them sleeps
// for a second before it exits. Races are reported when they happen, all the same.
const raceExit = "atexit_sleep_ms=10"

// waiting is how many tests run in parallel, if there are fewer processors: many of them wait
// for timeouts and for processes.
const waiting = 6

func TestMain(m *testing.M) {
	os.Setenv("GORACE", raceExit)
	if runtime.GOMAXPROCS(0) < waiting {
		stdflag.Set("test.parallel", strconv.Itoa(waiting)) // -parallel takes precedence: it is parsed later
	}
	testscript.Main(tests{m}, map[string]func(){"orbweaver": main, "measured": measured})
}

// tests are the tests of this package.
type tests struct{ *testing.M }

// Run runs them, and removes the program that they share.
func (t tests) Run() int {
	defer os.RemoveAll(shared.dir)
	return t.M.Run()
}

// condition implements [ci], under which a script must not be skipped because a program is missing.
func condition(name string) (bool, error) {
	if name != "ci" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return os.Getenv("CI") == "true", nil
}

// hanging is the key of the channel that is closed by the first request for /hang.
type key string

const hanging key = "hanging"

func awaitRequest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "/hang" {
		ts.Fatalf("usage: awaitrequest /hang")
	}
	<-ts.Value(hanging).(chan struct{})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH REGEXP")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &value))
	for step := range strings.SplitSeq(args[1], ".") {
		switch at := value.(type) {
		case map[string]any:
			value = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			switch {
			case step == "length":
				value = len(at)
			case err != nil || i >= len(at):
				value = nil
			default:
				value = at[i]
			}
		default:
			value = nil
		}
	}
	text := fmt.Sprint(value)
	if f, ok := value.(float64); ok {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	re, err := regexp.Compile("^(?:" + args[2] + ")$")
	ts.Check(err)
	if re.MatchString(text) == neg {
		ts.Fatalf("%s is %q, which does not match %s", args[1], text, args[2])
	}
}

func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve DIR")
	}
	server := serveSite(ts, args[0], false)
	ts.Setenv("SITE", server.URL)
	ts.Setenv("HOST", server.Listener.Addr().String())
}

// serveExample answers for example.com, with the certificate of net/http/httptest for it.
func serveExample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serveexample DIR")
	}
	server := serveSite(ts, args[0], true)
	ca := ts.MkAbs("example-ca.pem")
	ts.Check(os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	ts.Setenv("ORBWEAVER_CA_FILE", ca)
	ts.Setenv("ORBWEAVER_CONNECT_TO", "example.com:443:"+server.Listener.Addr().String())
}

// recipe runs a block of the guide as a user would who copies it.
func recipe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: recipe NAME CODE")
	}
	_, block, found := strings.Cut(ts.ReadFile(filepath.Join(ts.Getenv("GUIDES"), "recipes.md")), "\n<!-- run "+args[0]+" -->\n```sh\n")
	block, _, closed := strings.Cut(block, "\n```\n")
	if !found || !closed {
		ts.Fatalf("recipes.md has no block %s", args[0])
	}
	exits(ts, false, []string{args[1], "sh", "-c", block})
}

// serveSite serves a directory and the paths that the comment of TestScript lists.
func serveSite(ts *testscript.TestScript, dir string, overTLS bool) *httptest.Server {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(ts.MkAbs(dir))))
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.PathValue("code"))
		if err != nil || code < 200 || code > 599 {
			code = http.StatusNotFound
		}
		w.WriteHeader(code)
	})
	mux.HandleFunc("/redirect/{code}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.PathValue("code"))
		if err != nil || code < 300 || code > 399 {
			code = http.StatusNotFound
		}
		location := url.URL{Path: "/" + r.PathValue("path"), RawQuery: r.URL.RawQuery}
		w.Header().Set("Location", location.String())
		w.WriteHeader(code)
	})
	mux.HandleFunc("/echo/", func(w http.ResponseWriter, r *http.Request) {
		// A page whose only link contains a request header, for tests of headers.
		fmt.Fprintf(w, "<!doctype html><a href='/seen?token=%s'>seen</a>", r.Header.Get("X-Token"))
	})
	mux.HandleFunc("/private/", func(w http.ResponseWriter, r *http.Request) {
		// Requires the user bob with the password hunter2.
		if name, password, _ := r.BasicAuth(); name != "bob" || password != "hunter2" {
			w.Header().Set("WWW-Authenticate", `Basic realm="private"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "<!doctype html><a href='more'>more</a>")
	})
	addMembers(mux)
	mux.HandleFunc("/seen", func(w http.ResponseWriter, r *http.Request) {})
	asked := sync.OnceFunc(func() { close(ts.Value(hanging).(chan struct{})) })
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		asked()
		<-r.Context().Done()
	})
	start := httptest.NewServer
	if overTLS {
		start = httptest.NewTLSServer
	}
	server := start(mux)
	ts.Defer(server.Close)
	return server
}

func serveArchive(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: servearchive")
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		about := r.URL.Query().Get("url")
		w.Header().Set("Content-Type", "application/json")
		if r.Host != "web.archive.org" || r.URL.Path != "/cdx/search/cdx" || strings.Contains(about, "never") {
			fmt.Fprint(w, "[]")
			return
		}
		fmt.Fprintf(w, `[["timestamp","original","statuscode"],["20130919044612",%q,"200"]]`, about)
	}))
	ts.Defer(server.Close)
	ts.Setenv("ARCHIVE", server.Listener.Addr().String())
}
