package servetest

import (
	"os"
	"path/filepath"
	"strings"
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

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
