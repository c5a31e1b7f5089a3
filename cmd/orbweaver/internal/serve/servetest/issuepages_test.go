package servetest

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestIssuePages uses the list of issues and the page of one as a person would, without scripts.
func TestIssuePages(t *testing.T) {
	web := templateSite(t)
	data := t.TempDir()
	manage(t, data, 0, "user", "add", "ann", "--role", "editor", "--password-file", passwordFile(t, "correct horse"))
	s := open(t, data)
	project := s.create(object{"targets": []string{web.URL + "/"}, "options": object{"retries": 0}})
	run := s.checked(project)
	issues := s.items("runs/" + run + "/issues")
	link, gone := issues[0]["id"].(string), issues[1]["id"].(string)
	shows := func(path string, wants ...string) string {
		t.Helper()
		a := s.send("GET", path, nil)
		if a.status != 200 {
			t.Fatalf("%s: status %d: %s", path, a.status, a.body)
		}
		for _, want := range wants {
			if !strings.Contains(string(a.body), want) {
				t.Errorf("%s does not show %q:\n%s", path, want, a.body)
			}
		}
		return string(a.body)
	}
	list := "runs/" + run + "/findings"
	shows(list, "2 issues", "issues/"+link, "as written on many pages", "All 2 that match")
	shows(list+"?view=links", "14 findings", "pages/view?url=")
	shows(list+"?view=hosts", "by host")
	page := shows("runs/"+run+"/issues/"+gone+"?sort=code", "2 link targets in 2 places on 1 page", "Affected pages: 1", "Findings: 2")
	around := regexp.MustCompile(`rel="(?:prev|next)" href="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(around) != 1 || around[0][1] != "runs/"+run+"/issues/"+link+"?sort=code" {
		t.Errorf("the neighbors are %v", around)
	}
	do := func(path string, fields url.Values, told string) {
		t.Helper()
		fields.Set("run", run)
		wants(t, fmt.Sprint(fields), s.post("projects/"+project+path, fields), 303)
		if told != "" {
			shows(list, told)
		}
	}
	do("/marks", url.Values{"do": {"assign"}, "owner": {"ann"}, "all": {"yes"}}, "The owner of 2 issues was changed.")
	do("/marks", url.Values{"do": {"mark"}, "fingerprint": {link}, "as": {"known"}, "reason": {"old"}}, "1 mark set.")
	do("/marks", url.Values{"do": {"recheck"}, "fingerprint": {gone}}, "2 links checked again: 2 broken.")
	shows("runs/"+run+"/issues/"+link, "Owner: ann", "Marked as known", `value="old"`, "Change the mark")
	do("/marks/"+link, url.Values{"do": {"remove"}, "what": {"issue"}, "id": {link}}, "")
	do("/issues/"+link, url.Values{"do": {"comment"}, "text": {"line 1\nline 2"}}, "")
	shows("runs/"+run+"/issues/"+link, "line 1\nline 2")
	wants(t, "an empty comment", s.post("projects/"+project+"/issues/"+link, url.Values{"run": {run}, "do": {"comment"}, "text": {""}}), 422)
	// The page of a finding shows the owner and the comments of its issue, and leads there.
	one := s.items("runs/" + run + "/findings?issue=" + link)[0]["id"].(string)
	shows("runs/"+run+"/findings/"+one, "Owner: ann", `href="runs/`+run+"/issues/"+link+`"`, "which has 12 findings", "line 1\nline 2")
	back := s.post("projects/"+project+"/issues/"+link, url.Values{"run": {run}, "finding": {one}, "do": {"comment"}, "text": {"of a finding"}})
	if wants(t, "a comment on the page of a finding", back, 303); !strings.HasSuffix(back.header.Get("Location"), "runs/"+run+"/findings/"+one) {
		t.Errorf("the form of a finding leads to %s", back.header.Get("Location"))
	}
	shows("runs/"+run+"/findings/"+one, "of a finding")
	back = s.post("projects/"+project+"/issues/"+link, url.Values{"run": {run}, "finding": {one}, "do": {"comment"}, "text": {""}})
	if wants(t, "an empty comment on the page of a finding", back, 422); !strings.Contains(string(back.body), "Where the link is") || !strings.Contains(string(back.body), "write 1 to 4000 characters") {
		t.Errorf("an empty comment: %s", back.body)
	}
	do("/views", url.Values{"name": {"Of Ann"}, "query": {"sort=code&owner=ann"}}, `findings?owner=ann&amp;sort=code"><bdi>Of Ann`)
	view := s.items("projects/" + project + "/views")[0]["id"].(string)
	ask := s.post("projects/"+project+"/views", url.Values{"run": {run}, "do": {"remove-view"}, "id": {view}})
	if wants(t, "a view without being sure", ask, 200); !strings.Contains(string(ask.body), "Remove a saved view") || len(s.items("projects/"+project+"/views")) != 1 {
		t.Errorf("a view was removed, or nobody was asked: %s", ask.body)
	}
	do("/views", url.Values{"do": {"remove-view"}, "id": {view}, "sure": {"yes"}}, "")
	if strings.Contains(shows(list), "Of Ann") {
		t.Error("the removed view is shown")
	}

	// The owner finds the issues on the first page, until they are hidden.
	s.kill()
	s = start(t, data)
	ann := s.signIn("ann", "correct horse")
	home := func() string { return string(wants(t, "home", s.send("GET", "", nil, ann), 200).body) }
	if page := home(); !strings.Contains(page, "Assigned to me") || strings.Count(page, "?owner=me") != 3 || !strings.Contains(page, "issues/"+link) {
		t.Errorf("home of the owner: %s", page)
	}
}

// TestAccessForm gives access to a project by its form.
func TestAccessForm(t *testing.T) {
	s, _ := people(t)
	admin, viewer := s.signIn("admin", "correct horse"), s.signIn("viewer", "correct horse")
	id := fmt.Sprint(s.as(admin, "POST", "projects", object{"name": "Docs", "targets": []string{"https://example.com/"}}, 201)["id"])
	settings := "projects/" + id + "/settings"
	for _, row := range []struct {
		lines, access, shown string
		status, sees         int
	}{
		{"viewer viewer\r\n editor  editor\r\n", "map[editor:editor viewer:viewer]", "editor editor\nviewer viewer", 303, 200},
		{"-", "map[]", "-", 303, 404},
		{"nobody viewer", "map[]", "nobody: there is no such user", 422, 404},
		{"viewer", "map[]", "viewer: use viewer or editor", 422, 404},
		{"", "<nil>", "", 303, 200},
	} {
		a := wants(t, row.lines, s.post(settings, url.Values{"do": {"save"}, "access": {row.lines}}, admin), row.status)
		if got := fmt.Sprint(s.as(admin, "GET", "projects/"+id, nil, 200)["access"]); got != row.access {
			t.Errorf("%q gives %s, want %s", row.lines, got, row.access)
		}
		if row.status == 303 {
			a = s.send("GET", settings, nil, admin)
		}
		if !strings.Contains(string(a.body), row.shown) {
			t.Errorf("after %q, the page does not show %q: %s", row.lines, row.shown, a.body)
		}
		s.as(viewer, "GET", "projects/"+id, nil, row.sees)
	}
}
