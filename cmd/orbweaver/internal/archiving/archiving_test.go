package archiving

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// server answers for an archive, and keeps when it was asked for what.
type server struct {
	began  time.Time
	asked  []string
	answer func(n int, submitted string) (status int, body string, header http.Header)
}

func (s *server) Fetch(_ context.Context, req *fetch.Request) (*fetch.Response, error) {
	what := "GET " + req.URL.RequestTarget()
	submitted := ""
	if req.Form != nil {
		form, err := url.ParseQuery(string(req.Form.Body))
		if err != nil {
			return nil, err
		}
		submitted = form.Get("url")
		what = "POST " + submitted
	}
	s.asked = append(s.asked, time.Since(s.began).String()+" "+what)
	status, body, header := s.answer(len(s.asked), submitted)
	if status == 0 {
		return nil, &fetch.Fault{Kind: "connect-refused", Op: "connect", Target: "x", Err: errors.New("connection refused"), Retry: true}
	}
	return &fetch.Response{Status: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func serviceAt(t *testing.T, s *server, address string) *Service {
	t.Helper()
	u, _, err := urinorm.ParseWeb(address)
	if err != nil {
		t.Fatal(err)
	}
	s.began = time.Now()
	return &Service{URL: u, Fetch: s, Wait: 3 * time.Minute, Within: 30 * 24 * time.Hour, Interval: IntervalFor(u), Retries: 2, Backoff: time.Second, MaxWait: time.Minute}
}

func openLog(t *testing.T) *Log {
	t.Helper()
	l, err := OpenLog(filepath.Join(t.TempDir(), "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func all(t *testing.T, r *Run) string {
	t.Helper()
	var lines []string
	for one, more := r.Next(t.Context()); more; one, more = r.Next(t.Context()) {
		lines = append(lines, string(one.State)+" "+one.URL+" "+one.Text)
	}
	return strings.Join(lines, "\n")
}

// TestPace: two requests are 250 ms apart, a job is asked about soon and then less often, and a wait ends
// at its end.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: func(n int, submitted string) (int, string, http.Header) {
			if submitted != "" {
				return 200, `{"job_id":"j` + submitted[len(submitted)-1:] + `"}`, nil
			}
			return 200, `{"status":"pending"}`, nil
		}}
		service := serviceAt(t, s, "https://archive.test/save/")
		service.Wait = 12 * time.Second
		got := all(t, service.Begin([]string{"http://x.org/1", "http://x.org/2"}, openLog(t)))
		if want := "pending http://x.org/1 job j1 has not ended within 12s\npending http://x.org/2 job j2 has not ended within 12s"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		want := []string{"0s POST http://x.org/1", "250ms POST http://x.org/2", "1s GET /save/status/j1", "1.25s GET /save/status/j2", "2s GET /save/status/j1", "2.25s GET /save/status/j2",
			"3s GET /save/status/j1", "3.25s GET /save/status/j2", "4.5s GET /save/status/j1", "4.75s GET /save/status/j2", "6.75s GET /save/status/j1", "7s GET /save/status/j2",
			"10.125s GET /save/status/j1", "10.375s GET /save/status/j2", "12s GET /save/status/j1", "12.25s GET /save/status/j2"}
		if strings.Join(s.asked, "\n") != strings.Join(want, "\n") {
			t.Errorf("asked\n%s\nwant\n%s", strings.Join(s.asked, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestGivesUp: a service that is busy for ever, or refuses three requests in a row, is not asked any more.
func TestGivesUp(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		header http.Header
		asked  int
		within time.Duration
		why    string
	}{
		{"busy", 429, nil, 0, 3*time.Minute + time.Second, "it is busy: its answer has the status 429"},
		{"busy for too long", 429, http.Header{"Retry-After": {"61"}}, 1, time.Second, "it is busy: its answer has the status 429"},
		{"away", 503, nil, 3, time.Minute, "its answer has the status 503"},
		{"gone", 404, nil, 3, time.Minute, "its answer has the status 404"},
		{"nobody", 0, nil, 3, time.Minute, "connect x: connection refused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{answer: func(int, string) (int, string, http.Header) { return row.status, "", row.header }}
				service := serviceAt(t, s, "https://archive.test/save")
				r := service.Begin([]string{"http://x.org/1", "http://x.org/2", "http://x.org/3", "http://x.org/4"}, openLog(t))
				got := all(t, r)
				if strings.Count(got, "\n") != 3 || strings.Contains(got, "archived") || r.Err() == nil || r.Err().Error() != row.why || r.Unanswered() != 4 {
					t.Errorf("%v, %d without an answer:\n%s", r.Err(), r.Unanswered(), got)
				}
				if took := time.Since(s.began); took > row.within || row.asked > 0 && len(s.asked) != row.asked || len(s.asked) > 150 {
					t.Errorf("%d requests in %v: %v", len(s.asked), took, s.asked)
				}
			})
		})
	}
}

// TestEarlierJobs: the jobs of an earlier run are asked for before anything is submitted, and those that
// the service has forgotten are submitted again if they are still wanted.
func TestEarlierJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := openLog(t)
		for _, e := range []Entry{{URL: "http://x.org/1", Job: "j1"}, {URL: "http://x.org/2", Job: "j2"}, {URL: "http://x.org/3", Job: "j3"}, {URL: "http://x.org/4"}, {URL: "http://x.org/5", Job: "../5"}} {
			e.State, e.Time = Submitted, time.Now()
			if err := l.add(e); err != nil {
				t.Fatal(err)
			}
		}
		s := &server{answer: func(n int, submitted string) (int, string, http.Header) {
			switch {
			case n == 1: // j1
				return 200, `{"status":"pending"}`, nil
			case n < 4:
				return 404, `{"status":"error"}`, nil
			case submitted != "":
				return 200, `{"job_id":"new"}`, nil
			}
			return 200, `{"status":"success","timestamp":"20260102030405","original_url":"javascript:alert(1)"}`, nil
		}}
		service := serviceAt(t, s, "http://127.0.0.1:1/save")
		got := all(t, service.Begin([]string{"http://x.org/0", "http://x.org/1", "http://x.org/2", "http://x.org/4"}, l))
		for _, want := range []string{"failed http://x.org/3 the service does not know the job j3", "archived http://x.org/1 http://127.0.0.1:1/web/20260102030405/http://x.org/1", "archived http://x.org/0 ", "archived http://x.org/2 ", "archived http://x.org/4 "} {
			if !strings.Contains(got, want) {
				t.Errorf("got\n%s\nwithout %s", got, want)
			}
		}
		asked := strings.Join(s.asked, "\n")
		for i, want := range []string{"GET /save/status/j1", "GET /save/status/j2", "GET /save/status/j3", "POST http://x.org/"} {
			if !strings.Contains(s.asked[i], want) {
				t.Errorf("asked\n%s\nwant %s as %d", asked, want, i)
			}
		}
		if strings.Count(asked, "POST") != 3 || strings.Contains(asked, "..") {
			t.Errorf("asked\n%s", asked)
		}
	})
}

// A log that cannot be written ends the run before anything is sent.
func TestLogCannotBeWritten(t *testing.T) {
	s := &server{answer: func(int, string) (int, string, http.Header) { return 200, `{"job_id":"j"}`, nil }}
	l := openLog(t)
	l.File.Close()
	r := serviceAt(t, s, "http://127.0.0.1:1/save").Begin([]string{"http://x.org/"}, l)
	if got := all(t, r); !strings.HasPrefix(got, "failed http://x.org/ not submitted: write the log: ") || r.Err() == nil || len(s.asked) > 0 {
		t.Errorf("%v, asked %v:\n%s", r.Err(), s.asked, got)
	}
}

// A log is as it was written, whatever is cut, and what is cut is replaced.
func TestLogIsCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.jsonl")
	l, err := OpenLog(name)
	if err != nil {
		t.Fatal(err)
	}
	entries := []Entry{{URL: "http://x.org/1", State: Submitted, Job: "j"}, {URL: "http://x.org/1", State: Archived, Copy: "http://a/"}, {URL: "http://x.org/<2>", State: Failed, Error: "no"}}
	for _, e := range entries {
		if err := l.add(e); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLog(name)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if isCut := n > 0 && whole[n-1] != '\n'; (l.Cut > 0) != isCut {
			t.Errorf("cut at %d: line %d", n, l.Cut)
		}
		if err := l.add(Entry{URL: "http://x.org/3", State: Submitted}); err != nil {
			t.Fatal(err)
		}
		l.Close()
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(whole[:n]), "\n") + 1; strings.Count(string(text), "\n") != lines || !strings.HasPrefix(string(text), string(whole[:strings.LastIndex(string(whole[:n]), "\n")+1])) {
			t.Fatalf("cut at %d:\n%s", n, text)
		}
	}
}

// A file of another program is no log whose last line is cut, and stays as it is.
func TestLogOfAnotherProgram(t *testing.T) {
	for _, text := range []string{"notes", "notes\n", `{"name":"x"`, "{}\n", `{"url":5}` + "\n"} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := OpenLog(name); err == nil || !strings.Contains(err.Error(), "line 1 is not a line of this log") {
			t.Errorf("%q: %v, %v, want an error", text, l, err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	for _, body := range []string{`{"job_id":"spn2-1"}`, `{"job_id":null,"message":"no"}`, `{"status":"success","timestamp":"20260102030405","original_url":"http://x.org/"}`, `{"status":"error","status_ext":"error:user-session-limit"}`, `<html>`, `[]`, `{"job_id":5}`, "{\"message\":\"a\\u0000\\tk3y:s3cret\"}"} {
		for _, status := range []int{200, 404, 429, 503} {
			f.Add(status, "job", body)
			f.Add(status, "", body)
		}
	}
	u, _, err := urinorm.ParseWeb("https://archive.test/save")
	if err != nil {
		f.Fatal(err)
	}
	s := &Service{URL: u, Key: "k3y:s3cret"}
	f.Fuzz(func(t *testing.T, status int, job, body string) {
		a := s.read("http://x.org/", job, status, []byte(body))
		said := 0
		for _, is := range []bool{a.job != "", a.copy != "", a.failed != "", a.pending, a.unknown, a.busy || a.refused != nil} {
			if is {
				said++
			}
		}
		text := a.failed + a.copy
		if a.refused != nil {
			text += a.refused.Error()
		}
		if said != 1 || strings.Contains(text, "s3cret") || strings.ContainsAny(text, "\n\t\x00") || len(text) > maxReason+100 && a.copy == "" {
			t.Errorf("%d %q: %+v", status, body, a)
		}
		if a.copy != "" && !strings.HasPrefix(a.copy, "https://archive.test/web/") {
			t.Errorf("the copy is %q", a.copy)
		}
		line, err := json.Marshal(Entry{URL: "http://x.org/", State: Failed, Error: text})
		if err != nil || strings.ContainsRune(string(line), '\n') {
			t.Errorf("%v: %q", err, line)
		}
	})
}
