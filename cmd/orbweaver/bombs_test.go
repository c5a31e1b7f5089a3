package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// A bomb is a server that tries to exhaust the memory or the time of its visitor. It makes
// its answers as they are read and stores none of them.
type bomb struct {
	name  string
	short bool // it stands for its kind of limit in the short form
	serve func(w http.ResponseWriter, r *http.Request)
	raw   func(c *net.TCPConn, nth int) // instead of serve: answers one connection
	setup func(t *testing.T, b *bomb) (target string)

	start  string // path to start from, "/" if empty
	flags  []string
	memory int // limit in MB, maxBombMemory if 0
	// ends is how the run ends: "complete", or the reason why it is not.
	ends string
}

const (
	// maxBombMemory limits the memory of a run, in MB.
	maxBombMemory = 300
	// maxBombTime is when a run counts as endless. Bombs are ended by counts, so that a
	// slow machine changes nothing but the time.
	maxBombTime = 5 * time.Minute
)

// bombReport is what a report says about the run.
type bombReport struct {
	Complete  bool   `json:"complete"`
	StoppedBy string `json:"stopped_by"`
	Summary   struct {
		Pages    int            `json:"pages"`
		Targets  int            `json:"targets"`
		Requests int            `json:"requests"`
		ByCode   map[string]int `json:"by_code"`
	} `json:"summary"`
}

// run checks the target and how the run ends, and returns its peak memory in MB, 0 if that
// is unknown.
func (b *bomb) run(t *testing.T, program string) (peak int) {
	target := b.listen(t)
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), maxBombTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Args = append([]string{"measured", "check", target, "--progress", "never", "-o", filepath.Join(dir, "report.json")}, b.flags...)
	cmd.Env = append(os.Environ(), "PEAK_FILE="+filepath.Join(dir, "peak"), "GOGC=", "GOMEMLIMIT=", "HOME="+dir)
	cmd.Dir = dir
	began := time.Now()
	text, err := cmd.CombinedOutput()
	took := time.Since(began)
	if ctx.Err() != nil {
		t.Fatalf("the run did not end within %v", maxBombTime)
	}
	data, readErr := os.ReadFile(filepath.Join(dir, "report.json"))
	if readErr != nil {
		t.Fatalf("no report: %v, %v\n%.2000s", err, readErr, text)
	}
	var report bombReport
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	ends := report.StoppedBy
	if report.Complete {
		ends = "complete"
	}
	if ends != b.ends {
		t.Errorf("ends: %s, want %s\n%.2000s", ends, b.ends, text)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "peak")); err == nil {
		if peak, err = strconv.Atoi(string(data)); err != nil {
			t.Fatal(err)
		}
	}
	if crawlertest.Long() {
		t.Logf("| %s | %d | %.1f | %d | %d | %s | %v", b.name, peak, took.Seconds(), report.Summary.Pages, report.Summary.Requests, ends, report.Summary.ByCode)
		if testing.Verbose() {
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			for _, line := range lines[max(0, len(lines)-4):] {
				t.Logf("%.300s", line)
			}
		}
	}
	return peak
}

// listen starts the server and returns the target to check.
func (b *bomb) listen(t *testing.T) string {
	if b.setup != nil {
		return b.setup(t, b)
	}
	start := b.start
	if start == "" {
		start = "/"
	}
	if b.raw != nil {
		return "http://" + crawlertest.ServeConns(t, b.raw).String() + start
	}
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(func() {
		server.CloseClientConnections() // handlers of endless answers end when they cannot write
		server.Close()
	})
	return server.URL + start
}

// measured is the program, which writes its peak memory in MB to PEAK_FILE.
func measured() {
	limitBombMemory()
	code := run(os.Args[1:])
	if data, err := os.ReadFile("/proc/self/status"); err == nil {
		_, peak, _ := strings.Cut(string(data), "VmHWM:")
		kB, err := strconv.Atoi(strings.Fields(peak)[0])
		if err == nil {
			err = os.WriteFile(os.Getenv("PEAK_FILE"), []byte(strconv.Itoa(kB/1024)), 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 99
		}
	}
	os.Exit(code)
}
