package formlogin

import (
	"net/http"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// EnoughSources is the number of addresses that lead to one sign-in page by which a loss is
// recognized if the start page is public.
const EnoughSources = 5

// maxLandings is the number of addresses that a Recognizer remembers.
const maxLandings = 1000

// A Recognizer tells answers that are the sign-in page, or lead to it, from others. Such an
// answer is a reason to ask for the Standing of the session. It is not safe for concurrent use.
type Recognizer struct {
	page     SignInPage
	answered bool // an answer was not the sign-in page
	landings map[string]*landing
}

// landing is an address that others lead to.
type landing struct {
	signIn  bool
	sources []string // different ones, at most EnoughSources
}

// NewRecognizer returns a Recognizer of a sign-in page. If that is zero, every sign-in page counts,
// as with cookies from a file.
func NewRecognizer(page SignInPage) *Recognizer {
	return &Recognizer{page: page, landings: map[string]*landing{}}
}

// Answer is what a Recognizer needs to know of an answer.
type Answer struct {
	URL    urinorm.URL
	Status int
	Next   urinorm.URL // where a redirect leads; zero for none
	// Page is the page if it has a password field (extract.Document.LoginForm), else nil.
	Page *Page
}

// SignedOut reports whether an answer is the sign-in page or leads to it.
func (r *Recognizer) SignedOut(a Answer) bool {
	if r.signInAt(a) != nil {
		return true
	}
	r.answered = r.answered || a.Status >= 200 && a.Status <= 299
	return false
}

// LeadsMany reports whether EnoughSources addresses led to one sign-in page, and others had
// answered.
func (r *Recognizer) LeadsMany() bool {
	for _, l := range r.landings {
		if l.signIn && len(l.sources) >= EnoughSources {
			return r.answered
		}
	}
	return false
}

// Renewed notes a sign-in.
func (r *Recognizer) Renewed(page SignInPage) {
	r.page, r.landings = page, map[string]*landing{}
}

// signInAt returns the sign-in page that an answer leads to, or nil.
func (r *Recognizer) signInAt(a Answer) *landing {
	own := addressOf(a.URL)
	switch {
	case r.isSignIn(a.URL):
		return nil // a link to the sign-in page
	case !a.Next.IsZero():
		to := addressOf(a.Next)
		if to == own {
			return nil
		}
		return r.lead(sourceOf(a.URL, a.Next), to, r.isSignIn(a.Next))
	case a.Status == http.StatusUnauthorized:
		return r.lead(own, "401", r.answered)
	case a.Page != nil && (r.page.isZero() && a.Page.isSignInPage() || r.page.is(a.Page)):
		if l := r.landings[own]; l != nil { // others were redirected here
			l.signIn = true
			return l
		}
		form, source := "form", own
		if f := a.Page.signInForm(); f != nil {
			to, _ := f.action()
			form += " for " + addressOf(to)
			source = sourceOf(a.URL, to)
		}
		return r.lead(source, form, true)
	}
	return nil
}

// sourceOf returns the address of a page that leads to a sign-in page, without the query,
// which often has variants of one page. Where the sign-in page has the same path, only the
// queries tell pages apart.
func sourceOf(page, signIn urinorm.URL) string {
	if originOf(page) == originOf(signIn) && page.Path() == signIn.Path() {
		return page.WithoutFragment().String()
	}
	return addressOf(page)
}

// lead notes that an address leads to another one. It returns that one if it is a sign-in
// page.
func (r *Recognizer) lead(from, to string, signIn bool) *landing {
	l := r.landings[to]
	if l == nil {
		l = &landing{}
		if len(r.landings) < maxLandings {
			r.landings[strings.Clone(to)] = l
		}
	}
	if len(l.sources) < EnoughSources && !slices.Contains(l.sources, from) {
		l.sources = append(l.sources, strings.Clone(from))
	}
	l.signIn = l.signIn || signIn
	if !l.signIn {
		return nil
	}
	return l
}

// isSignIn reports whether a URL is that of a sign-in page.
func (r *Recognizer) isSignIn(u urinorm.URL) bool {
	if r.page.isZero() {
		return judging.IsLoginURL(u)
	}
	return r.page.isAddress(u)
}
