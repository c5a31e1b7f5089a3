package session

import (
	"fmt"
	"testing"
)

const site1 = "https://app.test"

// step is a request and its answer, given by what is known of it.
func watched(t *testing.T, w *Watch, path string, a Answer) Finding {
	t.Helper()
	return w.Answered(w.Asked(parse(t, site1+path)), a)
}

func toLogin(t *testing.T, next string) Answer {
	return Answer{Status: 302, Next: parse(t, site1+"/login?next="+next)}
}

// knownPage is the sign-in page of a login.
func knownPage(t *testing.T) SignInPage {
	p := ReadPage(parse(t, site1+"/login"), 200, "text/html", []byte(simpleForm))
	return SignInPage{}.with(p.URL, p.SignInForm())
}

func formAt(t *testing.T, path, text string) *Page {
	return ReadPage(parse(t, site1+path), 200, "text/html", []byte(text))
}

func TestWatchOfALogin(t *testing.T) {
	w := NewWatch(knownPage(t), false)
	for _, row := range []struct {
		path string
		a    Answer
		want Finding
	}{
		{"/a", Answer{Status: 200}, Settled},
		{"/b", toLogin(t, "/b"), Suspicious},
		{"/c", Answer{Status: 200, Page: formAt(t, "/c", `<form method=post action=/login><input name=user><input type=password name=pw></form>`)}, Suspicious},
		{"/d", Answer{Status: 401}, Suspicious},
		{"/login", Answer{Status: 200, Page: formAt(t, "/login", simpleForm)}, Settled},
		{"/profile", Answer{Status: 200, Page: formAt(t, "/profile", `<form method=post action=/pw><input type=password name=old></form>`)}, Settled},
		{"/e", Answer{Status: 302, Next: parse(t, site1+"/other/login")}, Settled},
		{"/f", Answer{Status: 404}, Settled},
	} {
		if got := watched(t, w, row.path, row.a); got != row.want {
			t.Errorf("%s: %d, want %d", row.path, got, row.want)
		}
	}
}

func TestWatchOfAPublicSite(t *testing.T) {
	for name, w := range map[string]*Watch{"login": NewWatch(knownPage(t), true), "cookies": NewWatch(SignInPage{}, true)} {
		if got := watched(t, w, "/", Answer{Status: 200}); got != Settled {
			t.Fatal(got)
		}
		for i := range 5 {
			for range 2 { // the same address counts once
				path := fmt.Sprintf("/members/%d", i)
				want := Settled
				if i == 4 {
					want = LostNow
				}
				if got := watched(t, w, path, toLogin(t, path)); got != want {
					t.Errorf("%s, address %d: %d, want %d", name, i, got, want)
				}
			}
		}
	}
}

// Without an answer that shows that somebody was signed in, nothing was lost.
func TestWatchOfCookiesThatNeverWorked(t *testing.T) {
	w := NewWatch(SignInPage{}, true)
	for i := range 10 {
		if got := watched(t, w, fmt.Sprint("/", i), toLogin(t, "/")); got != Settled {
			t.Errorf("address %d: %d", i, got)
		}
	}
}

// The sign-in page may have an address that does not say so.
func TestWatchLearnsTheSignInPage(t *testing.T) {
	w := NewWatch(SignInPage{}, true)
	watched(t, w, "/", Answer{Status: 200})
	for i := range 5 {
		if got := watched(t, w, fmt.Sprint("/", i), Answer{Status: 302, Next: parse(t, site1+"/welcome")}); got != Settled {
			t.Errorf("address %d: %d", i, got)
		}
	}
	if got := watched(t, w, "/welcome", Answer{Status: 200, Page: formAt(t, "/welcome", simpleForm)}); got != LostNow {
		t.Errorf("the sign-in page: %d", got)
	}
}

func TestEpochs(t *testing.T) {
	w := NewWatch(knownPage(t), false)
	before := w.Asked(parse(t, site1+"/slow"))
	if watched(t, w, "/a", Answer{Status: 200}); w.Epoch() != 0 {
		t.Error("an answer ends the epoch")
	}
	if watched(t, w, "/b", Answer{Status: 200, SignedIn: true}); w.Epoch() != 1 {
		t.Error("a page for members does not prove the session")
	}
	if got := w.Answered(before, toLogin(t, "/slow")); got != Suspicious {
		t.Errorf("an answer of an earlier epoch: %d", got)
	}
	watched(t, w, "/c", toLogin(t, "/c"))
	if watched(t, w, "/d", Answer{Status: 200, SignedIn: true}); w.Epoch() != 1 {
		t.Error("an epoch with a suspicion ends by an answer")
	}
	w.Held()
	if w.Epoch() != 2 {
		t.Error("a proof does not end the epoch")
	}
	w.Lost()
	if w.Renewed(knownPage(t), false); w.Epoch() != 3 {
		t.Error("a sign-in does not begin an epoch")
	}
}

// A link is blamed for two losses in a row that came right after it was asked.
func TestBlame(t *testing.T) {
	w := NewWatch(knownPage(t), false)
	lose := func(after string) string {
		watched(t, w, "/a", Answer{Status: 200})
		watched(t, w, after, Answer{Status: 200})
		watched(t, w, "/b", toLogin(t, "/b"))
		watched(t, w, "/c", toLogin(t, "/c"))
		blamed := w.Lost()
		w.Renewed(knownPage(t), false)
		return blamed
	}
	for i, row := range []struct{ after, want string }{{"/bye", ""}, {"/bye", site1 + "/bye"}, {"/x", ""}, {"/y", ""}, {"/y", site1 + "/y"}} {
		if got := lose(row.after); got != row.want {
			t.Errorf("loss %d: %q, want %q", i, got, row.want)
		}
	}
}

func TestRenewalsInARow(t *testing.T) {
	w := NewWatch(knownPage(t), false)
	for i, want := range []bool{true, true, false, false} {
		if got := w.MayRenew(2); got != want {
			t.Errorf("sign-in %d: %t", i, got)
		}
	}
	watched(t, w, "/a", Answer{Status: 200})
	if !w.MayRenew(2) {
		t.Error("the row does not end with an answer")
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
		if got := formAt(t, row.path, row.text).IsSignInPage(); got != row.want {
			t.Errorf("%s %.40s: %t", row.path, row.text, got)
		}
	}
}
