package servetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk fills the disk of a server, a file system in memory, while a run waits for its site.
func TestFullDisk(t *testing.T) {
	if out, err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("no file system of its own can be mounted here: %v: %s", err, out)
	}
	release := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, "<title>Home</title><a href=slow>slow</a>")
			return
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(web.Close)
	defer close(release)
	data := t.TempDir()
	s := startCommand(t, exec.Command("unshare", "-rm", "sh", "-c", `mount -t tmpfs -o size=8m tmpfs "$0" && exec "$@"`, data,
		program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--auth", "none", "--allow-private", "127.0.0.0/8"))
	project := s.create(object{"targets": []string{web.URL + "/"}, "options": object{"timeout": "60s"}})
	run := s.runOf(project)
	s.until(run, "running")
	fill, err := os.Create(filepath.Join(fmt.Sprintf("/proc/%d/root", s.cmd.Process.Pid), data, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 16; size > 0; { // in ever smaller parts, to the last byte
		if _, err := fill.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	r := s.until(run, "failed")
	if message := fmt.Sprint(r["error"]); !strings.Contains(message, "disk is full") || !strings.Contains(message, data) {
		t.Errorf("the run failed because of %s", message)
	}
	if r["sound"] != false || r["unsound_because"] != "failed" || r["finished"] == nil {
		t.Errorf("the run is %v", r)
	}
	if a := s.send("GET", "readyz", nil); a.status != 503 {
		t.Errorf("readyz: status %d: %s", a.status, a.body)
	}
	for _, path := range []string{"", "projects/" + project, "runs/" + run, "runs/" + run + "/findings", "api/v1/projects", "api/v1/projects/" + project + "/runs", "metrics"} {
		if a := s.send("GET", path, nil); a.status != 200 {
			t.Errorf("%s: status %d: %s", path, a.status, a.body)
		}
	}
	if a := s.send("POST", "api/v1/runs/"+run+"/stop", nil); a.status != 409 && a.status != 507 {
		t.Errorf("stop: status %d: %s", a.status, a.body)
	}
	if err := fill.Truncate(0); err != nil {
		t.Fatal(err)
	}
	again := s.runOf(project)
	if a := s.send("GET", "readyz", nil); a.status != 200 {
		t.Errorf("readyz with space again: status %d: %s", a.status, a.body)
	}
	if r := s.until(run, "failed"); !strings.Contains(fmt.Sprint(r["error"]), data) {
		t.Errorf("the run that failed is %v", r)
	}
	s.until(again, "running")
}
