package formlogin

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/session"
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

// Session is a login in use. It sends nothing: a SignIn and a Proving yield requests, and read
// their answers. It is safe for concurrent use, but for sign-ins, which follow one another.
type Session struct {
	login   *session.Login
	options Options

	cookies setCookies
	proofs  proofPages

	mu      sync.Mutex // protects what follows
	refused int
	signIns int
	signed  time.Time // when the last sign-in succeeded
	page    SignInPage
	leave   map[string]bool
}

// Options are what a session needs to know besides its login.
type Options struct {
	// Trace receives a line for each step, without secrets. It may be nil.
	Trace io.Writer
}

// New returns a session for a login, without signing in.
func New(login *session.Login, options Options) *Session {
	return &Session{login: login, options: options, leave: map[string]bool{}}
}

// Open returns the sessions of logins, without signing in.
func Open(logins []*session.Login) []*Session {
	sessions := make([]*Session, len(logins))
	for i, l := range logins {
		sessions[i] = New(l, Options{})
	}
	return sessions
}

// trace writes a line to Options.Trace.
func (s *Session) trace(format string, args ...any) {
	if s.options.Trace != nil {
		fmt.Fprintln(s.options.Trace, s.hide(fmt.Sprintf(format, args...)))
	}
}

// hide replaces the password and the cookies in a text of this program. Some sites put them
// into their URLs. What is shorter may be a word of the text itself.
func (s *Session) hide(text string) string {
	const shortest = 8
	secrets := append(s.cookies.secrets(), s.login.Given.Password)
	secrets = slices.DeleteFunc(secrets, func(secret session.Secret) bool { return len(secret.Reveal()) < shortest })
	return hide(text, secrets...)
}

// Login returns the login of the session.
func (s *Session) Login() *session.Login { return s.login }

// CanSignIn reports whether the session can be renewed: cookies from a file cannot.
func (s *Session) CanSignIn() bool { return !s.login.URL.IsZero() }

// IsStale reports whether the time has come to sign in again, whether or not the session
// is lost. It never comes once there were MaxSignIns.
func (s *Session) IsStale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.login.Given.Fresh > 0 && !s.signed.IsZero() && s.signIns < MaxSignIns && time.Since(s.signed) >= s.login.Given.Fresh
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

// LostCookies returns the request for RemovesLost, after a loss: it sends the cookies that were
// lost once more, to the check page or a start page that is not open to everybody. It returns
// nil if nothing can be found out.
func (s *Session) LostCookies() *fetch.Request {
	proof := s.proofs.page()
	u := proof.url
	if !s.login.Check.IsZero() {
		u = s.login.Check
	}
	if u.IsZero() || proof.wayOut { // an open page may keep cookies that other pages remove
		return nil
	}
	lost := s.cookies.header(originOf(u))
	if len(lost) == 0 {
		return nil
	}
	return &fetch.Request{URL: u, Need: fetch.Content, Internal: true, Anonymous: true, Header: lost}
}

// RemovesLost reports whether the site also removes the cookies of a session that has ended
// before, so that an answer that removes one does not show what ended the session. It reads
// the answer to LostCookies; what cannot be found out counts as true.
func (s *Session) RemovesLost(resp *fetch.Response, err error) bool {
	if err != nil || resp == nil {
		return true
	}
	defer resp.Body.Close()
	return s.Ends(resp.Header)
}
