package servetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestCheckOnServer uses a server from the command line.
func TestCheckOnServer(t *testing.T) {
	web := smallSite(t)
	data := t.TempDir()
	files := map[string]string{}
	for _, role := range []string{"admin", "editor", "viewer"} {
		files[role] = filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(files[role], []byte(token(t, data, role, role)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, data, "--public-url", "http://127.0.0.1/links/")
	check := func(role string, args ...string) (string, string, int) {
		t.Helper()
		return orbweaver(t, append([]string{"check", "--server", s.base, "--token-file", files[role]}, args...)...)
	}
	if _, stderr, status := check("editor", web.URL+"/"); status != 2 || !strings.Contains(stderr, "admin") {
		t.Errorf("an editor makes a project: status %d: %s", status, stderr)
	}
	s.token = strings.TrimSpace(read(t, files["admin"])) // the same options in other spellings are the same project
	s.create(object{"targets": []string{web.URL + "/"}, "options": object{"depth": 3, "exclude": "^mailto:", "sitemaps": false}})
	out, stderr, status := check("editor", web.URL+"/", "--depth", "3", "--exclude", "^mailto:", "-f", "csv")
	want, _, wantStatus := orbweaver(t, "check", web.URL+"/", "--depth", "3", "--exclude", "^mailto:", "-f", "csv")
	if out != want || status != wantStatus {
		t.Errorf("status %d: %s\n%s\nwithout the server: status %d\n%s", status, stderr, out, wantStatus, want)
	}
	if _, stderr, status := check("editor", web.URL+"/", "--depth", "3", "--exclude", "^mailto:"); status != 1 {
		t.Errorf("an editor runs the project: status %d: %s", status, stderr)
	}
	if _, stderr, status := check("viewer", web.URL+"/", "--depth", "3", "--exclude", "^mailto:"); status != 2 || !strings.Contains(stderr, "editor") {
		t.Errorf("a viewer runs the project: status %d: %s", status, stderr)
	}
	s.api = nil
	if n := len(s.items("projects")); n != 1 {
		t.Errorf("%d projects", n)
	}
	for _, args := range [][]string{{"--depth", "x", web.URL}, {"--proxy", "http://127.0.0.1:1/", web.URL}, {"--state", "x", web.URL}, {}, {"ftp://example.com/"}} {
		if _, stderr, status := check("admin", args...); status != 2 {
			t.Errorf("%v: status %d: %s", args, status, stderr)
		}
	}
	if _, stderr, status := orbweaver(t, "check", web.URL, "--server", s.base); status != 2 || !strings.Contains(stderr, "--token-file") {
		t.Errorf("without a token: status %d: %s", status, stderr)
	}
	if _, stderr, status := orbweaver(t, "check", web.URL, "--server", "http://links.example/", "--token-file", files["admin"]); status != 2 || !strings.Contains(stderr, "https") {
		t.Errorf("a token in clear text: status %d: %s", status, stderr)
	}
}

// TestSecretsOnServer: a run gets the headers and passwords that were given for it, or a note says that
// it has others.
func TestSecretsOnServer(t *testing.T) {
	var mu sync.Mutex
	var got []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/" {
			user, password, _ := r.BasicAuth()
			got = append(got, r.Header.Get("X-A")+user+password)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p>text</p>")
	}))
	defer web.Close()
	data := t.TempDir()
	files := map[string]string{}
	for _, role := range []string{"admin", "editor"} {
		files[role] = filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(files[role], []byte(token(t, data, role, role)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, data)
	s.token = strings.TrimSpace(read(t, files["admin"]))
	with := strings.Replace(web.URL, "://", "://joe:%s@", 1) + "/"
	for _, row := range []struct {
		role, target, header, sent string
		projects                   int
	}{
		{"admin", web.URL + "/", "X-A: b", "b", 1}, {"admin", web.URL + "/", "X-A: c", "c", 1}, {"editor", web.URL + "/", "X-A: d", "c", 1},
		{"admin", fmt.Sprintf(with, "one"), "", "joeone", 2}, {"admin", fmt.Sprintf(with, "two"), "", "joetwo", 2},
	} {
		got = nil
		args := []string{"check", row.target, "--server", s.base, "--token-file", files[row.role]}
		if row.header != "" {
			args = append(args, "-H", row.header)
		}
		_, stderr, status := orbweaver(t, args...)
		mu.Lock()
		if sent := strings.Join(slices.Compact(got), " "); status != 0 || sent != row.sent || strings.Contains(stderr, "keeps its own") != (row.role == "editor") {
			t.Errorf("%s, %s %s: status %d, the site got %q, want %q: %s", row.role, row.target, row.header, status, sent, row.sent, stderr)
		}
		mu.Unlock()
		if n := len(s.items("projects")); n != row.projects {
			t.Errorf("%s, %s %s: %d projects, want %d", row.role, row.target, row.header, n, row.projects)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
