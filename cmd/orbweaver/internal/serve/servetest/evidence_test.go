package servetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A project may keep evidence: it outlives a stop, is served when the run has ended, can be judged
// again, and goes with its run.
func TestEvidence(t *testing.T) {
	web, data := smallSite(t), t.TempDir()
	s := open(t, data)
	for option, value := range map[string]string{"evidence-of": "some", "evidence": "e.wacz", "replay": "e.wacz", "evidence-max": "1MiB"} {
		s.call("POST", "projects", object{"name": "x", "targets": []string{web.URL}, "options": object{option: value}}, 422, nil)
	}
	plain := s.checked(s.create(object{"targets": []string{web.URL}}))
	s.call("GET", "runs/"+plain+"/evidence", nil, 404, nil)

	web.set("/slow", "")
	web.set("/", `<title>Home</title><a href="slow">slow</a> <a href="gone.html">gone</a> <a href="a.html">A</a> <a href="old">old</a>`)
	project := s.create(object{"targets": []string{web.URL}, "options": object{"evidence-of": "all"}})
	run := s.runOf(project)
	s.until(run, "running")
	s.call("GET", "runs/"+run+"/evidence", nil, 409, nil)
	s.call("POST", "runs/"+run+"/stop", nil, 202, nil)
	web.release()
	s.until(run, "interrupted")
	s.call("POST", "runs/"+run+"/resume", nil, 202, nil)
	s.until(run, "done")

	a := s.send("GET", "api/v1/runs/"+run+"/evidence", nil)
	if a.status != 200 || a.header.Get("Content-Type") != "application/wacz" || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("the evidence: status %d, header %v", a.status, a.header)
	}
	for id, want := range map[string]bool{run: true, plain: false} {
		if shown := strings.Contains(string(s.send("GET", "runs/"+id, nil).body), id+"/evidence"); shown != want {
			t.Errorf("the page of the run %s leads to evidence: %t", id, shown)
		}
	}
	file := filepath.Join(t.TempDir(), "e.wacz")
	if err := os.WriteFile(file, a.body, 0o600); err != nil {
		t.Fatal(err)
	}
	web.Close()
	text, stderr, status := orbweaver(t, "check", "--replay", file, "-f", "json", "--no-config")
	var report struct {
		Summary struct{ Broken int }
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil || status != 1 || report.Summary.Broken != 3 {
		t.Errorf("the replay ends with %d and %d broken links: %v\n%s", status, report.Summary.Broken, err, stderr)
	}
	s.call("DELETE", "projects/"+project, nil, 204, nil)
	if left, err := filepath.Glob(filepath.Join(data, "runs", run, "*")); err != nil || len(left) > 0 {
		t.Errorf("files of a run that was deleted: %v, %v", left, err)
	}
}
