package fetch

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
)

// Everything that may change an answer changes the identity of the request, and secrets
// are not in the part that may be stored.
func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	netrc := write("netrc", "machine other.example login me password s3cret\n")
	cookies := write("cookies", "example.com\tFALSE\t/private\tFALSE\t0\tsession\ts3cret\n")
	const page = "https://example.com/private/page"
	identity := func(c HTTPConfig, req Request) traffic.Identity {
		t.Helper()
		if req.URL.IsZero() {
			req.URL = mustParse(t, page)
		}
		id, ok := Mux{"https": newHTTP(t, c)}.Identity(&req)
		if !ok {
			t.Fatal("no identity")
		}
		if strings.Contains(id.Open, "s3cret") {
			t.Errorf("a secret is in the open part: %s", id.Open)
		}
		return id
	}
	start := NewOrigins(mustParse(t, page))
	plain, plainInside := identity(HTTPConfig{}, Request{}), identity(HTTPConfig{Secrets: Secrets{Origins: start}}, Request{Internal: true})
	for _, id := range []traffic.Identity{plain, plainInside} {
		if id.Secret+id.Cookies != "" {
			t.Errorf("unexpected secrets: %+v", id)
		}
	}
	if got := identity(HTTPConfig{Version: "9.9"}, Request{}); got != plain {
		t.Error("another version of the program changes the identity")
	}
	token := http.Header{"Authorization": {"Bearer s3cret"}}
	for _, test := range []struct {
		name            string
		config          HTTPConfig
		header          http.Header
		inside, outside bool // the identity of requests to the start target, and to others, changes
	}{
		{name: "agent", config: HTTPConfig{UserAgent: "curl/8"}, inside: true, outside: true},
		{name: "insecure", config: HTTPConfig{Insecure: true}, inside: true, outside: true},
		{name: "dns", config: HTTPConfig{DNSServer: "127.0.0.1:53"}, inside: true, outside: true},
		{name: "private", config: HTTPConfig{AddressPolicy: AddressPolicy{DenyPrivate: true}}, inside: true, outside: true},
		{name: "connect-to", config: HTTPConfig{ConnectTo: []ConnectTo{{From: "example.com:443", To: "127.0.0.1:1"}}}, inside: true, outside: true},
		{name: "connect-to for other hosts", config: HTTPConfig{ConnectTo: []ConnectTo{{From: "example.org:443", To: "127.0.0.1:1"}}}},
		{name: "proxy", config: HTTPConfig{Proxy: "http://me:s3cret@proxy.example:3128"}, inside: true, outside: true},
		{name: "headers", config: HTTPConfig{Secrets: Secrets{Header: token}}, inside: true},
		{name: "rule's headers", header: token, inside: true, outside: true},
		{name: "user", config: HTTPConfig{Secrets: Secrets{Credentials: "me:s3cret"}}, inside: true},
		{name: "netrc of another host", config: HTTPConfig{Secrets: Secrets{Netrc: netrc}}},
		{name: "cookies", config: HTTPConfig{Secrets: Secrets{Cookies: cookies}}, inside: true, outside: true},
		{name: "timeout", config: HTTPConfig{Timeout: time.Minute}},
	} {
		named := test.config
		named.Origins = start
		if got := identity(named, Request{Internal: true, Header: test.header}); (got != plainInside) != test.inside {
			t.Errorf("%s: start target %+v", test.name, got)
		}
		if got := identity(test.config, Request{Header: test.header}); (got != plain) != test.outside {
			t.Errorf("%s: other %+v", test.name, got)
		}
	}
	other := Request{URL: mustParse(t, "https://other.example/")}
	if identity(HTTPConfig{Secrets: Secrets{Netrc: netrc}}, other).Secret == identity(HTTPConfig{}, other).Secret {
		t.Error("an account from netrc does not change the identity")
	}
	if id := identity(HTTPConfig{Secrets: Secrets{Cookies: cookies}}, Request{URL: mustParse(t, "https://example.com/public")}); id != plain {
		t.Error("a cookie for another path changes the identity")
	}
	if _, ok := (Mux{"file": &Document{}}).Identity(&Request{URL: mustParse(t, "file:///etc/hosts")}); ok {
		t.Error("files are still open")
	}
}

// Cookies set by hosts in this run are distinguished from the user's.
func TestSentCookies(t *testing.T) {
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/set" {
			http.SetCookie(w, &http.Cookie{Name: "visit", Value: "1", Path: "/"})
		}
	})
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cookies")
	if err := os.WriteFile(file, []byte(at.Hostname()+"\tFALSE\t/\tFALSE\t0\tmine\t1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHTTP(t, HTTPConfig{Secrets: Secrets{Cookies: file, Origins: NewOrigins(mustParse(t, server.URL))}})
	for _, step := range []struct {
		path string
		want bool
	}{{"/", false}, {"/set", false}, {"/", true}} {
		resp, _, err := ask(t, h, &Request{URL: mustParse(t, server.URL+step.path), Need: Content})
		if err != nil || resp.SentCookies != step.want {
			t.Errorf("%s: cookied %t, %v", step.path, resp.SentCookies, err)
		}
	}
}

func TestExpiryNote(t *testing.T) {
	m := Mux{"https": newHTTP(t, HTTPConfig{TLSExpiry: 14 * 24 * time.Hour})}
	if note, soon := m.ExpiryNote(time.Now().Add(24 * time.Hour)); !soon || note.Code != "tls-expires-soon" {
		t.Errorf("%+v %t", note, soon)
	}
	if _, soon := m.ExpiryNote(time.Now().Add(15 * 24 * time.Hour)); soon {
		t.Error("an expiry in two weeks and a day counts as soon")
	}
	if _, soon := (Mux{}).ExpiryNote(time.Now()); soon {
		t.Error("a note without https")
	}
}
