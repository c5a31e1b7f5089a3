//go:build !race

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/report"
)

// TestAdmin crawls Django's admin while its sessions end: the report is that of a crawl whose
// session lasts.
func TestAdmin(t *testing.T) {
	s := serveAdmin(t)
	want := reportOf(t, s.run(0, s.check(s.login...)...))
	if s.asked < 12 || s.logins != 1 {
		t.Fatalf("%d pages, %d sign-ins", s.asked, s.logins)
	}
	for _, row := range []struct {
		concurrency string
		cuts        []int
	}{{"1", []int{6}}, {"16", []int{6}}, {"16", []int{4, 14}}} {
		s.begin(row.cuts...)
		got := reportOf(t, s.run(0, s.check(append(s.login, "--concurrency", row.concurrency)...)...))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("cut at %d with %s workers:\n%s", row.cuts, row.concurrency, difference(got, want))
		}
		if s.logins != 1+len(row.cuts) {
			t.Errorf("cut at %d with %s workers: %d sign-ins", row.cuts, row.concurrency, s.logins)
		}
		for _, path := range s.paths {
			if strings.HasPrefix(path, "/admin/logout/") {
				t.Errorf("%s was requested", path)
			}
		}
	}
}

// TestAdminWithCookies crawls with cookies, which nobody can renew.
func TestAdminWithCookies(t *testing.T) {
	s := serveAdmin(t)
	cookies := filepath.Join(t.TempDir(), "cookies.txt")
	s.run(0, append([]string{"login", "save", s.url + "/admin/", "-o", cookies, "--no-config"}, s.login...)...)
	s.begin(6)
	got := reportOf(t, s.run(3, s.check("--cookies", cookies)...))
	lost := 0
	for _, r := range got["results"].([]any) {
		r := r.(map[string]any)
		final, _ := r["final_url"].(string)
		switch {
		case r["code"] == "login-lost" && r["verdict"] == "unverified":
			lost++
		case strings.Contains(final, "/admin/login/"):
			t.Errorf("%v: %v %v", r["url"], r["verdict"], r["code"])
		}
	}
	if lost == 0 || got["complete"] != false || got["stopped_by"] != "login-lost" || s.logins > 0 {
		t.Errorf("complete %v, stopped by %v, %d targets are lost, %d sign-ins", got["complete"], got["stopped_by"], lost, s.logins)
	}
}

// TestAdminResumed interrupts a crawl that is signed in. The next process signs in again, and
// gives the report of one crawl. Nothing that was written or said has a secret.
func TestAdminResumed(t *testing.T) {
	s := serveAdmin(t)
	want := reportOf(t, s.run(0, s.check(s.login...)...))
	const key, pin = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "a \"field\" of <älice>"
	file := filepath.Join(t.TempDir(), "members.toml")
	config := fmt.Sprintf("[[login]]\nurl = %q\nuser = \"alice\"\npassword = %q\ntotp = %q\nfield = {pin = %q}\n", s.url+"/admin/login/", adminPassword, key, pin)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, same := range []bool{false, true} {
		dir := t.TempDir()
		out := func() []string {
			flags := []string{"check", s.url + "/admin/", "-f", "json", "--show", "all", "--config", file, "--exclude", "[?]", "--progress", "always"}
			for _, format := range report.Formats {
				if format.Name != "sitemap" { // the admin asks search engines to list no page
					flags = append(flags, "-o", format.Name+":"+filepath.Join(dir, "report."+format.Name))
				}
			}
			return append(flags, "--state", filepath.Join(dir, "state"), "--cache", filepath.Join(dir, "cache.db"), "--history", filepath.Join(dir, "history.db"), "--concurrency", "1")
		}
		first := s.command(out()...)
		s.begin()
		started := make(chan *os.Process, 1)
		s.mu.Lock()
		s.at = map[int]func(){8: func() { (<-started).Signal(os.Interrupt) }}
		s.mu.Unlock()
		if err := first.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started <- first.cmd.Process
		if first.cmd.Wait(); first.cmd.ProcessState.ExitCode() != 3 {
			t.Fatalf("%s%s", first.err.String(), first.out.String())
		}
		s.begin()
		next := []string{"resume", "--state", filepath.Join(dir, "state"), "-f", "json"}
		if same {
			next = out()
		}
		p := s.run(0, next...)
		if got := reportOf(t, p); !reflect.DeepEqual(got, want) {
			t.Errorf("the report of a resumed crawl differs:\n%s", difference(got, want))
		}
		s.mu.Lock()
		logins, secrets := s.logins, slices.Clone(s.secrets)
		s.mu.Unlock()
		if logins != 1 {
			t.Errorf("the next process signed in %d times", logins)
		}
		written := map[string][]byte{"output": slices.Concat(first.out.Bytes(), first.err.Bytes(), p.out.Bytes(), p.err.Bytes())}
		err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				written[name], err = os.ReadFile(name)
			}
			return err
		})
		if err != nil || len(written) < len(report.Formats)+2 || len(secrets) < 3 {
			t.Fatalf("%d files, %d cookies, %v", len(written), len(secrets), err)
		}
		for name, text := range written {
			text = bytes.ToLower(text)
			for _, secret := range append([]string{adminPassword, key, pin}, secrets...) {
				if form := spellingIn(text, secret); form != "" {
					t.Errorf("%s contains %s as %s", name, secret, form)
				}
			}
		}
	}
}
