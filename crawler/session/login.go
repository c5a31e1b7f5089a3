package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/andybalholm/cascadia"

	"github.com/PuerkitoBio/goquery"
	"github.com/orbweaver/orbweaver/crawler/internal/totp"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Config is a login as flags or a [[login]] table give it.
type Config struct {
	// Name is where the login was given, for messages: "--login" or "login 1 in
	// orbweaver.toml".
	Name string
	// URL is the page with the form.
	URL string
	// Hosts are the hosts that get the cookies, as HOST, HOST:PORT or an origin. If there are none,
	// it is the host of URL.
	Hosts []string
	User  string
	// Password is sent in the character set of the form.
	Password Secret
	// Check is the URL of a page that only members see, or URL=TEXT, with a text that the
	// page contains. CheckText is the text if the URL has a "?".
	Check, CheckText string
	// Fields are set in the form, or added to it.
	Fields []Field
	// Form is a CSS selector of the form.
	Form string
	// TOTP is the key of one-time codes in base32, or an otpauth URL.
	TOTP Secret
	// Fresh is the time after which to sign in again; 0 means never.
	Fresh time.Duration
	// Rendered is set if a browser fills in the form.
	Rendered bool
}

// Field is a field of a form that the user sets.
type Field struct {
	Name  string
	Value Secret
}

// Login is a valid Config.
type Login struct {
	Given      Config          // CheckText is also that of Check; zero for cookies from a file, but for its Name
	URL        urinorm.URL     // zero for cookies from a file
	Check      urinorm.URL     // zero if there is none
	Form       goquery.Matcher // nil if the form is to be found
	TOTP       *totp.Codes     // nil if there is no key
	Origins    []string        // that get the cookies: schemes with a host and a port, such as "https://example.com:8080"
	StartPages []urinorm.URL   // that get the cookies
}

// Plan is the logins of a run.
type Plan struct{ Logins []*Login }

// NewPlan checks logins, without sending anything. Targets are the web pages that the run
// starts from, and internal reports whether a URL is on the site of one; both are empty if
// there is no target, and then a login is for its own host. The error joins all mistakes.
func NewPlan(configs []Config, targets []urinorm.URL, internal func(urinorm.URL) bool) (*Plan, error) {
	p := &Plan{}
	var faults []error
	for i := range configs {
		c := &configs[i]
		login, err := c.compile(targets, internal)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.Name, err))
			continue
		}
		for _, origin := range login.Origins {
			if other := p.covering(origin); other != nil {
				faults = append(faults, fmt.Errorf("%s: %s also gets the cookies of %s; a host can have only one login", c.Name, origin, other.Given.Name))
				break
			}
		}
		p.Logins = append(p.Logins, login)
	}
	return p, errors.Join(faults...)
}

func (p *Plan) covering(origin string) *Login {
	for _, l := range p.Logins {
		if slices.Contains(l.Origins, origin) {
			return l
		}
	}
	return nil
}

// CookieGroups returns the origins of each login, for fetch.HTTPConfig.
func (p *Plan) CookieGroups() [][]string {
	var groups [][]string
	for _, l := range p.Logins {
		groups = append(groups, l.Origins)
	}
	return groups
}

// Origins returns the origins that get the cookies of a login.
func (p *Plan) Origins() map[string]bool {
	origins := map[string]bool{}
	for _, l := range p.Logins {
		for _, origin := range l.Origins {
			origins[origin] = true
		}
	}
	return origins
}

// Covers reports whether a URL gets the cookies of the login.
func (l *Login) Covers(u urinorm.URL) bool { return slices.Contains(l.Origins, originOf(u)) }

func (c *Config) compile(targets []urinorm.URL, internal func(urinorm.URL) bool) (*Login, error) {
	l := &Login{Given: *c}
	var err error
	if l.URL, err = parseWebURL(c.URL); err != nil {
		return nil, err
	}
	if l.URL.Scheme() == "http" {
		for _, t := range targets {
			if t.Scheme() == "https" && sameHost(t.Host(), l.URL.Host(), c.Hosts) {
				return nil, fmt.Errorf("%s: the login uses http, but %s uses https: a password is not sent without encryption; use https", l.URL.Printed(), t.Printed())
			}
		}
	}
	if err := l.setOrigins(c.Hosts, internal == nil || internal(l.URL)); err != nil {
		return nil, err
	}
	for _, t := range targets {
		if l.Covers(t) {
			l.StartPages = append(l.StartPages, t)
		}
	}
	switch {
	case c.User == "":
		return nil, errors.New("there is no user name: give --login-user, or user in [[login]]")
	case c.Password.IsZero():
		return nil, errors.New("there is no password: give --login-password-file, the environment variable ORBWEAVER_LOGIN_PASSWORD, or password in [[login]]")
	}
	if err := l.setCheck(c.Check, c.CheckText); err != nil {
		return nil, err
	}
	for _, f := range c.Fields {
		if f.Name == "" {
			return nil, errors.New("a field has no name: use NAME=VALUE")
		}
	}
	if c.Form != "" {
		if l.Form, err = cascadia.Compile(c.Form); err != nil {
			return nil, fmt.Errorf("--login-form: %q is not a CSS selector: %w", c.Form, err)
		}
	}
	if !c.TOTP.IsZero() {
		if l.TOTP, err = totp.New(c.TOTP.Reveal()); err != nil {
			return nil, fmt.Errorf("totp: %w", err)
		}
	}
	return l, nil
}

// setOrigins sets who gets the cookies. The host of a login is one with and without
// "www.", as that of a target is; the hosts that the user lists are exact. A site may move
// a login from http to https.
func (l *Login) setOrigins(hosts []string, internal bool) error {
	for _, host := range hosts {
		u, err := l.parseHost(host)
		if err != nil {
			return fmt.Errorf("hosts: %q is not allowed: %w", host, err)
		}
		l.add(u)
	}
	if !internal && !l.Covers(l.URL) {
		return fmt.Errorf("%s: its host is on the site of no target: list it in hosts of a [[login]]", l.URL.Printed())
	}
	l.add(l.URL)
	if len(hosts) == 0 {
		l.addSite(l.URL)
	}
	return nil
}

// addSite adds the origin of a URL, with and without "www.".
func (l *Login) addSite(u urinorm.URL) {
	l.add(u)
	if other, _, err := urinorm.ParseWeb(u.Scheme() + "://" + twin(u.Authority()) + "/"); err == nil {
		l.add(other)
	}
}

// add adds the origin of a URL, and that with https if it has http.
func (l *Login) add(u urinorm.URL) {
	origins := []string{originOf(u)}
	if u.Scheme() == "http" && u.Port() == "" {
		origins = append(origins, "https://"+u.Authority())
	}
	for _, origin := range origins {
		if !slices.Contains(l.Origins, origin) {
			l.Origins = append(l.Origins, origin)
		}
	}
}

// parseHost reads HOST, HOST:PORT or an origin such as https://HOST. The scheme and, without a port, the port are those of
// the login.
func (l *Login) parseHost(host string) (urinorm.URL, error) {
	wrong := errors.New("use HOST or HOST:PORT")
	text := host
	if !strings.Contains(host, "://") {
		text = l.URL.Scheme() + "://" + host
		bare := host[strings.LastIndexByte(host, ']')+1:] // the colons of an IPv6 address are in brackets
		if port := l.URL.Port(); port != "" && !strings.Contains(bare, ":") {
			text += ":" + port
		}
	}
	u, err := parseWebURL(text)
	if err != nil {
		return u, wrong
	}
	_, query := u.Query()
	_, fragment := u.Fragment()
	if query || fragment || u.Path() != "/" {
		return u, wrong
	}
	return u, nil
}

// setCheck sets the page that proves a login. A URL with "?" is not split, because its
// query contains "=".
func (l *Login) setCheck(check, text string) error {
	if check == "" {
		if text != "" {
			return errors.New("there is a text to look for, but no page: give --login-check URL, or check in [[login]]")
		}
		return nil
	}
	if address, after, found := strings.Cut(check, "="); found && !strings.Contains(check, "?") {
		check = address
		if text != "" && text != after {
			return errors.New("the text of the check page is given twice: use --login-check URL=TEXT, or --login-check-text")
		}
		text = after
	}
	u, err := parseWebURL(check)
	if err != nil {
		return fmt.Errorf("--login-check: %w", err)
	}
	if !l.Covers(u) {
		return fmt.Errorf("--login-check: %s is on another host than the login: list the host in hosts of a [[login]]", u.Printed())
	}
	l.Check, l.Given.CheckText = u, text
	return nil
}

// parseWebURL reads an http or https URL without a password. Errors do not repeat one.
func parseWebURL(text string) (urinorm.URL, error) {
	u, _, err := urinorm.ParseWeb(text)
	switch {
	case err != nil || u.Scheme() != "http" && u.Scheme() != "https" || u.Host() == "":
		return u, fmt.Errorf("%q is not an http or https URL", urinorm.Redact(text))
	case u.HasUserinfo():
		return u, fmt.Errorf("%s: a URL must not contain a user name or a password", u.Printed())
	}
	return u.WithoutFragment(), nil
}

// originOf returns the scheme, host and port of a URL (RFC 6454 section 6.2).
func originOf(u urinorm.URL) string { return u.Scheme() + "://" + u.Authority() }

// twin returns a host with "www." if it has none, and without it otherwise.
func twin(authority string) string {
	if bare, found := strings.CutPrefix(authority, "www."); found {
		return bare
	}
	return "www." + authority
}

// sameHost reports whether a target's host is that of the login, with or without "www.",
// or listed.
func sameHost(target, login string, hosts []string) bool {
	return target == login || target == twin(login) || slices.ContainsFunc(hosts, func(host string) bool {
		return strings.EqualFold(host, target) || strings.HasPrefix(strings.ToLower(host), target+":")
	})
}

// ForCookies returns the login of a session of the user's cookies, which nobody can renew. Starts are
// the start pages that get the cookies; the session is for the site of the first, and those of other
// sites are left out.
func ForCookies(starts []urinorm.URL) *Login {
	l := &Login{Given: Config{Name: "--cookies"}}
	l.addSite(starts[0])
	for _, u := range starts {
		if l.Covers(u) {
			l.StartPages = append(l.StartPages, u)
		}
	}
	return l
}
