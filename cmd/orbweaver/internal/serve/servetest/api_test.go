package servetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/render"
)

// site is a site whose pages a test can change.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
	hold  chan struct{} // requests for /slow wait until it is closed
	asked int
}

func newSite(t *testing.T, pages map[string]string) *site {
	s := &site{pages: pages, hold: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.release()
		s.Close()
	})
	return s
}

// release lets requests for /slow continue.
func (s *site) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.hold:
	default:
		close(s.hold)
	}
}

func (s *site) set(path, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked++
	page, ok := s.pages[r.URL.Path]
	hold := s.hold
	s.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/slow") {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}
	if !ok || page == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, page)
}

func smallSite(t *testing.T) *site {
	return newSite(t, map[string]string{
		"/":       `<title>Home</title><a href="a.html">A</a> <a href="gone.html">gone</a> <a href="a.html#x">x</a> <a href="old">old</a>`,
		"/a.html": `<title>A ÄÖ</title><a href="/">home</a> <a href="gone.html">gone again</a> <a href="mailto:a@b.example">mail</a>`,
	})
}

func TestRun(t *testing.T) {
	web := smallSite(t)
	data := t.TempDir()
	s := open(t, data)
	project := s.create(object{"targets": []string{web.URL + "/"}, "options": object{"depth": 3, "retries": 0, "user": "joe:secret"}})
	run := s.checked(project)
	r := s.until(run, "done")
	if r["exit_status"] != 1.0 || r["summary"] == nil || r["started"] == nil || r["finished"] == nil {
		t.Errorf("the run is %v", r)
	}
	progress := r["progress"].(object)
	if progress["pages"] != 2.0 || progress["broken"] != 3.0 || progress["queued"] != 0.0 {
		t.Errorf("the progress at the end is %v", progress)
	}
	var got []string
	for _, f := range s.items("runs/" + run + "/findings") {
		got = append(got, strings.TrimPrefix(f["url"].(string), web.URL)+" "+f["code"].(string)+" "+fmt.Sprint(f["places"], " ", f["change"]))
	}
	if want := "/a.html#x fragment-missing 1 new,/gone.html http-404 2 new,/old http-404 1 new"; strings.Join(got, ",") != want {
		t.Errorf("findings:\n%s\nwant:\n%s", strings.Join(got, ","), want)
	}
	for _, format := range []string{"json", "ndjson", "csv", "html", "markdown", "junit", "sarif", "xml", "dot", "gml", "graphml", "sitemap", "sqlite", "text"} {
		a := s.send("GET", "api/v1/runs/"+run+"/report?format="+format+"&show=all", nil)
		want, stderr, _ := orbweaver(t, "report", filepath.Join(data, "runs", run), "-f", format, "--show", "all")
		if a.status != 200 || string(a.body) != want {
			t.Errorf("report as %s: status %d, %d bytes, and report writes %d bytes %s", format, a.status, len(a.body), len(want), stderr)
		}
		if !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") || !strings.Contains(a.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("report as %s: header %v", format, a.header)
		}
	}
}

func TestFindings(t *testing.T) {
	web := smallSite(t)
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}})
	run := s.checked(project)
	host := strings.TrimPrefix(web.URL, "http://")
	host = host[:strings.LastIndex(host, ":")]
	for query, want := range map[string]string{
		"":                             "a.html#x,gone.html,old",
		"verdict=broken":               "a.html#x,gone.html,old",
		"verdict=unverified":           "",
		"verdict=ok":                   ",a.html",
		"verdict=skipped":              "mailto:a@b.example",
		"verdict=ok,broken":            ",a.html,a.html#x,gone.html,old",
		"code=http-404":                "gone.html,old",
		"code=http-404,http-410":       "gone.html,old",
		"scope=external":               "",
		"host=" + host:                 "a.html#x,gone.html,old",
		"host=example.com":             "",
		"page=" + web.URL + "/a.html":  "gone.html",
		"q=GONE":                       "gone.html",
		"q=no+element":                 "a.html#x",
		"change=new":                   "a.html#x,gone.html,old",
		"change=still":                 "",
		"change=fixed":                 "",
		"known=true":                   "",
		"known=false":                  "a.html#x,gone.html,old",
		"sort=code":                    "a.html#x,gone.html,old",
		"sort=places":                  "gone.html,a.html#x,old",
		"sort=places&limit=1":          "gone.html",
		"q=gone&code=fragment-missing": "",
	} {
		var got []string
		for _, f := range s.items("runs/" + run + "/findings?" + query) {
			got = append(got, strings.TrimPrefix(f["url"].(string), web.URL+"/"))
		}
		if strings.Join(got, ",") != want {
			t.Errorf("?%s: %s, want %s", query, strings.Join(got, ","), want)
		}
	}
	for _, sort := range []string{"url", "code", "places"} {
		all, _ := json.Marshal(s.items("runs/" + run + "/findings?sort=" + sort))
		var parts []object
		for after := ""; ; {
			var list struct {
				Items []object
				Next  *string
				Total int
			}
			s.call("GET", "runs/"+run+"/findings?limit=1&sort="+sort+"&after="+after, nil, 200, &list)
			if list.Total != 3 {
				t.Errorf("sort=%s: total %d", sort, list.Total)
			}
			parts = append(parts, list.Items...)
			if list.Next == nil {
				break
			}
			after = *list.Next
		}
		if joined, _ := json.Marshal(parts); string(joined) != string(all) {
			t.Errorf("sort=%s: the parts are\n%s, and the whole is\n%s", sort, joined, all)
		}
	}
	for _, wrong := range []string{"limit=0", "limit=1001", "limit=x", "sort=size", "verdict=bad", "scope=x", "change=x", "known=1", "code=http-404,nonsense", "after=nosuch"} {
		var p struct{ Errors []struct{ Field string } }
		s.call("GET", "runs/"+run+"/findings?"+wrong, nil, 422, &p)
		if name, _, _ := strings.Cut(wrong, "="); len(p.Errors) != 1 || p.Errors[0].Field != name {
			t.Errorf("?%s: %v", wrong, p)
		}
	}
}

func TestFindingDetail(t *testing.T) {
	web := smallSite(t)
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}})
	first := s.checked(project)
	web.set("/old", "<p>back")
	second := s.checked(project)
	f := s.items("runs/" + second + "/findings?q=gone")[0]
	var detail struct {
		Code       string
		References []struct{ Page, Text string }
		History    []struct{ Run, Verdict, Code string }
	}
	s.call("GET", "runs/"+second+"/findings/"+f["id"].(string), nil, 200, &detail)
	if detail.Code != "http-404" || len(detail.References) != 2 || detail.References[1].Text != "gone again" {
		t.Errorf("the detail is %+v", detail)
	}
	if len(detail.History) != 2 || detail.History[0].Run != second || detail.History[1].Run != first {
		t.Errorf("the history is %+v", detail.History)
	}
	changes := map[string]string{}
	for _, change := range []string{"new", "still", "fixed"} {
		for _, f := range s.items("runs/" + second + "/findings?change=" + change) {
			changes[strings.TrimPrefix(f["url"].(string), web.URL+"/")] = change
			if change == "fixed" {
				s.call("GET", "runs/"+second+"/findings/"+f["id"].(string), nil, 200, nil)
			}
		}
	}
	if got := fmt.Sprint(changes); got != "map[a.html#x:still gone.html:still old:fixed]" {
		t.Errorf("the changes are %s", got)
	}
	var both struct{ New, Fixed, Still []object }
	s.call("GET", "runs/"+second+"/compare", nil, 200, &both)
	fixed := s.send("GET", "runs/"+second+"/export?change=fixed&format=csv", nil)
	if lines := strings.Split(strings.TrimSpace(string(fixed.body)), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[1], web.URL+"/old,broken,http-404,") {
		t.Errorf("the export of what is fixed is\n%s", fixed.body)
	}
	if len(both.New) != 0 || len(both.Fixed) != 1 || len(both.Still) != 2 {
		t.Errorf("the comparison is %v", both)
	}
	s.call("GET", "runs/"+first+"/compare?with="+second, nil, 200, &both)
	if len(both.New) != 1 || len(both.Fixed) != 0 || len(both.Still) != 2 {
		t.Errorf("the comparison the other way is %v", both)
	}
	s.call("GET", "runs/"+first+"/compare?with=nosuch", nil, 404, nil)
	other := s.checked(s.create(object{"targets": []string{web.URL}}))
	s.call("GET", "runs/"+first+"/compare?with="+other, nil, 422, nil)
}

func TestPages(t *testing.T) {
	web := smallSite(t)
	s := open(t, t.TempDir())
	run := s.checked(s.create(object{"targets": []string{web.URL}}))
	for sort, want := range map[string]string{"url": "/,/a.html", "depth": "/,/a.html", "links": "/a.html,/", "broken": "/,/a.html"} {
		var got []string
		for _, p := range s.items("runs/" + run + "/pages?sort=" + sort) {
			got = append(got, strings.TrimPrefix(p["url"].(string), web.URL))
		}
		if strings.Join(got, ",") != want {
			t.Errorf("sort=%s: %v, want %s", sort, got, want)
		}
	}
	if found := s.items("runs/" + run + "/pages?q=" + url.QueryEscape("äö")); len(found) != 1 || found[0]["title"] != "A ÄÖ" {
		t.Errorf("a title in another case: %v", found)
	}
	home := s.items("runs/" + run + "/pages?q=home")[0]
	for name, want := range map[string]any{"title": "Home", "status": 200.0, "depth": 0.0, "links_in": 1.0, "links_out": 4.0, "findings": 3.0} {
		if home[name] != want {
			t.Errorf("%s is %v, want %v", name, home[name], want)
		}
	}
}

// A page that was found by a redirect has the answer to that request.
func TestPageBehindRedirect(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>`+r.URL.Path+`</title><a href="/old">old</a>`)
	}))
	t.Cleanup(web.Close)
	s := open(t, t.TempDir())
	run := s.checked(s.create(object{"targets": []string{web.URL}}))
	p := s.items("runs/" + run + "/pages?q=/new")[0]
	if p["url"] != web.URL+"/new" || p["status"] != 200.0 || p["size"] == -1.0 {
		t.Errorf("the page is %v", p)
	}
}

// Projects may have pages rendered and their content checked.
func TestRenderedRun(t *testing.T) {
	if _, err := render.Find(""); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	web := newSite(t, map[string]string{"/": `<title>App</title><a href="#made">x</a><p id="app"></p><script>document.getElementById("app").innerHTML = '<a id="made" href="/gone">made</a>'</script>`})
	s := open(t, t.TempDir())
	run := s.checked(s.create(object{"targets": []string{web.URL}, "options": object{"render": "always", "check": []string{"seo"}, "retries": 0}}))
	got := map[string]string{}
	for _, f := range s.items("runs/" + run + "/findings?verdict=broken,warning,ok") {
		got[strings.TrimPrefix(f["url"].(string), web.URL)+" "+f["code"].(string)] = f["verdict"].(string)
	}
	if got["/gone http-404"] != "broken" || got["/#made ok"] != "ok" || got["/ description-missing"] != "warning" {
		t.Errorf("findings: %v\n%s", got, s.log)
	}
	var both struct {
		After struct{ Verdict, Code string }
	}
	s.call("POST", "runs/"+run+"/recheck", object{"url": web.URL + "/#made"}, 200, &both)
	if both.After.Verdict != "unverified" { // no browser is opened for it
		t.Errorf("recheck: %+v", both)
	}
}

func TestRecheck(t *testing.T) {
	web := smallSite(t)
	s := open(t, t.TempDir())
	run := s.checked(s.create(object{"targets": []string{web.URL}}))
	web.set("/a.html", `<p id="x">`)
	var both struct {
		Before, After struct{ Verdict, Code string }
	}
	s.call("POST", "runs/"+run+"/recheck", object{"url": web.URL + "/a.html#x"}, 200, &both)
	if both.Before.Code != "fragment-missing" || both.After.Verdict != "ok" {
		t.Errorf("%+v", both)
	}
	s.call("POST", "runs/"+run+"/recheck", object{"url": web.URL + "/old"}, 200, &both)
	if both.Before.Code != "http-404" || both.After.Code != "http-404" {
		t.Errorf("%+v", both)
	}
	s.call("POST", "runs/"+run+"/recheck", object{"url": web.URL + "/nosuch"}, 404, nil)
	s.call("POST", "runs/"+run+"/recheck", object{}, 422, nil)
	s.call("POST", "runs/"+run+"/recheck", nil, 400, nil)
}
