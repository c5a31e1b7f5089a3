package servetest

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hookSecrets are what no file, answer and log may have of the addresses in testdata/version-1.
var hookSecrets = []string{"webhook-address", "slack-address"}

// versionOne makes a data directory as the first version left it, with addresses of webhooks in
// clear: in rows, in free pages and in the log.
func versionOne(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "version-1", "secret.hex"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	statements, err := os.ReadFile(filepath.Join("testdata", "version-1", "serve.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "secret"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, "serve.db")
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, text := range []string{string(statements), "PRAGMA wal_checkpoint(TRUNCATE)",
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
			INSERT INTO project SELECT 'x' || i, 'x', '[]', '{}', (SELECT notify FROM project WHERE name = 'Docs'), '', NULL, 0, 0 FROM n`,
		"PRAGMA wal_checkpoint(TRUNCATE)", "UPDATE project SET schedule = '@daily' WHERE name = 'Docs'", "DELETE FROM project WHERE name = 'x'"} {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%.60s: %v", text, err)
		}
	}
	// The log of a process that was killed is left.
	for _, end := range []string{"", "-wal"} {
		whole, err := os.ReadFile(file + end)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(whole, []byte(hookSecrets[0])) {
			t.Fatalf("serve.db%s does not have the address that the test looks for", end)
		}
		if err := os.WriteFile(file+end+".kept", whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	for _, end := range []string{"", "-wal"} {
		if err := os.Rename(file+end+".kept", file+end); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// leaks returns the files of a data directory that have one of the texts.
func leaks(t *testing.T, data string, texts []string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(data, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		whole, err := os.ReadFile(name)
		for _, text := range texts {
			if bytes.Contains(whole, []byte(text)) {
				names = append(names, filepath.Base(name)+": "+text)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The addresses of webhooks that the first version kept in clear are in no file afterwards but in
// the copy that is made before.
func TestUpgradeHidesAddresses(t *testing.T) {
	data := versionOne(t)
	s := open(t, data)
	copied := filepath.Join(data, "serve.db.before-1")
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", info, err)
	}
	for deadline := time.Now().Add(patience); !strings.Contains(s.log.String(), copied); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no line tells of the copy:\n%s", s.log)
		}
	}
	if got := leaks(t, data, hookSecrets); len(got) != 2 || !strings.HasPrefix(got[0], "serve.db.before-1") || !strings.HasPrefix(got[1], "serve.db.before-1") {
		t.Errorf("files with addresses in clear: %v, want the copy alone", got)
	}
	var p object
	for _, item := range s.items("projects") {
		if item["name"] == "Docs" {
			p = item
		}
	}
	notify, _ := json.Marshal(p["notify"])
	if want := `[{"on":["new","fixed","unsound"],"secret":"***","type":"webhook","url":"http://hooks.invalid/***"},{"on":["new"],"type":"slack","url":"https://chat.invalid/***"}]`; string(notify) != want {
		t.Errorf("notify is %s, want %s", notify, want)
	}
	id := p["id"].(string)
	s.call("PATCH", "projects/"+id, object{"notify": p["notify"], "options": p["options"], "targets": p["targets"]}, 200, nil)
	var result struct{ Error string }
	s.call("POST", "projects/"+id+"/notify/0/test", nil, 200, &result)
	if result.Error != "the host name does not exist" {
		t.Errorf("a test of the address that was kept: %s", result.Error)
	}
	s.kill()
	if err := os.Remove(copied); err != nil {
		t.Fatal(err)
	}
	s = open(t, data)
	if _, err := os.Stat(copied); err == nil || strings.Contains(s.log.String(), "before-1") {
		t.Error("another start makes another copy")
	}
	if got := leaks(t, data, hookSecrets); len(got) > 0 {
		t.Errorf("files with addresses in clear: %v", got)
	}
	if n := len(s.items("projects")); n != 2 {
		t.Errorf("%d projects, want 2", n)
	}
}

// The address of a webhook is a secret like its key.
func TestAddressesAreSecret(t *testing.T) {
	data := t.TempDir()
	hook := newSink(t, "hush")
	s := start(t, data)
	s.token = token(t, data, "boss", "admin")
	admin := s.token
	id := s.create(object{"targets": []string{"https://example.com/"}, "notify": []object{
		{"type": "webhook", "url": hook.URL + "/webhook-whereabouts?key=1", "secret": "hush"},
		{"type": "slack", "url": "https://chat.invalid/slack-whereabouts"}, {"type": "slack", "url": "https://chat.invalid/slack-whereabouts-2"}}})
	var p struct{ Notify []object }
	for _, who := range []string{token(t, data, "reader", "viewer"), token(t, data, "writer", "editor"), admin} {
		s.token = who
		for _, path := range []string{"api/v1/projects/" + id, "api/v1/projects", "projects/" + id, "projects/" + id + "/settings"} {
			if a := s.send("GET", path, nil); strings.Contains(string(a.body), "-whereabouts") {
				t.Errorf("%s shows an address", path)
			}
		}
	}
	s.call("GET", "projects/"+id, nil, 200, &p)
	if got := fmt.Sprint(p.Notify[0]["url"], " ", p.Notify[1]["url"]); got != hook.URL+"/*** https://chat.invalid/***" {
		t.Errorf("the addresses are shown as %s", got)
	}
	if a := s.send("GET", "projects/"+id+"/settings", nil); !strings.Contains(string(a.body), hook.URL+"/***") {
		t.Error("the settings do not show the host of the webhook")
	}
	test := func(n int) string {
		a := s.call("POST", fmt.Sprintf("projects/%s/notify/%d/test", id, n), nil, 200, nil)
		return string(a.body)
	}
	s.call("PATCH", "projects/"+id, object{"notify": p.Notify}, 200, nil)
	if got := test(0); !strings.Contains(got, `"delivered":true`) {
		t.Errorf("a test of the address that was kept: %s", got)
	}
	refused := func(field string, notify ...object) {
		t.Helper()
		var faults problem
		s.call("PATCH", "projects/"+id, object{"notify": notify}, 422, &faults)
		if len(faults.Errors) != 1 || faults.Errors[0].Field != field {
			t.Errorf("%v: %+v, want one error at %s", notify, faults.Errors, field)
		}
	}
	refused("notify.0.url", object{"type": "webhook", "url": "http://chat.invalid/***"})                                                                      // another scheme
	refused("notify.0.url", object{"type": "webhook", "url": "https://chat.invalid:8443/***"})                                                                // another port
	refused("notify.0.url", object{"type": "webhook", "url": "https://other.invalid/***"})                                                                    // another host
	refused("notify.0.url", object{"type": "webhook", "url": "https://other.invalid/x", "secret": "***"})                                                     // the key
	refused("notify.1.url", p.Notify[0], object{"type": "slack", "url": "https://chat.invalid/***"})                                                          // which of the two
	refused("notify.0.url", object{"type": "slack", "url": "https://chat.invalid/***"})                                                                       // which of the two
	s.call("PATCH", "projects/"+id, object{"notify": []object{{"type": "slack", "url": "https://CHAT.invalid:443/***"}, p.Notify[0], p.Notify[1]}}, 200, nil) // in order
	s.call("PATCH", "projects/"+id, object{"notify": p.Notify}, 200, nil)
	// Without scripts, a form removes one of two on the same host, and adds another.
	session := s.post("projects/"+id+"/settings", map[string][]string{"do": {"remove-notify"}, "n": {"1"}, "sure": {"yes"}})
	wants(t, "remove a notification", session, 303)
	wants(t, "add a notification", s.post("projects/"+id+"/settings", map[string][]string{"do": {"add-notify"}, "type": {"webhook"}, "url": {"http://missing.invalid/webhook-whereabouts"}, "on": {"new"}}), 303)
	if got := test(0); !strings.Contains(got, `"delivered":true`) {
		t.Errorf("the first target after another was removed: %s", got)
	}
	if got := test(2); strings.Contains(got, "-whereabouts") || !strings.Contains(got, `"delivered":false`) {
		t.Errorf("a test of an address that does not exist: %s", got)
	}
	if got := leaks(t, data, []string{"-whereabouts"}); len(got) > 0 {
		t.Errorf("files with addresses in clear: %v", got)
	}
	if strings.Contains(s.log.String(), "-whereabouts") {
		t.Errorf("the log has an address:\n%s", s.log)
	}
}

// A server that is killed while it brings the tables up to date leaves a directory with which the
// next one starts.
func TestUpgradeKilled(t *testing.T) {
	for when, reached := range map[string]func(data string, size int64) bool{
		"with the first new file": func(data string, _ int64) bool {
			names, _ := os.ReadDir(data)
			return len(names) > 3
		},
		"with the copy": func(data string, _ int64) bool {
			_, err := os.Stat(filepath.Join(data, "serve.db.before-1"))
			return err == nil
		},
		"with another size of the database": func(data string, size int64) bool {
			info, err := os.Stat(filepath.Join(data, "serve.db"))
			return err == nil && info.Size() != size
		},
	} {
		t.Run(when, func(t *testing.T) {
			data := versionOne(t)
			info, err := os.Stat(filepath.Join(data, "serve.db"))
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--auth", "none")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(patience); !reached(data, info.Size()); {
				if time.Now().After(deadline) {
					t.Error("the instant does not come")
					break
				}
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			s := open(t, data)
			if n := len(s.items("projects")); n != 2 {
				t.Errorf("%d projects, want 2", n)
			}
			s.kill() // a run by the schedule makes and removes files
			if got := leaks(t, data, hookSecrets); len(got) != 2 || !strings.HasPrefix(got[0], "serve.db.before-1:") || !strings.HasPrefix(got[1], "serve.db.before-1:") {
				t.Errorf("files with addresses in clear: %v, want the copy alone", got)
			}
			soundDatabase(t, filepath.Join(data, "serve.db.before-1"))
		})
	}
}

// soundDatabase has SQLite check a file.
func soundDatabase(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("%s: %s, %v", filepath.Base(file), verdict, err)
	}
}
