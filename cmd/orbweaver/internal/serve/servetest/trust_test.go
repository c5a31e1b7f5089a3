package servetest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// manage runs a command that manages the accounts of a data directory, and fails unless it has
// the status.
func manage(t *testing.T, data string, status int, args ...string) string {
	t.Helper()
	stdout, stderr, got := orbweaver(t, append(append([]string{"serve"}, args...), "--data", data)...)
	if got != status || status == 2 && (stdout != "" || stderr == "") {
		t.Fatalf("serve %s: status %d, want %d\n%s%s", strings.Join(args, " "), got, status, stdout, stderr)
	}
	return stdout
}

// passwordFile returns the name of a file with a password.
func passwordFile(t *testing.T, password string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(name, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// token makes a token.
func token(t *testing.T, data, name, role string) string {
	t.Helper()
	return strings.TrimSpace(manage(t, data, 0, "token", "create", name, "--role", role))
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if name == "Host" {
			r.Host = value
			return
		}
		r.Header.Set(name, value)
	}
}

// post posts a form.
func (s *server) post(path string, fields url.Values, change ...func(*http.Request)) *answer {
	s.t.Helper()
	return s.send("POST", path, fields.Encode(), append([]func(*http.Request){header("Content-Type", "application/x-www-form-urlencoded")}, change...)...)
}

// cookieOf returns the cookie that an answer sets.
func cookieOf(t *testing.T, a *answer) *http.Cookie {
	t.Helper()
	cookies := (&http.Response{Header: a.header}).Cookies()
	if len(cookies) != 1 || cookies[0].Name != "orbweaver" {
		t.Fatalf("cookies of status %d: %v", a.status, a.header["Set-Cookie"])
	}
	return cookies[0]
}

func withCookie(c *http.Cookie) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(c) }
}

// wants fails the test unless an answer has a status.
func wants(t *testing.T, what string, a *answer, status int) *answer {
	t.Helper()
	if a.status != status {
		t.Errorf("%s: status %d, want %d: %.300s", what, a.status, status, a.body)
	}
	return a
}

func TestSetUp(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new")
	s := start(t, data)
	find := func(s *server) string {
		t.Helper()
		deadline := time.Now().Add(patience)
		for {
			if address, found := strings.CutPrefix(s.out.String(), "set up at "+s.base); found && strings.HasSuffix(address, "\n") {
				return strings.TrimSpace(address)
			}
			if time.Now().After(deadline) {
				t.Fatalf("no address to set up: %q", s.out)
			}
			time.Sleep(time.Millisecond)
		}
	}
	address := find(s)
	if !regexp.MustCompile(`^setup\?token=[A-Za-z0-9_-]{24,}$`).MatchString(address) {
		t.Errorf("set up at %s", address)
	}
	if info, err := os.Stat(data); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	for _, file := range []string{"serve.db", "secret"} {
		if info, err := os.Stat(filepath.Join(data, file)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
	wants(t, "probe", s.send("GET", "healthz", nil), 200)
	wants(t, "probe", s.send("GET", "readyz", nil), 200)
	wants(t, "API", s.send("GET", "api/v1/projects", nil), 401)
	if a := wants(t, "page", s.send("GET", "", nil), 303); a.header.Get("Location") != "/login?next=%2F" {
		t.Errorf("%v", a.header)
	}
	wants(t, "wrong token", s.send("GET", address+"x", nil), 404)
	wants(t, "no token", s.send("GET", "setup", nil), 404)
	wants(t, "form", s.send("GET", address, nil), 200)
	wants(t, "short password", s.post(address, url.Values{"name": {"ada"}, "password": {"1234567"}}), 422)
	wants(t, "malformed name", s.post(address, url.Values{"name": {"a b"}, "password": {"12345678"}}), 422)
	wants(t, "foreign page", s.post(address, url.Values{"name": {"eve"}, "password": {"12345678"}}, header("Sec-Fetch-Site", "cross-site")), 403)
	a := wants(t, "set up", s.post(address, url.Values{"name": {"ada"}, "password": {"correct horse"}}), 303)
	if a.header.Get("Location") != "/" {
		t.Errorf("%v", a.header)
	}
	session := withCookie(cookieOf(t, a))
	wants(t, "signed in", s.send("GET", "", nil, session), 200)
	wants(t, "administrator", s.send("POST", "api/v1/projects", object{}, session), 422)
	wants(t, "again", s.send("GET", address, nil), 404)
	wants(t, "again", s.post(address, url.Values{"name": {"eve"}, "password": {"12345678"}}), 404)

	// An account that is made on the command line closes the page.
	other := t.TempDir()
	s = start(t, other)
	first := find(s)
	s.kill()
	s = start(t, other)
	second := find(s)
	if first == second {
		t.Error("a restart prints the same address")
	}
	wants(t, "old address", s.send("GET", first, nil), 404)
	token(t, other, "x", "viewer")
	wants(t, "after a token was made", s.send("GET", second, nil), 404)
	s.kill()
	s = start(t, other)
	wants(t, "no set-up", s.send("GET", "setup?token=", nil), 404)
	if s.out.String() != "" {
		t.Errorf("more lines: %q", s.out)
	}
}

func TestAccountCommands(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	good := passwordFile(t, "correct horse\n")
	manage(t, data, 0, "user", "add", "ada", "--role", "admin", "--password-file", good)
	manage(t, data, 0, "user", "add", "bob", "--password-file", good)
	manage(t, data, 2, "user", "add", "ada", "--password-file", good)
	manage(t, data, 2, "user", "add", "a b", "--password-file", good)
	manage(t, data, 2, "user", "add", "eve", "--role", "root", "--password-file", good)
	manage(t, data, 2, "user", "add", "eve", "--password-file", passwordFile(t, "1234567"))
	manage(t, data, 2, "user", "add", "eve", "--password-file", passwordFile(t, strings.Repeat("x", 1025)))
	manage(t, data, 2, "user", "add", "eve", "--password-file", filepath.Join(data, "missing"))
	manage(t, data, 2, "user", "remove", "eve")
	manage(t, data, 2, "user", "remove", "ada")
	if got := manage(t, data, 0, "user", "list"); got != "ada\tadmin\nbob\tviewer\n" {
		t.Errorf("%q", got)
	}
	if got := manage(t, data, 0, "token", "create", "ci", "--expires", "90d"); !regexp.MustCompile(`^[A-Za-z0-9_-]{24,}\n$`).MatchString(got) {
		t.Errorf("%q", got)
	}
	manage(t, data, 0, "token", "create", "root", "--role", "admin")
	for _, args := range [][]string{{"ci"}, {"a/b"}, {"x", "--role", "x"}, {"x", "--expires", "x"}, {"x", "--expires", "0"}, {"x", "--expires", "-1h"}} {
		manage(t, data, 2, append([]string{"token", "create"}, args...)...)
	}
	if got := manage(t, data, 0, "token", "list"); !regexp.MustCompile(`^ci\tviewer\t\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\nroot\tadmin\tnever\n$`).MatchString(got) {
		t.Errorf("%q", got)
	}
	manage(t, data, 0, "user", "remove", "ada") // there is a token of an administrator
	manage(t, data, 0, "token", "remove", "ci")
	manage(t, data, 2, "token", "remove", "ci")
}

func TestStartRefused(t *testing.T) {
	data := t.TempDir()
	for _, args := range [][]string{
		{"--listen", "0.0.0.0:0"}, {"--listen", ":0"}, {"--listen", "127.0.0.1:0", "--auth", "token"}, {"--auth", "x"}, {"--listen", "x"}, {"--listen", "127.0.0.1:99999"},
		{"--public-url", "/x"}, {"--public-url", "https://h/?q"}, {"--public-url", "https://h/#f"}, {"--public-url", "ftp://h/"}, {"--max-runs", "0"}, {"--max-runs", "x"}, {"--retain", "x"}, {"--retain", "0"}, {"--retain", "1,90d"},
		{"--trust-proxy", "x"}, {"--allow-private", "10.0.0.0/33"}, {"--allow-scheme", "http2"}, {"--allow-scheme", "file"}, {"--files", filepath.Join(data, "missing")},
		{"--smtp", "http://x"}, {"--smtp", "smtp://me:secret@host"}, {"--smtp-password-file", "x"},
	} {
		stdout, stderr, status := orbweaver(t, append([]string{"serve", "--data", data}, args...)...)
		name := args[len(args)-2]
		if status != 2 || stdout != "" || !strings.Contains(stderr, name) || strings.Contains(stderr, "secret") {
			t.Errorf("%v: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	s := open(t, data)
	_, stderr, status := orbweaver(t, "serve", "--data", data, "--listen", "127.0.0.1:0")
	if status != 2 || !strings.Contains(stderr, fmt.Sprint(s.cmd.Process.Pid)) {
		t.Errorf("a second server: status %d, %s", status, stderr)
	}
	_, stderr, status = orbweaver(t, "serve", "--auth", "none", "--data", t.TempDir(), "--listen", strings.TrimSuffix(strings.TrimPrefix(s.base, "http://"), "/"))
	if status != 2 || !strings.Contains(stderr, "--listen") {
		t.Errorf("a port in use: status %d, %s", status, stderr)
	}
}

func TestSignIn(t *testing.T) {
	data := t.TempDir()
	manage(t, data, 0, "user", "add", "ada", "--role", "editor", "--password-file", passwordFile(t, "correct horse"))
	s := start(t, data)
	in := func(name, password, next string) *answer {
		return s.post("login", url.Values{"name": {name}, "password": {password}, "next": {next}})
	}
	wants(t, "form", s.send("GET", "login?next=/runs/1", nil), 200)
	for next, want := range map[string]string{"": "/", "/runs/1?x=y": "/runs/1?x=y", "https://evil.example/": "/", "//evil.example/": "/", `/\evil.example`: "/", "runs": "/", "/\t/evil.example": "/", "javascript:alert(1)": "/"} {
		a := wants(t, "sign in", in("ada", "correct horse", next), 303)
		if got := a.header.Get("Location"); got != want {
			t.Errorf("next %q leads to %q, want %q", next, got, want)
		}
	}
	cookie := cookieOf(t, in("ada", "correct horse", ""))
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Secure || cookie.Path != "/" {
		t.Errorf("%+v", cookie)
	}
	wants(t, "session", s.send("GET", "api/v1/projects", nil, withCookie(cookie)), 200)
	wants(t, "header before cookie", s.send("GET", "api/v1/projects", nil, withCookie(cookie), header("Authorization", "Bearer wrong")), 401)
	wants(t, "basic", s.send("GET", "api/v1/projects", nil, withCookie(cookie), header("Authorization", "Basic YWRhOmNvcnJlY3QgaG9yc2U=")), 401)
	wants(t, "foreign page signs out", s.post("logout", nil, withCookie(cookie), header("Origin", "https://evil.example")), 403)
	a := wants(t, "sign out", s.post("logout", nil, withCookie(cookie)), 303)
	if a.header.Get("Location") != "/login" {
		t.Errorf("%v", a.header)
	}
	wants(t, "after signing out", s.send("GET", "api/v1/projects", nil, withCookie(cookie)), 401)

	other := cookieOf(t, in("ada", "correct horse", ""))
	wrong, unknown := wants(t, "wrong", in("ada", "wrong", ""), 401), wants(t, "unknown", in("eve", "wrong", ""), 401)
	if string(wrong.body) != strings.ReplaceAll(string(unknown.body), `"eve"`, `"ada"`) || !strings.Contains(string(wrong.body), "<form") {
		t.Errorf("the answers tell who exists:\n%s\n%s", wrong.body, unknown.body)
	}
	for range 4 {
		wants(t, "wrong", in("ada", "wrong", ""), 401)
	}
	if a := wants(t, "limited", in("ada", "correct horse", ""), 429); a.header.Get("Retry-After") == "" || a.header.Get("Retry-After") > "60" && len(a.header.Get("Retry-After")) > 1 {
		t.Errorf("%v", a.header)
	}
	manage(t, data, 0, "user", "add", "root", "--role", "admin", "--password-file", passwordFile(t, "correct horse"))
	wants(t, "session while limited", s.send("GET", "api/v1/projects", nil, withCookie(other)), 200)
	manage(t, data, 0, "user", "remove", "ada")
	wants(t, "session of a removed user", s.send("GET", "api/v1/projects", nil, withCookie(other)), 401)
	wants(t, "new user", in("root", "correct horse", ""), 303)
	if log := s.log.String(); strings.Contains(log, "horse") || strings.Contains(log, cookie.Value) {
		t.Errorf("the log has secrets:\n%s", log)
	}
}

func TestTokenMode(t *testing.T) {
	data := t.TempDir()
	secret := token(t, data, "ci", "editor")
	manage(t, data, 0, "user", "add", "ada", "--role", "admin", "--password-file", passwordFile(t, "correct horse"))
	s := start(t, data, "--auth", "token")
	if a := s.send("GET", "login", nil); !strings.Contains(string(a.body), `name="token"`) || strings.Contains(string(a.body), `name="password"`) {
		t.Errorf("the form: %s", a.body)
	}
	wants(t, "an account", s.post("login", url.Values{"name": {"ada"}, "password": {"correct horse"}}), 401)
	wants(t, "a wrong token", s.post("login", url.Values{"token": {secret + "x"}}), 401)
	session := withCookie(cookieOf(t, wants(t, "a token", s.post("login", url.Values{"token": {secret}}), 303)))
	wants(t, "role", s.send("POST", "api/v1/projects", object{}, session), 403)
	wants(t, "role", s.send("POST", "api/v1/runs/x/stop", nil, session), 404)
	wants(t, "bearer", s.send("GET", "api/v1/projects", nil, header("Authorization", "bearer "+secret)), 200)
	manage(t, data, 0, "token", "remove", "ci")
	wants(t, "revoked", s.send("GET", "api/v1/projects", nil, session), 401)
	short := strings.TrimSpace(manage(t, data, 0, "token", "create", "short", "--expires", "1ms"))
	wants(t, "expired", s.send("GET", "api/v1/projects", nil, header("Authorization", "Bearer "+short)), 401)
}

// Every operation of the description needs credentials and its role, before anything else is
// looked at.
func TestRolesByRoute(t *testing.T) {
	data := t.TempDir()
	tokens := map[string]string{"viewer": token(t, data, "v", "viewer"), "editor": token(t, data, "e", "editor"), "admin": token(t, data, "a", "admin")}
	s := start(t, data)
	var description struct{ Paths map[string]map[string]any }
	a := s.send("GET", "api/v1/openapi.json", nil, header("Authorization", "Bearer "+tokens["viewer"]))
	if err := json.Unmarshal(a.body, &description); err != nil {
		t.Fatal(err)
	}
	editors := []string{"POST /projects/{p}/runs", "POST /runs/{r}/stop", "POST /runs/{r}/resume", "POST /runs/{r}/recheck", "PUT /projects/{p}/marks/{fingerprint}", "DELETE /projects/{p}/marks/{fingerprint}",
		"POST /projects/{p}/marks", "PATCH /projects/{p}/issues/{id}", "POST /projects/{p}/issues/{id}/comments", "DELETE /projects/{p}/issues/{id}/comments/{comment}",
		"POST /projects/{p}/views", "DELETE /projects/{p}/views/{id}"}
	seen := 0
	for _, path := range slices.Sorted(maps.Keys(description.Paths)) {
		for method := range description.Paths[path] {
			if method = strings.ToUpper(method); method == "PARAMETERS" {
				continue
			}
			seen++
			name := method + " " + path
			least := "viewer"
			switch {
			case slices.Contains(editors, name):
				least = "editor"
			case strings.HasPrefix(path, "/me"): // everybody's own
			case path == "/users", path == "/tokens", path == "/audit", path == "/export", path == "/status-pages":
				least = "admin"
			case method != "GET" && method != "HEAD", path == "/projects/{p}/links":
				least = "admin"
			}
			concrete := "api/v1" + regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "nosuch")
			if path == "/events" {
				concrete += "?after=x" // else it never ends
			}
			none := wants(t, name+" without credentials", s.send(method, concrete, nil), 401)
			if none.header.Get("WWW-Authenticate") != "Bearer" || none.header.Get("Content-Type") != "application/problem+json" || none.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %v", name, none.header)
			}
			for role, secret := range tokens {
				a := s.send(method, concrete, nil, header("Authorization", "Bearer "+secret))
				allowed := role == "admin" || role == least || role == "editor" && least == "viewer"
				if a.status == 401 || (a.status == 403) == allowed {
					t.Errorf("%s as %s: status %d", name, role, a.status)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d operations", seen)
	}
	for path, status := range map[string]int{"": 303, "projects/x": 303, "nosuch": 303, "settings": 303, "api/v1/nosuch": 401, "api/x": 401, "metrics": 401, "share/nosuch": 303} {
		a := s.send("GET", path, nil)
		if path == "share/nosuch" && a.status == 404 {
			continue // answered by its own route
		}
		wants(t, "GET "+path, a, status)
		if status == 303 && a.header.Get("Location") != "/login?next="+url.QueryEscape("/"+path) {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	wants(t, "POST page", s.send("POST", "nosuch", nil), 401)
	wants(t, "metrics", s.send("GET", "metrics", nil, header("Authorization", "Bearer "+tokens["viewer"])), 200)
}

// Refusals come in one order: each request is wrong in all the ways from its row on.
func TestOrderOfRefusals(t *testing.T) {
	data := t.TempDir()
	viewer, admin := token(t, data, "v", "viewer"), token(t, data, "a", "admin")
	s := start(t, data)
	big := `{"name": "` + strings.Repeat("x", 1<<20) + `"`
	project := func() string {
		s.token = admin
		defer func() { s.token = "" }()
		return s.create(object{"targets": []string{"https://example.com/"}})
	}()
	foreign, evil := header("Origin", "https://evil.example"), header("Host", "evil.example")
	as := func(token string) func(*http.Request) { return header("Authorization", "Bearer "+token) }
	plain := header("Content-Type", "text/plain")
	of := "api/v1/projects/" + project
	for _, row := range []struct {
		what, method, path, body string
		status                   int
		change                   []func(*http.Request)
	}{
		{"host", "POST", "api/v1/projects/nosuch/links", big, 421, []func(*http.Request){evil, foreign, plain}},
		{"cross-origin", "POST", "api/v1/projects/nosuch/links", big, 403, []func(*http.Request){foreign, plain}},
		{"credentials", "POST", "api/v1/projects/nosuch/links", big, 401, []func(*http.Request){plain}},
		{"role", "POST", "api/v1/projects/nosuch/links", big, 403, []func(*http.Request){plain, as(viewer)}},
		{"id", "POST", "api/v1/projects/nosuch/links", big, 404, []func(*http.Request){plain, as(admin)}},
		{"fingerprint", "PUT", of + "/marks/nosuch", big, 404, []func(*http.Request){plain, as(admin)}},
		{"mark", "DELETE", of + "/marks/nosuch", big, 404, []func(*http.Request){plain, as(admin)}},
		{"link", "DELETE", of + "/links/nosuch", big, 404, []func(*http.Request){plain, as(admin)}},
		{"notification", "POST", of + "/notify/0/test", big, 404, []func(*http.Request){plain, as(admin)}},
		{"fingerprint before method", "PATCH", of + "/marks/nosuch", big, 404, []func(*http.Request){plain, as(admin)}},
		{"fingerprint of a form", "POST", "projects/" + project + "/marks/nosuch", big, 404, []func(*http.Request){plain, as(admin)}},
		{"method", "PUT", "api/v1/projects/" + project, big, 405, []func(*http.Request){plain, as(admin)}},
		{"content type", "PATCH", "api/v1/projects/" + project, big, 415, []func(*http.Request){plain, as(admin)}},
		{"size", "PATCH", "api/v1/projects/" + project, big, 413, []func(*http.Request){as(admin)}},
		{"JSON", "PATCH", "api/v1/projects/" + project, `{"name":`, 400, []func(*http.Request){as(admin)}},
		{"content", "PATCH", "api/v1/projects/" + project, `{"name": ""}`, 422, []func(*http.Request){as(admin)}},
	} {
		a := wants(t, row.what, s.send(row.method, row.path, row.body, row.change...), row.status)
		if row.status == 405 && a.header.Get("Allow") != "DELETE, GET, HEAD, PATCH" {
			t.Errorf("%v", a.header)
		}
		csp := a.header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'self'", "form-action 'self'"} {
			if !strings.Contains(csp, want) || strings.Contains(csp, "unsafe") || a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Referrer-Policy") == "" {
				t.Errorf("%s: %v", row.what, a.header)
			}
		}
	}
}

func TestHostsAndOrigins(t *testing.T) {
	s := open(t, t.TempDir(), "--public-url", "https://Links.example:443/x/", "--host", "Inner.Example", "--trust-proxy", "127.0.0.1")
	s.base = strings.TrimSuffix(s.base, "x/")
	for host, status := range map[string]int{"links.example": 200, "LINKS.example.:99": 200, "inner.example:80": 200, "localhost": 200, "127.3.4.5": 200, "[::1]:8": 200,
		"evil.example": 421, "links.example.evil": 421, "0.0.0.0": 421, "localhost.evil": 421, "xn--localhost": 421, "[::ffff:127.0.0.1]": 421, "2130706433": 421, "127.1": 421, "any.localhost": 421} {
		wants(t, "host "+host, s.send("GET", "api/v1/projects", nil, header("Host", host)), status)
	}
	wants(t, "forwarded host", s.send("GET", "api/v1/projects", nil, header("Host", "evil.example"), header("X-Forwarded-Host", "links.example")), 421)
	wants(t, "probe", s.send("GET", "healthz", nil, header("Host", "10.0.0.1")), 200)
	for _, row := range []struct {
		site, origin string
		status       int
	}{
		{"", "", 422}, {"same-origin", "", 422}, {"none", "", 422}, {"cross-site", "", 403}, {"same-site", "", 403}, {"same-site", "https://links.example", 403}, {"x", "", 403},
		{"", "https://links.example", 422}, {"", "https://evil.example", 403}, {"", "null", 403}, {"", "http://links.example", 403}, {"", "https://links.example:444", 403}, {"same-origin", "https://evil.example", 422},
	} {
		a := s.send("POST", "api/v1/projects", object{}, func(r *http.Request) {
			if row.site != "" {
				r.Header.Set("Sec-Fetch-Site", row.site)
			}
			if row.origin != "" {
				r.Header.Set("Origin", row.origin)
			}
		})
		wants(t, fmt.Sprintf("Sec-Fetch-Site %q, Origin %q", row.site, row.origin), a, row.status)
	}
	own := strings.TrimSuffix(s.base, "/")
	wants(t, "own origin", s.send("POST", "api/v1/projects", object{}, header("Origin", own)), 422)
	wants(t, "GET of another site", s.send("GET", "api/v1/projects", nil, header("Sec-Fetch-Site", "cross-site")), 200)

	// With and without the prefix, the answer is the same.
	for _, path := range []string{"x/api/v1/projects", "api/v1/projects"} {
		wants(t, path, s.send("GET", path, nil), 200)
	}
	if a := s.send("GET", "x", nil); a.status/100 != 3 || a.header.Get("Location") != "/x/" {
		t.Errorf("%d %v", a.status, a.header)
	}
	a := s.send("POST", "x/api/v1/projects", object{"name": "x", "targets": []string{"https://example.com/"}})
	if got := a.header.Get("Location"); !strings.HasPrefix(got, "/x/api/v1/projects/") {
		t.Errorf("%d %s", a.status, got)
	}
}

func TestProxies(t *testing.T) {
	data := t.TempDir()
	manage(t, data, 0, "user", "add", "ada", "--password-file", passwordFile(t, "correct horse"))
	s := start(t, data, "--trust-proxy", "127.0.0.0/8")
	fields := url.Values{"name": {"ada"}, "password": {"correct horse"}}
	prefixed := header("X-Forwarded-Prefix", "/links/")
	cookie := cookieOf(t, wants(t, "behind a proxy", s.post("login", fields, prefixed, header("Host", "127.0.0.1")), 303))
	if cookie.Path != "/links/" {
		t.Errorf("%+v", cookie)
	}
	if a := s.send("GET", "", nil, prefixed); a.header.Get("Location") != "/links/login?next=%2Flinks%2F" {
		t.Errorf("%v", a.header)
	}
	for _, evil := range []string{"//evil.example", "/a\"b", "/a b", "x", "/../x", "/a//b"} {
		if a := s.send("GET", "", nil, header("X-Forwarded-Prefix", evil)); a.header.Get("Location") != "/login?next=%2F" {
			t.Errorf("prefix %q: %v", evil, a.header)
		}
	}
	from := func(addresses string) *answer {
		return s.post("login", url.Values{"name": {fmt.Sprint("x", time.Now().UnixNano())}, "password": {"wrong"}}, header("X-Forwarded-For", addresses))
	}
	for range 20 {
		wants(t, "wrong", from("198.51.100.1, 203.0.113.7, 127.0.0.9"), 401)
	}
	wants(t, "one client too often", from("10.9.8.7, 203.0.113.7"), 429)
	wants(t, "another client", from("203.0.113.7, 203.0.113.8"), 401)

	s.kill()
	s = start(t, data)
	if a := s.send("GET", "", nil, prefixed); a.header.Get("Location") != "/login?next=%2F" {
		t.Errorf("%v", a.header)
	}
	for i := range 20 {
		wants(t, "wrong", from(fmt.Sprintf("203.0.113.%d", i)), 401)
	}
	wants(t, "the address of the peer counts", from("203.0.113.99"), 429)
}

func TestReadOnly(t *testing.T) {
	data := t.TempDir()
	manage(t, data, 0, "user", "add", "ada", "--role", "admin", "--password-file", passwordFile(t, "correct horse"))
	s := start(t, data, "--read-only")
	session := withCookie(cookieOf(t, wants(t, "sign in", s.post("login", url.Values{"name": {"ada"}, "password": {"correct horse"}}), 303)))
	wants(t, "GET", s.send("GET", "api/v1/projects", nil, session), 200)
	wants(t, "HEAD", s.send("HEAD", "api/v1/projects", nil, session), 200)
	for _, path := range []string{"projects", "projects/nosuch/runs", "runs/nosuch/recheck"} {
		wants(t, path, s.send("POST", "api/v1/"+path, nil, session), 403)
	}
	wants(t, "without credentials", s.send("POST", "api/v1/projects", nil), 401)
	wants(t, "sign out", s.post("logout", nil, session), 303)
}

func TestSecureCookies(t *testing.T) {
	data := t.TempDir()
	manage(t, data, 0, "user", "add", "ada", "--password-file", passwordFile(t, "correct horse"))
	fields := url.Values{"name": {"ada"}, "password": {"correct horse"}}
	s := start(t, data, "--host", "links.example")
	if c := cookieOf(t, s.post("login", fields, header("Host", "links.example"))); !c.Secure {
		t.Errorf("%+v", c)
	}
	s.kill()
	s = start(t, data, "--public-url", "https://links.example/links/")
	if c := cookieOf(t, s.post("login", fields)); !c.Secure || c.Path != "/links/" {
		t.Errorf("%+v", c)
	}
	s.kill()
	s = start(t, data, "--public-url", "http://[::1]:81/")
	if c := cookieOf(t, s.post("login", fields)); c.Secure {
		t.Errorf("%+v", c)
	}
}

// A read-only token opens its purpose of its project alone.
func TestReadOnlyLinks(t *testing.T) {
	data := t.TempDir()
	admin := token(t, data, "a", "admin")
	s := start(t, data)
	s.token = admin
	one, two := s.create(object{"targets": []string{"https://example.com/"}}), s.create(object{"targets": []string{"https://example.com/"}})
	var link struct{ ID, Token, URL string }
	a := s.call("POST", "projects/"+one+"/links", object{"for": "feed", "expires": "90d"}, 201, &link)
	if link.Token == "" || !strings.HasPrefix(link.URL, s.base) {
		t.Errorf("%s", a.body)
	}
	if list := s.send("GET", "api/v1/projects/"+one+"/links", nil); strings.Contains(string(list.body), link.Token) {
		t.Error("the token is listed")
	}
	s.token = ""
	for path, status := range map[string]int{
		"api/v1/projects/" + one + "/feed.atom?token=" + link.Token: 200, "api/v1/projects/" + two + "/feed.atom?token=" + link.Token: 401,
		"api/v1/projects/" + one + "/badge.svg?token=" + link.Token: 401, "api/v1/projects/" + one + "?token=" + link.Token: 401,
		"api/v1/projects/" + one + "/feed.atom?token=x": 401, "api/v1/projects/" + one + "/feed.atom": 401,
	} {
		wants(t, path, s.send("GET", path, nil), status)
	}
	if res, err := http.Get(link.URL); err != nil || res.StatusCode != 200 {
		t.Errorf("%s: %v %v", link.URL, res, err)
	} else {
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	s.token = admin
	s.call("DELETE", "projects/"+one+"/links/"+link.ID, nil, 204, nil)
	s.token = ""
	wants(t, "revoked", s.send("GET", "api/v1/projects/"+one+"/feed.atom?token="+link.Token, nil), 401)
	if strings.Contains(s.log.String(), link.Token) {
		t.Errorf("the log has the token:\n%s", s.log)
	}
}

// Runs, rechecks and webhooks of a server reach no private address, and only the open schemes.
func TestAddressPolicy(t *testing.T) {
	web := newSite(t, map[string]string{})
	port := web.URL[strings.LastIndexByte(web.URL, ':')+1:]
	web.set("/", `<a href="http://127.0.0.2:`+port+`/">x</a><a href="http://[::ffff:10.0.0.1]/">x</a><a href="mailto:joe@missing.invalid">x</a>
		<a href="ftp://127.0.0.1/x">x</a><a href="file:///etc/passwd">x</a>`)
	s := startPlain(t, t.TempDir(), "--auth", "none", "--allow-private", "127.0.0.1") // only the address of the site is open
	run := s.checked(s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}}))
	got := map[string]string{}
	for _, f := range s.items("runs/" + run + "/findings?verdict=skipped,broken,ok,unverified") {
		got[f["url"].(string)] = f["code"].(string)
	}
	for url, want := range map[string]string{web.URL + "/": "ok", "http://127.0.0.2:" + port + "/": "address-denied", "http://[::ffff:a00:1]/": "address-denied", "mailto:joe@missing.invalid": "scheme-unchecked",
		"ftp://127.0.0.1/x": "scheme-unchecked", "file:///etc/passwd": "file-from-web"} {
		if got[url] != want {
			t.Errorf("%s: %s, want %s (%v)", url, got[url], want, got)
		}
	}
	var both struct {
		After struct{ Verdict, Code string }
	}
	s.call("POST", "runs/"+run+"/recheck", object{"url": "http://127.0.0.2:" + port + "/"}, 200, &both)
	if both.After.Verdict != "skipped" || both.After.Code != "address-denied" {
		t.Errorf("recheck: %+v", both)
	}
	denied := s.checked(s.create(object{"targets": []string{"http://127.0.0.2:" + port + "/", "http://2852039166/latest/meta-data/"}, "options": object{"retries": 0}}))
	if r := s.until(denied, "done"); r["exit_status"] != 3.0 {
		t.Errorf("%v", r)
	}
	if items := s.items("runs/" + denied + "/findings?verdict=skipped&code=address-denied"); len(items) != 2 {
		t.Errorf("%v", items)
	}
	hooks := s.create(object{"targets": []string{web.URL}, "notify": []object{{"type": "webhook", "url": "http://localhost:" + port + "/hook"}}})
	s.call("PATCH", "projects/"+hooks, object{"notify": []object{{"type": "slack", "url": "http://127.0.0.2:" + port + "/"}}}, 422, nil)
	if strings.Contains(s.log.String(), "panic") {
		t.Error(s.log)
	}
}

// No spelling of a denied address and no redirect to one is followed, as a link or a start page. Only
// the first address is asked.
func TestAddressSpellings(t *testing.T) {
	asked := &site{pages: map[string]string{"/": "<p>"}}
	closed := httptest.NewUnstartedServer(asked)
	var err error
	if closed.Listener, err = net.Listen("tcp", "127.0.0.2:0"); err != nil {
		t.Skip(err) // a system whose loopback network has one address
	}
	closed.Start()
	t.Cleanup(closed.Close)
	port := closed.URL[strings.LastIndexByte(closed.URL, ':')+1:]
	hosts := []string{"127.0.0.2", "127.2", "127.0.2", "2130706434", "0x7f000002", "0x7f.2", "0177.0.0.2", "127.0.0.2.", "%31%32%37.0.0.2", "１２７.0.0.2", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[64:ff9b::7f00:2]",
		"[2002:7f00:2::]", "[::1]", "0.0.0.0", "[::]", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "[fe80::1]", "[fd00::1]", "[fd00:ec2::254]"}
	var links strings.Builder
	for i, host := range hosts {
		fmt.Fprintf(&links, `<a href="http://%s:%s/">x</a> <a href="/to?%d">x</a> `, host, port, i)
	}
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i, err := strconv.Atoi(r.URL.RawQuery); err == nil && i < len(hosts) {
			w.Header().Set("Location", "http://"+hosts[i]+":"+port+"/")
			w.WriteHeader(http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, links.String())
	}))
	t.Cleanup(open.Close)
	s := startPlain(t, t.TempDir(), "--auth", "none", "--allow-private", "127.0.0.1")
	run := s.checked(s.create(object{"targets": []string{open.URL, open.URL + "/to?0"}, "options": object{"retries": 0}}))
	denied := map[string]bool{}
	for _, f := range s.items("runs/" + run + "/findings?code=address-denied&verdict=skipped&limit=1000") {
		denied[f["url"].(string)] = true
	}
	for i := range hosts {
		if !denied[fmt.Sprintf("%s/to?%d", open.URL, i)] {
			t.Errorf("a redirect to %s is not denied", hosts[i])
		}
	}
	for _, f := range s.items("runs/" + run + "/findings?verdict=ok,broken,unverified&limit=1000") {
		if !strings.HasPrefix(f["url"].(string), open.URL) {
			t.Errorf("%s is %s, %s", f["url"], f["verdict"], f["code"])
		}
	}
	for url := range denied {
		var both struct{ After struct{ Code string } }
		s.call("POST", "runs/"+run+"/recheck", object{"url": url}, 200, &both)
		if both.After.Code != "address-denied" {
			t.Errorf("recheck of %s: %s", url, both.After.Code)
		}
		break
	}
	if asked.asked > 0 {
		t.Errorf("the closed address was asked %d times", asked.asked)
	}
}

func TestOperations(t *testing.T) {
	s := open(t, t.TempDir())
	a := s.send("GET", "metrics", nil)
	for _, name := range []string{"orbweaver_projects 0", `orbweaver_runs{state="queued"} 0`, "orbweaver_http_requests_total{code=", "orbweaver_event_streams 0"} {
		if !strings.Contains(string(a.body), name) {
			t.Errorf("no %s in\n%s", name, a.body)
		}
	}
	if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Errorf("the type is %s", got)
	}
	for _, path := range []string{"healthz", "readyz", "metrics", "api/v1/projects", "api/v1/openapi.json", "login"} {
		get, head := s.send("GET", path, nil), s.send("HEAD", path, nil)
		if head.status != get.status || len(head.body) != 0 || head.header.Get("Content-Type") != get.header.Get("Content-Type") {
			t.Errorf("HEAD %s: status %d, %d bytes", path, head.status, len(head.body))
		}
	}
	readOnly := open(t, t.TempDir(), "--read-only")
	if a := readOnly.send("POST", "api/v1/projects", object{"name": "x", "targets": []string{"https://example.com/"}}); a.status != 403 {
		t.Errorf("--read-only: status %d", a.status)
	}
}
