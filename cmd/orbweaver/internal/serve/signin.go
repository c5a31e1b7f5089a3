package serve

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/web"
)

const cookieName = "orbweaver"

// identify returns who sends a request, or nil without valid credentials. The Authorization
// header counts before the cookie.
func (s *Server) identify(r *http.Request) (*auth.Identity, error) {
	if s.settings.Mode == Open {
		return &auth.Identity{Name: "anybody", Role: auth.Admin, Via: auth.Nobody}, nil
	}
	if who, err := s.settings.Proxy.identify(s, r); who != nil || err != nil {
		return who, err
	}
	var who auth.Identity
	var ok bool
	var err error
	if credentials := r.Header.Get("Authorization"); credentials != "" {
		scheme, token, _ := strings.Cut(credentials, " ")
		if strings.EqualFold(scheme, "Bearer") {
			who, ok, err = s.auth.ByToken(r.Context(), strings.TrimSpace(token))
		}
	} else if cookie, missing := r.Cookie(cookieName); missing == nil {
		who, ok, err = s.auth.BySession(r.Context(), cookie.Value)
	}
	if err != nil || !ok {
		return nil, err
	}
	return &who, nil
}

func (s *Server) actor(r *http.Request, who *auth.Identity) audit.Actor {
	a := audit.Actor{Who: who.Key(), Via: string(who.Via)}
	if client := s.client(r).Addr; client.IsValid() {
		a.Address = client.String()
	}
	return a
}

// noteSession notes that somebody has signed in, whose session has a secret.
func (c *call) noteSession(secret string) error {
	who, ok, err := c.server.auth.BySession(c.Context(), secret)
	if err == nil && ok {
		c.server.service.Audit.Note(audit.With(c.Context(), c.server.actor(c.Request, &who)), "sign-in", "", who.Key(), nil)
	}
	return err
}

// sessionOf returns the secret of the session of a request, "" without one.
func sessionOf(r *http.Request) string {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// cookie returns the cookie of a session. An empty secret ends it.
func (c *call) cookie(secret string) *http.Cookie {
	host := plainHost(c.Host)
	if p := c.server.settings.PublicURL; p != nil {
		host = plainHost(p.Host)
	}
	k := &http.Cookie{Name: cookieName, Value: secret, Path: c.prefix + "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: !isLoopbackHost(host)}
	if k.MaxAge = int(auth.SessionIdle / time.Second); secret == "" {
		k.MaxAge = -1
	}
	return k
}

func (c *call) form() (url.Values, error) {
	media, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return nil, api.NewProblem(http.StatusUnsupportedMediaType, "the body must be a form: application/x-www-form-urlencoded")
	}
	text, err := io.ReadAll(io.LimitReader(c.Body, maxBody+1))
	if len(text) > maxBody {
		return nil, api.NewProblem(http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
	}
	var fields url.Values
	if err == nil {
		fields, err = url.ParseQuery(string(text))
	}
	if err != nil {
		return nil, api.NewProblem(http.StatusBadRequest, "the form could not be read")
	}
	return fields, nil
}

// isLocalPath reports whether a text is a path on this server, as browsers read it.
func isLocalPath(text string) bool {
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n\t") {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && u.Host == "" && u.Scheme == ""
}

func showLogin(c *call) error {
	form, err := signInForm(c)
	if err != nil {
		return err
	}
	form.Next = c.URL.Query().Get("next")
	return c.page(http.StatusOK, "login", form)
}

func login(c *call) error {
	fields, err := c.form()
	if err != nil {
		return err
	}
	s := c.server
	if s.settings.Mode == SingleSignOn {
		return api.NewProblem(http.StatusForbidden, "people sign in with %s here", s.sso.Label())
	}
	var session string
	if s.settings.Mode == Tokens {
		session, err = s.auth.SignInByToken(c.Context(), fields.Get("token"), s.client(c.Request))
	} else {
		session, err = s.auth.SignIn(c.Context(), fields.Get("name"), fields.Get("password"), s.client(c.Request))
	}
	again := &web.SignIn{Next: fields.Get("next"), Name: fields.Get("name"), Token: s.settings.Mode == Tokens, Password: s.settings.Mode == Passwords}
	if s.sso != nil {
		again.SSO = s.sso.Label()
	}
	var limit *auth.LimitError
	switch {
	case errors.Is(err, auth.ErrWrongCredentials):
		s.service.Audit.Note(audit.With(c.Context(), s.actor(c.Request, &auth.Identity{Name: again.Name, Via: map[bool]auth.Via{true: auth.ByToken, false: auth.Password}[again.Token]})), "sign-in-failed", "", again.Name, nil)
		again.Message = "The name or the password is wrong."
		if again.Token {
			again.Message = "The token is unknown, or it has expired."
		}
		return c.page(http.StatusUnauthorized, "login", again)
	case errors.As(err, &limit):
		c.w.Header().Set("Retry-After", strconv.Itoa(int(limit.After/time.Second)))
		again.Message = "Too many sign-ins have failed. Try again in " + strconv.Itoa(int(limit.After/time.Second)) + " seconds."
		return c.page(http.StatusTooManyRequests, "login", again)
	case err != nil:
		return err
	}
	if err := c.noteSession(session); err != nil {
		return err
	}
	http.SetCookie(c.w, c.cookie(session))
	if again.Next != "" && isLocalPath(again.Next) {
		c.w.Header().Set("Location", again.Next) // the prefix is part of it
		c.w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	c.redirect("/", http.StatusSeeOther)
	return nil
}

func logout(c *call) error {
	if cookie, err := c.Cookie(cookieName); err == nil {
		if err := c.server.auth.SignOut(c.Context(), cookie.Value); err != nil {
			return err
		}
		c.server.service.Audit.Note(c.Context(), "sign-out", "", c.who.Key(), nil)
	}
	http.SetCookie(c.w, c.cookie(""))
	c.redirect("/login", http.StatusSeeOther)
	return nil
}

// setUp shows the form for the first administrator, and adds that.
func setUp(c *call) error {
	s := c.server
	open, err := s.setup.Open(c.Context(), c.URL.Query().Get("token"))
	if err != nil {
		return err
	}
	if !open {
		return api.NewProblem(http.StatusNotFound, "the set-up page is closed")
	}
	if c.Method != http.MethodPost {
		return c.page(http.StatusOK, "setup", &web.SignIn{})
	}
	fields, err := c.form()
	if err != nil {
		return err
	}
	name, password := fields.Get("name"), fields.Get("password")
	err = errors.Join(auth.CheckName(name), auth.CheckPassword(password))
	if err != nil {
		return c.page(http.StatusUnprocessableEntity, "setup", &web.SignIn{Name: name, Message: err.Error()})
	}
	err = s.auth.AddFirstUser(c.Context(), name, password)
	if errors.Is(err, auth.ErrUsage) {
		return api.NewProblem(http.StatusNotFound, "the set-up page is closed")
	}
	if err != nil {
		return err
	}
	session, err := s.auth.SignIn(c.Context(), name, password, s.client(c.Request))
	if err != nil {
		return err
	}
	first := s.actor(c.Request, &auth.Identity{Name: name, Via: auth.Password})
	s.service.Audit.Note(audit.With(c.Context(), first), "user.add", "", name, audit.Changes{"role": {nil, auth.Admin.String()}})
	if err := c.noteSession(session); err != nil {
		return err
	}
	http.SetCookie(c.w, c.cookie(session))
	c.redirect("/", http.StatusSeeOther)
	return nil
}
