package notify

import (
	"database/sql"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/mailtest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// TestMain lets tries follow each other at once.
func TestMain(m *testing.M) {
	eventPauses, testPauses = [maxTries - 1]time.Duration{}, [maxTries - 1]time.Duration{}
	m.Run()
}

var loopbackAllowed = &fetch.AddressPolicy{DenyPrivate: true, AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}

func findings(names ...string) (list []Finding) {
	for _, name := range names {
		list = append(list, Finding{Fingerprint: name, URL: "https://example.com/" + name, Code: "http-404", Message: "not found", Object: map[string]string{"url": "https://example.com/" + name}})
	}
	return list
}

// sink is a webhook that answers with the statuses, one after the other and the last for
// ever, and keeps what it is sent.
type sink struct {
	*httptest.Server
	mu       sync.Mutex
	statuses []int
	requests []*http.Request
	bodies   []string
}

func newSink(t *testing.T, statuses ...int) *sink {
	s := &sink{statuses: statuses}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		status := s.statuses[min(len(s.requests), len(s.statuses)-1)]
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
		if status >= 300 && status < 400 {
			w.Header().Set("Location", "http://"+r.Host+"/elsewhere")
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestWebhook(t *testing.T) {
	event := &Event{Kind: New, Project: Project{"p1", "Docs & <more>"}, Run: map[string]string{"id": "r1"}, New: findings("a", "b"), Totals: Totals{New: 2}, URL: "https://links.example/runs/r1/compare"}
	for _, row := range []struct {
		statuses  []int
		delivered bool
		status    int
		tries     int
	}{
		{[]int{200}, true, 200, 1}, {[]int{204}, true, 204, 1}, {[]int{500, 200}, true, 200, 2}, {[]int{500, 503, 200}, true, 200, 3}, {[]int{500}, false, 500, 3},
		{[]int{429, 200}, true, 200, 2}, {[]int{404}, false, 404, 1}, {[]int{302}, false, 302, 1}, {[]int{307}, false, 307, 1}, {[]int{401}, false, 401, 1},
	} {
		s := newSink(t, row.statuses...)
		sender := NewSender(loopbackAllowed, "Orbweaver/test", nil)
		got := sender.Send(t.Context(), &Target{Type: "webhook", URL: s.URL + "/hook?x=1#y", Secret: "hush"}, event)
		if got.Delivered != row.delivered || got.Status != row.status || len(s.requests) != row.tries || (got.Error == "") != row.delivered {
			t.Errorf("%v: %+v after %d tries", row.statuses, got, len(s.requests))
		}
		for i, r := range s.requests {
			if r.Method != "POST" || r.RequestURI != "/hook?x=1" || r.Header.Get("Content-Type") != "application/json" || r.UserAgent() != "Orbweaver/test" ||
				r.Header.Get(SignatureHeader) != Sign("hush", []byte(s.bodies[i])) || s.bodies[i] != s.bodies[0] {
				t.Errorf("request %s %s %v", r.Method, r.RequestURI, r.Header)
			}
		}
		const want = `{"event":"new","project":{"id":"p1","name":"Docs \u0026 \u003cmore\u003e"},"run":{"id":"r1"},"new":[{"url":"https://example.com/a"},{"url":"https://example.com/b"}],"fixed":[],"totals":{"new":2,"fixed":0},"truncated":false,"issues":[],"url":"https://links.example/runs/r1/compare"}`
		if s.bodies[0] != want {
			t.Errorf("body %s", s.bodies[0])
		}
	}
	// The known value for this key and text (RFC 4231 section 4.3).
	if got := Sign("Jefe", []byte("what do ya want for nothing?")); got != "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" {
		t.Errorf("signature %s", got)
	}
}

func TestSlack(t *testing.T) {
	s := newSink(t, 200)
	sender := NewSender(loopbackAllowed, "Orbweaver/test", nil)
	event := &Event{Kind: New, Project: Project{"p1", "A & <B>"}, New: findings("a&b", "x>y"), URL: "https://links.example/c?a=1&b=2"}
	if got := sender.Send(t.Context(), &Target{Type: "slack", URL: s.URL}, event); !got.Delivered {
		t.Fatalf("%+v", got)
	}
	var body map[string]string
	if err := json.Unmarshal([]byte(s.bodies[0]), &body); err != nil || len(body) != 1 {
		t.Fatalf("%v %s", err, s.bodies[0])
	}
	const want = "*[A &amp; &lt;B&gt;] 2 new broken links*\nThese links are broken and were not broken in the run before:\n• https://example.com/a&amp;b (http-404)\n• https://example.com/x&gt;y (http-404)\n<https://links.example/c?a=1&amp;b=2|Compare with the run before>"
	if body["text"] != want {
		t.Errorf("%s", body["text"])
	}
}

// Webhooks and their tests reach no denied address, by no spelling, name or redirect.
func TestDeniedWebhooks(t *testing.T) {
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a denied address was asked") })}}
	s.Start()
	t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	open := newSink(t, 307)
	all := &fetch.AddressPolicy{DenyPrivate: true}
	for _, host := range []string{"127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "１２７.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
		"0.0.0.0", "0", "[::]", "10.0.0.1", "169.254.169.254", "100.64.0.1", "[fe80::1]", "[fd00::1]", "192.0.2.1"} {
		target := &Target{Type: "webhook", URL: "http://" + host + ":" + port + "/"}
		faults := target.Validate(all, true)
		if len(faults) != 1 || faults[0].Field != "url" || !strings.Contains(faults[0].Message, "address-denied") {
			t.Errorf("%s: %v", host, faults)
		}
		got := NewSender(all, "", nil).Send(t.Context(), target, &Event{Kind: Test})
		if got.Delivered || got.Status != 0 || !strings.HasPrefix(got.Error, "address-denied") {
			t.Errorf("%s: %+v", host, got)
		}
	}
	for _, host := range []string{"localhost", "LOCALHOST"} { // names are judged when connecting
		target := &Target{Type: "slack", URL: "http://" + host + ":" + port + "/"}
		if faults := target.Validate(all, true); len(faults) > 0 {
			t.Errorf("%s: %v", host, faults)
		}
		if got := NewSender(all, "", nil).Send(t.Context(), target, &Event{Kind: New}); got.Delivered || !strings.HasPrefix(got.Error, "address-denied") {
			t.Errorf("%s: %+v", host, got)
		}
	}
	t.Setenv("HTTP_PROXY", open.URL)
	t.Setenv("http_proxy", open.URL)
	if got := NewSender(loopbackAllowed, "", nil).Send(t.Context(), &Target{Type: "webhook", URL: open.URL}, &Event{Kind: New}); got.Status != 307 || len(open.requests) != 1 {
		t.Errorf("a redirect: %+v after %d requests", got, len(open.requests))
	}
}

func TestValidate(t *testing.T) {
	for _, row := range []struct {
		target string
		want   string // fields
	}{
		{`{"type":"webhook","url":"https://example.com/x","secret":"s","on":["new","fixed","unsound"]}`, ""},
		{`{"type":"slack","url":"https://hooks.example.com/x"}`, ""},
		{`{"type":"email","to":"Team <team@example.com>, other@example.com"}`, ""},
		{`{"type":"webhook","url":"https://example.com/x","on":["test"]}`, "on"},
		{`{"type":"webhook"}`, "url"}, {`{"type":"webhook","url":"/x"}`, "url"}, {`{"type":"webhook","url":"ftp://example.com/"}`, "url"}, {`{"type":"webhook","url":"http://me:secret@example.com/"}`, "url"},
		{`{"type":"webhook","url":"http://example.com:25/"}`, "url"}, {`{"type":"webhook","url":"http:///x"}`, ""}, // the host is x, as for a browser
		{`{"type":"slack","url":"https://example.com/x","secret":"s"}`, "secret"}, {`{"type":"slack","url":"https://example.com/x","to":"a@b.c"}`, "to"},
		{`{"type":"email","to":""}`, "to"}, {`{"type":"email","to":"nobody"}`, "to"}, {`{"type":"email","to":"a@b.c\r\nBcc: x@y.z"}`, "to"}, {`{"type":"email","url":"https://example.com","to":"a@b.c"}`, "url"},
		{`{"type":"teams","url":"https://example.com/x"}`, ""}, {`{"type":"teams"}`, "url"}, {`{"type":"discord","url":"https://example.com/x","token":"t"}`, "token"}, {`{"type":"mattermost","url":"x"}`, "url"},
		{`{"type":"gotify","url":"https://example.com/","token":"t"}`, ""}, {`{"type":"gotify"}`, "url token"}, {`{"type":"gotify","url":"https://example.com/","token":"a\r\nb"}`, "token"},
		{`{"type":"ntfy","url":"https://example.com/","topic":"t"}`, ""}, {`{"type":"ntfy","url":"https://example.com/","topic":"a b"}`, "topic"}, {`{"type":"ntfy","url":"https://example.com/"}`, "topic"},
		{`{"type":"telegram","chat":"-1","token":"1:a"}`, ""}, {`{"type":"telegram","url":"https://example.com/","chat":"-1","token":"1:a"}`, ""}, {`{"type":"telegram"}`, "token chat"},
		{`{"type":"matrix","url":"https://example.com/","room":"!r:example.com","token":"t"}`, ""}, {`{"type":"matrix","url":"https://example.com/","to":"a@b.c","token":"t"}`, "to room"},
		{`{"type":"pager"}`, "type"}, {`{}`, "type"},
	} {
		var target Target
		if err := json.Unmarshal([]byte(row.target), &target); err != nil {
			t.Fatal(err)
		}
		var fields []string
		for _, f := range target.Validate(&fetch.AddressPolicy{DenyPrivate: true}, true) {
			fields = append(fields, f.Field)
		}
		if got := strings.Join(fields, " "); got != row.want {
			t.Errorf("%s: %v, want %s", row.target, got, row.want)
		}
	}
	if faults := (&Target{Type: "email", To: "a@b.c"}).Validate(&fetch.AddressPolicy{}, false); len(faults) != 1 || !strings.Contains(faults[0].Message, "--smtp") {
		t.Errorf("without a mail server: %v", faults)
	}
	if !(&Target{}).Wants(Fixed) || (&Target{On: []string{"new"}}).Wants(Fixed) || !(&Target{On: []string{"new"}}).Wants(Test) {
		t.Error("what a target wants")
	}
}

func FuzzValidate(f *testing.F) {
	for _, s := range []string{"https://example.com/", "http://0x7f.1/", "http://[::ffff:7f00:1]:81/x", "team@example.com"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		policy := &fetch.AddressPolicy{DenyPrivate: true}
		(&Target{Type: "email", To: s}).Validate(policy, true)
		target := &Target{Type: "webhook", URL: s}
		if len(target.Validate(policy, true)) > 0 {
			return
		}
		if _, err := http.NewRequest("POST", s, nil); err == nil {
			return // as written; post uses what a browser makes of it
		}
	})
}

func TestDecide(t *testing.T) {
	type step struct {
		o    Outcome
		want Kind
	}
	sound := func(broken int, new, fixed []Finding) Outcome {
		return Outcome{Sound: true, Broken: broken, New: new, Fixed: fixed}
	}
	unsound := Outcome{}
	for name, steps := range map[string][]step{
		"clean for ever":        {{sound(0, nil, nil), ""}, {sound(0, nil, nil), ""}},
		"broken, still, fixed":  {{sound(1, findings("a"), nil), New}, {sound(1, nil, nil), ""}, {sound(0, nil, findings("a")), Fixed}, {sound(0, nil, nil), ""}},
		"some fixed":            {{sound(2, findings("a", "b"), nil), New}, {sound(1, nil, findings("a")), ""}, {sound(0, nil, findings("b")), Fixed}},
		"comes and goes":        {{sound(2, findings("a", "b"), nil), New}, {sound(3, findings("c"), nil), New}, {sound(2, nil, findings("c")), ""}, {sound(3, findings("c"), nil), ""}},
		"broken again":          {{sound(1, findings("a"), nil), New}, {sound(0, nil, findings("a")), Fixed}, {sound(1, findings("a"), nil), New}},
		"the same set reversed": {{sound(2, findings("a", "b"), nil), New}, {sound(2, findings("b", "a"), nil), ""}},
		"unsound":               {{unsound, Unsound}, {unsound, ""}, {sound(0, nil, nil), ""}, {unsound, Unsound}},
		"unsound in between":    {{sound(1, findings("a"), nil), New}, {unsound, Unsound}, {sound(1, nil, nil), ""}, {sound(1, findings("a"), nil), ""}},
	} {
		var s State
		for i, step := range steps {
			var got Kind
			if got, s = Decide(s, step.o); got != step.want {
				t.Errorf("%s: step %d is %q, want %q", name, i, got, step.want)
			}
		}
	}
}

func TestStore(t *testing.T) {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(t.TempDir(), "serve.db"))+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(Schema + Holding); err != nil {
		t.Fatal(err)
	}
	s, ctx := NewStore(db), t.Context()
	record := func(run string, o Outcome) bool {
		t.Helper()
		told, err := s.Record(ctx, "p1", run, o, func(kind Kind) (*Event, string) {
			return &Event{Kind: kind, Project: Project{"p1", "Docs"}, New: o.New, Fixed: o.Fixed}, "runs/" + run + "/compare"
		})
		if err != nil {
			t.Fatal(err)
		}
		return told
	}
	o := Outcome{Sound: true, Broken: 1, New: findings("a")}
	if !record("r1", o) {
		t.Error("a new link is not told")
	}
	if record("r1", o) {
		t.Error("a run was decided about twice")
	}
	if record("r2", o) {
		t.Error("a set was told twice")
	}
	pending, _, err := s.Pending(ctx, "p1")
	if err != nil || len(pending) != 1 {
		t.Fatalf("%v %v", pending, err)
	}
	want, _ := json.Marshal(&Event{Kind: New, Project: Project{"p1", "Docs"}, New: o.New})
	if got, err := json.Marshal(&pending[0].Event); string(got) != string(want) || err != nil || pending[0].Event.Text() != (&Event{Kind: New, New: o.New}).Text() {
		t.Errorf("the event was %s, and is %s, %v", want, got, err)
	}
	if decided, err := s.Decided(ctx, "r2"); !decided || err != nil {
		t.Error(err)
	}
	if decided, err := s.Decided(ctx, "r3"); decided || err != nil {
		t.Error(err)
	}
	if ok, err := s.Begin(ctx, "r1", "webhook 0"); !ok || err != nil {
		t.Error(err)
	}
	if ok, _ := s.Begin(ctx, "r1", "webhook 0"); ok {
		t.Error("an event may be sent twice")
	}
	if ok, _ := s.Begin(ctx, "r2", "webhook 0"); ok {
		t.Error("a run without an event may be sent")
	}
	if err := s.End(ctx, "r1", "webhook 0", Result{Status: 500, Error: "the server answered 500"}); err != nil {
		t.Error(err)
	}
	if ok, _ := s.Begin(ctx, "r1", "webhook 1"); !ok || s.Undo(ctx, "r1", "webhook 1") != nil {
		t.Error("a second target")
	}
	if ok, _ := s.Begin(ctx, "r1", "webhook 1"); !ok || s.End(ctx, "r1", "webhook 1", Result{Delivered: true}) != nil {
		t.Error("a delivery of which nothing was sent cannot be begun again")
	}
	if err := s.Sent(ctx, "r1"); err != nil {
		t.Error(err)
	}
	if pending, _, err := s.Pending(ctx, "p1"); len(pending) > 0 || err != nil {
		t.Errorf("%v %v", pending, err)
	}
	if failed, err := s.Failed(ctx, "p1"); fmt.Sprint(failed) != "map[webhook 0:the server answered 500]" {
		t.Errorf("%v %v", failed, err)
	}
	for i := range MaxEntries + 10 {
		record(fmt.Sprint("s", i), Outcome{Sound: true, Broken: 1, New: findings(fmt.Sprint("n", i))})
	}
	entries, err := s.Entries(ctx, "p1")
	if err != nil || len(entries) != MaxEntries || entries[0].Run != fmt.Sprint("s", MaxEntries+9) || entries[0].Title != "[Docs] 1 new broken link" || entries[0].Path == "" || time.Since(entries[0].Created) > time.Hour {
		t.Errorf("%d entries, %+v, %v", len(entries), entries[0], err)
	}
	if err := s.Forget(ctx, "p1"); err != nil {
		t.Error(err)
	}
	var rows int
	db.QueryRow(`SELECT (SELECT count(*) FROM notify_entries) + (SELECT count(*) FROM notify_runs) + (SELECT count(*) FROM notify_states) + (SELECT count(*) FROM notify_deliveries)`).Scan(&rows)
	if rows != 0 {
		t.Errorf("%d rows are left", rows)
	}
}

func TestFeed(t *testing.T) {
	at := time.Date(2026, 11, 23, 18, 0, 0, 0, time.UTC)
	var entries []Entry
	for i := range 60 {
		entries = append(entries, Entry{Run: fmt.Sprint("r", 60-i), Kind: New, Created: at.Add(-time.Duration(i) * time.Hour), Title: "Docs: 1 <new> & \x01 link", Text: "- https://example.com/?a&b\n", Path: fmt.Sprint("runs/r", 60-i, "/compare")})
	}
	data, err := Feed(Project{"p1", "Docs & more"}, "https://host.example/links/", at.Add(-time.Hour), entries)
	if err != nil {
		t.Fatal(err)
	}
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Entry   []struct {
			ID, Title, Updated string
			Content            string `xml:"content"`
			Link               struct {
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(data, &feed); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if len(feed.Entry) != MaxEntries || feed.Title != "Links of Docs & more" || feed.Updated != "2026-11-23T18:00:00Z" ||
		feed.Entry[0].Link.Href != "https://host.example/links/runs/r60/compare" || !strings.Contains(feed.Entry[0].Content, "?a&b") {
		t.Errorf("%s", data[:min(len(data), 1500)])
	}
	data, err = Feed(Project{"p1", "Docs"}, "http://127.0.0.1/", at, nil)
	if err != nil || !strings.Contains(string(data), "<updated>2026-11-23T18:00:00Z</updated>") {
		t.Errorf("%v %s", err, data)
	}
}

func TestBadge(t *testing.T) {
	for broken, want := range map[int]string{Unknown: "unknown", 0: "ok", 1: "1 broken", 12345: "12345 broken"} {
		badge := Badge(broken)
		var texts []string
		d := xml.NewDecoder(strings.NewReader(string(badge)))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
				inner, _ := d.Token()
				texts = append(texts, string(inner.(xml.CharData)))
			}
		}
		if strings.Join(texts, "|") != "links|"+want {
			t.Errorf("%d: %v in %s", broken, texts, badge)
		}
	}
}

// A text that a page made cannot break out of its line.
func TestTexts(t *testing.T) {
	evil := "x\r\nBcc: victim@example.com\u202e\x1b[31m"
	e := &Event{Kind: New, Project: Project{"p", evil}, New: []Finding{{URL: evil, Code: evil, Message: evil + strings.Repeat("m", 5000)}}}
	for _, text := range []string{e.Title(), e.Text(), slackText(e), htmlText(e)} {
		if strings.ContainsAny(text, "\r\x1b\u202e") || strings.Contains(text, "\nBcc") || len(text) > 10_000 {
			t.Errorf("%q", text)
		}
	}
	e = &Event{Kind: New, Project: Project{"p", "Docs"}, New: findings(slices.Repeat([]string{"a"}, 25)...)}
	if !strings.Contains(e.Text(), "and 5 more") || strings.Count(slackText(e), "•") != 10 || !strings.Contains(slackText(e), "and 15 more") {
		t.Errorf("%s\n%s", e.Text(), slackText(e))
	}
	for kind, want := range map[Kind]string{Fixed: "all links are fixed", Unsound: "not reliable", Test: "this is a test"} {
		e := &Event{Kind: kind, Project: Project{"p", "Docs"}, Reason: "no link could be verified", URL: "https://links.example/x"}
		if !strings.Contains(e.Title(), want) || strings.Contains(htmlText(e)+slackText(e), "Open the project") != (kind == Test) {
			t.Errorf("%s: %s %s", e.Title(), htmlText(e), slackText(e))
		}
	}
}

func TestEmail(t *testing.T) {
	port, received := mailtest.Serve(t, "")
	m, err := NewMailer("smtp://127.0.0.1:"+port, "", "links.example")
	if err != nil {
		t.Fatal(err)
	}
	sender := NewSender(&fetch.AddressPolicy{DenyPrivate: true}, "", m) // the server for mail is not subject to it
	event := &Event{Kind: New, Project: Project{"p1", "Dokü\r\nBcc: x@y.z"}, New: findings("a", "b"), URL: "https://links.example/runs/r1/compare"}
	if got := sender.Send(t.Context(), &Target{Type: "email", To: "Jörg <joe@example.com>, ann@example.com"}, event); !got.Delivered {
		t.Fatalf("%+v", got)
	}
	mailed := <-received
	if mailed["from"] != "orbweaver@links.example" || mailed["to"] != "joe@example.com ann@example.com" || mailed["tls"] != "False" {
		t.Errorf("%v", mailed)
	}
	message, err := mail.ReadMessage(strings.NewReader(mailed["data"]))
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	if subject != "[Dokü Bcc: x@y.z] 2 new broken links" || message.Header.Get("Bcc") != "" || message.Header.Get("Auto-Submitted") != "auto-generated" || message.Header.Get("Message-ID") == "" {
		t.Errorf("%q %v", subject, message.Header)
	}
	if _, err := message.Header.Date(); err != nil {
		t.Error(err)
	}
	if list, err := message.Header.AddressList("To"); err != nil || len(list) != 2 || list[0].Name != "Jörg" {
		t.Errorf("%v %v", list, err)
	}
	kind, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("%s %v", kind, err)
	}
	parts := multipart.NewReader(message.Body, params["boundary"])
	for _, want := range []string{"text/plain", "text/html"} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil || !strings.HasPrefix(part.Header.Get("Content-Type"), want) || !strings.Contains(string(text), "https://example.com/a") || !strings.Contains(string(text), "runs/r1/compare") {
			t.Errorf("%s %v: %s", want, err, text)
		}
	}
	for to, want := range map[string]int{"nobody@example.com": 550, "full@example.com": 452} {
		if got := sender.Send(t.Context(), &Target{Type: "email", To: to}, event); got.Delivered || got.Status != want || !strings.Contains(got.Error, fmt.Sprint(want)) {
			t.Errorf("%s: %+v", to, got)
		}
	}
	closed, err := NewMailer("smtp://127.0.0.1:1", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := NewSender(&fetch.AddressPolicy{}, "", closed).Send(t.Context(), &Target{Type: "email", To: "joe@example.com"}, event); got.Delivered || got.Error == "" {
		t.Errorf("%+v", got)
	}
	if got := NewSender(&fetch.AddressPolicy{}, "", nil).Send(t.Context(), &Target{Type: "email", To: "joe@example.com"}, event); got.Delivered || !strings.Contains(got.Error, "--smtp") {
		t.Errorf("%+v", got)
	}
}

func TestEmailWithAccount(t *testing.T) {
	port, received := mailtest.Serve(t, "pa55word")
	event := &Event{Kind: Test, Project: Project{"p1", "Docs"}}
	for password, ok := range map[string]bool{"pa55word": true, "wrong": false} {
		m, err := NewMailer("smtp://joe@127.0.0.1:"+port+"?from=bot@example.com", password, "")
		if err != nil {
			t.Fatal(err)
		}
		got := NewSender(&fetch.AddressPolicy{}, "", m).Send(t.Context(), &Target{Type: "email", To: "joe@example.com"}, event)
		if got.Delivered != ok || strings.Contains(got.Error, password) {
			t.Errorf("with the password %s: %+v", password, got)
		}
	}
	if mailed := <-received; mailed["from"] != "bot@example.com" || mailed["tls"] != "True" || mailed["user"] != "joe" {
		t.Errorf("%v", mailed)
	}
}

func TestNewMailer(t *testing.T) {
	for _, address := range []string{"", "host", "http://host", "smtp://", "smtp://host:0", "smtp://host:99999", "smtp://joe:secret@host", "smtp://host/x", "smtp://host?to=x", "smtp://host?from=nobody", "smtp://host#x"} {
		if _, err := NewMailer(address, "", "h"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := NewMailer("smtp://host", "password", "h"); err == nil {
		t.Error("a password without a user")
	}
	for address, want := range map[string]string{"smtp://host": "host:25 orbweaver@h.example", "smtps://host": "host:465 orbweaver@h.example", "smtp://[::1]:2525?from=a@b.c": "::1:2525 a@b.c", "smtp://me@host:587/": "host:587 orbweaver@h.example"} {
		m, err := NewMailer(address, "", "h.example")
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if got := m.host + ":" + m.port + " " + m.from.Address; got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestResultJSON(t *testing.T) {
	for want, r := range map[string]Result{
		`{"delivered":true,"status":204,"error":null}`:  {Delivered: true, Status: 204},
		`{"delivered":false,"status":null,"error":"x"}`: {Error: "x"},
	} {
		if got, err := json.Marshal(r); string(got) != want || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	}
}

// A webhook tells that its lists are not whole, also when the event was stored before.
func TestTotals(t *testing.T) {
	for _, row := range []struct {
		event Event
		want  string
	}{
		{Event{Kind: New, New: findings("a"), Totals: Totals{New: 1}}, `"totals":{"new":1,"fixed":0},"truncated":false,"issues":[]`},
		{Event{Kind: New, New: findings("a"), Totals: Totals{New: 2}, Issues: []object{{"id": "i"}}}, `"totals":{"new":2,"fixed":0},"truncated":true,"issues":[{"id":"i"}]`},
		{Event{Kind: Fixed, Fixed: findings("a"), Totals: Totals{Fixed: 1001}}, `"totals":{"new":0,"fixed":1001},"truncated":true,"issues":[]`},
		{Event{Kind: Unsound}, `"totals":{"new":0,"fixed":0},"truncated":false,"issues":[]`},
	} {
		text, err := json.Marshal((*stored)(&row.event))
		if err != nil {
			t.Fatal(err)
		}
		var again stored
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		for _, e := range []*Event{&row.event, (*Event)(&again)} {
			if body, err := json.Marshal(e); err != nil || !strings.Contains(string(body), row.want) {
				t.Errorf("%v %s: want %s", err, body, row.want)
			}
		}
	}
}
