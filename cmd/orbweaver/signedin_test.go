package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// adminPassword is the password of alice.
const adminPassword = "pass-w0rd of älice"

// memberSite is a real site behind a proxy, which counts the requests for pages and ends all
// sessions when a test wants it.
type memberSite struct {
	*testing.T
	url         string   // of the proxy
	login       []string // the flags that sign in
	crawl       []string // the start page, and flags
	isPage      func(*http.Request) bool
	endSessions func()

	mu      sync.Mutex
	cuts    []int // the sessions end before the requests with these numbers
	asked   int   // pages, since begin
	paths   []string
	logins  int // forms that were sent
	secrets []string
	at      map[int]func() // called before the requests with these numbers
}

// serveAdmin serves Django's admin.
func serveAdmin(t *testing.T) *memberSite {
	django := crawlertest.ServeDjango(t, adminPassword)
	s := serveMembers(t, django)
	s.login = []string{"--login", s.url + "/admin/login/", "--login-user", "alice", "--login-password-file", passwordFile(t, adminPassword)}
	s.crawl = []string{s.url + "/admin/", "--exclude", "[?]"}
	s.isPage = func(r *http.Request) bool {
		return strings.HasPrefix(r.URL.Path, "/admin/") && !strings.HasPrefix(r.URL.Path, "/admin/login/")
	}
	s.endSessions = func() {
		resp, err := http.Get(django + "/cut/")
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	}
	s.begin()
	return s
}

// passwordFile returns the name of a file that contains a password.
func passwordFile(t *testing.T, password string) string {
	name := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(name, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// serveMembers serves a site by way of a proxy.
func serveMembers(t *testing.T, site string) *memberSite {
	s := &memberSite{T: t}
	to, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{DisableKeepAlives: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
		},
		ModifyResponse: func(resp *http.Response) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, cookie := range resp.Cookies() {
				if cookie.Value != "" {
					s.secrets = append(s.secrets, cookie.Value)
				}
			}
			return nil
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.count(r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// count counts a request, and ends the sessions if it is the time.
func (s *memberSite) count(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = append(s.paths, r.URL.RequestURI())
	switch {
	case r.Method == http.MethodPost:
		s.logins++
		return
	case !s.isPage(r):
		return
	}
	s.asked++
	if call := s.at[s.asked]; call != nil {
		call()
	}
	if slices.Contains(s.cuts, s.asked) {
		s.endSessions()
	}
}

// begin resets the counts.
func (s *memberSite) begin(cuts ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cuts, s.asked, s.logins, s.paths, s.at = cuts, 0, 0, nil, nil
}

// run runs the program, and expects an exit status.
func (s *memberSite) run(status int, args ...string) *process {
	s.Helper()
	p := s.command(args...)
	p.cmd.Run()
	s.mu.Lock() // the site has counted all requests
	defer s.mu.Unlock()
	if got := p.cmd.ProcessState.ExitCode(); got != status {
		s.Fatalf("%q: exit status %d, want %d\n%s%s", args, got, status, p.err.String(), p.out.String())
	}
	return p
}

func (s *memberSite) command(args ...string) *process {
	p := &process{cmd: exec.CommandContext(s.Context(), "orbweaver", args...)}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = s.TempDir(), &p.out, &p.err
	return p
}

// check returns the arguments of a crawl.
func (s *memberSite) check(flags ...string) []string {
	return slices.Concat([]string{"check", "-f", "json", "--show", "all", "--no-config"}, s.crawl, flags)
}

// spellingIn returns how a text in lower case contains a secret, "" if it does not.
func spellingIn(text []byte, secret string) string {
	quoted, _ := json.Marshal(secret)
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), strings.Trim(string(quoted), `"`),
		strings.Trim(strconv.QuoteToASCII(secret), `"`), hex.EncodeToString([]byte(secret))}
	for lead := range 3 { // base64 of a text that contains it
		encoded := base64.StdEncoding.EncodeToString([]byte("???"[:lead] + secret))
		forms = append(forms, encoded[(lead*8+5)/6:len(encoded)-4])
	}
	for _, form := range forms {
		if bytes.Contains(text, []byte(strings.ToLower(form))) {
			return form
		}
	}
	return ""
}

// A secret is found in every spelling.
func TestSpellingIn(t *testing.T) {
	const secret = "pass <w>&\"ö+/"
	quoted, _ := json.Marshal("x" + secret)
	for _, text := range []string{secret, "?a=" + url.QueryEscape(secret), strings.ToLower(url.PathEscape(secret)), "&lt;p&gt;" + html.EscapeString(secret), string(quoted),
		strconv.QuoteToASCII(secret), hex.EncodeToString([]byte("ab" + secret)), base64.StdEncoding.EncodeToString([]byte("alice:" + secret + "!")),
		base64.StdEncoding.EncodeToString([]byte("bobby:?" + secret)), base64.StdEncoding.EncodeToString([]byte("bobby:??" + secret + "12"))} {
		if spellingIn(bytes.ToLower([]byte(text)), secret) == "" {
			t.Errorf("%s is not found", text)
		}
	}
	if form := spellingIn([]byte("pass w"), secret); form != "" {
		t.Error(form)
	}
}

// With a login, a crawl has a limit of pages, and a note says so when that limit ends it.
func TestLimitOfPagesSignedIn(t *testing.T) {
	const login = "--login=https://example.com/login"
	for _, row := range []struct {
		args []string
		want int
		note bool
	}{
		{nil, 0, false}, {[]string{login}, 10_000, true}, {[]string{login, "--max-pages=7"}, 7, false}, {[]string{login, "--max-pages=0"}, 0, false},
	} {
		cmd := &cobra.Command{}
		s := addFlags(cmd, option.Check)
		if err := cmd.ParseFlags(row.args); err != nil {
			t.Fatal(err)
		}
		o, err := compile(s, option.Check)
		if err != nil {
			t.Fatal(err)
		}
		if o.crawl.Limits.MaxPages != row.want {
			t.Errorf("%q: %d pages, want %d", row.args, o.crawl.Limits.MaxPages, row.want)
		}
		if note := o.login.limitNote(&result.Summary{Soundness: result.Read(false, "max-pages", "")}); strings.Contains(note, "after 10000 pages") != row.note || (note != "") != row.note {
			t.Errorf("%q: %q", row.args, note)
		}
		if note := o.login.limitNote(&result.Summary{Soundness: result.Read(false, "max-time", "")}); note != "" {
			t.Errorf("%q: %q", row.args, note)
		}
	}
}

// Whatever authenticates a run makes it leave alone what signs out.
func TestFlagsAreCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		arg  string
		want bool
	}{
		{"--user=a:b", true}, {"--header=X-Key: 1", true}, {"--cookies=" + file, true}, {"--client-cert=" + file, true}, {"--login=https://example.com/login", true},
		{"--ca-file=" + file, false}, {"--proxy=http://a:b@localhost:1", false},
	} {
		cmd := &cobra.Command{}
		s := addFlags(cmd, option.Check)
		if err := cmd.ParseFlags([]string{row.arg}); err != nil {
			t.Fatal(err)
		}
		o, err := compile(s, option.Check)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.crawl.Scope.Credentials; got != row.want {
			t.Errorf("%s: credentials %t, want %t", row.arg, got, row.want)
		}
	}
}
