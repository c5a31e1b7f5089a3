package servetest

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// shareOf returns the path of a page to share.
func (s *server) shareOf(project string) string {
	s.t.Helper()
	var link struct{ Token string }
	s.call("POST", "projects/"+project+"/links", object{"for": "share"}, 201, &link)
	return "share/" + link.Token
}

// A run whose result cannot be relied on says so, and why, wherever it is shown.
func TestUnsoundRuns(t *testing.T) {
	pages := map[string]string{"/": `<a href="/slow">slow</a>`, "/slow": "<p>late", "/broken": `<a href="/gone">gone</a> <a href="/slow">slow</a>`,
		"/empty": "<html></html>", "/many": `<a href="/1">1</a> <a href="/2">2</a> <a href="/3">3</a>`, "/1": "<p>1", "/2": "<p>2", "/3": "<p>3"}
	for name, row := range map[string]struct {
		path    string
		options object
		exit    float64
		because string
		reason  string
	}{
		"nothing verified":     {"/empty", nil, 3, "nothing-verified", "nothing was checked: no link was found"},
		"start unread":         {"/missing", nil, 3, "start-unread", "no start target could be read"},
		"max-time":             {"/", object{"max-time": "5s"}, 3, "max-time", "the run reached --max-time 5s"},
		"max-time with broken": {"/broken", object{"max-time": "5s"}, 1, "max-time", "the run reached --max-time 5s"},
		"max-pages":            {"/many", object{"max-pages": 2}, 3, "max-pages", "the run reached --max-pages 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := newSite(t, pages)
			hook := newSink(t, "")
			s := open(t, t.TempDir())
			options := object{"retries": 0}
			for name, value := range row.options {
				options[name] = value
			}
			project := s.create(object{"targets": []string{web.URL + row.path}, "options": options, "notify": []object{{"type": "webhook", "url": hook.URL, "on": []string{"unsound"}}}})
			run := s.runOf(project)
			r := s.until(run, "done", "failed", "interrupted")
			if r["state"] != "done" || r["exit_status"] != row.exit || r["sound"] != false || r["unsound_because"] != row.because || r["interrupted_by"] != nil {
				t.Errorf("the run is %v: exit status %v, sound %v, unsound_because %v, interrupted_by %v", r["state"], r["exit_status"], r["sound"], r["unsound_because"], r["interrupted_by"])
			}
			if p := s.call("GET", "projects/"+project, nil, 200, nil); !strings.Contains(string(p.body), `"last_run":{"id":"`+run) {
				t.Error("it is not the last run")
			}
			s.call("POST", "runs/"+run+"/resume", nil, 409, nil)
			if got := hook.wait(t, 1); got[0].Event != "unsound" {
				t.Errorf("the event is %s", got[0].Event)
			}
			for _, path := range []string{"", "projects/" + project, "runs/" + run, s.shareOf(project)} {
				text := string(s.send("GET", path, nil).body)
				if lower := strings.ToLower(text); !strings.Contains(lower, "not reliable") || !strings.Contains(text, row.reason) {
					t.Errorf("/%s does not say that the result is not reliable, because %s", path, row.reason)
				}
				for _, green := range []string{"all ok", ">ok<", "badge ok", "No broken links", "Nothing is broken", "resumed", "server was stopped", "All links are ok"} {
					if strings.Contains(text, green) {
						t.Errorf("/%s says %q of it", path, green)
					}
				}
			}
		})
	}
}

// The page to share shows the last sound run, too.
func TestShareOfUnsoundRun(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a>`})
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	first := s.until(s.checked(project), "done")
	if first["sound"] != true || first["unsound_because"] != nil {
		t.Errorf("sound %v, unsound_because %v", first["sound"], first["unsound_because"])
	}
	web.set("/", "")
	s.checked(project)
	text := string(s.send("GET", s.shareOf(project), nil).body)
	if strings.Count(text, "not reliable") != 1 || strings.Count(text, "The last reliable result") != 1 || !strings.Contains(text, web.URL+"/gone") || strings.Count(text, "<time ") != 2 {
		t.Errorf("the page to share:\n%s", text)
	}
}

// What the page says of an interrupted run depends on who interrupted it.
func TestInterruptedBy(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="/slow">slow</a>`, "/slow": "<p>late"})
	data := t.TempDir()
	s := start(t, data)
	s.token = token(t, data, "boss", "admin")
	project := s.create(object{"targets": []string{web.URL}})
	run := s.runOf(project)
	if r := s.until(run, "running"); r["sound"] != nil || r["unsound_because"] != nil {
		t.Errorf("a run that is executed: sound %v, unsound_because %v", r["sound"], r["unsound_because"])
	}
	says := func(want string) {
		t.Helper()
		r := s.until(run, "interrupted")
		if r["sound"] != false || r["unsound_because"] != "interrupted" {
			t.Errorf("sound %v, unsound_because %v", r["sound"], r["unsound_because"])
		}
		if text := string(s.send("GET", "runs/"+run, nil).body); !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	s.kill()
	s = start(t, data, "--read-only")
	s.token = token(t, data, "reader", "viewer")
	says("the server was stopped; the run goes on when it starts again")
	s.kill()
	s = start(t, data)
	s.token = token(t, data, "boss2", "admin")
	s.until(run, "running")
	s.call("POST", "runs/"+run+"/stop", nil, 202, nil)
	says("stopped by boss2")
	s.call("POST", "runs/"+run+"/resume", nil, 202, nil)
	s.until(run, "running")
	web.release()
	if r := s.until(run, "done"); r["sound"] != true {
		t.Errorf("sound %v", r["sound"])
	}
}

// Runs of earlier versions are judged like those of this one.
func TestUpgradeJudgesRuns(t *testing.T) {
	data := versionOne(t)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "serve.db"))
	if err != nil {
		t.Fatal(err)
	}
	add := `INSERT INTO run (id, project, state, place, created, started, finished, exit_status, interrupted_by, summary, job)
		SELECT ?, id, ?, 0, 1, 1, 1, ?, ?, ?, '{"options":{"max-time":"5s"}}' FROM project WHERE name = 'Plain'`
	for _, row := range [][]any{
		{"sound", "done", 1, nil, `{"complete":true}`},
		{"empty", "done", 3, nil, `{"complete":true,"unsound":"nothing was checked: no link was found"}`},
		{"start", "done", 3, nil, `{"complete":true,"unsound":"nothing was checked: no start target could be read"}`},
		{"limit", "interrupted", 3, nil, `{"complete":false,"stopped_by":"max-time","unsound":"the run reached --max-time"}`},
		{"person", "interrupted", 3, "stop", `{"complete":false,"stopped_by":"interrupt"}`},
		{"failed", "failed", nil, nil, nil},
	} {
		if _, err := db.Exec(add, row...); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	s := open(t, data, "--read-only")
	for run, want := range map[string]string{"sound": "done true <nil>", "empty": "done false nothing-verified", "start": "done false start-unread", "limit": "done false max-time",
		"person": "interrupted false interrupted", "failed": "failed false failed"} {
		var r object
		s.call("GET", "runs/"+run, nil, 200, &r)
		if got := strings.TrimSpace(strings.Join([]string{str(r["state"]), str(r["sound"]), str(r["unsound_because"])}, " ")); got != want {
			t.Errorf("%s: %s, want %s", run, got, want)
		}
	}
	if text := string(s.send("GET", "runs/limit", nil).body); !strings.Contains(text, "the run reached --max-time 5s") {
		t.Error("the page does not name the limit")
	}
}

func str(v any) string { return fmt.Sprint(v) }
