//go:build !race

package crawler

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// fewFilesURL tells a copy of the test program to crawl with few descriptors.
const fewFilesURL = "ORBWEAVER_TEST_FEW_FILES"

// Five thousand links at forty hosts, with 64 open files: the same findings as
// without a limit.
func TestFewFiles(t *testing.T) {
	if start := os.Getenv(fewFilesURL); start != "" {
		few := &syscall.Rlimit{Cur: 64, Max: 64}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, few); err != nil {
			t.Fatal(err)
		}
		cfg := web(t)
		cfg.Politeness.Retries = 2
		_, sum := crawl(t, cfg, seedOf(t, start))
		fmt.Printf("findings: %d ok, %v\n", sum.OK, sum.ByCode)
		return
	}
	listener, err := net.Listen("tcp", "0.0.0.0:0") // so that all of 127.0.0.0/8 lead to it
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html")
			for i := range 5000 {
				fmt.Fprintf(w, "<a href=http://127.0.0.%d:%d/%d>x</a>\n", 1+i%40, port, i)
			}
		case strings.HasSuffix(r.URL.Path, "7"):
			w.WriteHeader(http.StatusNotFound)
		default:
			io.WriteString(w, "x")
		}
	}))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	start := fmt.Sprintf("http://127.0.0.1:%d/", port)

	_, sum := crawl(t, web(t), seedOf(t, start))
	want := fmt.Sprintf("findings: %d ok, %v\n", sum.OK, sum.ByCode)
	if sum.OK != 4501 {
		t.Fatalf("without a limit: %s", want)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestFewFiles$", "-test.count=1")
	child.Env = append(os.Environ(), fewFilesURL+"="+start)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("with 64 open files: %v\n%s, want %s", err, out, want)
	}
}
