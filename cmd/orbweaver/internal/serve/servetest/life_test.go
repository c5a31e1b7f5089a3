package servetest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// event is a server-sent event.
type event struct {
	id   int
	kind string
	data object
}

// follow reads the events of a run after one with an ID, until the stream ends or fn returns
// false. It returns the status.
func (s *server) follow(run string, after int, fn func(event) bool) int {
	s.t.Helper()
	return s.read("runs/"+run+"/events", after, fn)
}

// read is follow for the events at a path of the API.
func (s *server) read(path string, after int, fn func(event) bool) int {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.base+"api/v1/"+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if after > 0 {
		req.Header.Set("Last-Event-ID", strconv.Itoa(after))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK && (res.Header.Get("X-Accel-Buffering") != "no" || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")) {
		s.t.Errorf("the header of the stream is %v", res.Header)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	var e event
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id, _ = strconv.Atoi(value)
		case "event":
			e.kind = value
		case "data":
			if err := json.Unmarshal([]byte(value), &e.data); err != nil {
				s.t.Fatal(err)
			}
		case "":
			if e.kind != "" && !fn(e) {
				return res.StatusCode
			}
			e = event{}
		}
	}
	return res.StatusCode
}

func TestEvents(t *testing.T) {
	web := smallSite(t)
	s := open(t, t.TempDir())
	run := s.runOf(s.create(object{"targets": []string{web.URL}}))
	var all []event
	s.follow(run, 0, func(e event) bool { all = append(all, e); return true })
	var kinds []string
	last := 0
	for _, e := range all {
		if e.id <= last {
			t.Errorf("the id %d follows %d", e.id, last)
		}
		last = e.id
		if e.kind == "state" {
			kinds = append(kinds, e.data["state"].(string))
		} else if e.kind == "finding" {
			kinds = append(kinds, "finding")
		}
	}
	if want := "queued running finding finding finding done"; strings.Join(kinds, " ") != want {
		t.Errorf("events: %v, want %s", kinds, want)
	}
	for i, e := range all {
		var again []event
		status := s.follow(run, e.id, func(e event) bool { again = append(again, e); return true })
		want := all[i+1:]
		if i == len(all)-1 {
			if status != http.StatusNoContent {
				t.Errorf("after the last event: status %d", status)
			}
			continue
		}
		if len(again) != len(want) || again[0].id != want[0].id {
			t.Errorf("after event %d: %d events, want %d", e.id, len(again), len(want))
		}
	}
	if a := s.send("GET", "api/v1/runs/"+run+"/events?after=x", nil); a.status != 422 {
		t.Errorf("?after=x: status %d", a.status)
	}
}

// Broken links are shown while other pages are still read, and once.
func TestLiveFindings(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="/gone">gone</a> <a href="/slow">slow</a>`, "/slow": `<a href="/gone">gone, too</a>`})
	s := open(t, t.TempDir())
	run := s.runOf(s.create(object{"targets": []string{web.URL}}))
	late := time.AfterFunc(patience, web.release)
	found := 0
	s.follow(run, 0, func(e event) bool {
		if e.kind != "finding" {
			return true
		}
		if found++; found == 1 {
			if !late.Stop() {
				t.Error("the finding was not shown before the run had ended")
			}
			items := s.items("runs/" + run + "/findings")
			if len(items) != 1 || items[0]["url"] != web.URL+"/gone" || items[0]["places"] != 1.0 {
				t.Errorf("findings of the live run: %v", items)
			}
			web.release()
		}
		return true
	})
	if items := s.items("runs/" + run + "/findings"); found != 1 || len(items) != 1 || items[0]["places"] != 2.0 {
		t.Errorf("%d events; findings at the end: %v", found, items)
	}
}

func TestStopAndResume(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="/slow">slow</a> <a href="/gone">gone</a>`, "/slow": "<p>late"})
	data := t.TempDir()
	s := open(t, data, "--max-runs", "1")
	project := s.create(object{"targets": []string{web.URL}})
	other := s.create(object{"targets": []string{web.URL}})
	run := s.runOf(project)
	s.until(run, "running")
	s.call("POST", "projects/"+project+"/runs", nil, 409, nil)
	s.call("DELETE", "projects/"+project, nil, 409, nil)
	s.call("POST", "runs/"+run+"/resume", nil, 409, nil)
	waiting := s.runOf(other)
	if r := s.until(waiting, "queued", "running"); r["state"] != "queued" {
		t.Error("two runs are executed, although --max-runs is 1")
	}
	if a := s.send("GET", "api/v1/runs/"+waiting+"/report", nil); a.status != 409 {
		t.Errorf("the report of a queued run: status %d", a.status)
	}
	var stopped object
	s.call("POST", "runs/"+waiting+"/stop", nil, 202, &stopped)
	if stopped["state"] != "interrupted" || stopped["interrupted_by"] != "stop" {
		t.Errorf("the queued run is %v", stopped)
	}
	// Others read the state meanwhile, but do not execute it.
	deadline := time.Now().Add(patience)
	for {
		if _, _, status := orbweaver(t, "report", filepath.Join(data, "runs", run)); status != 2 || time.Now().After(deadline) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, stderr, status := orbweaver(t, "resume", "--state", filepath.Join(data, "runs", run)); status != 2 {
		t.Errorf("resume of a run that is executed: status %d: %s", status, stderr)
	}
	s.call("POST", "runs/"+run+"/stop", nil, 202, &stopped)
	if stopped["state"] != "stopping" {
		t.Errorf("the run is %v", stopped["state"])
	}
	r := s.until(run, "interrupted")
	if r["interrupted_by"] != "stop" || r["summary"] == nil {
		t.Errorf("the run is %v", r)
	}
	s.call("POST", "runs/"+run+"/stop", nil, 409, nil)
	web.release()
	s.call("POST", "runs/"+run+"/resume", nil, 202, nil)
	r = s.until(run, "done")
	if r["exit_status"] != 1.0 || r["interrupted_by"] != nil {
		t.Errorf("the resumed run is %v", r)
	}
	if n := len(s.items("runs/" + run + "/findings")); n != 1 {
		t.Errorf("%d findings", n)
	}
	s.call("DELETE", "projects/"+project, nil, 204, nil)
	if _, err := os.Stat(filepath.Join(data, "runs", run)); !os.IsNotExist(err) {
		t.Errorf("the directory of the run: %v", err)
	}
	s.call("GET", "runs/"+run, nil, 404, nil)
}

func TestTerminate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send")
	}
	web := newSite(t, map[string]string{"/": `<a href="/slow">slow</a> <a href="/gone">gone</a>`, "/slow": "<p>late"})
	data := t.TempDir()
	s := open(t, data)
	run := s.runOf(s.create(object{"targets": []string{web.URL}}))
	s.until(run, "running")
	if _, stderr, status := orbweaver(t, "serve", "--data", data, "--auth", "none", "--listen", "127.0.0.1:0"); status != 2 || !strings.Contains(stderr, strconv.Itoa(s.cmd.Process.Pid)) {
		t.Errorf("a second server: status %d: %s", status, stderr)
	}
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := s.wait(); status != 0 || time.Since(began) > patience {
		t.Errorf("status %d after SIGTERM:\n%s", status, s.log)
	}
	s = open(t, data, "--read-only")
	if r := s.until(run, "interrupted"); r["interrupted_by"] != "shutdown" {
		t.Errorf("the run is %v", r)
	}
	s.call("POST", "runs/"+run+"/resume", nil, 403, nil)
	s.kill()
	web.release()
	s = open(t, data)
	if r := s.until(run, "done"); r["exit_status"] != 1.0 {
		t.Errorf("the run is %v", r)
	}
}

// stableReport is the report of a run without what differs between runs.
func (s *server) stableReport(run string) string {
	s.t.Helper()
	var r struct {
		Summary map[string]any
		Results []map[string]any
	}
	if err := json.Unmarshal(s.send("GET", "api/v1/runs/"+run+"/report?show=all", nil).body, &r); err != nil {
		s.t.Fatal(err)
	}
	delete(r.Summary, "requests")
	for _, result := range r.Results {
		delete(result, "elapsed_ms")
		delete(result, "attempts")
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// TestKill kills the server at different moments. The run that ends at last has the report of
// one that nobody disturbed, and its events tell each finding once.
func TestKill(t *testing.T) {
	pages := map[string]string{}
	const count = 40
	kills := crawlertest.Count(6, 60)
	for i := range count {
		pages[fmt.Sprintf("/p%d", i)] = fmt.Sprintf(`<title>%d</title><a href="/p%d">next</a> <a href="/p%d#x">x</a> <a href="/gone%d">gone</a>`, i, (i+1)%count, (i*7)%count, i%9)
	}
	pages["/"] = `<a href="/p0">begin</a>`
	web := newSite(t, pages)
	data := t.TempDir()
	s := open(t, data)
	project := s.create(object{"targets": []string{web.URL}, "options": object{"concurrency": 2, "retries": 0}})
	undisturbed := s.stableReport(s.checked(project))
	run := s.runOf(project)
	asked := func() int {
		web.mu.Lock()
		defer web.mu.Unlock()
		return web.asked
	}
	for i := range kills {
		// Each kill comes some requests later than the one before, or at once.
		from, deadline := asked(), time.Now().Add(patience)
		for asked() < from+i%20*3 && time.Now().Before(deadline) {
			var r object
			s.call("GET", "runs/"+run, nil, 200, &r)
			if r["state"] == "done" {
				break
			}
		}
		s.kill()
		s = open(t, data)
		if r := s.until(run, "queued", "running", "done"); r["state"] == "done" && i < kills-1 {
			run = s.runOf(project)
		}
	}
	s.until(run, "done")
	if got := s.stableReport(run); got != undisturbed {
		t.Errorf("the report after %d kills differs:\n%s\nwant:\n%s", kills, got, undisturbed)
	}
	told := map[string]int{}
	final := ""
	s.follow(run, 0, func(e event) bool {
		if e.kind == "finding" {
			told[e.data["id"].(string)]++
		} else if e.kind == "state" {
			final = e.data["state"].(string)
		}
		return true
	})
	if final != "done" {
		t.Errorf("the last state that the events tell is %q", final)
	}
	want := map[string]int{}
	for _, f := range s.items("runs/" + run + "/findings?limit=1000") {
		want[f["id"].(string)] = 1
	}
	if !maps.Equal(told, want) {
		t.Errorf("the events tell %v, and the findings are %v", slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(want)))
	}
}
