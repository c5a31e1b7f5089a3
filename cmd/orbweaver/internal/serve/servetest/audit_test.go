package servetest

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// entry is an entry of the audit log.
type entry struct {
	ID, Who, Via, Address, Action, Subject string
	Project                                *string
	Changes                                map[string][2]any
}

// audited returns the entries that a query selects, the oldest first.
func (s *server) audited(query string) []entry {
	s.t.Helper()
	var list struct {
		Items []entry
		Total int
		Next  *string
	}
	s.call("GET", "audit?limit=1000&"+query, nil, 200, &list)
	if list.Total != len(list.Items) || list.Next != nil {
		s.t.Errorf("%d entries of %d", len(list.Items), list.Total)
	}
	slices.Reverse(list.Items)
	return list.Items
}

func actionsOf(entries []entry) string {
	var actions []string
	for _, e := range entries {
		actions = append(actions, e.Action)
	}
	return strings.Join(actions, " ")
}

func TestAuditOfProject(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a><a href="slow">x</a>`})
	hook := newSink(t, "")
	s := open(t, t.TempDir())
	project := s.create(object{"name": "Docs", "targets": []string{web.URL}, "options": object{"retries": 0, "header": []string{"X-Key: one"}}, "notify": []object{{"type": "webhook", "url": hook.URL + "/hidden"}}})
	path := "projects/" + project
	s.call("PATCH", path, object{"name": "Guides", "tags": []string{"a"}}, 200, nil)
	s.call("PATCH", path, object{"options": object{"retries": 0, "header": []string{"X-Key: two"}}}, 200, nil)
	s.call("PATCH", path, object{"name": "Guides"}, 200, nil) // nothing
	s.call("POST", path+"/notify/0/test", nil, 200, nil)
	var run struct{ ID string }
	s.call("POST", path+"/runs", nil, 202, &run)
	s.call("POST", "runs/"+run.ID+"/stop", nil, 202, nil)
	s.until(run.ID, "interrupted")
	web.release()
	s.call("POST", "runs/"+run.ID+"/resume", nil, 202, nil)
	s.until(run.ID, "done")
	found := s.items("runs/" + run.ID + "/findings?verdict=broken")[0]
	fingerprint, issue := found["fingerprint"].(string), found["issue"].(string)
	s.call("PUT", path+"/marks/"+fingerprint, object{"as": "known", "reason": "moves"}, 200, nil)
	s.call("PUT", path+"/marks/"+fingerprint, object{"as": "known", "reason": "still moves"}, 200, nil)
	s.call("DELETE", path+"/marks/"+fingerprint, nil, 204, nil)
	s.call("POST", path+"/marks", object{"run": run.ID, "filter": object{"verdict": "broken"}, "as": "known", "reason": "all"}, 200, nil)
	s.call("POST", path+"/issues/"+issue+"/comments", object{"text": "on it"}, 201, nil)
	s.call("PATCH", path+"/issues/"+issue, object{"owner": nil}, 200, nil) // nobody owned it
	var made struct{ ID string }
	s.call("POST", path+"/views", object{"name": "mine", "query": "verdict=broken"}, 201, &made)
	s.call("DELETE", path+"/views/"+made.ID, nil, 204, nil)
	s.call("POST", path+"/links", object{"for": "badge"}, 201, &made)
	s.call("DELETE", path+"/links/"+made.ID, nil, 204, nil)
	s.call("POST", "status-pages", object{"title": "x", "projects": []string{project}}, 201, &made)
	s.call("DELETE", "status-pages/"+made.ID, nil, 204, nil)
	s.call("DELETE", path, nil, 204, nil)
	all := s.audited("")
	want := "project.add project.change project.change notify.test run.start run.stop run.resume mark.set mark.set mark.remove mark.set issue.comment view.add view.remove link.add link.remove status.add status.remove project.remove"
	if got := actionsOf(all); got != want {
		t.Fatalf("the log has\n%s, want\n%s", got, want)
	}
	for i, want := range map[int]string{
		1: "anybody none 127.0.0.1 Guides map[name:[Docs Guides] tags:[[] [a]]]", 2: "anybody none 127.0.0.1 Guides map[options:[*** ***]]", 4: "anybody none 127.0.0.1 " + run.ID + " map[]",
		7: "anybody none 127.0.0.1 " + fingerprint + " map[as:[<nil> known] reason:[<nil> moves]]", 8: "anybody none 127.0.0.1 " + fingerprint + " map[reason:[moves still moves]]",
		11: "anybody none 127.0.0.1 " + issue + " map[text:[<nil> on it]]", 12: "anybody none 127.0.0.1 mine map[name:[<nil> mine] query:[<nil> verdict=broken]]",
		13: "anybody none 127.0.0.1 mine map[]",
	} {
		e := all[i]
		if got := fmt.Sprint(e.Who, " ", e.Via, " ", e.Address, " ", e.Subject, " ", e.Changes); got != want || e.Project == nil || *e.Project != project {
			t.Errorf("entry %d is %s, want %s", i, got, want)
		}
	}
	for _, e := range all[16:18] {
		if e.Subject != "x" {
			t.Errorf("%s of %q, want the title of the status page", e.Action, e.Subject)
		}
	}
	if text := string(s.send("GET", "api/v1/audit", nil).body); strings.Contains(text, "X-Key") || strings.Contains(text, "hidden") {
		t.Errorf("the log has secrets: %s", text)
	}
	for query, want := range map[string]int{"project=" + project: 17, "action=mark.set": 3, "who=anybody": 19, "who=server": 0, "from=2026-01-01&to=2099-01-01": 19, "to=2026-01-01": 0, "from=2099-01-01T00:00:00Z": 0} {
		if got := s.audited(query); len(got) != want {
			t.Errorf("%s: %d entries, want %d", query, len(got), want)
		}
	}
	for query, field := range map[string]string{"action=x": "action", "from=x": "from", "to=yesterday": "to", "format=xml": "format", "limit=0": "limit", "after=x": "after"} {
		var p struct{ Errors []struct{ Field string } }
		if s.call("GET", "audit?"+query, nil, 422, &p); len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%s: %v", query, p.Errors)
		}
	}
	var first, second struct {
		Items []entry
		Next  *string
		Total int
	}
	s.call("GET", "audit?limit=10", nil, 200, &first)
	s.call("GET", "audit?limit=10&after="+*first.Next, nil, 200, &second)
	if len(second.Items) != 9 || second.Next != nil || second.Total != 19 || second.Items[8].Action != "project.add" {
		t.Errorf("the second part has %d entries of %d", len(second.Items), second.Total)
	}
	a := s.send("GET", "api/v1/audit?format=csv&action=project.add", nil)
	rows, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][5] != "project.add" || !strings.HasPrefix(a.header.Get("Content-Type"), "text/csv") {
		t.Errorf("CSV: %v, %v", rows, err)
	}
	page := string(s.send("GET", "settings/audit?action=project.change", nil).body)
	if !strings.Contains(page, "2 entries") || !strings.Contains(page, "&#34;Docs&#34; → &#34;Guides&#34;") || !strings.Contains(page, "audit?action=project.change&amp;format=csv") {
		t.Errorf("the page:\n%s", page)
	}
	if a := s.send("GET", "settings/audit?from=x", nil); a.status != 422 {
		t.Errorf("a wrong filter: status %d", a.status)
	}
}

func TestAuditOfAccounts(t *testing.T) {
	s, data := people(t)
	admin, viewer := s.signIn("admin", "correct horse"), s.signIn("viewer", "correct horse")
	s.as(viewer, "GET", "audit", nil, 403)
	s.as(admin, "DELETE", "audit", nil, 405)
	s.post("login", url.Values{"name": {"viewer"}, "password": {"wrong horse"}})
	s.as(viewer, "PATCH", "me", object{"email": "v@example.com"}, 200)
	s.as(viewer, "PUT", "me/password", object{"current": "correct horse", "new": "battery staple"}, 204)
	s.as(admin, "POST", "users", object{"name": "eve", "password": "correct horse"}, 201)
	s.as(admin, "PATCH", "users/eve", object{"role": "editor", "password": "battery staple"}, 200)
	s.as(admin, "DELETE", "users/eve", nil, 204)
	token := s.as(admin, "POST", "tokens", object{"name": "ci", "role": "admin"}, 201)["token"].(string)
	s.token = token
	s.create(object{"targets": []string{"https://example.com/"}})
	s.token = ""
	s.as(admin, "DELETE", "tokens/ci", nil, 204)
	s.post("logout", url.Values{}, viewer)
	manage(t, data, 0, "user", "role", "viewer", "editor")
	manage(t, data, 0, "user", "passwd", "viewer", "--password-file", passwordFile(t, "correct horse"))
	manage(t, data, 0, "token", "create", "cd")
	manage(t, data, 0, "user", "remove", "editor")
	manage(t, data, 0, "user", "list")
	manage(t, data, 0, "backup", filepath.Join(t.TempDir(), "b.tar"), "--without-runs")
	var lines []string
	for _, item := range s.as(admin, "GET", "audit?limit=1000", nil, 200)["items"].([]any) {
		e := item.(object)
		if subject := fmt.Sprint(e["subject"]); e["action"] != "backup" {
			lines = append(lines, fmt.Sprint(e["who"], " ", e["via"], " ", e["action"], " ", subject, " ", e["changes"]))
		} else {
			lines = append(lines, fmt.Sprint(e["who"], " backup"))
		}
	}
	slices.Reverse(lines)
	want := []string{
		"command  user.add admin map[role:[<nil> admin]]", "command  user.add editor map[role:[<nil> editor]]", "command  user.add viewer map[role:[<nil> viewer]]",
		"admin password sign-in admin map[]", "viewer password sign-in viewer map[]", "viewer password sign-in-failed viewer map[]",
		"viewer password user.change viewer map[email:[ v@example.com]]", "viewer password user.change viewer map[password:[*** ***]]",
		"admin password user.add eve map[email:[<nil> ] role:[<nil> viewer]]", "admin password user.change eve map[password:[*** ***]]", "admin password user.change eve map[role:[viewer editor]]", "admin password user.remove eve map[]",
		"admin password token.add ci map[role:[<nil> admin]]", "token:ci token project.add test ", "admin password token.remove ci map[]", "viewer password sign-out viewer map[]",
		"command  user.change viewer map[role:[viewer editor]]", "command  user.change viewer map[password:[*** ***]]", "command  token.add cd map[role:[<nil> viewer]]", "command  user.remove editor map[]", "command backup",
	}
	for i := range max(len(lines), len(want)) {
		if i >= len(lines) || i >= len(want) || !strings.HasPrefix(lines[i], want[i]) {
			t.Fatalf("entry %d of\n%s\nwant\n%s", i, strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	}
	for _, secret := range []string{"battery staple", "correct horse", token} {
		if strings.Contains(strings.Join(lines, "\n"), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}
