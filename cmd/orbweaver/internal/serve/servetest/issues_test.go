package servetest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// templateSite is a site with a link of a template that is broken on twelve pages, and a missing page
// that two links with fragments lead to.
func templateSite(t *testing.T) *site {
	t.Helper()
	pages := map[string]string{}
	var home strings.Builder
	for n := range 12 {
		fmt.Fprintf(&home, `<a href="d%02d/">x</a> `, n)
		pages[fmt.Sprintf("/d%02d/", n)] = `<title>D</title><a href="next.html">next</a>`
	}
	pages["/"] = "<title>Home</title>" + home.String() + `<a href="gone.html#a">a</a> <a href="gone.html#b">b</a>`
	return newSite(t, pages)
}

func TestIssues(t *testing.T) {
	web := templateSite(t)
	data := t.TempDir()
	manage(t, data, 0, "user", "add", "ann", "--role", "editor", "--password-file", passwordFile(t, "correct horse"))
	s := open(t, data)
	project := s.create(object{"targets": []string{web.URL + "/"}, "options": object{"retries": 0}})
	run := s.checked(project)
	type issue struct {
		ID, Kind, Subject, Change string
		Findings, Pages, Delta    int
		Known, Comments           int
		Owner                     *string
	}
	issues := func(query string) (all []issue) {
		t.Helper()
		var list struct {
			Items []issue
			Total int
		}
		s.call("GET", "runs/"+run+"/issues"+query, nil, 200, &list)
		if list.Total != len(list.Items) {
			t.Errorf("%s: the total is %d, of %d", query, list.Total, len(list.Items))
		}
		return list.Items
	}
	all := issues("")
	got := ""
	for _, i := range all {
		got += fmt.Sprintf("%s %s %d on %d, %s %+d; ", i.Kind, strings.TrimPrefix(i.Subject, web.URL), i.Findings, i.Pages, i.Change, i.Delta)
	}
	if got != "link next.html 12 on 12, new +12; document /gone.html 2 on 1, new +2; " {
		t.Fatalf("the issues are %s", got)
	}
	link, gone := all[0].ID, all[1].ID
	var r struct {
		Kind, State string
		Known       *int
		Issues      struct{ Broken, Unverified, Warnings int }
		Summary     struct{ Broken int }
	}
	get := func() {
		t.Helper()
		s.call("GET", "runs/"+run, nil, 200, &r)
	}
	if get(); r.Kind != "full" || r.Issues.Broken != 2 || r.Known == nil || *r.Known != 0 || r.Summary.Broken != 14 {
		t.Errorf("the run is %+v", r)
	}
	var detail struct {
		On, Items []object
		Findings  int
	}
	s.call("GET", "runs/"+run+"/issues/"+link, nil, 200, &detail)
	if len(detail.On) != 12 || len(detail.Items) != 12 || detail.Items[0]["issue"] != link || detail.Items[0]["pages"] != 1.0 || detail.Items[0]["page"] != web.URL+"/d00/" {
		t.Errorf("the issue is %+v", detail)
	}
	if n := len(s.items("runs/" + run + "/findings?issue=" + gone)); n != 2 {
		t.Errorf("%d findings of the issue", n)
	}
	s.call("GET", "runs/"+run+"/issues/none", nil, 404, nil)
	s.call("GET", "runs/"+run+"/issues?sort=places", nil, 422, nil)

	// A mark of an issue covers what it grows to.
	s.call("PUT", "projects/"+project+"/marks/"+link, object{"as": "known", "reason": "the template is old"}, 200, nil)
	if get(); *r.Known != 12 {
		t.Errorf("%d known findings, want 12", *r.Known)
	}
	if all := issues("?known=true"); len(all) != 1 || all[0].Known != 12 {
		t.Errorf("issues under a mark: %+v", all)
	}
	if n := len(s.items("runs/" + run + "/findings?known=false")); n != 2 {
		t.Errorf("%d findings are not known, want 2", n)
	}
	var mark struct {
		Created, Changed time.Time
		ChangedBy        string `json:"changed_by"`
		Known            object
	}
	own := s.items("runs/" + run + "/findings?issue=" + link)[0]["id"].(string)
	s.call("PUT", "projects/"+project+"/marks/"+own, object{"as": "false-alarm", "reason": "its own"}, 200, nil)
	s.call("GET", "runs/"+run+"/findings/"+own, nil, 200, &mark)
	if mark.Known["reason"] != "its own" {
		t.Errorf("a finding with its own mark is %v", mark.Known)
	}
	s.call("PUT", "projects/"+project+"/marks/"+own, object{"as": "known", "reason": "again"}, 200, &mark)
	if mark.ChangedBy == "" || mark.Created.IsZero() || mark.Changed.Before(mark.Created) {
		t.Errorf("the changed mark is %+v", mark)
	}
	eleven, _, _ := strings.Cut(web.pages["/"], `<a href="d11`)
	web.set("/", eleven+`<a href="new.html">new</a>`)
	run = s.checked(project)
	if got := issues("?sort=url"); len(got) != 2 || got[0].Change != "new" || got[1].Delta != -1 || got[1].Change != "still" {
		t.Errorf("the issues of the second run are %+v", got)
	}
	if got := issues("?change=fixed"); len(got) != 1 || got[0].ID != gone || got[0].Delta != -2 {
		t.Errorf("the issues that are fixed are %+v", got)
	}
	if get(); r.Issues.Broken != 2 || *r.Known != 11 {
		t.Errorf("the second run is %+v, %d known", r, *r.Known)
	}

	// Owners and comments.
	var patched issue
	s.call("PATCH", "projects/"+project+"/issues/"+link, object{"owner": "ann"}, 200, &patched)
	if patched.Owner == nil || *patched.Owner != "ann" || patched.Findings != 11 {
		t.Errorf("the issue is %+v", patched)
	}
	s.call("PATCH", "projects/"+project+"/issues/"+link, object{"owner": "nobody"}, 422, nil)
	s.call("PATCH", "projects/"+project+"/issues/none", object{"owner": nil}, 404, nil)
	if got := issues("?owner=ann"); len(got) != 1 || got[0].ID != link {
		t.Errorf("issues of ann: %+v", got)
	}
	if got := issues("?owner=none"); len(got) != 1 || got[0].ID == link {
		t.Errorf("issues of nobody: %+v", got)
	}
	comments := "projects/" + project + "/issues/" + link + "/comments"
	var comment struct{ ID, By, Text string }
	s.call("POST", comments, object{"text": "two\nlines"}, 201, &comment)
	s.call("POST", comments, object{"text": ""}, 422, nil)
	s.call("POST", comments, object{"text": strings.Repeat("x", 4001)}, 422, nil)
	if got := s.items(comments); len(got) != 1 || got[0]["text"] != "two\nlines" {
		t.Errorf("the comments are %v", got)
	}
	if got := issues("?owner=ann"); got[0].Comments != 1 {
		t.Errorf("the issue has %d comments", got[0].Comments)
	}
	s.call("DELETE", comments+"/"+comment.ID, nil, 204, nil)
	s.call("DELETE", comments+"/"+comment.ID, nil, 404, nil)
}

// TestTokenIsNoPerson: a token and a user of the same name are not the same.
func TestTokenIsNoPerson(t *testing.T) {
	web := smallSite(t)
	s, data := people(t)
	ann := s.signIn("editor", "correct horse")
	s.token = token(t, data, "boss", "admin")
	project := s.create(object{"targets": []string{web.URL + "/"}})
	run := s.checked(project)
	issue := s.items("runs/" + run + "/issues")[0]["id"].(string)
	s.call("PATCH", "projects/"+project+"/issues/"+issue, object{"owner": "editor"}, 200, nil)
	s.token = token(t, data, "editor", "editor")
	var comment struct{ ID, By string }
	comments := "projects/" + project + "/issues/" + issue + "/comments"
	if s.call("POST", comments, object{"text": "x"}, 201, &comment); comment.By != "token:editor" {
		t.Errorf("the comment is by %q", comment.By)
	}
	if mine := s.items("runs/" + run + "/issues?owner=me"); len(mine) != 0 {
		t.Errorf("the token owns %v", mine)
	}
	s.call("DELETE", comments+"/"+comment.ID, nil, 204, nil)
	s.call("POST", comments, object{"text": "y"}, 201, &comment)
	s.token = ""
	mine := s.as(ann, "GET", "runs/"+run+"/issues?owner=me", nil, 200)
	if mine["total"] != 1.0 {
		t.Errorf("the user owns %v", mine)
	}
	s.as(ann, "DELETE", comments+"/"+comment.ID, nil, 403)
}

func TestManyMarks(t *testing.T) {
	web := templateSite(t)
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL + "/"}, "options": object{"retries": 0}})
	run := s.checked(project)
	var changed struct{ Changed int }
	marks := "projects/" + project + "/marks"
	s.call("POST", marks, object{"run": run, "filter": object{"q": "next.html"}, "as": "known", "reason": "all of them"}, 200, &changed)
	if n := len(s.items(marks)); changed.Changed != 12 || n != 12 {
		t.Errorf("%d changed, %d marks", changed.Changed, n)
	}
	first := s.items(marks)[0]["fingerprint"]
	a := s.call("POST", marks, object{"run": run, "fingerprints": []any{first, "unknown"}, "as": "known", "reason": "x"}, 422, nil)
	if !strings.Contains(string(a.body), `"fingerprints.1"`) {
		t.Errorf("an unknown fingerprint: %s", a.body)
	}
	if got := s.items(marks)[0]["reason"]; got != "all of them" {
		t.Errorf("the refused change left %q", got)
	}
	s.call("POST", marks, object{"run": run, "fingerprints": []any{first}, "remove": true}, 200, &changed)
	if n := len(s.items(marks)); changed.Changed != 1 || n != 11 {
		t.Errorf("%d removed, %d marks left", changed.Changed, n)
	}
	for _, body := range []object{{"run": run, "filter": object{"verdict": "x"}, "remove": true}, {"filter": object{}, "remove": true}, {"run": run, "remove": true}, {"run": run, "filter": object{"sort": "url"}, "remove": true},
		{"run": run, "filter": object{}, "as": "known"}, {"run": "none", "filter": object{}, "remove": true}} {
		s.call("POST", marks, body, 422, nil)
	}
	var wrong problem
	s.call("POST", marks, object{"as": "x", "filter": object{"verdict": "x"}, "run": "none", "until": "x"}, 422, &wrong)
	var fields []string
	for _, f := range wrong.Errors {
		fields = append(fields, f.Field)
	}
	if got := strings.Join(fields, " "); got != "as filter.verdict run until reason" {
		t.Errorf("the errors are at %q", got)
	}

	var both struct {
		Items []struct {
			URL           string
			Before, After object
		}
	}
	targets := []string{web.URL + "/gone.html#b", web.URL + "/d00/"}
	s.call("POST", "runs/"+run+"/recheck", object{"urls": targets}, 200, &both)
	if len(both.Items) != 2 || both.Items[0].URL != targets[0] || both.Items[0].After["code"] != "http-404" || both.Items[1].Before["verdict"] != "ok" {
		t.Errorf("rechecked: %+v", both)
	}
	s.call("POST", "runs/"+run+"/recheck", object{"urls": []string{}}, 422, nil)

	views := "projects/" + project + "/views"
	var view struct{ ID, Name, Query string }
	s.call("POST", views, object{"name": "Mine", "query": "owner=me&sort=delta&verdict=broken&verdict=unverified"}, 201, &view)
	s.call("POST", views, object{"name": "Mine", "query": ""}, 422, nil)
	for _, query := range []string{"sort=x", "x=1", "verdict=green", "%zz"} {
		s.call("POST", views, object{"name": query, "query": query}, 422, nil)
	}
	s.call("POST", views, object{"name": strings.Repeat("x", 61), "query": url.Values{"q": {"x"}}.Encode()}, 422, nil)
	if got := s.items(views); len(got) != 1 || got[0]["name"] != "Mine" {
		t.Errorf("the views are %v", got)
	}
	s.call("DELETE", views+"/"+view.ID, nil, 204, nil)
	s.call("DELETE", views+"/"+view.ID, nil, 404, nil)
}
