package servetest

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// always is a quiet time that never ends.
var always = object{"days": []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}}

func TestQuietHours(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a><a href="a">x</a><a href="b">x</a>`, "/a": "<p>here", "/b": "<p>here"})
	hook := newSink(t, "")
	data := t.TempDir()
	s := open(t, data)
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}, "notify": []object{{"type": "webhook", "url": hook.URL}}})
	before := s.checked(project)
	hook.wait(t, 1)
	var p struct {
		Quiet *struct {
			From, To, Zone string
			Days           []string
		}
	}
	s.call("PATCH", "projects/"+project, object{"quiet": always}, 200, &p)
	if p.Quiet == nil || len(p.Quiet.Days) != 7 || p.Quiet.From+p.Quiet.To+p.Quiet.Zone != "" {
		t.Errorf("quiet is shown as %+v", p.Quiet)
	}
	broken := func(pages ...string) string {
		for _, page := range []string{"/a", "/b"} {
			web.set(page, "<p>here")
		}
		for _, page := range pages {
			web.set(page, "")
		}
		return s.checked(project)
	}
	decided := func(n int) { s.decided(project, n) }
	broken("/a", "/b") // two new ones are held, and one of them is fixed before they leave
	decided(2)
	s.kill()
	s = open(t, data)
	now := broken("/b")
	s.call("POST", "projects/"+project+"/notify/0/test", nil, 200, nil)
	if got := hook.wait(t, 2); len(got) != 2 || got[1].Event != "test" {
		t.Fatalf("in the quiet time: %+v", got[1:])
	}
	s.call("PATCH", "projects/"+project, object{"quiet": nil}, 200, nil)
	got := hook.wait(t, 3)
	if d := got[2]; len(got) != 3 || d.Event != "new" || d.Run.ID != now || len(d.New) != 1 || d.New[0].URL != web.URL+"/b" || d.Totals.New != 1 || len(d.Issues) != 1 ||
		d.URL != s.base+"runs/"+now+"/compare?with="+before {
		t.Errorf("after the quiet time: %+v", got[2:])
	}
	s.call("PATCH", "projects/"+project, object{"quiet": always}, 200, nil)
	broken("/a", "/b") // new, and fixed before it leaves
	broken("/b")
	web.set("/gone", "<p>back")
	broken() // all are fixed, and then b breaks again
	broken("/b")
	decided(5)
	s.call("PATCH", "projects/"+project, object{"quiet": nil}, 200, nil)
	last := broken("/a", "/b")
	if got := hook.wait(t, 4); len(got) != 4 || got[3].Event != "new" || got[3].Run.ID != last || len(got[3].New) != 1 || got[3].New[0].URL != web.URL+"/a" {
		t.Errorf("what came and went was told: %+v", got[3:])
	}
}

// decided waits until the feed of a project has n entries: a run is done before it is decided what it
// tells.
func (s *server) decided(project string, n int) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); len(s.feed(project)) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("the feed has %q, want %d entries", s.feed(project), n)
		}
	}
}

// TestQuietFirstRun: all that is broken is new if even the first run was held.
func TestQuietFirstRun(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<p>text</p><a href="g1">x</a>`})
	hook := newSink(t, "")
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}, "quiet": always, "notify": []object{{"type": "webhook", "url": hook.URL}}})
	s.checked(project)
	web.set("/", `<p>text</p><a href="g1">x</a><a href="g2">x</a>`)
	s.checked(project)
	s.decided(project, 2)
	s.call("PATCH", "projects/"+project, object{"quiet": nil}, 200, nil)
	got := hook.wait(t, 1)
	if d := got[0]; len(got) != 1 || d.Event != "new" || len(d.New) != 2 || d.New[0].URL != web.URL+"/g1" || d.New[1].URL != web.URL+"/g2" || d.Totals.New != 2 || len(d.Issues) != 2 {
		t.Errorf("after the quiet time: %+v", got)
	}
}

func TestQuietMembers(t *testing.T) {
	s := open(t, t.TempDir())
	for _, row := range []struct {
		quiet  any
		fields string
	}{
		{object{"from": "20:00"}, "quiet.to"}, {object{"from": "8 pm", "to": "07:00"}, "quiet.from"}, {object{"days": []string{"funday"}}, "quiet.days"}, {object{"days": []string{"sat"}, "zone": "Mars"}, "quiet.zone"},
		{object{"from": 20, "color": "red"}, "quiet.color quiet.from quiet.to"}, {object{"days": 5, "from": "8 pm", "to": "07:00", "zone": "Mars"}, "quiet.days quiet.from quiet.zone"}, {"x", "quiet"}, {object{}, "quiet.from quiet.to"},
	} {
		var p struct{ Errors []struct{ Field string } }
		s.call("POST", "projects", object{"name": "x", "targets": []string{"https://example.com/"}, "quiet": row.quiet}, 422, &p)
		var fields []string
		for _, e := range p.Errors {
			fields = append(fields, e.Field)
		}
		if got := strings.Join(fields, " "); got != row.fields {
			t.Errorf("%v: faults at %q, want %q", row.quiet, got, row.fields)
		}
	}
	project := s.create(object{"targets": []string{"https://example.com/"}, "quiet": object{"from": "20:00", "to": "07:00", "days": []string{"sat"}, "zone": "Europe/Berlin"}})
	page := "projects/" + project + "/settings"
	if text := string(s.send("GET", page, nil).body); !strings.Contains(text, `name="quiet.from" value="20:00"`) || !strings.Contains(text, `name="quiet.zone" value="Europe/Berlin"`) {
		t.Errorf("the form does not show the quiet time")
	}
	fields := url.Values{"do": {"save"}, "quiet.from": {"late"}, "quiet.to": {"07:00"}, "quiet.days": {"sat, sun"}, "quiet.zone": {""}}
	if a := s.post(page, fields); a.status != 422 || !strings.Contains(string(a.body), `id="fault-quiet.from"`) {
		t.Errorf("a wrong time: status %d", a.status)
	}
	fields.Set("quiet.from", "21:30")
	var p struct {
		Quiet *struct {
			From string
			Days []string
		}
	}
	if a := s.post(page, fields); a.status != 303 {
		t.Errorf("status %d", a.status)
	}
	if s.call("GET", "projects/"+project, nil, 200, &p); p.Quiet == nil || p.Quiet.From != "21:30" || len(p.Quiet.Days) != 2 {
		t.Errorf("saved as %+v", p.Quiet)
	}
	for name := range fields {
		fields.Set(name, "")
	}
	s.post(page, fields)
	if s.call("GET", "projects/"+project, nil, 200, &p); p.Quiet != nil {
		t.Errorf("it is not taken away: %+v", p.Quiet)
	}
}
