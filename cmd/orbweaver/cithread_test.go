package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// TestCIThread runs the program as a job of GitHub, with a server in place of its API.
func TestCIThread(t *testing.T) {
	var requests []string
	var issues []map[string]any
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.Method+" "+r.URL.Path)
		if r.Header.Get("Authorization") != "Bearer t0k3n" {
			t.Errorf("%s %s came with %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		switch text, _ := io.ReadAll(r.Body); r.Method {
		case http.MethodGet:
			json.NewEncoder(w).Encode(issues)
		case http.MethodPost:
			issues = []map[string]any{{"number": 1, "state": "open", "user": map[string]string{"type": "Bot"}}}
			fallthrough
		default:
			if err := json.Unmarshal(text, &issues[0]); err != nil {
				t.Error(err)
			}
		}
	}))
	defer api.Close()
	t.Chdir(t.TempDir())
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.html", `<a href="gone.html">gone</a>`)
	for name, value := range map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_API_URL": api.URL, "GITHUB_REPOSITORY": "o/r", "GITHUB_REF": "refs/heads/main", "MY_TOKEN": "t0k3n",
		"GITHUB_STEP_SUMMARY": "", "GITLAB_CI": "", "GITHUB_WORKSPACE": "", "GITHUB_SERVER_URL": "", "EMPTY": ""} {
		t.Setenv(name, value)
	}
	run := func(wantCode int, wantStderr, wantRequests string, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		requests = nil
		root := newRoot()
		root.SetOut(&stdout)
		root.SetErr(&stderr)
		root.SetArgs(args)
		code := exitCode(root.Execute(), &stderr)
		if got := strings.Join(requests, ", "); code != wantCode || got != wantRequests || !strings.Contains(stderr.String(), wantStderr) {
			t.Errorf("orbweaver %s: exit status %d, want %d; requests %s, want %s; stderr %q, want %q", strings.Join(args, " "), code, wantCode, got, wantRequests, stderr.String(), wantStderr)
		}
		if strings.Contains(stdout.String()+stderr.String(), "t0k3n") {
			t.Errorf("orbweaver %s prints the token", strings.Join(args, " "))
		}
	}
	const list, edit = "GET /repos/o/r/issues", "PATCH /repos/o/r/issues/1"
	run(1, "opened the report at github", list+", POST /repos/o/r/issues", "a.html", "--ci-token-env", "MY_TOKEN")
	if body := issues[0]["body"].(string); issues[0]["title"] != "Broken links in a.html" || !strings.Contains(body, "`gone.html`") {
		t.Errorf("the issue is %v", issues[0])
	}
	run(1, "", list, "a.html", "--ci-token-env", "MY_TOKEN")
	run(0, "", list, "a.html", "--ci-token-env", "MY_TOKEN", "--fail-on", "none")
	run(1, "not set", "", "a.html", "--ci-token-env", "EMPTY")
	run(2, "--ci-token-env: it needs --ci github", "", "a.html", "--ci-token-env", "MY_TOKEN", "--ci", "none")
	run(2, "cannot be used together", "", "a.html", "--ci-token-env", "MY_TOKEN", "--watch")
	run(3, "stays as it is", "", "nosuch.html", "--ci-token-env", "MY_TOKEN")
	write("a.html", `<a href="a.html">here</a>`)
	run(0, "closed the report at github", list+", "+edit, "a.html", "--ci-token-env", "MY_TOKEN")
	if issues[0]["state"] != "closed" {
		t.Errorf("the issue is %v", issues[0])
	}
	write("orbweaver.toml", `ci-token-env = "MY_TOKEN"`)
	run(2, "a configuration that was not named cannot set it, because it sends a token of the user", "", "a.html")
	api.Close()
	if err := os.Remove("orbweaver.toml"); err != nil {
		t.Fatal(err)
	}
	run(0, "the report at github is not up to date", "", "a.html", "--ci-token-env", "MY_TOKEN")
}
