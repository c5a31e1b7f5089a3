package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits of a run.
const (
	// MaxSignIns is the number of sign-ins of a login in a run.
	MaxSignIns = 20
	// maxRefused is the number of sign-ins that a site may refuse. Sites lock accounts
	// after a few.
	maxRefused   = 2
	maxRedirects = 10
	maxBody      = 10 << 20 // bytes of a page
)

// Client sends the requests of a session. *fetch.HTTP is one; it holds the cookies.
type Client interface {
	fetch.Fetcher
	// Submit sends a form with POST, once.
	Submit(ctx context.Context, req *fetch.Request, form fetch.Form) (*fetch.Response, error)
}

// Session is a login in use. It is safe for concurrent use; sign-ins follow one another.
type Session struct {
	client  Client
	login   *Login
	options Options

	requests atomic.Int64
	cookies  setCookies
	proofs   proofPages
	actions  actionLinks

	signing sync.Mutex // held by a sign-in; protects refused
	refused int

	mu      sync.Mutex // protects what follows
	signIns int        // changed only by a sign-in
	signed  time.Time  // when the last sign-in succeeded
	page    SignInPage
	leave   map[string]bool
}

// Options are what a session needs to know besides its login.
type Options struct {
	// Acts reports whether the text of a link names signing out or deleting; nil if that is
	// unknown.
	Acts func(text []byte) bool
	// Browser fills in the forms of the logins that want that.
	Browser Browser
	// Trace receives a line for each step, without secrets. It may be nil.
	Trace func(format string, args ...any)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// New returns a session for a login, without signing in.
func New(client Client, login *Login, options Options) *Session {
	if options.Acts == nil {
		options.Acts = func([]byte) bool { return false }
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Session{client: client, login: login, options: options, actions: actionLinks{options.Acts, login}, leave: map[string]bool{}}
}

// trace passes a line to Options.Trace.
func (s *Session) trace(format string, args ...any) {
	if s.options.Trace != nil {
		s.options.Trace("%s", s.hide(fmt.Sprintf(format, args...)))
	}
}

// hide replaces the password and the cookies in a text of this program. Some sites put them
// into their URLs. What is shorter may be a word of the text itself.
func (s *Session) hide(text string) string {
	const shortest = 8
	secrets := append(s.cookies.secrets(), s.login.Password)
	secrets = slices.DeleteFunc(secrets, func(secret Secret) bool { return len(secret.Reveal()) < shortest })
	return hide(text, secrets...)
}

// FromCookies returns a session of the user's cookies, which nobody can renew: SignIn
// fails. Starts are the start pages that get the cookies; the session is for the site of the
// first, and those of other sites are left out.
func FromCookies(client Client, starts []urinorm.URL, options Options) *Session {
	l := &Login{Name: "--cookies"}
	l.addSite(starts[0])
	for _, u := range starts {
		if l.Covers(u) {
			l.startPages = append(l.startPages, u)
		}
	}
	return New(client, l, options)
}

// Login returns the login of the session.
func (s *Session) Login() *Login { return s.login }

// SignIn signs in and proves it. The error is a *Failure, or that of the context. After two
// sign-ins that the site refused, or MaxSignIns, nothing is sent any more.
func (s *Session) SignIn(ctx context.Context) (*Proof, error) {
	s.signing.Lock()
	defer s.signing.Unlock()
	switch {
	case !s.CanSignIn():
		return nil, failed("cookies from a file cannot be renewed")
	case s.refused >= maxRefused:
		return nil, failed("the site refused %d sign-ins; no further one is tried", s.refused)
	case s.signIns >= MaxSignIns:
		return nil, failed("there were %d sign-ins; no further one is tried", s.signIns)
	}
	s.mu.Lock()
	s.signIns++
	s.mu.Unlock()
	fillForms := s.fillForms
	if s.login.Rendered {
		fillForms = (&browsing{session: s, ctx: ctx, at: s.login.URL}).fillForms
	}
	landed, err := fillForms(ctx)
	var proof *Proof
	if err == nil {
		proof, err = s.prove(ctx, landed)
	}
	if err == nil {
		s.mu.Lock()
		s.signed = s.options.Now()
		s.mu.Unlock()
		s.cookies.renewed()
		return proof, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	failure, ok := errors.AsType[*Failure](err)
	if !ok {
		failure = failed("%v", err)
	}
	failure.Message = s.hide(failure.Message)
	if failure.Refused {
		s.refused++
	}
	return nil, failure
}

// CanSignIn reports whether the session can be renewed: cookies from a file cannot.
func (s *Session) CanSignIn() bool { return !s.login.URL.IsZero() }

// TakeRequests returns the number of requests since its last call.
func (s *Session) TakeRequests() int { return int(s.requests.Swap(0)) }

// IsStale reports whether the time has come to sign in again, whether or not the session
// is lost. It never comes once there were MaxSignIns.
func (s *Session) IsStale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.login.Fresh > 0 && !s.signed.IsZero() && s.signIns < MaxSignIns && s.options.Now().Sub(s.signed) >= s.login.Fresh
}

// Page returns what is known of the sign-in page. It is complete after the first SignIn.
func (s *Session) Page() SignInPage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.page
}

// LeaveAlone returns the addresses, without fragment, that the page after the sign-in names
// as those for signing out or deleting.
func (s *Session) LeaveAlone() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for address := range s.leave {
		list = append(list, address)
	}
	slices.Sort(list)
	return list
}

// Ends reports whether an answer removes a cookie that a sign-in has set, as signing out
// does.
func (s *Session) Ends(header http.Header) bool { return s.cookies.removedBy(header) }

// RemovesLost reports whether the site also removes the cookies of a session that has ended
// before, so that an answer that removes one does not show what ended the session. It is
// called after a loss, and sends the cookies that were lost once more, to the check page or a
// start page that is not open to everybody. What cannot be found out counts as true.
func (s *Session) RemovesLost(ctx context.Context) bool {
	proof := s.proofs.page()
	u := proof.url
	if !s.login.Check.IsZero() {
		u = s.login.Check
	}
	if u.IsZero() || proof.wayOut { // an open page may keep cookies that other pages remove
		return true
	}
	lost := s.cookies.header(originOf(u))
	if len(lost) == 0 {
		return true
	}
	resp, err := s.client.Fetch(ctx, &fetch.Request{URL: u, Need: fetch.Content, Internal: true, Anonymous: true, Header: lost})
	if err != nil {
		return true
	}
	defer resp.Body.Close()
	s.requests.Add(int64(resp.Requests))
	return s.Ends(resp.Header)
}

// fillForms reads the sign-in page and sends its forms. It returns the page that comes
// after them.
func (s *Session) fillForms(ctx context.Context) (*Page, error) {
	p, _, err := s.get(ctx, &fetch.Request{URL: s.login.URL})
	if err != nil {
		return nil, err
	}
	sent := stageNone
	for {
		form, next, failure := s.login.choose(p, sent)
		switch {
		case failure != nil:
			return nil, failure
		case form == nil:
			return p, nil
		}
		if next != stageCode {
			s.mu.Lock()
			s.page = s.page.with(s.login.URL, form)
			s.mu.Unlock()
		}
		if p, err = s.submit(ctx, form, next); err != nil {
			return nil, err
		}
		sent = next
	}
}

// submit sends a form and returns the page that it leads to.
func (s *Session) submit(ctx context.Context, f *Form, at stage) (*Page, error) {
	filled, names := valuesOf(s, f, at)
	form, err := f.encode(f.entries(filled, s.fieldsFor(f, at)))
	if err != nil {
		return nil, fmt.Errorf("encode the form: %w", err)
	}
	to, _ := f.action()
	req := &fetch.Request{URL: to, Need: fetch.Content, Referrer: f.page.URL.String(), Internal: true,
		Header: http.Header{"Origin": {originOf(f.page.URL)}}}
	s.trace("post %s with %s", to.Printed(), strings.Join(names, ", "))
	resp, err := s.client.Submit(ctx, req, form)
	if err != nil {
		return nil, err
	}
	s.requests.Add(int64(resp.Requests))
	s.cookies.note(to, resp.Header)
	switch resp.Status {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		resp.Body.Close()
		return nil, refused("%s answered %d, which asks to send the password again: it is not followed", to.Printed(), resp.Status)
	}
	p, next, err := s.read(to, resp)
	if err != nil || p != nil {
		return p, err
	}
	if failure := s.login.permits(to, next); failure != nil {
		return nil, failure
	}
	p, _, err = s.get(ctx, &fetch.Request{URL: next, Referrer: to.String()})
	return p, err
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
		fill(user, s.login.User)
	case stagePassword:
		fill(f.password(), s.login.Password.Reveal())
		if user != nil && user != f.code() {
			fill(user, s.login.User)
		} else if hiddenUser := f.named("username"); hiddenUser == nil {
			names = append(names, "no user field")
		}
		if s.login.totp != nil {
			if code := f.code(); code != nil {
				fill(code, s.login.totp.next(s.options.Now()).Reveal())
			}
		}
	case stageCode:
		fill(f.code(), s.login.totp.next(s.options.Now()).Reveal())
	}
	return filled, names
}

// fieldsFor returns the fields of the user that a form gets: those that it has, and the
// others with the password.
func (s *Session) fieldsFor(f *Form, at stage) []Field {
	if at == stagePassword {
		return s.login.Fields
	}
	return slices.DeleteFunc(slices.Clone(s.login.Fields), func(field Field) bool { return f.named(field.Name) == nil })
}

// get reads a page. It follows redirects step by step, to the hosts of the login only. The
// URL is the one that it has reached, also with a *Failure.
func (s *Session) get(ctx context.Context, req *fetch.Request) (*Page, urinorm.URL, error) {
	for range maxRedirects + 1 {
		req.Need, req.Internal = fetch.Content, true
		resp, err := s.client.Fetch(ctx, req)
		if err != nil {
			return nil, req.URL, err
		}
		s.requests.Add(int64(resp.Requests))
		if !req.Anonymous {
			s.cookies.note(req.URL, resp.Header)
		}
		s.trace("get %s: %d", req.URL.Printed(), resp.Status)
		p, next, err := s.read(req.URL, resp)
		if err != nil || p != nil {
			return p, req.URL, err
		}
		if failure := s.login.permits(req.URL, next); failure != nil {
			return nil, next, failure
		}
		req.URL, req.Referrer = next, req.URL.String()
	}
	return nil, req.URL, failed("%s: more than %d redirects in a row", req.URL.Printed(), maxRedirects)
}

// read reads the answer of a URL: a page, or the target of a redirect.
func (s *Session) read(u urinorm.URL, resp *fetch.Response) (*Page, urinorm.URL, error) {
	defer resp.Body.Close()
	if resp.Status >= 300 && resp.Status <= 399 && resp.Location != "" {
		base, err := urinorm.NewBase(u, "")
		if err != nil {
			return nil, u, err
		}
		next, _, err := base.Resolve(resp.Location)
		if err != nil || next.Scheme() != "http" && next.Scheme() != "https" {
			return nil, u, failed("%s is redirected to an address that is not http or https", u.Printed())
		}
		return nil, next.WithoutFragment(), nil
	}
	body, err := fetch.ReadDocument(resp.Body, maxBody)
	if err != nil {
		return nil, u, fmt.Errorf("read %s: %w", u.Printed(), err)
	}
	p := ReadPage(u, resp.Status, resp.ContentType, body[:min(len(body), maxBody)])
	p.Challenge = strings.EqualFold(resp.Header.Get("Cf-Mitigated"), "challenge")
	return p, u, nil
}
