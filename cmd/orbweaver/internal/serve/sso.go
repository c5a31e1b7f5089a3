package serve

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/sso"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/web"
)

// attemptCookie begins the name of the cookie of an attempt to sign in, so that several tabs can.
const attemptCookie = "orbweaver-sso-"

// attemptPlace is the purpose of the sealed text in the cookie.
const attemptPlace = "attempt to sign in"

func cookieOfAttempt(state string) string { return attemptCookie + state[:min(len(state), 12)] }

// signOn is a request of somebody who signs in at the provider.
type signOn struct{ *call }

// callbackURL is the address to which the provider sends people back.
func (c signOn) callbackURL() string {
	return c.server.origin(c.Request) + c.prefix + "/login/callback"
}

// begin sends a browser to the provider.
func (c signOn) begin() error {
	s := c.server
	if s.sso == nil {
		return noSSO()
	}
	next := c.URL.Query().Get("next")
	if !isLocalPath(next) {
		next = c.prefix + "/"
	}
	attempt, address, err := s.sso.Begin(c.Context(), c.callbackURL(), next)
	if err != nil {
		return c.refuse(err)
	}
	text, err := json.Marshal(attempt)
	if err != nil {
		return err
	}
	k := c.cookie(base64.RawURLEncoding.EncodeToString(s.box.Seal(attemptPlace, string(text))))
	k.Name, k.Path, k.MaxAge = cookieOfAttempt(attempt.State), c.prefix+"/login/callback", int(sso.AttemptLife/time.Second)
	http.SetCookie(c.w, k)
	c.w.Header().Set("Location", address)
	c.w.WriteHeader(http.StatusSeeOther)
	return nil
}

func noSSO() error {
	return api.NewProblem(http.StatusNotFound, "there is no single sign-on here")
}

// attempt returns the attempt to which a callback belongs, nil if the browser began none.
func (c signOn) attempt() *sso.Attempt {
	cookie, err := c.Cookie(cookieOfAttempt(c.URL.Query().Get("state")))
	if err != nil {
		return nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil
	}
	text, err := c.server.box.Open(attemptPlace, sealed)
	a := &sso.Attempt{}
	if err != nil || json.Unmarshal([]byte(text), a) != nil {
		return nil
	}
	return a
}

// end signs in who comes back from the provider.
func (c signOn) end() error {
	s := c.server
	if s.sso == nil {
		return noSSO()
	}
	attempt := c.attempt()
	person, err := s.sso.Finish(c.Context(), c.callbackURL(), attempt, c.URL.Query())
	var session string
	if err == nil {
		session, err = auth.People{Store: s.auth}.SignIn(c.Context(), person, s.client(c.Request), sso.SessionLife)
	}
	if err != nil {
		if attempt != nil { // else anybody could fill the log
			who := &auth.Identity{Via: auth.OIDC}
			if person != nil {
				who.Name = person.Name
			}
			s.service.Audit.Note(audit.With(c.Context(), s.actor(c.Request, who)), "sign-in-failed", "", who.Name, nil)
		}
		return c.refuse(err)
	}
	if err := c.noteSession(session); err != nil {
		return err
	}
	http.SetCookie(c.w, c.cookie(session))
	c.w.Header().Set("Location", attempt.Next)
	c.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// refuse writes the page to sign in with one sentence on why the provider could not do it.
func (c signOn) refuse(err error) error {
	status, message := http.StatusInternalServerError, ""
	var refusal *sso.Refusal
	var taken *auth.NameTakenError
	switch {
	case errors.As(err, &refusal):
		status, message = refusal.Status, refusal.Message
	case errors.As(err, &taken):
		status, message = http.StatusForbidden, "Another account has the name "+taken.Name+" already. An administrator can remove it, or the provider can call you something else."
	case errors.Is(err, sso.ErrUnavailable):
		status, message = http.StatusBadGateway, c.server.sso.Label()+" does not answer. Try again later."
	default:
		return err
	}
	c.server.log.printf("single sign-on: %v", err)
	c.URL.RawQuery = "" // of the provider: the page has links to itself
	form, failed := signInForm(c.call)
	if failed != nil {
		return failed
	}
	form.Message = message
	return c.page(status, "login", form)
}

func signInForm(c *call) (*web.SignIn, error) {
	s := c.server
	form := &web.SignIn{Token: s.settings.Mode == Tokens, Password: s.settings.Mode == Passwords}
	if s.sso != nil {
		form.SSO = s.sso.Label()
	}
	var err error
	if form.Password {
		form.SetUp, err = s.auth.Empty(c.Context())
	}
	return form, err
}

// ProxyUser is a proxy that signs people in.
type ProxyUser struct {
	Header string         // the field with the name, "" for no such proxy
	Role   string         // the field with the role, "" for none
	From   []netip.Prefix // the addresses of the proxy
}

// identify returns whom a proxy has signed in, nil if the request is not from it or names nobody.
func (p *ProxyUser) identify(s *Server, r *http.Request) (*auth.Identity, error) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if p.Header == "" || err != nil {
		return nil, nil
	}
	address := peer.Addr().Unmap().WithZone("")
	names := r.Header.Values(p.Header)
	if len(names) == 0 || !slices.ContainsFunc(p.From, func(network netip.Prefix) bool { return network.Contains(address) }) {
		return nil, nil
	}
	if len(names) > 1 || auth.CheckName(names[0]) != nil {
		return nil, api.NewProblem(http.StatusBadRequest, "the field %s must be one name of letters, digits and . _ @ -", p.Header)
	}
	role := auth.Viewer
	if values := r.Header.Values(p.Role); p.Role != "" && len(values) == 1 {
		if parsed, err := auth.ParseRole(values[0]); err == nil {
			role = parsed
		}
	}
	who, err := auth.People{Store: s.auth}.ByProxy(r.Context(), names[0], role)
	if taken, ok := errors.AsType[*auth.NameTakenError](err); ok {
		return nil, api.NewProblem(http.StatusForbidden, "the account %s does not belong to the proxy: it has another way to sign in", taken.Name)
	}
	return who, err
}
