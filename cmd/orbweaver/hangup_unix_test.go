//go:build unix && !race

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/orbweaver/orbweaver/report"
)

// hangingSite serves one page, whose only link answers when release is closed. asked
// receives a value for each request to it.
func hangingSite(t *testing.T) (url string, asked <-chan bool, release chan struct{}) {
	t.Helper()
	requests, release := make(chan bool, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<!doctype html><a href="/slow">slow</a>`))
			return
		}
		requests <- true
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, requests, release
}

// A run whose terminal is closed writes a partial report and leaves no temporary files.
func TestHangup(t *testing.T) {
	url, asked, _ := hangingSite(t)
	program, err := exec.LookPath("orbweaver")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, url, "-o", "report.json", "-o", "report.html", "--no-config")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = t.TempDir(), &stderr
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, syscall.SIGHUP) // otherwise the process would ignore it if the test does
	defer signal.Stop(handled)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != report.ExitUnsound {
		t.Errorf("exit status %d, want %d: %s", code, report.ExitUnsound, stderr.String())
	}
	t.Chdir(cmd.Dir)
	saved, err := report.ReadFile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	if saved.Summary.Soundness.Complete() || saved.Summary.Soundness.StoppedBy != "interrupt" {
		t.Errorf("complete %v, stopped by %q", saved.Summary.Soundness.Complete(), saved.Summary.Soundness.StoppedBy)
	}
	files, err := os.ReadDir(".")
	if err != nil || len(files) != 2 {
		t.Errorf("files left: %v, %v", files, err)
	}
}

// Under nohup a hangup is ignored.
func TestHangupIsIgnored(t *testing.T) {
	url, asked, release := hangingSite(t)
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec orbweaver "$0" --no-config`, url)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = t.TempDir(), &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	close(release)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != report.ExitOK || strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit status %d: %s", code, stderr.String())
	}
}
