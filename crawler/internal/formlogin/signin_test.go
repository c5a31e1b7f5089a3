package formlogin

import (
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// fixtures are sites that sign in in one way each. The site has received posts forms, and
// checks what was in them itself.
var fixtures = []struct {
	name   string
	config session.Config // URL and Check may begin with a path of the site
	handle func(t *testing.T) http.HandlerFunc
	code   check.Code // "" if somebody is signed in and it is proven
	posts  int
	say    string // a part of the message
}{
	{name: "plain", posts: 1, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path != "/login":
				page(w, r)
			case r.Method == http.MethodGet:
				http.SetCookie(w, &http.Cookie{Name: "csrf", Value: "c1"})
				fmt.Fprint(w, `<form action=/search><input name=user><input type=submit name=go></form>
<form method=post action="login?x=1"><input type=hidden name=token value="t&amp;1"><input type=text name=url style="display: none" value=keep>
<div hidden><input name=website></div><input name=email type=text autocomplete=off aria-hidden=true>
<input name=login><input type=password name=pw><input type=checkbox name=remember checked><input type=checkbox name=other value=no>
<select name=domain><option value=a disabled>A<option value=b>B<option value=c selected>C</select><textarea name=note>
x</textarea><input type=submit name=cancel value=Cancel formaction=/other hidden>
<button name=go value=in>Sign in</button><button name=forgot value=1>Forgot?</button><button type=button name=show>Show</button></form>`)
			default:
				csrf, err := r.Cookie("csrf")
				if err != nil || csrf.Value != "c1" || r.Header.Get("Origin") != "http://"+r.Host || r.Header.Get("Referer") != "http://"+r.Host+"/login" || r.Header.Get("X-Secret") == "" {
					t.Errorf("%v %v", r.Cookies(), r.Header)
				}
				const want = "token=t%261&url=keep&website=&email=&login=alice&pw=pa+ss%2Bw%C3%B6rd%26%3D%25&remember=on&domain=c&note=x&go=in"
				if body := r.PostForm.Encode(); r.ContentLength != int64(len(want)) || r.URL.RawQuery != "x=1" {
					t.Errorf("%q", body)
				}
				enter(w, r)
			}
		}
	}},
	{name: "user name first, code third", posts: 3, config: session.Config{TOTP: session.NewSecret("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")}, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			form := func(field string) {
				fmt.Fprintf(w, `<form method=post action=%q><input name=state value=s type=hidden>%s<button>Next</button></form>`, r.URL.Path+"x", field)
			}
			switch r.Method + r.URL.Path {
			case "GET/login":
				form(`<input name=identifier autocomplete="username webauthn">`)
			case "POST/loginx":
				if r.PostForm.Get("identifier") != user {
					t.Error(r.PostForm)
				}
				http.Redirect(w, r, "/password", http.StatusSeeOther)
			case "GET/password":
				form(`<input name=identifier value=alice hidden><input type=password name=pw>`)
			case "POST/passwordx":
				if r.PostForm.Get("pw") != password || r.PostForm.Get("identifier") != user {
					t.Error(r.PostForm)
				}
				form(`<input name=otp inputmode=numeric>`)
			case "POST/passwordxx":
				if code := r.PostForm.Get("otp"); len(code) != 6 || r.PostForm.Has("pw") {
					t.Error(r.PostForm)
				}
				enter(w, r)
			default:
				page(w, r)
			}
		}
	}},
	{name: "a second factor without a key", posts: 1, code: judging.CodeLoginChallenge, say: "second factor", handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				fmt.Fprint(w, simpleForm)
			case "POST/login":
				fmt.Fprint(w, `<form method=post action=/code><input name=code autocomplete=one-time-code><button>OK</button></form>`)
			default:
				page(w, r)
			}
		}
	}},
	{name: "view state", posts: 1, handle: func(t *testing.T) http.HandlerFunc {
		state := strings.Repeat("AbC/+=", 3000)
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				fmt.Fprintf(w, `<form method=post action="./login" id=aspnetForm><input type=hidden name=__VIEWSTATE value=%q></form>
<input form=aspnetForm name="ctl00$Main$UserName"><input form=aspnetForm name="ctl00$Main$Password" type=password>
<input form=aspnetForm type=image name="ctl00$Main$Login" src=x.png><input name=stray value=1>`, state)
			case "POST/login":
				for name, want := range map[string]string{"__VIEWSTATE": state, "ctl00$Main$UserName": user, "ctl00$Main$Password": password, "ctl00$Main$Login.x": "0", "ctl00$Main$Login.y": "0"} {
					if r.PostForm.Get(name) != want {
						t.Errorf("%s is %q", name, r.PostForm.Get(name))
					}
				}
				if len(r.PostForm) != 5 {
					t.Error(r.PostForm)
				}
				enter(w, r)
			default:
				page(w, r)
			}
		}
	}},
	{name: "a token per page, which each request changes", posts: 1, handle: func(t *testing.T) http.HandlerFunc {
		n := 0
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				n++
				fmt.Fprintf(w, `<table><form method=post><tr><td><input name=_token type=hidden value=%d><tr><td><input name=user><tr><td><input type=password name=pw><tr><td><input type=submit></form></table>`, n)
			case "POST/login":
				if r.PostForm.Get("_token") != fmt.Sprint(n) || n != 1 {
					t.Errorf("the token of page %s of %d", r.PostForm.Get("_token"), n)
				}
				enter(w, r)
			default:
				page(w, r)
			}
		}
	}},
	{name: "the sign-in page in place of every page, with 200", posts: 1, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				enter(w, r)
			case member(r):
				page(w, r)
			default:
				fmt.Fprint(w, simpleForm)
			}
		}
	}},
	{name: "rotating cookies", posts: 1, handle: func(t *testing.T) http.HandlerFunc {
		n := 0
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method+r.URL.Path == "POST/login" {
				n = 100
			}
			cookie, err := r.Cookie("turn")
			in := n >= 100 && err == nil && cookie.Value == fmt.Sprint(n)
			if in || n < 100 || r.Method == http.MethodPost {
				n++
				http.SetCookie(w, &http.Cookie{Name: "turn", Value: fmt.Sprint(n), Path: "/"})
			}
			switch {
			case r.Method == http.MethodPost:
				http.Redirect(w, r, "/", http.StatusFound)
			case r.URL.Path == "/login":
				fmt.Fprint(w, simpleForm)
			case in:
				fmt.Fprint(w, "in")
			default:
				http.Redirect(w, r, "/login", http.StatusFound)
			}
		}
	}},
	{name: "a wrong password that sets cookies", posts: 1, code: judging.CodeLoginFailed, say: `again: "Wrong password for alice."`, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "out", Path: "/"})
			switch r.Method + r.URL.Path {
			case "GET/login":
				fmt.Fprint(w, simpleForm)
			case "POST/login":
				fmt.Fprint(w, `<p role=alert> Wrong  password for alice. </p>`, simpleForm)
			default:
				page(w, r)
			}
		}
	}},
	{name: "an error that repeats the password", posts: 1, code: judging.CodeLoginFailed, say: `"*** is wrong"`, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `<p class=error>`, strings.ReplaceAll(r.PostForm.Get("pw"), "&", "&amp;"), ` is wrong</p>`)
				return
			}
			fmt.Fprint(w, simpleForm)
		}
	}},
	{name: "an error that repeats the password at its end, encoded and with other blanks", config: session.Config{Password: session.NewSecret("p  ss<&>\"wörd")}, posts: 1, code: judging.CodeLoginFailed,
		say: "/login;id=***?pw=*** answered 403", handle: func(t *testing.T) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "id", Value: "0123456789abcdef", Path: "/"})
				switch {
				case r.Method == http.MethodPost:
					http.Redirect(w, r, "/login;id=0123456789abcdef?pw="+url.QueryEscape(r.PostForm.Get("pw")), http.StatusFound)
				case r.URL.Path == "/login":
					fmt.Fprint(w, simpleForm)
				default:
					pw := r.URL.Query().Get("pw")
					w.WriteHeader(http.StatusForbidden)
					fmt.Fprint(w, `<p class=error>`, strings.Repeat("x", maxErrorText-6), html.EscapeString(pw), " ", html.EscapeString(html.EscapeString(pw)), " ", url.PathEscape(pw), `</p>`)
				}
			}
		}},
	{name: "a wrong role", posts: 1, config: session.Config{Check: "/admin=Settings"}, code: judging.CodeLoginFailed, say: "answered 403", handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				fmt.Fprint(w, simpleForm)
			case "POST/login":
				enter(w, r)
			case "GET/admin":
				w.WriteHeader(http.StatusForbidden)
			default:
				page(w, r)
			}
		}
	}},
	{name: "a check page", posts: 1, config: session.Config{Check: "/me?view=all", CheckText: "alice@"}, handle: public(`Hello alice@example.com`)},
	{name: "a check page without the text", posts: 1, config: session.Config{Check: "/me=alice@"}, code: judging.CodeLoginFailed, say: "does not contain the text", handle: public(`Hello bob@example.com`)},
	{name: "a public start page", posts: 1, code: check.CodeLoginUnproven, handle: public("")},
	{name: "a start page that offers others to sign in", posts: 1, handle: startPages("<p>Hello", `<a href="/login?next=/">Members</a>`)},
	{name: "a start page that offers everybody to sign in", posts: 1, code: check.CodeLoginUnproven, handle: startPages(`<a href="/login">Members</a>`, `<p>3 <a href="/login">Members</a>`)},
	{name: "a start page that greets the user", posts: 1, handle: startPages("<p>Hello alice", "<p>Hello guest")},
	{name: "a start page that names the user to everybody", posts: 1, code: check.CodeLoginUnproven, handle: startPages("<p>Hello alice", "<p>Ask alice")},
	{name: "a start page with another word", posts: 1, code: check.CodeLoginUnproven, handle: startPages("<p>malices", "<p>Hello")},
	{name: "a start page that changes", posts: 1, code: check.CodeLoginUnproven, handle: startPages("<p>10:01", "<p>10:02")},
	{name: "a foreign host", code: judging.CodeLoginChallenge, say: "another host, http://foreign.test:", handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Host, "foreign") {
				t.Error("the foreign host was asked")
			}
			http.Redirect(w, r, "http://foreign.test/sso", http.StatusFound)
		}
	}},
	{name: "a form for a foreign host", code: judging.CodeLoginChallenge, say: "another host, http://foreign.test:", handle: form(`<form method=post action=http://foreign.test/in><input name=user><input type=password name=pw></form>`)},
	{name: "a button for a foreign host", code: judging.CodeLoginChallenge, say: "another host, http://foreign.test:", handle: form(`<form method=post action=/in><input name=user><input type=password name=pw><button formaction=//foreign.test/in>Go</button></form>`)},
	{name: "two password fields", code: judging.CodeLoginFormMissing, say: "2 password fields", handle: form(`<form method=post><input name=user><input type=password name=a><input type=password name=b></form>`)},
	{name: "one of two password fields is hidden", posts: 1, handle: form(`<form method=post><input name=user><input type=password name=pw><span style="visibility:hidden"><input type=password name=b value=trap></span></form>`)},
	{name: "a form with GET", code: judging.CodeLoginFormMissing, say: "GET", handle: form(`<form><input name=user><input type=password name=pw></form>`)},
	{name: "no form", code: judging.CodeLoginFormMissing, say: "no form with a password", handle: form(`<div id=app></div><script src=app.js></script>`)},
	{name: "two forms", code: judging.CodeLoginFormMissing, say: "--login-form", handle: form(`<form method=post action=a><input name=user><input type=password name=pw></form><form method=post action=b><input name=user><input type=password name=pw></form>`)},
	{name: "the form that the user chose", posts: 1, config: session.Config{Form: "#second"}, handle: form(`<form method=post action=a><input name=user><input type=password name=pw></form><form id=second method=post><input name=user><input type=password name=pw></form>`)},
	{name: "a chosen form that is missing", config: session.Config{Form: "#none"}, code: judging.CodeLoginFormMissing, say: "no form matches --login-form", handle: form(simpleForm)},
	{name: "a registration beside the form", posts: 1, handle: form(simpleForm + `<form method=post action=/register><input name=user><input type=password name=new autocomplete=new-password></form>`)},
	{name: "a captcha", code: judging.CodeLoginChallenge, say: "captcha", handle: form(`<form method=post><input name=user><input type=password name=pw><div class=g-recaptcha data-sitekey=k></div></form>`)},
	{name: "a captcha for another form", posts: 1, handle: form(`<script src=https://www.google.com/recaptcha/api.js></script>` + simpleForm + `<form method=post action=/contact><textarea name=text></textarea><div class=g-recaptcha></div></form>`)},
	{name: "a passkey", code: judging.CodeLoginChallenge, say: "passkey", handle: form(`<button id=go>Sign in</button><script>go.onclick = () => navigator.credentials.get({publicKey})</script>`)},
	{name: "a search and a newsletter", code: judging.CodeLoginFormMissing, handle: form(`<form method=post role=search><input name=login></form><form method=post action=/newsletter><input type=email name=email></form>`)},
	{name: "a field that the user sets and one that is added", posts: 1, config: session.Config{Fields: []session.Field{{Name: "tenant", Value: session.NewSecret("blue")}, {Name: "extra", Value: session.NewSecret("1 2")}, {Name: "user", Value: session.NewSecret("carol")}}}, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				fmt.Fprint(w, `<form method=post><input type=hidden name=tenant value=red><input name=user><input type=password name=pw></form>`)
			case "POST/login":
				if got := r.PostForm.Encode(); got != "extra=1+2&pw=pa+ss%2Bw%C3%B6rd%26%3D%25&tenant=blue&user=carol" {
					t.Error(got)
				}
				enter(w, r)
			default:
				page(w, r)
			}
		}
	}},
	{name: "Latin-1", posts: 1, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
				fmt.Fprint(w, `<form method=post><input name=user><input name=_charset_ type=hidden><input type=password name=pw></form>`)
			case "POST/login":
				if r.PostForm.Get("pw") != "pa ss+w\xf6rd&=%" || r.PostForm.Get("_charset_") != "windows-1252" {
					t.Errorf("%q", r.PostForm)
				}
				enter(w, r)
			default:
				page(w, r)
			}
		}
	}},
	{name: "accept-charset and multipart", posts: 1, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				fmt.Fprint(w, `<form method=post enctype=multipart/form-data accept-charset="bogus latin1"><input name=user><input type=file name=photo><input type=password name='p"w'></form>`)
			case "POST/login":
				if r.PostForm.Get("p%22w") != "pa ss+w\xf6rd&=%" || len(r.MultipartForm.File["photo"]) != 1 && r.PostForm.Get("photo") != "" {
					t.Errorf("%q", r.PostForm)
				}
				enter(w, r)
			default:
				page(w, r)
			}
		}
	}},
	{name: "an answer that asks to send the form again", posts: 1, code: judging.CodeLoginFailed, say: "307", handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				http.Redirect(w, r, "/again", http.StatusTemporaryRedirect)
				return
			}
			fmt.Fprint(w, simpleForm)
		}
	}},
	{name: "an answer that asks for good to send the form elsewhere", posts: 1, code: judging.CodeLoginFailed, say: "308", handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				http.Redirect(w, r, "http://foreign.test/again", http.StatusPermanentRedirect)
				return
			}
			fmt.Fprint(w, simpleForm)
		}
	}},
	{name: "SAML after the password", posts: 1, code: judging.CodeLoginChallenge, say: "SAML", handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				fmt.Fprint(w, `<form method=post action=/acs><input type=hidden name=SAMLResponse value=x></form>`)
				return
			}
			fmt.Fprint(w, simpleForm)
		}
	}},
	{name: "a service for signing in that is listed", posts: 1, config: session.Config{URL: "http://login.test/login", Hosts: []string{"login.test", "SITE"}}, handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if atLogin := r.Host == "login.test"; atLogin != (r.Header.Get("X-Secret") == "") {
				t.Errorf("%s%s: the header for the site is %q", r.Host, r.URL, r.Header.Get("X-Secret"))
			}
			switch {
			case r.Method == http.MethodPost:
				http.SetCookie(w, &http.Cookie{Name: "sso", Value: "1"})
				http.Redirect(w, r, "http://"+r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()+"/ticket", http.StatusFound)
			case r.URL.Path == "/login":
				fmt.Fprint(w, simpleForm)
			case r.URL.Path == "/ticket":
				if len(r.Cookies()) > 0 {
					t.Error("a cookie of the other host was sent")
				}
				enter(w, r)
			case member(r):
				fmt.Fprint(w, "in")
			default:
				http.Redirect(w, r, "http://login.test/login", http.StatusFound)
			}
		}
	}},
	{name: "an error instead of a page", code: judging.CodeLoginFailed, say: "answered 500", handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	}},
	{name: "a form that leads nowhere", posts: 1, code: judging.CodeLoginFailed, say: "although the form was accepted", handle: func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				fmt.Fprint(w, simpleForm)
			case "POST/login":
				fmt.Fprint(w, "welcome")
			default:
				page(w, r)
			}
		}
	}},
}

const simpleForm = `<form method=post><input name=user><input type=password name=pw><input type=submit value="Sign in"></form>`

// form is a site whose sign-in page is a text.
func form(text string) func(t *testing.T) http.HandlerFunc {
	return func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.Host, "foreign"):
				t.Error("the foreign host was asked")
			case r.Method == http.MethodPost:
				if r.PostForm.Get("user") != user || r.PostForm.Get("pw") != password || r.URL.Path != "/login" {
					t.Error(r.URL, r.PostForm)
				}
				enter(w, r)
			case r.URL.Path == "/login":
				fmt.Fprint(w, text)
			case strings.HasPrefix(r.Host, "login.test"):
				fmt.Fprint(w, "home")
			default:
				page(w, r)
			}
		}
	}
}

// public is a site whose start page is the same for everybody. Members see a text at /me.
func public(me string) func(t *testing.T) http.HandlerFunc {
	return func(t *testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/login":
				fmt.Fprint(w, simpleForm)
			case "POST/login":
				enter(w, r)
			case "GET/me":
				fmt.Fprint(w, me)
			default:
				fmt.Fprint(w, "welcome")
			}
		}
	}
}

// startPages is a site whose start page is open to everybody, and differs for members.
func startPages(forMembers, others string) func(t *testing.T) http.HandlerFunc {
	return func(*testing.T) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				enter(w, r)
			case r.URL.Path == "/login":
				fmt.Fprint(w, simpleForm)
			case member(r):
				fmt.Fprint(w, forMembers)
			default:
				fmt.Fprint(w, others)
			}
		}
	}
}

func TestSignIn(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			s := serve(t, f.handle(t))
			c := f.config
			if strings.HasPrefix(c.Check, "/") {
				c.Check = s.URL + c.Check
			}
			if c.Hosts != nil {
				c.Hosts = []string{c.Hosts[0], s.Listener.Addr().String()}
			}
			v, proof, failure := signIn(t, s, c)
			got := check.Code("")
			switch {
			case failure != nil:
				got = failure.Code
				if !strings.Contains(failure.Message, f.say) {
					t.Errorf("%q does not contain %q", failure.Message, f.say)
				}
			case !proof.Proven:
				got = check.CodeLoginUnproven
			}
			if got != f.code {
				t.Errorf("%q (%v), want %q", got, failure, f.code)
			}
			if len(s.posts) != f.posts {
				t.Errorf("%d forms were posted, want %d: %v", len(s.posts), f.posts, s.posts)
			}
			if got == "" && v.Page().isZero() {
				t.Error("the sign-in page is not known")
			}
			if f.name == "plain" {
				const want = "token=t%261&url=keep&website=&email=&login=alice&pw=pa+ss%2Bw%C3%B6rd%26%3D%25&remember=on&domain=c&note=x&go=in"
				if s.posts[0].body != want {
					t.Errorf("%s, want %s", s.posts[0].body, want)
				}
				if list := v.LeaveAlone(); len(list) != 1 || list[0] != s.URL+"/bye?now=1" {
					t.Errorf("left alone: %q", list)
				}
			}
		})
	}
}

// The page after the sign-in is not left alone because a link to itself signs out, by a script.
func TestPageIsNotLeftAlone(t *testing.T) {
	u, _, err := urinorm.ParseWeb("https://site.test/home?x=1#top")
	if err != nil {
		t.Fatal(err)
	}
	s := New(session.ForCookies([]urinorm.URL{u}), Options{})
	s.noteLeaveAlone(ReadPage(u, 200, "text/html", []byte(`<a href="">Log out</a><a href="?x=1#menu">Log out</a><a href=/bye>Log out</a>`)))
	if list := s.LeaveAlone(); len(list) != 1 || list[0] != "https://site.test/bye" {
		t.Errorf("left alone: %q, want only /bye", list)
	}
}

// A site that locks accounts sees two wrong passwords at most, and no site sees more than
// MaxSignIns sign-ins.
func TestRefusedSignIns(t *testing.T) {
	s := serve(t, form(simpleForm)(t))
	wrong := 0
	s.Config.Handler = s.recorded(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			wrong++
		}
		fmt.Fprint(w, simpleForm)
	})
	v, _, failure := signIn(t, s, session.Config{})
	for range 5 {
		if failure == nil || failure.Code != judging.CodeLoginFailed {
			t.Fatal(failure)
		}
		_, failure = v.signIn(t)
	}
	if wrong != 2 {
		t.Errorf("%d wrong passwords were sent", wrong)
	}
	s = serve(t, form(simpleForm)(t))
	v, _, failure = signIn(t, s, session.Config{})
	for n := range MaxSignIns {
		if failure != nil {
			t.Errorf("sign-in %d: %v", n+1, failure)
		}
		_, failure = v.signIn(t)
	}
	if failure == nil || len(s.posts) != MaxSignIns {
		t.Errorf("after %d sign-ins: %v, %d forms were posted", MaxSignIns, failure, len(s.posts))
	}
}

// A sign-in page without a form is a failure, unless the session is to be renewed and a proof
// shows that it is alive: the site has renewed it meanwhile.
func TestSignInPageWithoutForm(t *testing.T) {
	alive, formless := true, false
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/login" && formless:
			fmt.Fprint(w, "<p>You are signed in")
		case !alive && r.URL.Path == "/":
			http.Redirect(w, r, "/login", http.StatusFound)
		default:
			form(simpleForm)(t)(w, r)
		}
	})
	fails := func(failure *session.Failure) bool {
		return failure != nil && strings.Contains(failure.Message, "there is no form with a password field")
	}
	formless = true
	if _, _, failure := signIn(t, s, session.Config{}); !fails(failure) {
		t.Errorf("the first sign-in: %v", failure)
	}
	formless = false
	v, _, failure := signIn(t, s, session.Config{})
	formless = true
	if _, renewed := v.signIn(t); failure != nil || renewed != nil {
		t.Errorf("a session that is alive: %v, %v", failure, renewed)
	}
	alive = false
	if _, failure := v.signIn(t); !fails(failure) || len(s.posts) != 1 {
		t.Errorf("a session that was lost: %v, %d forms were posted", failure, len(s.posts))
	}
}

func TestEnds(t *testing.T) {
	s := serve(t, form(simpleForm)(t))
	v, _, failure := signIn(t, s, session.Config{Fresh: time.Hour})
	if failure != nil {
		t.Fatal(failure)
	}
	for cookie, want := range map[string]bool{"session=; Max-Age=0": true, "session=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT": true,
		"session=new": false, "other=; Max-Age=0": false} {
		if got := v.Ends(http.Header{"Set-Cookie": {cookie}}); got != want {
			t.Errorf("%s: %t", cookie, got)
		}
	}
	if v.IsStale() {
		t.Error("the session is stale at once")
	}
	v.signed = v.signed.Add(-time.Hour)
	if !v.IsStale() {
		t.Error("the session is never stale")
	}
}

// The user field is the one that is marked so, else one of type email, else one with a word
// in its name or id, the surest word first, else the last text field before the password.
// Fields that readers do not see are not it.
func TestUserField(t *testing.T) {
	for want, fields := range map[string]string{
		"a": `<input name=user><input type=email name=mail><input name=a autocomplete="section-x username">`,
		"b": `<input name=user><input name=b type=email>`,
		"c": `<input name=catalog><input name=email2><input name=mylogin><input name=c id=The-USER>`,
		"d": `<input name=catalog><input name=mailing><input name=email3 type=hidden><input name=d id=login>`,
		"e": `<input name=catalog><input name=e id=email>`,
		"f": `<input name=catalog><input name=f id=mail>`,
		"g": `<input name=x><input name=g id=weblog>`,
		"h": `<input name=x><input name=h><input type=checkbox name=y><input name=z type=hidden>`,
		"":  `<input name=user hidden><input name=email type=email style="Display : none"><p aria-hidden=true><input name=login></p><div style="visibility:hidden"><input autocomplete=username name=mail></div>`,
	} {
		p := ReadPage(parse(t, "https://app.test/"), 200, "text/html", []byte(`<form method=post>`+fields+`<input type=password name=pw><input name=after></form>`))
		c, _ := p.signInForm().user()
		if c == nil {
			c = &control{}
		}
		if c.name != want {
			t.Errorf("%s: %q, want %q", fields, c.name, want)
		}
	}
}
