package servetest

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestOIDCProvider signs in at oidc-provider, a certified provider, as a browser does.
func TestOIDCProvider(t *testing.T) {
	node, err := exec.LookPath("node")
	dir := os.Getenv("OIDC_PROVIDER")
	if err != nil || dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("node and OIDC_PROVIDER, the directory of the npm package oidc-provider, are missing")
		}
		t.Skip("needs node and OIDC_PROVIDER, the directory of the npm package oidc-provider")
	}
	cmd := exec.Command(node, "testdata/oidcprovider.mjs", dir, ssoSecret)
	log := &output{}
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the provider does not start: %s", log)
	}
	s := start(t, t.TempDir(), "--auth", "oidc", "--oidc", lines.Text(), "--oidc-client", "links", "--oidc-secret-file", passwordFile(t, ssoSecret), "--oidc-role", "editor=groups:docs")
	fmt.Fprintln(in, s.base+"login/callback")
	for lines.Scan() && lines.Text() != "ready" {
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: patience}
	read := func(res *http.Response, err error) (at *url.URL, body string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, log)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%s: status %d, %v: %s\n%s", res.Request.URL, res.StatusCode, err, text, log)
		}
		return res.Request.URL, string(text)
	}
	at, page := read(browser.Get(s.base + "login/sso?next=/profile"))
	action := regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	for _, fields := range []url.Values{{"prompt": {"login"}, "login": {"zoe"}, "password": {"any"}}, {"prompt": {"consent"}}} {
		form := action.FindStringSubmatch(page)
		if form == nil {
			t.Fatalf("%s has no form: %s", at, page)
		}
		to, err := at.Parse(form[1])
		if err != nil {
			t.Fatal(err)
		}
		at, page = read(browser.PostForm(to.String(), fields))
	}
	if at.String() != s.base+"profile" || !strings.Contains(page, "zoe@example.com") || !strings.Contains(page, "editor") {
		t.Errorf("the browser is at %s: %s\n%s", at, page, s.log)
	}
}
