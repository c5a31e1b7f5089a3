package servetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestProjectList finds projects by words, tags and the result of their last run.
func TestProjectList(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<a href="/good">x</a>`)
		case "/bad":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<a href="/gone1">x</a><a href="/gone2">x</a>`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	s := open(t, t.TempDir())
	ids := map[string]string{}
	for _, row := range []struct {
		name, path, schedule string
		tags                 []string
		run                  bool
	}{
		{"beta", "/good", "0 0 1 1 *", []string{"Docs", "team_a"}, true},
		{"Alpha", "/bad", "@hourly", []string{"team_a"}, true},
		{"gamma", "/missing-start", "", []string{"docs"}, true},
		{"Delta", "/good?x", "", nil, false},
	} {
		id := s.create(object{"name": row.name, "targets": []string{web.URL + row.path}, "options": object{"retries": 0}, "tags": append([]string{}, row.tags...), "schedule": row.schedule})
		if ids[row.name] = id; row.run {
			s.checked(id)
		}
	}
	for query, want := range map[string]string{
		"": "Alpha beta Delta gamma", "sort=created": "beta Alpha gamma Delta", "sort=broken": "Alpha beta Delta gamma", "sort=next": "Alpha beta Delta gamma",
		"sort=checked": "gamma Alpha beta Delta", "q=ALPH": "Alpha", "q=missing-start": "gamma", "q=team": "Alpha beta",
		"tag=docs": "beta gamma", "tag=DOCS&tag=team_a": "beta", "tag=doc": "", "state=broken": "Alpha", "state=ok": "beta", "state=unreliable": "gamma", "state=never": "Delta",
		"state=running": "", "q=a&state=ok&tag=docs&sort=broken": "beta", "limit=1": "Alpha", "limit=2&after=" + ids["beta"]: "Delta gamma",
	} {
		var list struct {
			Items []struct{ Name string }
			Total int
		}
		s.call("GET", "projects?"+query, nil, 200, &list)
		var names []string
		for _, p := range list.Items {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("?%s: %s, want %s", query, got, want)
		}
		page := string(wants(t, "/?"+query, s.send("GET", "?"+query, nil), 200).body)
		at := -1
		for _, name := range names {
			next := strings.Index(page, `data-project="`+ids[name]+`"`)
			if next <= at && !strings.Contains(query, "limit") {
				t.Errorf("/?%s: %s is not in its place", query, name)
			}
			at = next
		}
		if len(names) == 0 && !strings.Contains(page, "No projects match") {
			t.Errorf("/?%s does not say that no projects match", query)
		}
	}
	for query, field := range map[string]string{"state=green": "state", "sort=size": "sort", "after=nothing": "after", "limit=0": "limit"} {
		var p problem
		s.call("GET", "projects?"+query, nil, 422, &p)
		if len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("?%s: %+v", query, p.Errors)
		}
		if field != "limit" && !strings.Contains(string(wants(t, "/?"+query, s.send("GET", "?"+query, nil), 422).body), `role="alert"`) {
			t.Errorf("/?%s has no message", query)
		}
	}
}

// TestTags sets the tags of a project, by the API and by its form.
func TestTags(t *testing.T) {
	s := open(t, t.TempDir())
	id := s.create(object{"targets": []string{"https://example.com/"}, "tags": []string{"Zoë", "a.b-c_1"}})
	tags := func() string {
		var p struct{ Tags []string }
		s.call("GET", "projects/"+id, nil, 200, &p)
		return strings.Join(p.Tags, " ")
	}
	if got := tags(); got != "a.b-c_1 zoë" {
		t.Errorf("the tags are %q", got)
	}
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	for field, value := range map[string]any{"tags": many, "tags.0": []string{"a b"}, "tags.1": []string{"a", "A"}, "tags.2": []string{"a", "b", strings.Repeat("x", 41)}} {
		var p problem
		s.call("PATCH", "projects/"+id, object{"tags": value}, 422, &p)
		if p.Errors[0].Field != field {
			t.Errorf("%v: %+v", value, p.Errors)
		}
	}
	var p problem
	s.call("PATCH", "projects/"+id, object{"tags": nil}, 422, &p)
	wants(t, "the form", s.post("projects/"+id+"/settings", url.Values{"do": {"save"}, "tags": {" Team-B, docs\r\n"}}), 303)
	if got := tags(); got != "docs team-b" {
		t.Errorf("the tags are %q", got)
	}
	if a := wants(t, "a wrong tag", s.post("projects/"+id+"/settings", url.Values{"do": {"save"}, "tags": {"a/b"}}), 422); !strings.Contains(string(a.body), `value="a/b"`) {
		t.Errorf("the form has lost what was typed: %s", a.body)
	}
}
