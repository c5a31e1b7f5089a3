package notify

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Each channel gets the request that its service documents.
func TestChannels(t *testing.T) {
	event := &Event{Kind: New, Project: Project{"p1", "Docs"}, Found: "3 issues, 12 broken links", New: findings("a"), URL: "https://links.example/c"}
	const text = "[Docs] 3 issues, 12 broken links, 1 new\nThese links are broken and were not broken in the run before:\n- https://example.com/a (http-404)\nhttps://links.example/c"
	_, rest, _ := strings.Cut(text, "\n")
	marked := strings.NewReplacer("[Docs] 3 issues, 12 broken links, 1 new", "`[Docs] 3 issues, 12 broken links, 1 new`", "https://example.com/a (http-404)", "`https://example.com/a (http-404)`").Replace(text)
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for _, row := range []struct {
		target          Target
		request, header string
		body            string
	}{
		{Target{Type: "teams"}, "POST /x/", "", `{"attachments":[{"content":{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","actions":[{"title":"Compare with the run before","type":"Action.OpenUrl","url":"https://links.example/c"}],` +
			`"body":[{"size":"Medium","text":"\\[Docs\\] 3 issues, 12 broken links, 1 new","type":"TextBlock","weight":"Bolder","wrap":true},{"text":"These links are broken and were not broken in the run before:","type":"TextBlock","wrap":true},` +
			`{"text":"- https://example.com/a (http-404)","type":"TextBlock","wrap":true}],"type":"AdaptiveCard","version":"1.4"},"contentType":"application/vnd.microsoft.card.adaptive"}],"type":"message"}`},
		{Target{Type: "discord"}, "POST /x/", "", `{"allowed_mentions":{"parse":[]},"content":` + quote(marked) + `}`},
		{Target{Type: "mattermost"}, "POST /x/", "", `{"text":` + quote(marked) + `}`},
		{Target{Type: "gotify", Token: "tok"}, "POST /x/message", "X-Gotify-Key: tok", `{"extras":{"client::notification":{"click":{"url":"https://links.example/c"}}},"message":` + quote(rest) + `,"priority":5,"title":"[Docs] 3 issues, 12 broken links, 1 new"}`},
		{Target{Type: "ntfy", Topic: "top", Token: "tok"}, "POST /x/", "Authorization: Bearer tok", `{"click":"https://links.example/c","message":` + quote(rest) + `,"title":"[Docs] 3 issues, 12 broken links, 1 new","topic":"top"}`},
		{Target{Type: "telegram", Chat: "-1", Token: "1:a/b"}, "POST /x/bot1:a%2Fb/sendMessage", "", `{"chat_id":"-1","link_preview_options":{"is_disabled":true},"text":` + quote(text) + `}`},
		{Target{Type: "matrix", Room: "!r:example.com", Token: "tok"}, "PUT /x/_matrix/client/v3/rooms/%21r:example.com/send/m.room.message/TXN", "Authorization: Bearer tok", `{"body":` + quote(text) + `,"msgtype":"m.text"}`},
	} {
		s := newSink(t, 503, 200)
		row.target.URL = s.URL + "/x/"
		if got := NewSender(loopbackAllowed, "Orbweaver/test", nil).Send(t.Context(), &row.target, event); !got.Delivered || len(s.requests) != 2 {
			t.Errorf("%s: %+v after %d tries", row.target.Type, got, len(s.requests))
			continue
		}
		first, second := s.requests[0], s.requests[1]
		if first.RequestURI != second.RequestURI {
			t.Errorf("%s: another try is %s, not %s", row.target.Type, second.RequestURI, first.RequestURI)
		}
		uri := second.RequestURI
		if at := strings.Index(uri, "m.room.message/"); at >= 0 {
			uri = uri[:at+len("m.room.message/")] + "TXN"
		}
		if got := second.Method + " " + uri; got != row.request {
			t.Errorf("%s: %s, want %s", row.target.Type, got, row.request)
		}
		if name, value, found := strings.Cut(row.header, ": "); found && second.Header.Get(name) != value {
			t.Errorf("%s: %s is %q", row.target.Type, name, second.Header.Get(name))
		}
		if s.bodies[1] != row.body {
			t.Errorf("%s:\n%s\nwant\n%s", row.target.Type, s.bodies[1], row.body)
		}
	}
}

// Names and addresses from elsewhere are short enough, call nobody, and are no markup.
func TestChannelsAreSafe(t *testing.T) {
	hostile := "@everyone @channel <!here> <at>all</at> **b** [x](https://evil.example) `code` \u202e"
	var long []Finding
	for i := range 40 {
		long = append(long, Finding{URL: fmt.Sprint("https://example.com/", i, "/", strings.Repeat("ä𝄞", 400), hostile), Code: "http-404"})
	}
	for _, name := range []string{"Docs " + hostile, strings.Repeat("𝄞@", 200) + hostile} {
		event := &Event{Kind: New, Project: Project{"p1", name}, New: long, URL: "https://links.example/c"}
		for kind, c := range channels {
			out, err := c.request(&Target{Type: kind, URL: "https://example.com", Token: "t", Topic: "t"}, event, "id")
			if err != nil {
				t.Fatal(err)
			}
			body, err := json.Marshal(out.body)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range []string{"@everyone", "@channel", "\\u003c!here", "\u202e"} {
				if strings.Contains(string(body), call) {
					t.Errorf("%s has %s: %.300s", kind, call, body)
				}
			}
			if n := strings.Count(string(body), "https://example.com/"); n > maxBrief {
				t.Errorf("%s lists %d", kind, n)
			}
			if !strings.Contains(string(body), "https://links.example/c") {
				t.Errorf("%s lacks the address: %.300s", kind, body)
			}
			o := out.body.(object)
			switch kind {
			case "discord":
				if n := utf8.RuneCountInString(o["content"].(string)); n > 2000 {
					t.Errorf("discord: %d characters", n)
				}
				if strings.Count(o["content"].(string), "`")%2 != 0 {
					t.Errorf("discord: a code span is open: %s", o["content"])
				}
			case "telegram":
				if n := utf16Count(o["text"].(string)); n > 4096 {
					t.Errorf("telegram: %d characters", n)
				}
			case "ntfy":
				if n := len(o["message"].(string)); n > 4096 {
					t.Errorf("ntfy: %d bytes", n)
				}
			case "teams":
				if len(body) > teamsLimit || strings.Contains(string(body), "<at>") || strings.Contains(string(body), "[x]") {
					t.Errorf("teams: %d bytes: %.300s", len(body), body)
				}
			}
		}
	}
	if got := slackText(&Event{Kind: Test, Project: Project{Name: "@channel <!here>"}}); strings.Contains(got, "@channel") || strings.Contains(got, "<!here") {
		t.Errorf("slack: %s", got)
	}
}

// A server that has too much to do says when to try again.
func TestRetryAfter(t *testing.T) {
	for field, want := range map[string]time.Duration{"": 0, "0": 0, "-1": 0, "x": 0, "NaN": 0, "2": 2 * time.Second, "0.5": time.Second / 2, "61": maxAfter, "1e300": maxAfter} {
		if got := retryAfter(field); got != want {
			t.Errorf("%q: %v, want %v", field, got, want)
		}
	}
	tries := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.Header().Set("Retry-After", "0.2")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer s.Close()
	began := time.Now()
	if got := NewSender(loopbackAllowed, "x", nil).Send(t.Context(), &Target{Type: "discord", URL: s.URL}, &Event{Kind: Test}); !got.Delivered || tries != 2 || time.Since(began) < time.Second/5 {
		t.Errorf("%+v after %d tries and %v", got, tries, time.Since(began))
	}
}
