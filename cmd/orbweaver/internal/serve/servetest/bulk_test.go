package servetest

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestBulkFormOfNothing sends the form below the list of findings for all rows of a list that has none,
// and for rows that have no owner.
func TestBulkFormOfNothing(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">gone</a>`})
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	run := s.checked(project)
	for _, row := range []struct{ do, query, told string }{
		{"mark", "q=zzz", "no row matches"},
		{"mark", "q=zzz&view=links", "no row matches"},
		{"unmark", "q=zzz", "no row matches"},
		{"assign", "q=zzz", "no row matches"},
		{"recheck", "q=zzz", "no row matches"},
		{"assign", "verdict=ok", "have no owner"},
	} {
		fields := url.Values{"run": {run}, "do": {row.do}, "as": {"known"}, "reason": {"x"}, "all": {"yes"}, "query": {row.query}}
		a := wants(t, fmt.Sprint(fields), s.post("projects/"+project+"/marks", fields), 422)
		if !strings.Contains(string(a.body), row.told) {
			t.Errorf("%v: the list does not say %q: %s", fields, row.told, a.body)
		}
	}
	if marks := s.items("projects/" + project + "/marks"); len(marks) > 0 {
		t.Errorf("there are marks: %v", marks)
	}
}

// TestBulkFormWithUnknownFilter sends the form for all rows of a list with a filter that the list does not
// know, and so shows everything.
func TestBulkFormWithUnknownFilter(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">gone</a>`})
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	run := s.checked(project)
	for _, row := range []struct {
		query string
		marks int
	}{
		{"verdict=brokn", 0}, {"known=yes", 0}, {"verdct=warning", 0}, {"code=http-4044", 0}, {"view=all", 0},
		{"q=&scope=&change=&known=&view=&sort=&owner=&code=&verdict=broken&verdict=warning", 1},
	} {
		fields := url.Values{"run": {run}, "do": {"mark"}, "as": {"known"}, "reason": {"x"}, "all": {"yes"}, "query": {row.query}}
		wants(t, row.query, s.post("projects/"+project+"/marks", fields), map[int]int{0: 422, 1: 303}[row.marks])
		if marks := s.items("projects/" + project + "/marks"); len(marks) != row.marks {
			t.Errorf("%s: the marks are %v, want %d", row.query, marks, row.marks)
		}
	}
}

// TestViewOfFilteredList saves the list as the form to filter it leaves it, with empty fields in the address.
func TestViewOfFilteredList(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">gone</a>`})
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	run := s.checked(project)
	list := string(s.send("GET", "runs/"+run+"/findings?q=gone&code=&scope=&change=&known=&view=&sort=&owner=&host=&page=&verdict=broken&verdict=warning", nil).body)
	query := regexp.MustCompile(`name="query" value="([^"]*)"`).FindStringSubmatch(list)
	if query == nil {
		t.Fatalf("the list has no form with its query: %s", list)
	}
	s.post("projects/"+project+"/views", url.Values{"run": {run}, "name": {"mine"}, "query": {html.UnescapeString(query[1])}})
	if views := s.items("projects/" + project + "/views"); len(views) != 1 || views[0]["query"] != "q=gone&verdict=broken&verdict=warning" {
		t.Errorf("the views are %v", views)
	}
}

// TestRefusedFormsBelowList sends the forms below the list with wrong values: the list comes again, with the
// values and what is wrong with them.
func TestRefusedFormsBelowList(t *testing.T) {
	web := templateSite(t)
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL + "/"}, "options": object{"retries": 0}})
	run := s.checked(project)
	s.call("POST", "projects/"+project+"/views", object{"name": "taken", "query": ""}, 201, nil)
	issue := fmt.Sprint(s.items("runs/" + run + "/issues")[1]["id"])
	link := fmt.Sprint(s.items("runs/" + run + "/findings")[0]["fingerprint"])
	mark := url.Values{"do": {"mark"}, "fingerprint": {issue}, "as": {"false-alarm"}, "reason": {"it is <old>"}}
	change := func(v url.Values, name string, values ...string) url.Values {
		v = maps.Clone(v)
		v[name] = values
		return v
	}
	for _, row := range []struct {
		path   string
		fields url.Values
		want   []string
	}{
		{"/marks", change(mark, "reason", ""), []string{`id="fault-reason">it is missing`, `value="` + issue + `" checked`, `<option value="false-alarm" selected>`}},
		{"/marks", change(mark, "until", "2020-01-01"), []string{`id="fault-until">`, `value="2020-01-01" aria-invalid="true"`, `value="it is &lt;old&gt;"`}},
		{"/marks", change(mark, "as", "zz"), []string{`id="fault-as">use known or false-alarm`}},
		{"/marks", change(mark, "do", "assign"), nil},
		{"/marks", change(change(mark, "do", "assign"), "owner", "nobody-here"), []string{`id="fault-owner">there is no user`}},
		{"/marks", change(mark, "fingerprint"), []string{"tick at least one row", `value="it is &lt;old&gt;"`}},
		{"/marks", change(mark, "do", "zz"), []string{"do: use mark, unmark, assign or recheck", `value="` + issue + `" checked`}},
		{"/marks", change(mark, "do"), []string{"do: use mark"}},
		{"/marks", change(change(change(mark, "query", "view=links&q=d0"), "fingerprint", link), "until", "x"), []string{`value="` + link + `" checked`, `value="d0"`, `value="links" selected`}},
		{"/views", url.Values{"name": {""}, "query": {"q=gone"}}, []string{`id="fault-name">use 1 to 60`, `value="gone"`}},
		{"/views", url.Values{"name": {"taken"}}, []string{`id="fault-name">the project has a view of this name`, `maxlength="60" value="taken"`}},
		{"/views", url.Values{"name": {"mine"}, "query": {"verdict=brokn"}}, []string{"The view was not saved", `value="mine"`}},
	} {
		status := 422
		if row.want == nil {
			status = 303
		}
		row.fields.Set("run", run)
		a := wants(t, fmt.Sprint(row.fields), s.post("projects/"+project+row.path, row.fields), status)
		for _, want := range row.want {
			if !strings.Contains(string(a.body), want) {
				t.Errorf("%v: the page has no %q: %s", row.fields, want, a.body)
			}
		}
	}
	if marks, views := s.items("projects/"+project+"/marks"), s.items("projects/"+project+"/views"); len(marks) > 0 || len(views) != 1 {
		t.Errorf("there are the marks %v and the views %v", marks, views)
	}
}
