package servetest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// problem is a problem of status 422.
type problem struct {
	Detail string
	Errors []struct{ Field, Message string }
}

func TestProject(t *testing.T) {
	s := open(t, t.TempDir())
	var p object
	a := s.call("POST", "projects", object{"name": "Docs", "targets": []string{"www.example.com", "https://user:pass-word@example.com/"},
		"options": object{"depth": 3, "external": "skip", "exclude": []string{"x", "y"}, "header": []string{"X-Key: abcdef"}, "user": "me:secret-pass", "rate": "2/s", "soft-404": true},
		"notify":  []object{{"type": "webhook", "url": "https://example.com/hook", "secret": "hook-secret", "on": []string{"new"}}}, "schedule": "@daily"}, 201, &p)
	id := p["id"].(string)
	if want := "/api/v1/projects/" + id; a.header.Get("Location") != want {
		t.Errorf("Location is %q, want %s", a.header.Get("Location"), want)
	}
	options := p["options"].(object)
	if options["depth"] != 3.0 || options["soft-404"] != true || fmt.Sprint(options["exclude"], options["header"], options["user"]) != "[x y] [***]***" {
		t.Errorf("the options are %v", options)
	}
	if got := fmt.Sprint(p["targets"]); got != "[www.example.com https://user:***@example.com/]" {
		t.Errorf("the targets are %s", got)
	}
	if p["next_run"] == nil || p["last_run"] != nil {
		t.Errorf("next_run %v, last_run %v", p["next_run"], p["last_run"])
	}
	// What is hidden is kept.
	for range 2 {
		s.call("PATCH", "projects/"+id, object{"options": options, "targets": p["targets"], "notify": p["notify"]}, 200, &p)
	}
	s.call("PATCH", "projects/"+id, object{"name": "Other"}, 200, &p)
	if p["name"] != "Other" || p["schedule"] != "@daily" {
		t.Errorf("after PATCH: %v", p)
	}
	if text, _ := json.Marshal(p); strings.Contains(string(text), "secret") && !strings.Contains(string(text), `"secret":"***"`) || strings.Contains(string(text), "pass-word") {
		t.Errorf("the project shows a secret: %s", text)
	}
	s.call("PATCH", "projects/"+id, object{"targets": []string{"https://other:***@example.com/"}}, 422, nil)
	s.call("DELETE", "projects/"+id, nil, 204, nil)
	s.call("GET", "projects/"+id, nil, 404, nil)
}

func TestProjectFaults(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.html")
	if err := os.WriteFile(outside, []byte("<p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.html")); err != nil {
		t.Log(err)
	}
	s := open(t, t.TempDir(), "--files", dir)
	good := `"name": "x", "targets": ["https://example.com/"]`
	for body, want := range map[string]string{
		`{}`:                            "name: it is missing|targets: it is missing",
		`{` + good + `, "optoins": {}}`: `optoins: unknown member "optoins": did you mean "options"?`,
		`{"targets": [], "name": ""}`:   "targets: use a list of 1 to 100 URLs|name: use 1 to 200 characters",
		`{` + good + `, "options": {"depth": "x"}}`:                                               `options.depth: "x" is not allowed: use a whole number, 0 or more`,
		`{` + good + `, "options": {"dept": 3}}`:                                                  `options.dept: unknown option "dept": did you mean "depth"?`,
		`{` + good + `, "options": {"proxy": "http://x"}}`:                                        `options.proxy: "proxy" is not allowed here`,
		`{` + good + `, "options": {"format": "csv"}}`:                                            `options.format: "format" is not allowed here`,
		`{` + good + `, "options": {"sitemaps": 1}}`:                                              `options.sitemaps: use true or false`,
		`{` + good + `, "options": {"depth": [1]}}`:                                               `options.depth: a list is not allowed: it has one value`,
		`{` + good + `, "options": {"exclude": [1]}}`:                                             `options.exclude: use a list of strings`,
		`{` + good + `, "options": {"exclude": 1}}`:                                               `options.exclude: use a string or a list of strings`,
		`{` + good + `, "options": {"timeout": 5}}`:                                               `options.timeout: use a string`,
		`{` + good + `, "options": {"retries": true}}`:                                            `options.retries: use a string or a number`,
		`{` + good + `, "options": {"check": "virus"}}`:                                           `options.check: "virus" is not allowed here`,
		`{` + good + `, "options": {"user": "***"}}`:                                              `options.user: no value is stored for it: write it out`,
		`{` + good + `, "schedule": "0 0 30 2 *"}`:                                                "schedule",
		`{` + good + `, "notify": [{"type": "webhook", "url": "http://10.0.0.1/"}]}`:              "notify.0.url",
		`{` + good + `, "notify": [{"type": "email", "to": "a@b.example"}]}`:                      "notify.0.to",
		`{"name": "x", "targets": ["example.com/docs"]}`:                                          `targets.0: "example.com/docs" has no scheme: did you mean https://example.com/docs?`,
		`{"name": "x", "targets": ["-"]}`:                                                         "targets.0",
		`{"name": "x", "targets": ["https://example.com/", "*.html"]}`:                            "targets.1",
		`{"name": "x", "targets": ["ftp://example.com/"]}`:                                        "targets.0",
		`{"name": "x", "targets": ["/etc"]}`:                                                      "targets.0",
		`{"name": "x", "targets": ["file:///etc/passwd"]}`:                                        "targets.0",
		`{"name": "x", "targets": ["` + filepath.ToSlash(filepath.Join(dir, "link.html")) + `"]}`: "targets.0",
	} {
		var p problem
		s.call("POST", "projects", body, 422, &p)
		var got []string
		for _, e := range p.Errors {
			got = append(got, e.Field+": "+e.Message)
		}
		if joined := strings.Join(got, "|"); joined != want && !(len(got) == 1 && strings.HasPrefix(joined, want+":")) {
			t.Errorf("%s:\n%s, want\n%s", body, joined, want)
		}
		if len(p.Errors) > 0 && p.Detail != p.Errors[0].Message {
			t.Errorf("%s: the detail is %q", body, p.Detail)
		}
	}
	for body, status := range map[string]int{
		`{"name": `: 400, `{"name": "x", "name": "y"}`: 400, `{"options": {"a": 1, "a": 2}}`: 400, `{} {}`: 400, "{\"name\": \"\xff\"}": 400, `[]`: 422, ``: 400,
		`{"name": "` + strings.Repeat("x", 1<<20) + `"}`: 413,
	} {
		if a := s.send("POST", "api/v1/projects", body); a.status != status {
			t.Errorf("%.40s: status %d, want %d", body, a.status, status)
		}
	}
	plain := func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }
	if a := s.send("POST", "api/v1/projects", `{}`, plain); a.status != 415 {
		t.Errorf("text/plain: status %d", a.status)
	}
	utf8 := func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-8") }
	if a := s.send("POST", "api/v1/projects", `{}`, utf8); a.status != 422 {
		t.Errorf("charset=utf-8: status %d", a.status)
	}
	if a := s.send("PUT", "api/v1/projects", nil); a.status != 405 || a.header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("PUT: status %d, Allow: %s", a.status, a.header.Get("Allow"))
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"index.html": `<a href="gone.html">gone</a>`, "page.html": `<a href="../../../../../../etc/passwd">x</a> <a href="file:///etc/passwd">y</a>`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, t.TempDir(), "--files", dir)
	run := s.checked(s.create(object{"targets": []string{dir}}))
	found := map[string]bool{}
	for _, f := range s.items("runs/" + run + "/findings") {
		found[f["code"].(string)] = true
	}
	if !found["file-missing"] {
		t.Errorf("findings of a directory: %v", found)
	}
	run = s.checked(s.create(object{"targets": []string{filepath.Join(dir, "page.html")}}))
	for _, f := range s.items("runs/" + run + "/findings?verdict=ok") {
		if strings.Contains(f["url"].(string), "passwd") {
			t.Errorf("a file outside --files was looked for: %v", f)
		}
	}
}

func TestMarksAndLinks(t *testing.T) {
	web := smallSite(t)
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}})
	run := s.checked(project)
	gone := s.items("runs/" + run + "/findings?q=gone")[0]["fingerprint"].(string)
	path := "projects/" + project + "/marks/" + gone
	var m object
	s.call("PUT", path, object{"as": "known", "reason": "it comes back", "until": "2999-12-31"}, 200, &m)
	if m["until"] != "3000-01-01T00:00:00Z" || m["fingerprint"] != gone || m["by"] == "" {
		t.Errorf("the mark is %v", m)
	}
	for _, wrong := range []object{{"as": "x", "reason": "y"}, {"as": "known"}, {"as": "known", "reason": " "}, {"as": "known", "reason": "x", "until": "2001-01-01"}, {"as": "known", "reason": "x", "until": "soon"}} {
		s.call("PUT", path, wrong, 422, nil)
	}
	s.call("PUT", "projects/"+project+"/marks/nosuch", object{"as": "known", "reason": "x"}, 404, nil)
	if n := len(s.items("projects/" + project + "/marks")); n != 1 {
		t.Errorf("%d marks", n)
	}
	if n := len(s.items("runs/" + run + "/findings?known=true")); n != 1 {
		t.Errorf("%d known findings", n)
	}
	links := map[string]object{}
	for _, purpose := range []string{"feed", "badge", "share"} {
		var l object
		s.call("POST", "projects/"+project+"/links", object{"for": purpose, "expires": "90d"}, 201, &l)
		links[purpose] = l
		if l["token"] == nil || !strings.HasPrefix(l["url"].(string), s.base) || l["expires"] == nil {
			t.Errorf("the link is %v", l)
		}
	}
	s.call("POST", "projects/"+project+"/links", object{"for": "all"}, 422, nil)
	if a := s.send("GET", "api/v1/projects/"+project+"/badge.svg", nil); !strings.Contains(string(a.body), "2 broken") || a.header.Get("Content-Type")[:13] != "image/svg+xml" {
		t.Errorf("the badge: %s", a.body)
	}
	if a := s.send("GET", "api/v1/projects/"+project+"/feed.atom", nil); !strings.Contains(string(a.body), "first run: 3 issues, 3 broken links") {
		t.Errorf("the feed: %s", a.body)
	}
	if a := s.send("GET", "share/"+links["share"]["token"].(string), nil); a.status != 200 || !strings.Contains(string(a.body), "gone.html") {
		t.Errorf("the shared page: status %d\n%s", a.status, a.body)
	}
	if a := s.send("GET", "share/"+links["badge"]["token"].(string), nil); a.status != 404 {
		t.Errorf("the shared page with another token: status %d", a.status)
	}
	s.call("DELETE", path, nil, 204, nil)
	s.call("DELETE", path, nil, 404, nil)
	// A mark that expires between two runs makes its finding new.
	for soon := 300 * time.Millisecond; ; soon *= 2 { // it must not have expired when it arrives
		mark := object{"as": "false-alarm", "reason": "for a moment", "until": time.Now().Add(soon).UTC().Format(time.RFC3339Nano)}
		a := s.send("PUT", "api/v1/"+path, mark)
		if a.status == 200 {
			break
		}
		if soon > patience {
			t.Fatalf("the mark: status %d: %s", a.status, a.body)
		}
	}
	for deadline := time.Now().Add(patience); len(s.items("runs/"+run+"/findings?known=true")) > 0; {
		if time.Now().After(deadline) {
			t.Fatal("the mark does not expire")
		}
		time.Sleep(20 * time.Millisecond)
	}
	second := s.checked(project)
	if f := s.items("runs/" + second + "/findings?change=new"); len(f) != 1 || f[0]["fingerprint"] != gone {
		t.Errorf("new findings: %v", f)
	}
	s.call("DELETE", "projects/"+project+"/links/"+links["feed"]["id"].(string), nil, 204, nil)
	if n := len(s.items("projects/" + project + "/links")); n != 2 {
		t.Errorf("%d links", n)
	}
}

// change runs a statement on the database of a server that is stopped.
func change(t *testing.T, data, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, "serve.db"))
	if err == nil {
		_, err = db.Exec(statement)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMissedSchedule(t *testing.T) {
	web := smallSite(t)
	data := t.TempDir()
	s := open(t, data)
	project := s.create(object{"targets": []string{web.URL}, "schedule": "@hourly"})
	s.kill()
	change(t, data, "UPDATE project SET handled = handled - 3*3600*1000")
	s = open(t, data)
	deadline := time.Now().Add(patience)
	for len(s.items("projects/"+project+"/runs")) == 0 {
		if time.Now().After(deadline) {
			t.Fatal("the run that was missed does not start")
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.until(s.items("projects/" + project + "/runs")[0]["id"].(string), "done")
	s.kill()
	s = open(t, data)
	if n := len(s.items("projects/" + project + "/runs")); n != 1 {
		t.Errorf("%d runs after another start", n)
	}
}

func TestRetain(t *testing.T) {
	web := smallSite(t)
	data := t.TempDir()
	s := open(t, data, "--retain", "90d,2")
	project := s.create(object{"targets": []string{web.URL}})
	var all []string
	for range 4 {
		all = append(all, s.checked(project))
	}
	deadline := time.Now().Add(patience)
	for len(s.items("projects/"+project+"/runs")) != 2 {
		if time.Now().After(deadline) {
			t.Fatalf("the runs are %v", s.items("projects/"+project+"/runs"))
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.call("GET", "runs/"+all[0], nil, 404, nil)
	if left, err := filepath.Glob(filepath.Join(data, "*", all[0]+"*")); err != nil || len(left) > 0 {
		t.Errorf("files of a run that was removed: %v", left)
	}
	s.kill()
	change(t, data, "UPDATE run SET finished = finished - 100*86400*1000")
	s = open(t, data, "--retain", "90d")
	if runs := s.items("projects/" + project + "/runs"); len(runs) != 1 || runs[0]["id"] != all[3] {
		t.Errorf("by age, the runs %v are left: the last sound one must be", runs)
	}
}

func TestDatabase(t *testing.T) {
	data := t.TempDir()
	s := open(t, data)
	s.create(object{"targets": []string{"https://example.com/"}})
	s.kill()
	file := filepath.Join(data, "serve.db")
	change(t, data, "PRAGMA user_version = 99; PRAGMA journal_mode = delete")
	newer, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte{}, newer...)
	for i := 4096; i < len(damaged); i++ {
		damaged[i] ^= 0x55
	}
	for name, text := range map[string][]byte{"newer version": newer, "damaged": damaged, "not a database": []byte("hello")} {
		if name == "damaged" {
			text[63] = 1 // the version
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, stderr, status := orbweaver(t, "serve", "--data", data, "--auth", "none", "--listen", "127.0.0.1:0")
		after, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if status != 2 || !strings.Contains(stderr, "serve.db") || string(after) != string(text) {
			t.Errorf("%s: status %d, untouched %v: %s", name, status, string(after) == string(text), stderr)
		}
	}
}
