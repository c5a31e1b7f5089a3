package formlogin

import (
	"errors"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/session"
)

// SignIn is a sign-in. Next yields its requests, one after another.
type SignIn struct {
	session  *Session
	renews   bool // there was a sign-in before
	walk     walk
	browsing *Browsing        // nil if no browser fills in the forms
	sent     stage            // of the form that was sent last
	proving  *comparing       // nil until the forms were sent
	formless *session.Failure // the sign-in page of a renewal has no form: perhaps the session is alive
}

// SignIn begins to sign in. After two sign-ins that the site refused, or MaxSignIns, there is
// only a *session.Failure.
func (s *Session) SignIn() (*SignIn, *session.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.CanSignIn():
		return nil, failed("cookies from a file cannot be renewed")
	case s.refused >= maxRefused:
		return nil, failed("the site refused %d sign-ins; no further one is tried", s.refused)
	case s.signIns >= MaxSignIns:
		return nil, failed("there were %d sign-ins; no further one is tried", s.signIns)
	}
	s.signIns++
	l := &SignIn{session: s, renews: !s.signed.IsZero(), walk: s.get(s.login.URL, false)}
	if s.login.Given.Rendered {
		l.browsing = &Browsing{signIn: l, at: s.login.URL}
	}
	return l, nil
}

// Browsing returns what a browser needs to fill in the forms, nil for a login without one.
// The browser comes before the first call of Next, which gets its error.
func (l *SignIn) Browsing() *Browsing { return l.browsing }

// Next reads the answer to the last request, or why there is none, and returns the next
// request. The first call has neither. Without a next request, the sign-in is over: it was
// proven, or failed.
func (l *SignIn) Next(resp *fetch.Response, err error) (ask *fetch.Request, proof *Proof, failure *session.Failure) {
	ask, proof, err = l.next(resp, err)
	s := l.session
	switch {
	case ask != nil:
		return ask, nil, nil
	case err == nil && (l.formless == nil || proof.Proven):
		s.mu.Lock()
		s.signed = time.Now()
		s.mu.Unlock()
		s.cookies.renewed()
		return nil, proof, nil
	}
	var ok bool
	if failure = l.formless; failure == nil {
		if failure, ok = errors.AsType[*session.Failure](err); !ok {
			failure = failed("%v", err)
		}
	}
	failure.Message = s.hide(failure.Message)
	if failure.Refused {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
	}
	return nil, nil, failure
}

// next reads the sign-in page, sends its forms, and compares pages.
func (l *SignIn) next(resp *fetch.Response, err error) (ask *fetch.Request, proof *Proof, _ error) {
	switch {
	case l.proving != nil:
		return l.proving.next(resp, err)
	case l.browsing != nil:
		landed, err := l.browsing.end(err)
		if err != nil {
			return nil, nil, err
		}
		return l.prove(landed)
	case resp == nil && err == nil:
		return l.walk.request, nil, nil
	}
	ask, p, err := l.walk.next(resp, err)
	if ask != nil || err != nil {
		return ask, nil, err
	}
	form, failure := l.choose(p)
	switch {
	case failure != nil:
		return nil, nil, failure
	case form == nil:
		return l.prove(p)
	}
	if l.walk, err = l.session.submit(form, l.sent); err != nil {
		return nil, nil, err
	}
	return l.walk.request, nil, nil
}

// choose returns the form of a page that is to be sent next, nil if the sign-in has ended.
func (l *SignIn) choose(p *Page) (*Form, *session.Failure) {
	s := l.session
	form, next, failure := choose(s.login, p, l.sent)
	switch {
	case failure != nil && failure.Formless && l.renews:
		l.formless = failure
		return nil, nil
	case failure != nil || form == nil:
		return nil, failure
	case next != stageCode:
		s.mu.Lock()
		s.page = s.page.with(s.login.URL, form)
		s.mu.Unlock()
	}
	l.sent = next
	return form, nil
}

// prove begins to prove the sign-in. Landed is the page that it led to.
func (l *SignIn) prove(landed *Page) (*fetch.Request, *Proof, error) {
	l.session.noteLeaveAlone(landed)
	l.proving = l.session.comparing(landed)
	return l.proving.walk.request, nil, nil
}

// valuesOf returns what is written into the controls of a form, and their names.
func valuesOf(s *Session, f *Form, at stage) (filled map[*control]string, names []string) {
	filled = map[*control]string{}
	fill := func(c *control, value string) {
		if c != nil {
			filled[c] = value
			names = append(names, c.name)
		}
	}
	user, _ := f.user()
	switch at {
	case stageUser:
		fill(user, s.login.Given.User)
	case stagePassword:
		fill(f.password(), s.login.Given.Password.Reveal())
		if user != nil && user != f.code() {
			fill(user, s.login.Given.User)
		} else if hiddenUser := f.named("username"); hiddenUser == nil {
			names = append(names, "no user field")
		}
		if s.login.TOTP != nil {
			if code := f.code(); code != nil {
				fill(code, s.login.TOTP.Next(time.Now()))
			}
		}
	case stageCode:
		fill(f.code(), s.login.TOTP.Next(time.Now()))
	}
	return filled, names
}

// fieldsFor returns the fields of the user that a form gets: those that it has, and the
// others with the password.
func (s *Session) fieldsFor(f *Form, at stage) []session.Field {
	if at == stagePassword {
		return s.login.Given.Fields
	}
	return slices.DeleteFunc(slices.Clone(s.login.Given.Fields), func(field session.Field) bool { return f.named(field.Name) == nil })
}
