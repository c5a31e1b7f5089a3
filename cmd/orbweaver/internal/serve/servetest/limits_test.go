package servetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Bodies that cost much to read or to answer are refused.
func TestBodyLimits(t *testing.T) {
	s := open(t, t.TempDir())
	options := func(n int, name string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"%s%d": 1`, name, i))
		}
		return `{"name": "x", "targets": ["https://example.com/"], "options": {` + strings.Join(all, ",") + "}}"
	}
	for name, body := range map[string]string{
		"1 MiB of [":        strings.Repeat("[", 1<<20),
		"65 levels":         `{"name":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`,
		"a list of 200,000": `{"targets": [` + strings.Repeat("0,", 200_000) + `0]}`,
	} {
		if a := s.send("POST", "api/v1/projects", body); a.status != 400 || len(a.body) > 1000 {
			t.Errorf("%s: status %d and %d bytes, want 400 and few: %.200s", name, a.status, len(a.body), a.body)
		}
	}
	for name, body := range map[string]string{
		"60,000 unknown options":          options(60_000, "optio"),
		"1,000 unknown options, long":     options(1_000, strings.Repeat("<", 1000)),
		"a value of 1,000,000 characters": `{"name": "x", "targets": ["https://example.com/"], "options": {"depth": "` + strings.Repeat("x", 1_000_000) + `"}}`,
	} {
		a := s.send("POST", "api/v1/projects", body)
		var p struct {
			Errors []struct{ Field, Message string }
			More   int
		}
		if err := json.Unmarshal(a.body, &p); err != nil || a.status != 422 || len(a.body) > 64_000 || len(p.Errors) > 100 {
			t.Errorf("%s: status %d, %d bytes, %d errors, %v", name, a.status, len(a.body), len(p.Errors), err)
		}
		if strings.HasPrefix(name, "60,000") && (len(p.Errors) != 100 || p.More != 59_900) {
			t.Errorf("%s: %d errors and %d more", name, len(p.Errors), p.More)
		}
	}
	// Of a list, so many faults are found, since each may need a search for what was meant.
	web := newSite(t, map[string]string{"/": "<p>"})
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	run := s.checked(project)
	codes := strings.Repeat("htp-404,", 100_000)
	for _, row := range []struct {
		path   string
		body   object
		faults int
	}{
		{"projects", object{"name": "x", "targets": []string{web.URL}, "options": object{"level": slices.Repeat([]string{"htp-404=off"}, 10_000)}}, 100},
		{"projects/" + project + "/marks", object{"run": run, "filter": object{"code": codes}, "as": "known", "reason": "x"}, 1},
		{"projects/" + project + "/views", object{"name": "x", "query": "code=" + codes}, 1},
		{"projects/" + project + "/views", object{"name": "x", "query": "q=" + codes}, 1},
	} {
		p := struct {
			Errors []object
			More   int
		}{}
		s.call("POST", row.path, row.body, 422, &p)
		if len(p.Errors)+p.More != row.faults {
			t.Errorf("%s: %d faults, want %d", row.path, len(p.Errors)+p.More, row.faults)
		}
	}
	var p struct {
		Errors []object
		More   int
	}
	s.call("POST", "import", json.RawMessage(`{"version": 2, "projects": [`+options(300, "o")+`, {"name": "y"}]}`), 422, &p)
	if len(p.Errors) != 100 || p.More != 201 {
		t.Errorf("an import: %d errors and %d more, want 100 and 201", len(p.Errors), p.More)
	}
}

// A list of URLs counts all bad lines, of which its problem has the first.
func TestFaultsOfURLListAreCounted(t *testing.T) {
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{"https://example.com/"}})
	lines := make([]string, 500)
	for n := range lines {
		lines[n] = fmt.Sprint("ftp://example.com/", n)
	}
	counts := func(what string, a *answer, more int) {
		t.Helper()
		var p struct {
			Errors []object
			More   int
		}
		if err := json.Unmarshal(a.body, &p); err != nil || a.status != 422 || len(p.Errors) != 100 || p.More != more {
			t.Errorf("%s: status %d, %d errors and %d more, want 422, 100 and %d", what, a.status, len(p.Errors), p.More, more)
		}
	}
	counts("a list", s.send("PUT", "api/v1/projects/"+project+"/urls", strings.Join(lines, "\n"), header("Content-Type", "text/plain")), 400)
	document := object{"version": 2, "projects": []object{{"name": "x", "targets": []string{"ftp://x"}, "urls": lines}, {"name": "y", "targets": []string{"https://example.com/"}, "urls": lines}}}
	counts("an import", s.send("POST", "api/v1/import", document), 901)
}

// Secrets of a project are not sent to hosts for which nobody gave them.
func TestSecretsStayOnTheirHosts(t *testing.T) {
	s := open(t, t.TempDir())
	const old, other = "https://old.invalid/", "https://other.invalid/"
	id := s.create(object{"targets": []string{old, "https://me:pass@old.invalid/private/", "http://second.invalid:8080/"}, "options": object{"depth": 1, "header": []string{"X-Key: one", "X-Other: two"}, "user": "me:secret"}})
	for name, row := range map[string]struct {
		body  object
		fault string
	}{
		"targets alone":              {object{"targets": []string{other}}, "options.header options.user"},
		"one of them":                {object{"targets": []string{old, other}}, "options.header options.user"},
		"another scheme":             {object{"targets": []string{"http://old.invalid/"}}, "options.header options.user"},
		"another port":               {object{"targets": []string{"http://second.invalid/"}}, "options.header options.user"},
		"kept values":                {object{"targets": []string{other}, "options": object{"header": []string{"***", "***"}, "user": "***"}}, "options.header options.user"},
		"kept values, options first": {object{"options": object{"header": "***", "user": "me:new"}, "targets": []string{other}}, "options.header"},
		"one kept value of a list":   {object{"targets": []string{other}, "options": object{"header": []string{"X-Key: new", "***"}}}, "options.header"},
		"a password":                 {object{"targets": []string{"https://me:***@old.invalid/private/", other}, "options": object{}}, "targets.0"},
		"the base URL":               {object{"options": object{"base-url": other, "header": "***", "user": "me:new"}}, "options.header"},
		"the password of another":    {object{"targets": []string{"https://me:***@other.invalid/private/"}, "options": object{}}, "targets.0"},
	} {
		var p problem
		s.call("PATCH", "projects/"+id, row.body, 422, &p)
		var fields []string
		for _, e := range p.Errors {
			fields = append(fields, e.Field)
			if name != "the password of another" && e.Message != "give the value again, because the targets are on other hosts" {
				t.Errorf("%s: %s", name, e.Message)
			}
		}
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != row.fault {
			t.Errorf("%s: errors at %s, want %s", name, got, row.fault)
		}
	}
	// A form without scripts says so beside the field.
	form := url.Values{"name": {"x"}, "targets": {other}, "header": {"***\n***"}, "user": {"me:new"}}
	if a := s.post("projects/"+id+"/settings", form); a.status != 422 || !strings.Contains(string(a.body), `id="fault-header">give the value again`) {
		t.Errorf("the form: status %d", a.status)
	}
	for name, body := range map[string]object{
		"the same hosts":     {"targets": []string{"https://old.invalid:443/docs/", "http://second.invalid:8080/x"}},
		"other options":      {"options": object{"depth": 2, "header": "***", "user": "***"}},
		"values given again": {"targets": []string{other}, "options": object{"header": "X-Key: three", "user": "me:secret"}},
		"values removed":     {"targets": []string{old}, "options": object{}},
	} {
		fresh := s.create(object{"targets": []string{old, "http://second.invalid:8080/"}, "options": object{"header": "X-Key: one", "user": "me:secret"}})
		if a := s.send("PATCH", "api/v1/projects/"+fresh, body); a.status != 200 {
			t.Errorf("%s: status %d: %s", name, a.status, a.body)
		}
	}
}

// A hidden password is kept for other pages of its host, and sent there.
func TestPasswordOfOtherPage(t *testing.T) {
	var asked sync.Map
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		asked.Store(r.URL.Path, user+" "+password)
	}))
	defer web.Close()
	host := strings.TrimPrefix(web.URL, "http://")
	s := open(t, t.TempDir())
	id := s.create(object{"targets": []string{"http://me:pass@" + host + "/a"}, "options": object{"retries": 0}})
	s.call("PATCH", "projects/"+id, object{"targets": []string{"http://me:***@" + host + "/new/page?x=@"}}, 200, nil)
	s.checked(id)
	if got, _ := asked.Load("/new/page"); got != "me pass" {
		t.Errorf("the page was requested with %v, want me pass", got)
	}
	s.call("PATCH", "projects/"+id, object{"targets": []string{"http://they:***@" + host + "/a"}}, 422, nil)
}

// Names and reasons are one line without characters that act.
func TestTextsWithoutControls(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a>`})
	s := open(t, t.TempDir())
	id := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	run := s.checked(id)
	fingerprint := s.items("runs/" + run + "/findings")[0]["fingerprint"].(string)
	for _, c := range "\x00\x01\t\n\r\x1b\x7f\u0085\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069" {
		text := "a" + string(c) + "b"
		var p problem
		s.call("PATCH", "projects/"+id, object{"name": text}, 422, &p)
		if len(p.Errors) != 1 || p.Errors[0].Field != "name" {
			t.Errorf("a name with %U: %+v", c, p.Errors)
		}
		p = problem{}
		s.call("PUT", "projects/"+id+"/marks/"+fingerprint, object{"as": "known", "reason": text}, 422, &p)
		if len(p.Errors) != 1 || p.Errors[0].Field != "reason" {
			t.Errorf("a reason with %U: %+v", c, p.Errors)
		}
	}
	for _, text := range []string{"Größe 你好 שלום", "a\u200db", "👩\u200d💻"} {
		s.call("PATCH", "projects/"+id, object{"name": text}, 200, nil)
		s.call("PUT", "projects/"+id+"/marks/"+fingerprint, object{"as": "known", "reason": text}, 200, nil)
	}
}
