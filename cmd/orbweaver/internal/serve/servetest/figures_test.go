package servetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestFigures counts and filters the pages of a run by status, depth and type.
func TestFigures(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<title>A</title><a href="a">x</a> <a href="b">x</a> <a href="text">x</a>`)
		case "/a", "/b":
			w.Header().Set("Content-Type", "TEXT/HTML")
			fmt.Fprint(w, `<title>B</title><a href="/">x</a> <a href="text">x</a> <a href="gone`+r.URL.Path[1:]+`">x</a>`)
		case "/text":
			w.Header().Set("Content-Type", "text/markdown")
			fmt.Fprint(w, `[x](/)`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	s := open(t, t.TempDir())
	run := s.checked(s.create(object{"targets": []string{web.URL + "/"}, "options": object{"retries": 0}}))
	var f struct {
		Status, Depth []struct{ Value, Count int }
		ContentType   []struct {
			Value string
			Count int
		} `json:"content_type"`
		Elapsed []struct {
			UpToMS *int `json:"upto_ms"`
			Count  int
		}
	}
	s.call("GET", "runs/"+run+"/figures", nil, 200, &f)
	if got := fmt.Sprint(f.Status, f.Depth, f.ContentType); got != "[{200 4}] [{0 1} {1 3}] [{text/html 3} {text/markdown 1}]" {
		t.Errorf("the figures are %s", got)
	}
	sum := 0
	for i, limit := range []int{100, 300, 1000, 3000, 10000, 0} {
		if c := f.Elapsed[i]; (c.UpToMS == nil) != (limit == 0) || limit > 0 && *c.UpToMS != limit {
			t.Errorf("class %d of the response times ends at %v", i, c.UpToMS)
		}
		sum += f.Elapsed[i].Count
	}
	if sum != 4 || len(f.Elapsed) != 6 {
		t.Errorf("the response times count %d pages in %d classes", sum, len(f.Elapsed))
	}
	for query, want := range map[string]string{
		"status=2xx": "/ /a /b /text", "status=404": "", "status=200&depth=0": "/", "type=text/markdown": "/text", "type=TEXT/HTML&sort=url&order=desc": "/b /a /",
		"type=none": "", "sort=type": "/text / /a /b", "sort=type&order=asc": "/ /a /b /text", "sort=in": "/ /text /a /b", "sort=out": "/ /a /b /text", "sort=status&order=asc": "/ /a /b /text",
	} {
		var list struct {
			Items []struct {
				URL         string
				ContentType string `json:"content_type"`
			}
			Total int
		}
		s.call("GET", "runs/"+run+"/pages?"+query, nil, 200, &list)
		var paths []string
		for _, p := range list.Items {
			paths = append(paths, strings.TrimPrefix(p.URL, web.URL))
		}
		if got := strings.Join(paths, " "); got != want || list.Total != len(paths) {
			t.Errorf("?%s: %s, want %s", query, got, want)
		}
	}
	for query, field := range map[string]string{"status=4x": "status", "status=9999": "status", "depth=-1": "depth", "depth=1.5": "depth", "order=up": "order", "sort=color": "sort"} {
		var p problem
		s.call("GET", "runs/"+run+"/pages?"+query, nil, 422, &p)
		if len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("?%s: %+v", query, p.Errors)
		}
	}
	page := string(wants(t, "the pages", s.send("GET", "runs/"+run+"/pages", nil), 200).body)
	for _, want := range []string{"<h2>Status</h2>", "<h2>Depth</h2>", "<h2>Content type</h2>", "<h2>Response time</h2>", "pages?status=200", "pages?depth=1", "pages?type=text%2Fmarkdown", "pages?sort=elapsed"} {
		if !strings.Contains(page, want) {
			t.Errorf("the pages view has no %s", want)
		}
	}
	if a := wants(t, "a wrong status", s.send("GET", "runs/"+run+"/pages?status=4x", nil), 422); !strings.Contains(string(a.body), "Status: use a status") {
		t.Errorf("the page says %s", a.body)
	}
}
