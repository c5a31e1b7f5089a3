package formlogin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// post is a form that a site received.
type post struct {
	path, body string
	header     http.Header
	form       url.Values
}

// site is a server that remembers the forms it received.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	posts    []post
	requests []string
}

// serve starts a site.
func serve(t testing.TB, handle http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(s.recorded(handle))
	t.Cleanup(s.Close)
	return s
}

func (s *site) recorded(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, r.Method+" "+r.Host+r.URL.Path)
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if err := r.ParseMultipartForm(1 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			s.posts = append(s.posts, post{r.URL.Path, string(body), r.Header.Clone(), r.Form})
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		handle(w, r)
	}
}

const (
	user     = "alice"
	password = "pa ss+wörd&=%"
)

func parse(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// signIn signs in at a site. The config lacks what is usual: the login is at /login, and
// the crawl starts at /.
func signIn(t testing.TB, s *site, c session.Config) (*visitor, *Proof, *session.Failure) {
	t.Helper()
	return signInFor(t, s, c, "/")
}

// signInFor signs in at a site for a crawl that starts at some paths.
func signInFor(t testing.TB, s *site, c session.Config, paths ...string) (*visitor, *Proof, *session.Failure) {
	t.Helper()
	if c.URL == "" {
		c.URL = s.URL + "/login"
	}
	c.Name, c.User = "--login", user
	if c.Password.IsZero() {
		c.Password = session.NewSecret(password)
	}
	start := parse(t, s.URL+"/")
	var targets []urinorm.URL
	for _, path := range paths {
		targets = append(targets, parse(t, s.URL+path))
	}
	plan, err := session.NewPlan([]session.Config{c}, targets, func(u urinorm.URL) bool { return u.Authority() == start.Authority() })
	if err != nil {
		t.Fatal(err)
	}
	config := fetch.HTTPConfig{Secrets: fetch.Secrets{CookieGroups: plan.CookieGroups(), Origins: fetch.NewOrigins(start), Header: http.Header{"X-Secret": {"for the site"}}}}
	address := s.Listener.Addr().String()
	for _, host := range []string{"app.test:80", "login.test:80", "foreign.test:80"} {
		rule, err := fetch.ParseConnectTo(host + ":" + address)
		if err != nil {
			t.Fatal(err)
		}
		config.ConnectTo = append(config.ConnectTo, rule)
	}
	client, err := fetch.NewHTTP(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	var steps strings.Builder
	v := &visitor{New(plan.Logins[0], Options{
		Trace: &steps,
	}), client}
	proof, failure := v.signIn(t)
	for _, text := range []string{steps.String(), fmt.Sprint(failure), fmt.Sprintf("%+v %#v", plan.Logins[0], v.Session)} {
		if strings.Contains(text, password) || strings.Contains(text, "wörd") {
			t.Errorf("the password is in %s", text)
		}
	}
	return v, proof, failure
}

// visitor sends the requests of a session.
type visitor struct {
	*Session
	client *fetch.HTTP
}

func (v *visitor) signIn(t testing.TB) (*Proof, *session.Failure) {
	signIn, failure := v.SignIn()
	if failure != nil {
		return nil, failure
	}
	ask, proof, failure := signIn.Next(nil, nil)
	for ask != nil {
		ask, proof, failure = signIn.Next(v.client.Fetch(t.Context(), ask))
	}
	return proof, failure
}

func (v *visitor) standing(t testing.TB) Standing {
	proving, ask := v.Prove()
	standing := Public
	for ask != nil {
		ask, standing = proving.Next(v.client.Fetch(t.Context(), ask))
	}
	return standing
}

// member reports whether a request has the session cookie.
func member(r *http.Request) bool {
	cookie, err := r.Cookie("session")
	return err == nil && cookie.Value == "in"
}

func enter(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: "session", Value: "in", Path: "/", HttpOnly: true})
	http.Redirect(w, r, "/", http.StatusFound)
}

// page writes the start page, or leads to the sign-in page.
func page(w http.ResponseWriter, r *http.Request) {
	if !member(r) {
		http.Redirect(w, r, "/login?next="+r.URL.Path, http.StatusFound)
		return
	}
	fmt.Fprint(w, `<h1>Hello</h1> <a href="/bye?now=1">Log out</a>`)
}
