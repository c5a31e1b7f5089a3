package servetest

import (
	"fmt"
	"html"
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
		a := wants(t, fmt.Sprint(fields), s.post("projects/"+project+"/marks", fields), 303)
		list := s.send("GET", strings.TrimPrefix(a.header.Get("Location"), "/"), nil)
		if wants(t, row.query, list, 200); !strings.Contains(string(list.body), row.told) {
			t.Errorf("%v: the list does not say %q: %s", fields, row.told, list.body)
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
		wants(t, row.query, s.post("projects/"+project+"/marks", fields), 303)
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
