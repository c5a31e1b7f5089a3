package formlogin

import (
	"fmt"
	"strings"
	"testing"
)

const site1 = "https://app.test"

// signedOut reports what the watch makes of the answer to a path.
func signedOut(t *testing.T, w *Recognizer, path string, a Answer) bool {
	t.Helper()
	a.URL = parse(t, site1+path)
	return w.SignedOut(a)
}

func toLogin(t *testing.T, next string) Answer {
	return Answer{Status: 302, Next: parse(t, site1+"/login?next="+next)}
}

// knownPage is the sign-in page of a login.
func knownPage(t *testing.T) SignInPage {
	p := ReadPage(parse(t, site1+"/login"), 200, "text/html", []byte(simpleForm))
	return SignInPage{}.with(p.URL, p.signInForm())
}

func formAt(t *testing.T, path, text string) *Page {
	return ReadPage(parse(t, site1+path), 200, "text/html", []byte(text))
}

func TestRecognizerOfALogin(t *testing.T) {
	w := NewRecognizer(knownPage(t))
	for _, row := range []struct {
		path string
		a    Answer
		want bool
	}{
		{"/first", Answer{Status: 401}, false},
		{"/a", Answer{Status: 200}, false},
		{"/b", toLogin(t, "/b"), true},
		{"/c", Answer{Status: 200, Page: formAt(t, "/c", `<form method=post action=/login><input name=user><input type=password name=pw></form>`)}, true},
		{"/d", Answer{Status: 401}, true},
		{"/login", Answer{Status: 200, Page: formAt(t, "/login", simpleForm)}, false},
		{"/login", Answer{Status: 302, Next: parse(t, site1+"/")}, false},
		{"/profile", Answer{Status: 200, Page: formAt(t, "/profile", `<form method=post action=/pw><input type=password name=old></form>`)}, false},
		{"/e", Answer{Status: 302, Next: parse(t, site1+"/other/login")}, false},
		{"/f", Answer{Status: 404}, false},
	} {
		if got := signedOut(t, w, row.path, row.a); got != row.want {
			t.Errorf("%s: %t, want %t", row.path, got, row.want)
		}
	}
}

func TestLeadsMany(t *testing.T) {
	for name, page := range map[string]SignInPage{"login": knownPage(t), "cookies": {}} {
		w := NewRecognizer(page)
		signedOut(t, w, "/", Answer{Status: 200})
		for i := range EnoughSources {
			for _, variant := range []string{"", "", "?variant=2"} { // the same page counts once
				path := fmt.Sprintf("/members/%d%s", i, variant)
				if !signedOut(t, w, path, toLogin(t, path)) {
					t.Errorf("%s: %s is not suspicious", name, path)
				}
			}
			if got, want := w.LeadsMany(), i == EnoughSources-1; got != want {
				t.Errorf("%s, %d addresses: %t, want %t", name, i+1, got, want)
			}
		}
		if w.Renewed(page); w.LeadsMany() {
			t.Errorf("%s: a sign-in changes nothing", name)
		}
	}
}

// Without an answer that shows that somebody was signed in, nothing was lost.
func TestRecognizerOfCookiesThatNeverWorked(t *testing.T) {
	w := NewRecognizer(SignInPage{})
	for i := range 2 * EnoughSources {
		signedOut(t, w, fmt.Sprint("/", i), toLogin(t, "/"))
	}
	if w.LeadsMany() {
		t.Error("a session that never was is lost")
	}
}

// The sign-in page may have an address that does not say so.
func TestRecognizerLearnsTheSignInPage(t *testing.T) {
	w := NewRecognizer(SignInPage{})
	signedOut(t, w, "/", Answer{Status: 200})
	for i := range EnoughSources {
		if signedOut(t, w, fmt.Sprint("/", i), Answer{Status: 302, Next: parse(t, site1+"/welcome")}) {
			t.Errorf("address %d is suspicious", i)
		}
	}
	if !signedOut(t, w, "/welcome", Answer{Status: 200, Page: formAt(t, "/welcome", simpleForm)}) || !w.LeadsMany() {
		t.Error("the sign-in page is not recognized")
	}
}

func TestIsSignInPage(t *testing.T) {
	links := ""
	for i := range 40 {
		links += fmt.Sprintf("<a href=/%d>x</a>", i)
	}
	for _, row := range []struct {
		path, text string
		want       bool
	}{
		{"/", simpleForm, true}, {"/", simpleForm + links, false}, {"/login", simpleForm + links, true}, {"/login", "about signing in", false},
		{"/", `<form method=post><input name=u><input type=password name=a><input type=password name=b></form>`, false},
	} {
		if got := formAt(t, row.path, row.text).isSignInPage(); got != row.want {
			t.Errorf("%s %.40s: %t", row.path, row.text, got)
		}
	}
}

// Some sites have one path for all pages, and the query tells them apart.
func TestPagesWithOnePath(t *testing.T) {
	const wikiForm = `<form method=post action="/doku.php?id=start"><input type=hidden name=do value=login><input name=u><input type=password name=p></form>`
	login := formAt(t, "/doku.php?id=start&do=login", wikiForm)
	known := SignInPage{}.with(login.URL, login.signInForm())
	for address, want := range map[string]bool{
		"/doku.php?id=start&do=login": true, "/doku.php?do=login&id=page1&sectok=": true, "/doku.php?id=page1": false, "/doku.php": false,
		"/doku.php?id=login": false, "/doku.php?id=a&next=/login": false, "/doku.php?id=a&do=logout": false,
	} {
		if got := known.isAddress(parse(t, site1+address)); got != want {
			t.Errorf("%s: %t, want %t", address, got, want)
		}
	}
	if page := formAt(t, "/doku.php?id=members", `<form action="/doku.php?id=members"><input name=q></form>`); known.is(page) {
		t.Error("a page with a form for searching is the sign-in page")
	}
	if page := formAt(t, "/doku.php?id=start&do=profile", `<form method=post action="/doku.php?id=start"><input name=delete type=checkbox><input type=password name=old></form>`); known.is(page) {
		t.Error("a page with a form for removing the account is the sign-in page")
	}
	for name, page := range map[string]SignInPage{"login": known, "cookies": {}} {
		w := NewRecognizer(page)
		signedOut(t, w, "/doku.php?id=start", Answer{Status: 200})
		for i := range EnoughSources {
			path := fmt.Sprintf("/doku.php?id=%d", i)
			for range 2 { // the same address counts once
				if !signedOut(t, w, path, Answer{Status: 200, Page: formAt(t, path, strings.ReplaceAll(wikiForm, "start", fmt.Sprint(i)))}) {
					t.Errorf("%s: %s is not suspicious", name, path)
				}
			}
			if got, want := w.LeadsMany(), i == EnoughSources-1; got != want {
				t.Errorf("%s, %d addresses: %t, want %t", name, i+1, got, want)
			}
		}
		w.Renewed(page)
		for i := range EnoughSources { // variants of one page that asks for another role
			signedOut(t, w, fmt.Sprintf("/admins?sort=%d", i), Answer{Status: 302, Next: parse(t, site1+"/doku.php?do=login")})
		}
		if w.LeadsMany() {
			t.Errorf("%s: one page counts as many", name)
		}
	}
}
