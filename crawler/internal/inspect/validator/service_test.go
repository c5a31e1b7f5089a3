package validator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

const noMessages = `{"messages":[]}`

// fakeService returns a service whose server answers documents with handle. The requests by
// which Connect and a lost service are probed are answered by probe, nil for rightly.
func fakeService(t *testing.T, handle, probe http.HandlerFunc) *Service {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		switch {
		case !strings.Contains(string(body), "<title>Test"):
			handle(w, r)
		case probe != nil:
			probe(w, r)
		default:
			io.WriteString(w, noMessages)
		}
	}))
	t.Cleanup(server.Close)
	s, err := Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.pause = time.Microsecond
	return s
}

func TestRequest(t *testing.T) {
	for _, media := range []string{"text/html", "text/css", "application/xhtml+xml"} {
		s := fakeService(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if got := r.Method + " " + r.RequestURI + " " + r.Header.Get("Content-Type"); got != "POST /?out=json "+media+"; charset=utf-8" || string(body) != "\u00fc" {
				t.Errorf("%s: %q", got, body)
			}
			for name := range r.Header {
				if !strings.Contains("Accept-Encoding Content-Type Content-Length User-Agent", name) {
					t.Errorf("header %s", name)
				}
			}
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			io.WriteString(w, noMessages)
		}, nil)
		p := htmlPage("\u00fc")
		if media == "text/css" {
			p = cssPage("\u00fc")
		}
		p.ContentType = media
		if got, err := s.Check(t.Context(), p); err != nil || got != nil {
			t.Error(got, err)
		}
	}
}

func TestConnectFails(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/html":
			io.WriteString(w, "<!DOCTYPE html>")
		case "/json":
			io.WriteString(w, `{"a":1}`)
		case "/redirect":
			http.Redirect(w, r, "/right", http.StatusTemporaryRedirect)
		case "/right":
			io.WriteString(w, noMessages)
		case "/endless":
			for range maxAnswer/1024 + 2 {
				w.Write(make([]byte, 1024))
			}
		default:
			http.NotFound(w, r)
		}
	}))
	defer other.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	for address, want := range map[string]string{
		other.URL + "/html":         "not the JSON of the Nu HTML Checker",
		other.URL + "/json":         "not the JSON of the Nu HTML Checker",
		other.URL + "/redirect":     "status 307",
		other.URL + "/other":        "status 404",
		other.URL + "/endless":      "more than 16 MiB",
		closed.URL:                  "refused",
		"ftp://example.com/":        "not an http or https URL",
		"127.0.0.1:8888":            "address of the validator",
		"http://":                   "not an http or https URL",
		"http://a:secret@127.0.0.1": "user name or password",
		"http://a:secret@[":         "address of the validator",
	} {
		s, err := Connect(t.Context(), address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
		if err == nil {
			s.Close()
		}
	}
	s, err := Connect(t.Context(), other.URL+"/right?a=b#c")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

func TestLaunchFails(t *testing.T) {
	t.Setenv("VNU_JAR", "")
	t.Chdir(t.TempDir())
	if _, err := Launch(t.Context()); err == nil || !strings.Contains(err.Error(), "vnu-jar") {
		t.Error(err)
	}
	t.Setenv("VNU_JAR", "/")
	t.Setenv("PATH", "")
	if _, err := Launch(t.Context()); err == nil || !strings.Contains(err.Error(), "java") {
		t.Error(err)
	}
}

// Documents with equal text are sent once, even at the same time, and not too many are sent at
// a time.
func TestEqualDocuments(t *testing.T) {
	var requests, now, most atomic.Int32
	s := fakeService(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		io.Copy(io.Discard, r.Body)
		now.Add(-1)
		io.WriteString(w, `{"messages":[{"type":"error","message":"A b.","lastLine":1,"lastColumn":1}]}`)
	}, nil)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			p := htmlPage(strings.Repeat("x", 1+i%8))
			if got, err := s.Check(t.Context(), p); err != nil || rules(got) != "a-b" {
				t.Error(rules(got), err)
			}
		})
	}
	wg.Wait()
	if requests.Load() != 8 || most.Load() > maxParallel {
		t.Errorf("%d requests, %d at a time", requests.Load(), most.Load())
	}
	if got, _ := s.Check(t.Context(), cssPage("x")); got[0].Code != judging.CodeCSSSyntax || requests.Load() != 9 {
		t.Errorf("a style sheet is not a page: %v", got)
	}
}

func TestAnswersAreForgotten(t *testing.T) {
	var a answers
	a.init()
	large := []judging.Finding{{Message: strings.Repeat("x", maxKept/4)}}
	asked := 0
	get := func(i byte) {
		a.get(t.Context(), textKey{i}, func() ([]judging.Finding, error) {
			asked++
			return large, nil
		})
	}
	for i := range byte(10) {
		get(i)
		get(i)
	}
	if get(0); asked != 11 || a.size > maxKept || len(a.byText) != 3 || len(a.oldest) != 3 {
		t.Errorf("asked %d times, %d bytes, %d answers", asked, a.size, len(a.byText))
	}
}

// A service that fails three times and when it is probed is lost.
func TestLost(t *testing.T) {
	var requests atomic.Int32
	var gone atomic.Bool
	s := fakeService(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		gone.Store(true)
		http.Error(w, "", http.StatusBadGateway)
	}, func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
		io.WriteString(w, noMessages)
	})
	for range 2 {
		if got, err := s.Check(t.Context(), htmlPage("a")); err != ErrLost || got != nil {
			t.Error(got, err)
		}
	}
	if requests.Load() != 3 || s.Lost() == nil || !strings.Contains(s.Lost().Error(), "the validator at http://127.0.0.1") || !strings.Contains(s.Lost().Error(), "502") {
		t.Errorf("%d requests, lost: %v", requests.Load(), s.Lost())
	}
}

// A document that costs the service its answer is not the end of the service.
func TestOneDocumentFails(t *testing.T) {
	var requests atomic.Int32
	s := fakeService(t, func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); string(body) != "deadly" {
			io.WriteString(w, noMessages)
			return
		}
		requests.Add(1)
		panic(http.ErrAbortHandler)
	}, nil)
	got, err := s.Check(t.Context(), htmlPage("deadly"))
	if err != nil || rules(got) != "not-checked" || got[0].Verdict != check.VerdictInfo || requests.Load() != 3 {
		t.Errorf("%v %v, %d requests", got, err, requests.Load())
	}
	if got, err := s.Check(t.Context(), htmlPage("other")); err != nil || got != nil || s.Lost() != nil {
		t.Error(got, err, s.Lost())
	}
}

// A second try that is answered is as good as the first.
func TestTriedAgain(t *testing.T) {
	var requests atomic.Int32
	s := fakeService(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) < 3 {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, noMessages)
	}, nil)
	if got, err := s.Check(t.Context(), htmlPage("a")); err != nil || got != nil {
		t.Error(got, err)
	}
}

func TestTimeout(t *testing.T) {
	release := make(chan struct{})
	s := fakeService(t, func(http.ResponseWriter, *http.Request) { <-release }, nil)
	t.Cleanup(func() { close(release) })
	s.timeout = 50 * time.Millisecond
	s.client.CloseIdleConnections()
	got, err := s.Check(t.Context(), htmlPage("a"))
	if err != nil && err != ErrLost { // the probe is subject to the same limit
		t.Error(got, err)
	}
	if err == nil && !strings.Contains(got[0].Message, "no answer within 50ms") {
		t.Error(got)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the run ends")
	release := make(chan struct{})
	s := fakeService(t, func(http.ResponseWriter, *http.Request) {
		cancel(why)
		<-release
	}, nil)
	t.Cleanup(func() { close(release) })
	if got, err := s.Check(ctx, htmlPage("a")); err != why || s.Lost() != nil {
		t.Error(got, err, s.Lost())
	}
	if len(s.answers.byText) != 0 {
		t.Error("a canceled check is kept as an answer")
	}
}

func TestLargeDocument(t *testing.T) {
	s := fakeService(t, func(http.ResponseWriter, *http.Request) { t.Error("sent") }, nil)
	if got, err := s.Check(t.Context(), htmlPage(strings.Repeat("x", maxDocument+1))); err != nil || rules(got) != "not-checked" {
		t.Error(got, err)
	}
}

func TestFindings(t *testing.T) {
	p := htmlPage("<p>\U0001F600<b>\r\nä<i>\rc")
	p.Charset = "windows-1252"
	var a answer
	err := json.Unmarshal([]byte(`{"messages":[
		{"type":"info","message":"Trailing slash.","lastLine":1,"lastColumn":1},
		{"type":"info","subType":"warning","message":"Section lacks heading. Consider more.","lastLine":2,"firstColumn":2,"lastColumn":4},
		{"type":"error","message":"CSS: “colr”: Property “colr” doesn't exist.","lastLine":1,"firstColumn":6,"lastColumn":8},
		{"type":"error","message":"Internal encoding declaration “a” disagrees.","lastLine":1,"lastColumn":1},
		{"type":"error","message":"Unclosed element “p”.","firstLine":1,"firstColumn":4,"lastLine":3,"lastColumn":1},
		{"type":"error","subType":"fatal","message":"Too many messages."},
		{"type":"error","message":"Beyond","lastLine":9,"lastColumn":9},
		{"type":"error","message":"Beyond","lastLine":3,"lastColumn":999999999},
		{"type":"error","message":"Below","lastLine":-1,"lastColumn":-5},
		{"type":"non-document-error","subType":"io","message":"Resource size exceeds limit."}
	]}`), &a)
	if err != nil {
		t.Fatal(err)
	}
	const want = `0:0 html-syntax below warning: Below | 
0:0 html-syntax too-many-messages warning: Too many messages. | 
0:0 html-syntax not-checked info: the validator could not check this: resource size exceeds limit | 
1:4 html-syntax unclosed-element warning: Unclosed element “p”. | 😀<b>` + "\r\nä<i>\rc" + `
1:5 css-syntax property-doesnt-exist warning: “colr”: Property “colr” doesn't exist. | <b>
2:2 html-syntax section-lacks-heading info: Section lacks heading. Consider more. | <i>
3:2 html-syntax beyond warning: Beyond | 
3:2 html-syntax beyond warning: Beyond | 
`
	if got := lines(findings(p, &a)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestManyMessages(t *testing.T) {
	p := htmlPage(strings.Repeat("<b>", 1<<20))
	a := answer{Messages: make([]message, 5000)}
	for i := range a.Messages {
		a.Messages[i] = message{Type: "error", Message: strings.Repeat("long ", 500), LastLine: 1, FirstColumn: 3<<20 - i, LastColumn: 3 << 20}
	}
	got := findings(p, &a)
	if len(got) != maxMessages+1 || got[maxMessages].Rule != "more" || got[maxMessages].Message != "4000 more messages" {
		t.Error(len(got))
	}
	for _, f := range got {
		if utf8.RuneCountInString(f.Message) > maxMessage || len(f.Rule) > maxRule || len(f.Raw) > maxRaw || utf8.RuneCountInString(f.Text) > judging.ExcerptLength {
			t.Fatalf("%+v", f)
		}
	}
}

func TestSlug(t *testing.T) {
	for message, want := range map[string]string{
		"Stray end tag “i”.": "stray-end-tag",
		"An “img” element must have an “alt” attribute, except under certain conditions. For details, consult guidance.": "an-element-must-have-an-attribute-except-under-certain-conditions",
		"Bad value “a b” for attribute “href” on element “a”: Illegal character in path segment: space is not allowed.":  "bad-value-for-attribute-on-element-illegal-character-in-path-segment-space-is",
		"“color”: “blu” is not a “color” value.":                                                                         "is-not-a-value",
		`The "x" of "y" is 3.5 wide.`: "the-of-is-3-5-wide",
		"“unclosed":                   "message",
		"":                            "message",
	} {
		if got := slug(message); got != want {
			t.Errorf("%s: %s, want %s", message, got, want)
		}
	}
}

func FuzzFindings(f *testing.F) {
	f.Add(`{"messages":[{"type":"error","message":"A “b”.","firstLine":1,"firstColumn":2,"lastLine":2,"lastColumn":3}]}`, "<p>\U0001F600\r\n\rä", "line 1 column 2 - Warning: <p> \"a\" b (A_B)\n")
	f.Add(`{"messages":[{"type":"info","subType":"warning","message":"\n","lastLine":-1,"lastColumn":99}]}`, "", "line 9 column 9 - Error: a\r\n")
	f.Fuzz(func(t *testing.T, said, text, output string) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		var a answer
		if json.Unmarshal([]byte(said), &a) != nil {
			a = answer{}
		}
		p := htmlPage(text)
		for _, f := range append(findings(p, &a), tidyFindings(p, []byte(output))...) {
			if f.Rule == "" || len(f.Rule) > maxRule+len("tidy-") || !utf8.ValidString(f.Message+f.Raw+f.Text) || len(f.Raw) > maxRaw ||
				f.Line < 0 || f.Line > 1+strings.Count(text, "\n")+strings.Count(text, "\r") || f.Line > 0 && f.Column < 1 || strings.ContainsAny(f.Message, "\n\x1b") {
				t.Errorf("%s", fmt.Sprintf("%+v", f))
			}
		}
	})
}
