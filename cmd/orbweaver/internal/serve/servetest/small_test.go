package servetest

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A client that goes away is counted, and is no error of the server.
func TestClientGoesAway(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="/slow">slow</a>`, "/slow": "<p>late"})
	s := open(t, t.TempDir())
	web.release()
	run := s.checked(s.create(object{"targets": []string{web.URL}}))
	web.mu.Lock()
	web.hold = make(chan struct{})
	asked := web.asked
	web.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", s.base+"api/v1/runs/"+run+"/recheck", strings.NewReader(fmt.Sprintf(`{"url":"%s/slow"}`, web.URL)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	go func() {
		defer cancel()
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			web.mu.Lock()
			reached := web.asked > asked
			web.mu.Unlock()
			if reached {
				return
			}
		}
	}()
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Fatalf("the request was answered: %d", res.StatusCode)
	}
	for deadline := time.Now().Add(patience); !strings.Contains(string(s.send("GET", "metrics", nil).body), `orbweaver_http_requests_total{code="499"} 1`); {
		if time.Now().After(deadline) {
			t.Fatalf("the client is not counted:\n%s", s.send("GET", "metrics", nil).body)
		}
		time.Sleep(10 * time.Millisecond)
	}
	for deadline := time.Now().Add(patience); !strings.Contains(s.log.String(), "/recheck 499 "); time.Sleep(10 * time.Millisecond) { // it is written after it is counted
		if time.Now().After(deadline) {
			t.Fatalf("the client is not in the log:\n%s", s.log.String())
		}
	}
	if log := s.log.String(); strings.Contains(log, " 500 ") {
		t.Errorf("the log:\n%s", log)
	}
}

// Each element of a list that is wrong is named, whatever else is wrong with the list.
func TestEachWrongElementIsNamed(t *testing.T) {
	s := open(t, t.TempDir())
	for _, row := range []struct {
		targets, tags []any
		want          string
	}{
		{[]any{"https://example.com/", 5, nil}, []any{}, "targets.1 targets.2"},
		{[]any{"ftp://x", 5, "https://example.com/", "-"}, []any{}, "targets.0 targets.1 targets.3"},
		{[]any{"https://example.com/"}, []any{"a b", 1, "c", nil, "", "C"}, "tags.0 tags.1 tags.3 tags.4 tags.5"},
	} {
		var faults problem
		s.call("POST", "projects", object{"name": "x", "targets": row.targets, "tags": row.tags}, 422, &faults)
		var fields []string
		for _, f := range faults.Errors {
			fields = append(fields, f.Field)
		}
		if got := strings.Join(fields, " "); got != row.want {
			t.Errorf("the targets %v and the tags %v: the errors are at %q, want %q", row.targets, row.tags, got, row.want)
		}
	}
}

// A run that has just begun has a directory, but no crawl in it.
func TestReportOfRunThatBegins(t *testing.T) {
	web := newSite(t, map[string]string{"/": "<p>x"})
	data := t.TempDir()
	s := open(t, data)
	run := s.checked(s.create(object{"targets": []string{web.URL}}))
	if err := os.Remove(filepath.Join(data, "runs", run, "crawl.sqlite")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"api/v1/runs/" + run + "/report", "runs/" + run + "/export?format=csv"} {
		a := wants(t, path, s.send("GET", path, nil), 409)
		if a.header.Get("Content-Disposition") != "" || !strings.Contains(string(a.body), "nothing is known of the run yet") {
			t.Errorf("%s: %v\n%s", path, a.header, a.body)
		}
	}
}

// Before there is an account, the page to sign in says where to make one.
func TestSignInBeforeSetUp(t *testing.T) {
	data := t.TempDir()
	s := start(t, data)
	text := string(s.send("GET", "login", nil).body)
	for _, want := range []string{"There is no account yet", "printed the address of the set-up page when it started", "orbweaver serve user add"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(text, "setup?token") {
		t.Error("the page has the address of the set-up page")
	}
	token(t, data, "boss", "admin")
	if text := string(s.send("GET", "login", nil).body); strings.Contains(text, "no account yet") {
		t.Error("the page says that there is no account, although there is one")
	}
}

// A comparison has at most so many findings of each list, and says how many there are.
func TestCompareLimits(t *testing.T) {
	var links strings.Builder
	for n := range 120 {
		fmt.Fprintf(&links, `<a href="gone/%03d">x</a>`, n)
	}
	web := newSite(t, map[string]string{"/": links.String()})
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	s.checked(project)
	web.set("/", strings.ReplaceAll(links.String(), "gone/0", "away/0"))
	run := s.checked(project)
	var both struct {
		New, Fixed, Still []object
		Totals            map[string]int
		Truncated         bool
	}
	s.call("GET", "runs/"+run+"/compare?limit=7", nil, 200, &both)
	if fmt.Sprint(len(both.New), len(both.Fixed), len(both.Still), both.Totals, both.Truncated) != "7 7 7 map[fixed:100 new:100 still:20] true" {
		t.Errorf("%d new, %d fixed, %d still, totals %v, truncated %v", len(both.New), len(both.Fixed), len(both.Still), both.Totals, both.Truncated)
	}
	s.call("GET", "runs/"+run+"/compare", nil, 200, &both)
	if len(both.New) != 100 || len(both.Fixed) != 100 || len(both.Still) != 20 || both.Truncated {
		t.Errorf("without a limit: %d new, %d fixed, %d still, truncated %v", len(both.New), len(both.Fixed), len(both.Still), both.Truncated)
	}
	seen, after := map[string]bool{}, ""
	for {
		var list struct {
			Items []struct{ URL string }
			Next  *string
			Total int
		}
		s.call("GET", "runs/"+run+"/compare?list=fixed&limit=30"+after, nil, 200, &list)
		for _, f := range list.Items {
			seen[f.URL] = true
		}
		if list.Total != 100 {
			t.Errorf("the list has %d items in all", list.Total)
		}
		if list.Next == nil {
			break
		}
		after = "&after=" + *list.Next
	}
	if len(seen) != 100 || !seen[web.URL+"/gone/000"] {
		t.Errorf("the list of what is fixed has %d items", len(seen))
	}
	for _, query := range []string{"?list=all", "?limit=0", "?limit=1001", "?list=new&after=x"} {
		s.call("GET", "runs/"+run+"/compare"+query, nil, 422, nil)
	}
	page := string(s.send("GET", "runs/"+run+"/compare", nil).body)
	for _, want := range []string{"100 new broken links", "100 fixed", "20 still broken"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if a := s.send("GET", "runs/"+run+"/compare?list=fixed", nil); a.status != 200 || strings.Contains(string(a.body), "still broken") {
		t.Errorf("the page with one list: status %d", a.status)
	}
}

// The description of the API itself has no member that OpenAPI does not allow to be null, no reference
// that leads nowhere, and no content of what is no media type.
func TestDescriptionIsValid(t *testing.T) {
	s := open(t, t.TempDir())
	var whole any
	if err := json.Unmarshal(s.send("GET", "api/v1/openapi.json", nil).body, &whole); err != nil {
		t.Fatal(err)
	}
	var look func(at string, v any)
	look = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if to, ok := v["$ref"].(string); ok && !leads(whole, to) {
				t.Errorf("%s/$ref leads nowhere: %s", at, to)
			}
			for name, member := range v {
				if media, _, err := mime.ParseMediaType(name); strings.HasSuffix(at, "/content") && (err != nil || media != name || !strings.Contains(media, "/")) {
					t.Errorf("%s has the media type %q", at, name)
				}
				if _, list := member.([]any); name == "required" && !list && member != true && member != false && !strings.HasSuffix(at, "/properties") {
					t.Errorf("%s/required is %v", at, member)
				}
				look(at+"/"+name, member)
			}
		case []any:
			for i, member := range v {
				look(fmt.Sprint(at, "/", i), member)
			}
		case nil:
			if !strings.Contains(at, "/enum/") {
				t.Errorf("%s is null", at)
			}
		}
	}
	look("", whole)
}

// leads reports whether a reference leads to a part of a document.
func leads(document any, reference string) bool {
	path, found := strings.CutPrefix(reference, "#/")
	if !found {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		part, _ := document.(map[string]any)
		if document, found = part[name]; !found {
			return false
		}
	}
	return true
}
