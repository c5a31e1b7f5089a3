package servetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// ifMatch makes a request depend on a version.
func ifMatch(tag string) func(*http.Request) { return header("If-Match", tag) }

// Two people change one project: the second is told, whether a program or a form sends it.
func TestVersionOfProject(t *testing.T) {
	s := open(t, t.TempDir())
	id := s.create(object{"targets": []string{"https://example.com/"}})
	path := "api/v1/projects/" + id
	first := s.send("GET", path, nil)
	tag := first.header.Get("ETag")
	var p struct {
		Version int
		Name    string
	}
	if err := json.Unmarshal(first.body, &p); err != nil || tag != fmt.Sprintf(`"%d"`, p.Version) {
		t.Fatalf("the tag is %s, and the version %d", tag, p.Version)
	}
	second := wants(t, "a change", s.send("PATCH", path, object{"name": "second"}, ifMatch(tag)), 200)
	if second.header.Get("ETag") == tag {
		t.Errorf("the version is still %s", tag)
	}
	for _, old := range []string{tag, "W/" + second.header.Get("ETag"), `"x"`, ``, second.header.Get("ETag")[1:]} {
		a := wants(t, "a change of version "+old, s.send("PATCH", path, object{"name": "third"}, ifMatch(old)), 412)
		var problem struct{ Current struct{ Name string } }
		if err := json.Unmarshal(a.body, &problem); err != nil || problem.Current.Name != "second" {
			t.Errorf("the problem does not have the object: %s", a.body)
		}
	}
	wants(t, "a removal of an old version", s.send("DELETE", path, nil, ifMatch(tag)), 412)
	wants(t, "any version", s.send("PATCH", path, object{"name": "third"}, ifMatch("*")), 200)
	wants(t, "no version", s.send("PATCH", path, object{"name": "fourth"}), 200)
	// A form for the first version.
	form := url.Values{"do": {"save"}, "version": {strings.Trim(tag, `"`)}, "name": {"mine"}, "targets": {"https://example.com/"}, "depth": {"3"}}
	a := string(wants(t, "an old form", s.post("projects/"+id+"/settings", form), 409).body)
	for _, want := range []string{`value="mine"`, "it is stored as: fourth", `name="depth" value="3"`, "it is stored as: nothing"} {
		if !strings.Contains(a, want) {
			t.Errorf("the page of the conflict lacks %q", want)
		}
	}
	if strings.Contains(a, "stored as: https://example.com/") {
		t.Error("the page tells of a field that does not differ")
	}
	_, version, _ := strings.Cut(a, `name="version" value="`)
	version, _, _ = strings.Cut(version, `"`)
	form.Set("version", version)
	wants(t, "sent again", s.post("projects/"+id+"/settings", form), 303)
	last := wants(t, "the last version", s.send("GET", path, nil), 200)
	if err := json.Unmarshal(last.body, &p); err != nil || p.Name != "mine" {
		t.Errorf("the name is %q", p.Name)
	}
	wants(t, "a removal", s.send("DELETE", path, nil, ifMatch(`"0", `+last.header.Get("ETag"))), 204)
}

// Changes of different members at the same time all count.
func TestChangesAtOnce(t *testing.T) {
	s := open(t, t.TempDir())
	id := s.create(object{"targets": []string{"https://example.com/"}})
	var group sync.WaitGroup
	for _, change := range []object{{"name": "new"}, {"targets": []string{"https://example.com/x"}}, {"options": object{"depth": 2}}, {"schedule": "@daily"}} {
		group.Go(func() {
			text, _ := json.Marshal(change)
			req, err := http.NewRequest("PATCH", s.base+"api/v1/projects/"+id, strings.NewReader(string(text)))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			if res.Body.Close(); res.StatusCode != 200 {
				t.Errorf("%s: status %d", text, res.StatusCode)
			}
		})
	}
	group.Wait()
	var p object
	s.call("GET", "projects/"+id, nil, 200, &p)
	if got := fmt.Sprint(p["name"], p["targets"], p["options"], p["schedule"], p["version"]); got != "new[https://example.com/x] map[depth:2]@daily5" {
		t.Errorf("the project is %s", got)
	}
}

func TestVersionOfMark(t *testing.T) {
	s := open(t, t.TempDir())
	web := smallSite(t)
	id := s.create(object{"targets": []string{web.URL + "/"}})
	run := s.checked(id)
	found := s.items("runs/" + run + "/findings?verdict=broken")[0]
	fingerprint := found["fingerprint"].(string)
	path := "api/v1/projects/" + id + "/marks/" + fingerprint
	body := object{"as": "known", "reason": "one"}
	wants(t, "a version of no mark", s.send("PUT", path, body, ifMatch(`"1"`)), 412)
	wants(t, "any mark", s.send("PUT", path, body, ifMatch("*")), 412)
	tag := wants(t, "a mark", s.send("PUT", path, body), 200).header.Get("ETag")
	next := wants(t, "a change", s.send("PUT", path, object{"as": "known", "reason": "two"}, ifMatch(tag)), 200).header.Get("ETag")
	a := wants(t, "an old version", s.send("PUT", path, body, ifMatch(tag)), 412)
	if !strings.Contains(string(a.body), `"reason":"two"`) {
		t.Errorf("the problem does not have the mark: %s", a.body)
	}
	wants(t, "a removal of an old version", s.send("DELETE", path, nil, ifMatch(tag)), 412)
	// The page was made before there was a mark.
	form := url.Values{"run": {run}, "id": {found["id"].(string)}, "version": {"0"}, "as": {"known"}, "reason": {"three"}}
	page := string(wants(t, "an old form", s.post("projects/"+id+"/marks/"+fingerprint, form), 409).body)
	for _, want := range []string{`value="three"`, "it is stored as: two", `name="version" value=` + next} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the conflict lacks %q", want)
		}
	}
	form.Set("version", strings.Trim(next, `"`))
	wants(t, "sent again", s.post("projects/"+id+"/marks/"+fingerprint, form), 303)
	if items := s.items("projects/" + id + "/marks"); len(items) != 1 || items[0]["reason"] != "three" || items[0]["version"] != 3.0 {
		t.Errorf("the marks are %v", items)
	}
}
