package servetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestFailing asks only what had failed.
func TestFailing(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	mended := map[string]bool{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/":
			fmt.Fprint(w, `<a href="gone1">x</a> <a href="gone2">x</a> <a href="page#there">x</a> <a href="busy">x</a> <a href="fine">x</a> <a href="http://[">x</a>`)
		case r.URL.Path == "/busy":
			w.WriteHeader(503)
		case r.URL.Path == "/page" && mended["/page"]:
			fmt.Fprint(w, `<p id="there">x</p> <a href="other">x</a>`)
		case r.URL.Path == "/fine" || r.URL.Path == "/page" || mended[r.URL.Path]:
			fmt.Fprint(w, `<p>x</p> <a href="other">x</a>`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL + "/"}, "options": object{"retries": 0, "exclude": "other"}})
	only := object{"only": "failing"}
	s.call("POST", "projects/"+project+"/runs", only, 409, nil)
	for _, body := range []object{{"only": "all"}, {"only": nil}, {"some": "failing"}} {
		s.call("POST", "projects/"+project+"/runs", body, 422, nil)
	}
	full := s.checked(project)
	broken := func(run string) int {
		var r struct{ Summary struct{ Broken int } }
		s.call("GET", "runs/"+run, nil, 200, &r)
		return r.Summary.Broken
	}
	before := broken(full)

	mu.Lock()
	clear(asked)
	mended["/gone1"], mended["/page"] = true, true
	mu.Unlock()
	var r struct{ ID, Kind string }
	s.call("POST", "projects/"+project+"/runs", only, 202, &r)
	if r.Kind != "failing" {
		t.Errorf("the kind is %q", r.Kind)
	}
	s.until(r.ID, "done")
	mu.Lock()
	var paths []string
	for path := range asked {
		paths = append(paths, path)
	}
	mu.Unlock()
	slices.Sort(paths)
	if got := strings.Join(paths, " "); got != "/busy /gone1 /gone2 /page" {
		t.Errorf("the run asked %s", got)
	}
	if after := broken(r.ID); before != 5 || after != 3 {
		t.Errorf("%d were broken, and %d still are", before, after)
	}
	if page := string(wants(t, "its page", s.send("GET", "runs/"+r.ID, nil), 200).body); !strings.Contains(page, "5 links had failed, and 3 of them are still broken") {
		t.Errorf("the page of the run says %s", page)
	}
	for _, path := range []string{"runs/" + r.ID, "runs/" + r.ID + "/findings"} {
		if page := string(wants(t, path, s.send("GET", path, nil), 200).body); strings.Contains(page, "on 0 pages") {
			t.Errorf("%s says on 0 pages", path)
		}
	}
	if page := string(wants(t, "an issue", s.send("GET", "runs/"+r.ID+"/issues/"+fmt.Sprint(s.items("runs/" + r.ID + "/issues?code=http-404")[0]["id"]), nil), 200).body); !strings.Contains(page, "asked directly") {
		t.Errorf("the page of an issue does not say how it was found: %s", page)
	}
	var p struct {
		LastRun struct{ ID, Kind string } `json:"last_run"`
	}
	if s.call("GET", "projects/"+project, nil, 200, &p); p.LastRun.ID != full || p.LastRun.Kind != "full" {
		t.Errorf("the last run is %+v", p.LastRun)
	}
	if runs := s.items("projects/" + project + "/runs"); len(runs) != 2 {
		t.Errorf("%d runs are listed", len(runs))
	}
	if svg := string(wants(t, "the badge", s.send("GET", "api/v1/projects/"+project+"/badge.svg", nil), 200).body); !strings.Contains(svg, fmt.Sprint(before)+" broken") {
		t.Errorf("the badge counts the run: %s", svg)
	}
	if feed := string(wants(t, "the feed", s.send("GET", "api/v1/projects/"+project+"/feed.atom", nil), 200).body); strings.Contains(feed, r.ID) {
		t.Errorf("the feed has the run: %s", feed)
	}
	var c struct {
		Totals struct{ New, Fixed, Still int }
	}
	if s.call("GET", "runs/"+s.checked(project)+"/compare", nil, 200, &c); c.Totals.Fixed != 2 || c.Totals.New != 0 {
		t.Errorf("a full run is compared with the run before: %+v", c.Totals)
	}

	fine := s.create(object{"targets": []string{web.URL + "/fine"}, "options": object{"retries": 0, "exclude": "other"}})
	s.checked(fine)
	s.call("POST", "projects/"+fine+"/runs", only, 409, nil)
}

// TestFailingReferences: what is wrong with a reference stays in a run that does not read its page.
func TestFailingReferences(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<p>text</p><a href="http://x:y/">x</a> <a href="gone">x</a> <img src=""> <a href="file:///x">x</a>`, "/invalid": `<p>text</p><a href="http://x:y/">x</a>`,
		"/raised": `<meta http-equiv=refresh content="foo"><p>text</p>`})
	s := open(t, t.TempDir())
	for path, row := range map[string]struct {
		broken, pages int
	}{"/": {4, 3}, "/invalid": {1, 1}, "/raised": {1, 1}} {
		project := s.create(object{"targets": []string{web.URL + path}, "options": object{"retries": 0, "scope": "page", "level": []string{"refresh-invalid=broken"}}})
		s.checked(project)
		var r struct {
			ID         string
			ExitStatus *int `json:"exit_status"`
			Sound      *bool
			Summary    struct{ Broken int }
		}
		s.call("POST", "projects/"+project+"/runs", object{"only": "failing"}, 202, &r)
		s.until(r.ID, "done")
		s.call("GET", "runs/"+r.ID, nil, 200, &r)
		if r.Summary.Broken != row.broken || r.ExitStatus == nil || *r.ExitStatus != 1 || r.Sound == nil || !*r.Sound {
			t.Errorf("%s: the run is %+v, want %d broken links", path, r, row.broken)
		}
		var c struct {
			Totals struct{ New, Fixed, Still int }
		}
		if s.call("GET", "runs/"+r.ID+"/compare", nil, 200, &c); c.Totals.New != 0 || c.Totals.Fixed != 0 || c.Totals.Still != row.broken {
			t.Errorf("%s: the comparison is %+v, want %d still broken", path, c.Totals, row.broken)
		}
		pages := 0
		for _, f := range s.items("runs/" + r.ID + "/findings") {
			if f["page"] == web.URL+path {
				pages++
			}
		}
		if pages != row.pages {
			t.Errorf("%s: %d findings name their page, want %d", path, pages, row.pages)
		}
	}
}
