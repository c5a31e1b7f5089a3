package servetest

import (
	"database/sql"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/mailtest"
)

// readMail returns the head and the plain text of a mail.
func readMail(t *testing.T, data string) (mail.Header, string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	part, err := multipart.NewReader(m.Body, params["boundary"]).NextPart()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(part)
	if err != nil {
		t.Fatal(err)
	}
	return m.Header, strings.ReplaceAll(string(text), "\r\n", "\n")
}

func TestDigest(t *testing.T) {
	port, received := mailtest.Serve(t, "")
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a>`})
	s, data := people(t)
	admin, viewer := s.signIn("admin", "correct horse"), s.signIn("viewer", "correct horse")
	s.as(viewer, "PATCH", "me", object{"email": "v@example.com", "time_zone": "Asia/Kolkata"}, 200)
	s.as(viewer, "POST", "me/digest", nil, 409) // no --smtp
	stopped := func() {
		t.Helper()
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		s.wait()
	}
	stopped()
	s = start(t, data, "--smtp", "smtp://127.0.0.1:"+port)
	s.as(admin, "POST", "me/digest", nil, 409) // no address
	if sent := s.as(viewer, "POST", "me/digest", nil, 200); sent["delivered"] != false || sent["error"] == nil {
		t.Errorf("without a project: %v", sent)
	}
	docs := s.as(admin, "POST", "projects", object{"name": "Docs", "targets": []string{web.URL}, "options": object{"retries": 0}}, 201)["id"].(string)
	for name, access := range map[string]any{"Blog": nil, "Secret": object{}} {
		s.as(admin, "POST", "projects", object{"name": name, "targets": []string{"https://example.com/"}, "access": access}, 201)
	}
	s.as(admin, "POST", "projects/"+docs+"/runs", nil, 202)
	deadline := time.Now().Add(patience)
	for s.as(admin, "GET", "projects/"+docs, nil, 200)["last_run"].(object)["state"] != "done" {
		if time.Now().After(deadline) {
			t.Fatal("the run does not end")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if sent := s.as(viewer, "POST", "me/digest", nil, 200); sent["delivered"] != true || sent["error"] != nil {
		t.Fatalf("the digest: %v", sent)
	}
	got := <-received
	head, text := readMail(t, got["data"])
	if got["to"] != "v@example.com" || head.Get("Subject") != "[Orbweaver] 2 projects, 1 new issue" || head.Get("List-Unsubscribe") != "<"+s.base+"profile>" || head.Get("Auto-Submitted") != "auto-generated" || head.Get("Date") == "" || head.Get("Message-ID") == "" {
		t.Errorf("to %s: %v", got["to"], head)
	}
	for _, want := range []string{"Docs: 1 issue, 1 broken link\n  last checked: ", " IST\n", "  new issues: 1\n  - " + web.URL + "/gone (http-404)\n", "Blog: not checked yet\n  no run had a reliable result in this time\n", s.base + "projects/" + docs + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the digest lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Secret") || strings.Contains(text, "fixed issues") {
		t.Errorf("the digest has too much:\n%s", text)
	}
	// One that is due is sent once, and none when somebody has just asked for them.
	s.as(viewer, "PATCH", "me", object{"digest": "weekly"}, 200)
	s.as(admin, "PATCH", "me", object{"email": "a@example.com", "digest": "monthly"}, 200)
	stopped()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "serve.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE auth_users SET digested = 1 WHERE name = 'viewer'; UPDATE run SET finished = 2"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	s = start(t, data, "--smtp", "smtp://127.0.0.1:"+port)
	got = <-received
	if _, text = readMail(t, got["data"]); got["to"] != "v@example.com" || !strings.Contains(text, "Docs: 1 issue, 1 broken link\n  last checked: 1 January 1970, 05:30 IST\n  no run had a reliable result in this time\n") || !strings.Contains(text, "08:00 IST\n") {
		t.Errorf("to %s:\n%s", got["to"], text)
	}
	stopped()
	s = start(t, data, "--smtp", "smtp://127.0.0.1:"+port)
	if a := s.post("profile", url.Values{"do": {"digest"}}, viewer); a.status != 303 {
		t.Errorf("the button of the profile: status %d", a.status)
	}
	if _, text = readMail(t, (<-received)["data"]); strings.Contains(text, "08:00 IST\n") {
		t.Errorf("the digest was sent twice:\n%s", text)
	}
}
