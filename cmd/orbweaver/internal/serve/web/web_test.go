package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// A form becomes the body of the API: lists by lines, switches, and only the members that the
// form has fields of.
func TestProjectBody(t *testing.T) {
	for _, test := range []struct {
		form   string
		create bool
		want   string
	}{
		{"targets=https://example.com/docs/", true, `{"name":"example.com/docs","options":{},"schedule":"","targets":["https://example.com/docs/"]}`},
		{"name=+A+&targets=a%0D%0A%0D%0A+b&exclude=x%0D%0Ay&depth=3&sitemaps=true&scope=&do=save", true,
			`{"name":"A","options":{"depth":"3","exclude":["x","y"],"sitemaps":true},"schedule":"","targets":["a","b"]}`},
		{"dept=3", true, `{"name":"","options":{"dept":"3"},"schedule":"","targets":[]}`},
		{"name=B", false, `{"name":"B"}`},
		{"name=", false, `{"name":""}`},
		{"depth=", false, `{"options":{}}`},
	} {
		v, err := url.ParseQuery(test.form)
		if err != nil {
			t.Fatal(err)
		}
		got, err := projectBody(v, test.create)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v; want %s", test.form, got, err, test.want)
		}
	}
}

// What a project has comes back from its form unchanged.
func TestProjectForm(t *testing.T) {
	p := &api.Project{Name: "A", Targets: []string{"https://example.com/", "https://example.org/"}, Schedule: "@daily", Tags: []string{"docs", "team-a"}, Access: map[string]string{"token:ci": "viewer", "ada": "editor"},
		Options: map[string]any{"depth": json.Number("3"), "exclude": []any{"a", "b"}, "insecure": true, "soft-404": false, "header": []any{"***"}}}
	body, err := projectBody(valuesOf(p), false)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "A", "schedule": "@daily", "quiet": nil, "tags": []any{"docs", "team-a"}, "access": map[string]any{"ada": "editor", "token:ci": "viewer"}, "targets": []any{"https://example.com/", "https://example.org/"},
		"options": map[string]any{"depth": "3", "exclude": []any{"a", "b"}, "insecure": true, "header": []any{"***"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A fault is shown at its field, and at the top if the form has no such field.
func TestFaults(t *testing.T) {
	faults, err := faultsOf(api.Invalid(api.Fault{Field: "options.depth", Message: "x"}, api.Fault{Field: "targets.1", Message: "y"},
		api.Fault{Field: "targets.2", Message: "z"}, api.Fault{Field: "notify.0.url", Message: "u"}, api.Fault{Field: "options.dept", Message: "unknown"}))
	if err != nil {
		t.Fatal(err)
	}
	f := newProjectForm(url.Values{}, faults)
	if f.Fault("depth") != "x" || f.Fault("targets") != "y; z" || f.Fault("url") != "u" || !strings.Contains(f.Fault(""), "dept: unknown") {
		t.Errorf("%v", faults)
	}
	if _, err := faultsOf(api.NewProblem(409, "no")); err == nil {
		t.Error("a conflict is no fault of a form")
	}
}

// The tiles of a map fill it, and their areas are in proportion to their sizes.
func TestSquarify(t *testing.T) {
	sizes := []float64{60, 20, 10, 5, 3, 1, 1}
	area := 0.0
	for i, r := range squarify(sizes, rectangle{0, 0, 1000, 500}) {
		if got, want := r.w*r.h, sizes[i]*5000; got < want*.999 || got > want*1.001 || r.x < -.01 || r.y < -.01 || r.x+r.w > 1000.01 || r.y+r.h > 500.01 {
			t.Errorf("tile %d: %+v has the area %f, want %f", i, r, got, want)
		}
		area += r.w * r.h
	}
	if area < 499_000 || area > 501_000 {
		t.Errorf("the tiles have the area %f", area)
	}
}

// Names of directories are not markup.
func TestTreemapEscapes(t *testing.T) {
	got := string(treemap("runs/r/map", []tile{{Name: `<a"b>/`, Path: `https://example.com/<a"b>/`, Count: 5, Broken: 1}, {Name: "b/", Path: "b/", Count: 3}}))
	if strings.Contains(got, "<a\"b") || strings.Contains(got, `dir=https://`) {
		t.Error(got)
	}
}

// The chart of runs tells its dates, and draws runs otherwise whose results are not reliable.
func TestHistoryChart(t *testing.T) {
	run := func(id, day string, sound bool, broken int) *api.Run {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		return &api.Run{ID: id, State: api.Done, Started: &at, Sound: &sound, Summary: json.RawMessage(fmt.Sprintf(`{"broken": %d, "unverified": 1}`, broken))}
	}
	chart := string(historyChart([]*api.Run{run("c", "2026-03-09", true, 4), run("b", "2026-03-02", false, 2), run("a", "2026-02-28", true, 1)}, clock{time.UTC, time.Now}))
	for _, want := range []string{`class="history"`, ">28 February 2026</text>", ">9 March 2026</text>", "<title>2 March 2026, 00:00 UTC: 2 broken, 1 unverified, not reliable</title>", `<rect class="broken unsound"`, `<rect class="unverified unsound"`} {
		if !strings.Contains(chart, want) {
			t.Errorf("the chart has no %s: %s", want, chart)
		}
	}
	if n := strings.Count(chart, "rect class=\"broken\""); n != 2 {
		t.Errorf("%d bars are drawn as reliable, want 2", n)
	}
}

// The legend of the map has the numbers at the ends of its scales.
func TestMapLegend(t *testing.T) {
	var text strings.Builder
	view := &mapPage{Map: "<svg></svg>", Parts: []tile{{Name: "a/", Path: "a/", Count: 1200}, {Name: "b/", Path: "b/", Count: 30}, {Name: "c/", Path: "c/", Count: 1}}, Total: 1231}
	if err := templates().ExecuteTemplate(&text, "map", &frame{Data: view, Run: &crumb{"run", "runs/r"}}); err != nil {
		t.Fatal(err)
	}
	_, legend, _ := strings.Cut(text.String(), `legend">`)
	legend, _, _ = strings.Cut(legend, "</p>")
	for _, want := range []string{"Area:", " 1 page to ", " 1,200 pages.", " 0% ", " up to 100% "} {
		if !strings.Contains(legend, want) {
			t.Errorf("the legend has no %q: %s", want, legend)
		}
	}
}

// A bar without pages is not drawn, and every other one is.
func TestBars(t *testing.T) {
	p := &pagesPage{}
	p.add("x", []figureBar{{Count: 0}, {Count: 1}, {Count: 500}, {Count: 1000}})
	if got := fmt.Sprint(p.Figures[0].Bars[0].Width, p.Figures[0].Bars[1].Width, p.Figures[0].Bars[2].Width, p.Figures[0].Bars[3].Width); got != "0 1 50 100" {
		t.Errorf("the widths are %s, want 0 1 50 100", got)
	}
}
