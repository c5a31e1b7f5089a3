package fetch

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/versions"
)

func TestConditional(t *testing.T) {
	v := versions.Validators{ETag: `"one"`, LastModified: "Fri, 02 Jan 2026 03:04:05 GMT"}
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc // the answer to a conditional request; others get 200
		status int
		asked  int
		isCond bool
	}{
		{"not modified", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `W/"one"`)
			w.WriteHeader(304)
		}, 304, 1, true},
		{"changed", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) }, 200, 1, true},
		{"gone", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) }, 404, 1, true},
		{"a 304 for another version", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"two"`)
			w.WriteHeader(304)
		}, 200, 2, false},
		{"a server that fails on conditions", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(412) }, 200, 2, false},
		{"another", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }, 200, 2, false},
	} {
		server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") == "" {
				return
			}
			if r.Header.Get("If-None-Match") != v.ETag || r.Header.Get("If-Modified-Since") != v.LastModified {
				t.Errorf("asked with %v", r.Header)
			}
			test.answer(w, r)
		})
		h := newHTTP(t, HTTPConfig{})
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL), Need: Content, Internal: true, Validators: v})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if resp.Status != test.status || len(rec.requests) != test.asked || resp.Requests != test.asked || resp.Conditional != test.isCond {
			t.Errorf("%s: status %d after %d requests, conditional %t", test.name, resp.Status, len(rec.requests), resp.Conditional)
		}
	}
}

// A 304 to an unconditional request is returned as such.
func TestUnexpectedNotModified(t *testing.T) {
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304) })
	resp, _, err := ask(t, newHTTP(t, HTTPConfig{}), &Request{URL: mustParse(t, server.URL), Need: Content})
	if err != nil || resp.Status != 304 || resp.Conditional {
		t.Errorf("%+v, %v", resp, err)
	}
}

// HEAD only checks existence, for which conditions are irrelevant.
func TestHeadHasNoCondition(t *testing.T) {
	server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	if _, _, err := ask(t, newHTTP(t, HTTPConfig{}), &Request{URL: mustParse(t, server.URL), Validators: versions.Validators{ETag: `"x"`}}); err != nil {
		t.Fatal(err)
	}
	if got := rec.last().Header.Get("If-None-Match"); got != "" || rec.methods() != "HEAD" {
		t.Errorf("%s with %q", rec.methods(), got)
	}
}

func TestValidatorsOf(t *testing.T) {
	const date = "Fri, 02 Jan 2026 03:04:05 GMT"
	for _, test := range []struct{ tag, modified, date, wantTag, wantModified string }{
		{`"a"`, "", "", `"a"`, ""},
		{`W/"a"`, "", "", `W/"a"`, ""},
		{`""`, "", "", `""`, ""},
		{`a`, "", "", "", ""},
		{`"a`, "", "", "", ""},
		{`"a"b"`, "", "", "", ""},
		{`"` + strings.Repeat("x", 2000) + `"`, "", "", "", ""},
		{"", "Fri, 02 Jan 2026 03:04:04 GMT", date, "", "Fri, 02 Jan 2026 03:04:04 GMT"},
		{"", date, date, "", ""}, // the resource may change again within the same second
		{"", "Fri, 02 Jan 2026 03:04:06 GMT", date, "", ""},
		{"", "Fri, 02 Jan 2026 03:04:04 GMT", "", "", ""},
		{"", "yesterday", date, "", ""},
	} {
		got := versions.Of(http.Header{"Etag": {test.tag}, "Last-Modified": {test.modified}, "Date": {test.date}})
		if got != (versions.Validators{ETag: test.wantTag, LastModified: test.wantModified}) {
			t.Errorf("%q %q %q: %+v", test.tag, test.modified, test.date, got)
		}
	}
}

// TestMatch asks with HEAD whether a resource has changed: no GET request follows.
func TestMatch(t *testing.T) {
	const date = "Fri, 02 Jan 2026 03:04:05 GMT"
	for _, test := range []struct {
		name   string
		v      versions.Validators
		answer http.HandlerFunc
		same   bool
	}{
		{"not modified", versions.Validators{ETag: `"one"`}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304) }, true},
		{"not modified, another version", versions.Validators{ETag: `"one"`}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"two"`)
			w.WriteHeader(304)
		}, false},
		{"the same tag", versions.Validators{ETag: `"one"`}, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("ETag", `W/"one"`) }, true},
		{"another tag", versions.Validators{ETag: `"one"`, LastModified: date}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"two"`)
			w.Header().Set("Last-Modified", date)
		}, false},
		{"the same date", versions.Validators{LastModified: date}, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Last-Modified", date) }, true},
		{"no validators", versions.Validators{ETag: `"one"`}, func(w http.ResponseWriter, r *http.Request) {}, false},
	} {
		server, rec := serve(t, test.answer)
		req := &Request{URL: mustParse(t, server.URL), Header: http.Header{}}
		test.v.AddTo(&req.Header)
		resp, err := newHTTP(t, HTTPConfig{}).Fetch(t.Context(), req)
		if err != nil || test.v.Match(resp.Status, resp.Header) != test.same || len(rec.requests) != 1 {
			t.Errorf("%s: %+v, %v after %d requests", test.name, resp, err, len(rec.requests))
		}
	}
}
