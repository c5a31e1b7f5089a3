package servetest

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
)

// sink is a webhook that keeps what it is sent.
type sink struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []delivery
}

type delivery struct {
	Event   string
	Project struct{ ID, Name string }
	Run     struct{ ID, State string }
	New     []struct{ URL, Code, Fingerprint string }
	Fixed   []struct{ URL string }
	Totals  struct{ New, Fixed int }
	Issues  []struct {
		ID, Code string
		Findings int
	}
	Truncated *bool
	URL       string
	Text      string // of Slack
}

func newSink(t *testing.T, secret string) *sink {
	s := &sink{status: 200}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var d delivery
		if err := json.Unmarshal(body, &d); err != nil || r.Method != "POST" || secret != "" && r.Header.Get(notify.SignatureHeader) != notify.Sign(secret, body) {
			t.Errorf("%s %v: %s, %v", r.Method, r.Header, body, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, d)
		w.WriteHeader(s.status)
	}))
	t.Cleanup(s.Close)
	return s
}

// wait waits until there are n deliveries, and returns them.
func (s *sink) wait(t *testing.T, n int) []delivery {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		s.mu.Lock()
		got := s.got
		s.mu.Unlock()
		if len(got) >= n {
			return got
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d deliveries, want %d: %+v", len(got), n, got)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *server) feed(project string) []string {
	s.t.Helper()
	a := s.send("GET", "api/v1/projects/"+project+"/feed.atom", nil)
	var feed struct {
		Entry []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(a.body, &feed); err != nil || a.status != 200 {
		s.t.Fatalf("feed: status %d, %v\n%s", a.status, err, a.body)
	}
	var titles []string
	for _, e := range feed.Entry {
		titles = append(titles, e.Title)
	}
	return titles
}

func (s *server) badge(project string) string {
	s.t.Helper()
	_, text, _ := strings.Cut(string(s.send("GET", "api/v1/projects/"+project+"/badge.svg", nil).body), "<title>links: ")
	text, _, _ = strings.Cut(text, "</title>")
	return text
}

func TestNotifications(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a>`})
	hook, slack := newSink(t, "hush"), newSink(t, "")
	data := t.TempDir()
	s := open(t, data)
	project := s.create(object{"name": "Docs", "targets": []string{web.URL}, "options": object{"retries": 0}, "notify": []object{
		{"type": "webhook", "url": hook.URL, "secret": "hush"}, {"type": "slack", "url": slack.URL, "on": []string{"fixed"}}}})
	var p struct {
		Notify []struct {
			Secret string
			On     []string
		}
	}
	s.call("GET", "projects/"+project, nil, 200, &p)
	if p.Notify[0].Secret != "***" || fmt.Sprint(p.Notify[0].On, p.Notify[1].On) != "[new fixed unsound] [fixed]" {
		t.Errorf("notify is shown as %+v", p.Notify)
	}
	if got := s.badge(project); got != "unknown" {
		t.Errorf("badge before the first run: %s", got)
	}
	first := s.checked(project)
	d := hook.wait(t, 1)[0]
	if d.Event != "new" || d.Project.ID != project || d.Project.Name != "Docs" || d.Run.ID != first || d.Run.State != "done" || len(d.New) != 1 || d.New[0].URL != web.URL+"/gone" ||
		d.New[0].Code != "http-404" || d.New[0].Fingerprint == "" || len(d.Fixed) != 0 || d.URL != s.base+"runs/"+first+"/compare" {
		t.Errorf("%+v", d)
	}
	if d.Totals.New != 1 || d.Totals.Fixed != 0 || d.Truncated == nil || *d.Truncated || len(d.Issues) != 1 || d.Issues[0].Code != "http-404" || d.Issues[0].Findings != 1 {
		t.Errorf("the numbers of the event are %+v", d)
	}
	if got := s.badge(project); got != "1 broken" {
		t.Errorf("badge: %s", got)
	}
	s.checked(project) // the same set
	s.call("PATCH", "projects/"+project, object{"notify": []object{{"type": "webhook", "url": hook.URL, "secret": "***"}, {"type": "slack", "url": slack.URL, "on": []string{"fixed"}}}}, 200, nil)
	web.set("/gone", "<p>back")
	last := s.checked(project)
	if got := hook.wait(t, 2); got[1].Event != "fixed" || got[1].Run.ID != last || len(got[1].Fixed) != 1 || len(got) != 2 {
		t.Errorf("%+v", got[1:])
	}
	if got := slack.wait(t, 1); len(got) != 1 || !strings.Contains(got[0].Text, "all links are fixed") {
		t.Errorf("%+v", got)
	}
	if got := s.badge(project); got != "ok" {
		t.Errorf("badge: %s", got)
	}
	s.kill()
	s = open(t, data) // nothing is told again
	web.set("/", "")
	s.checked(project)
	if got := hook.wait(t, 3); got[2].Event != "unsound" || len(got) != 3 {
		t.Errorf("%+v", got[2:])
	}
	s.checked(project) // unsound still
	web.set("/", `<a href="gone">x</a><a href="gone2">x</a>`)
	s.checked(project)
	if got := hook.wait(t, 4); got[3].Event != "new" || len(got[3].New) != 1 || len(got) != 4 {
		t.Errorf("%+v", got[3:])
	}
	if got := strings.Join(s.feed(project), "|"); got != "[Docs] 1 issue, 1 broken link, 1 new|[Docs] the last run is not reliable|[Docs] all links are fixed|[Docs] first run: 1 issue, 1 broken link" {
		t.Errorf("feed: %s", got)
	}
}

// A finding that is known is kept out of notifications, feed and badge until the mark ends.
func TestNotificationsOfMarked(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="/">x</a>`})
	hook := newSink(t, "")
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}, "notify": []object{{"type": "webhook", "url": hook.URL}}})
	s.checked(project)
	web.set("/", `<a href="gone">x</a>`)
	run := s.checked(project)
	hook.wait(t, 1)
	fingerprint := s.items("runs/" + run + "/findings")[0]["fingerprint"].(string)
	s.call("PUT", "projects/"+project+"/marks/"+fingerprint, object{"as": "known", "reason": "it moves", "until": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, 200, nil)
	if got := s.badge(project); got != "ok" {
		t.Errorf("badge with a mark: %s", got)
	}
	marked := s.checked(project)
	s.follow(marked, 0, func(e event) bool {
		if e.kind == "finding" && e.data["known"] == nil {
			t.Errorf("the event of the marked finding is %v", e.data)
		}
		return true
	})
	s.call("DELETE", "projects/"+project+"/marks/"+fingerprint, nil, 204, nil)
	if got := s.badge(project); got != "1 broken" {
		t.Errorf("badge without the mark: %s", got)
	}
	web.set("/", `<a href="gone">x</a><a href="other">x</a>`)
	s.checked(project)
	if got := hook.wait(t, 2); len(got) != 2 || len(got[1].New) != 1 || got[1].New[0].URL != web.URL+"/other" {
		t.Errorf("%+v", got)
	}
}

func TestNotifyTest(t *testing.T) {
	hook := newSink(t, "")
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{"http://127.0.0.1:1/"}, "notify": []object{{"type": "webhook", "url": hook.URL}, {"type": "webhook", "url": "http://missing.invalid/x"}, {"type": "webhook", "url": "http://missing.invalid/"}}})
	test := func(n string) (r struct {
		Delivered bool
		Status    int
		Error     string
	}) {
		s.call("POST", "projects/"+project+"/notify/"+n+"/test", nil, 200, &r)
		return r
	}
	if r := test("0"); !r.Delivered || r.Status != 200 || r.Error != "" {
		t.Errorf("%+v", r)
	}
	if got := hook.wait(t, 1); got[0].Event != "test" || got[0].Project.ID != project || got[0].URL != s.base+"projects/"+project {
		t.Errorf("%+v", got)
	}
	hook.mu.Lock()
	hook.status = 500
	hook.mu.Unlock()
	if r := test("0"); r.Delivered || r.Status != 500 || !strings.Contains(r.Error, "500") || len(hook.wait(t, 4)) != 4 {
		t.Errorf("%+v", r)
	}
	if r := test("1"); r.Delivered || r.Error == "" {
		t.Errorf("%+v", r)
	}
	for _, n := range []string{"3", "-1", "00", "x"} {
		s.call("POST", "projects/"+project+"/notify/"+n+"/test", nil, 404, nil)
	}
}

func TestNotifyMembers(t *testing.T) {
	s := open(t, t.TempDir())
	for _, row := range []struct {
		notify any
		fields string
	}{
		{[]object{{"type": "webhook", "url": "http://10.0.0.1/"}}, "notify.0.url"}, {[]object{{"type": "slack", "url": "http://[::ffff:a9fe:a9fe]/"}}, "notify.0.url"},
		{[]object{{"type": "webhook", "url": "https://example.com/"}, {"type": "pager"}}, "notify.1.type"}, {[]object{{"type": "email", "to": "a@b.example"}}, "notify.0.to"},
		{[]object{{"type": "webhook", "url": "https://example.com/", "secret": "***"}}, "notify.0.secret"}, {[]object{{"type": "webhook", "url": "https://example.com/", "on": []string{"x"}}}, "notify.0.on"},
		{[]object{{"type": "webhook", "url": 5, "color": "red"}}, "notify.0.color notify.0.url"}, {[]object{{"color": "red", "on": []string{"x"}, "secret": "***", "type": "webhook", "url": 5}}, "notify.0.color notify.0.on notify.0.secret notify.0.url"},
		{[]object{{"on": []string{"x"}, "topic": 5, "type": "ntfy", "url": "ftp://x"}}, "notify.0.on notify.0.topic notify.0.url"}, {"x", "notify"}, {[]string{"x"}, "notify.0"}, {nil, "notify"},
	} {
		var p struct {
			Errors []struct{ Field, Message string }
		}
		s.call("POST", "projects", object{"name": "x", "targets": []string{"https://example.com/"}, "notify": row.notify}, 422, &p)
		var fields []string
		for _, e := range p.Errors {
			fields = append(fields, e.Field)
		}
		if got := strings.Join(fields, " "); got != row.fields {
			t.Errorf("%v: %+v, want %s", row.notify, p.Errors, row.fields)
		}
	}
}

// An event that could not be sent when the server stopped is sent by the next one, once.
func TestNotifyAfterRestart(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a>`})
	hook := newSink(t, "")
	hook.status = 503
	data := t.TempDir()
	s := open(t, data)
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}, "notify": []object{{"type": "webhook", "url": hook.URL}}})
	s.checked(project)
	hook.wait(t, 1)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if status := s.wait(); status != 0 {
		t.Errorf("status %d", status)
	}
	hook.mu.Lock()
	hook.status, hook.got = 200, nil
	hook.mu.Unlock()
	s = open(t, data)
	if got := hook.wait(t, 1); got[0].Event != "new" || len(got[0].New) != 1 {
		t.Errorf("%+v", got)
	}
	s.kill()
	s = open(t, data)
	s.checked(project)
	if got := hook.wait(t, 1); len(got) != 1 {
		t.Errorf("told twice: %+v", got)
	}
}
