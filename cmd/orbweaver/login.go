package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxPagesSignedIn is the default of --max-pages with a login: the pages behind one often
// have filters whose combinations do not end.
const maxPagesSignedIn = 10_000

// maxPassword is the maximum size of a file with a password, in bytes.
const maxPassword = 64 << 10

type loginOptions struct {
	limited bool             // --max-pages has the default of a login
	configs []session.Config // a user name or password may be missing, which a terminal can supply
	retries int
	notes   []string // for the user
}

// limitNote returns the note about a crawl that ended because of the default of a login, "" for
// others.
func (l *loginOptions) limitNote(summary *result.Summary) string {
	if !l.limited || summary.Soundness.StoppedBy != result.ByMaxPages {
		return ""
	}
	return fmt.Sprintf("with a login, a crawl ends after %d pages; --max-pages sets another limit", maxPagesSignedIn)
}

// compileLogins reads the flags of a login and the [[login]] blocks. A login on the command
// line replaces those of the file; the other flags override the values of the only login.
func compileLogins(c *compiler, o *options) {
	s := c.settings
	if s.signsIn() && !c.Given("max-pages") {
		o.crawl.Limits.MaxPages, o.login.limited = maxPagesSignedIn, true
	}
	blocks := slices.Clone(s.logins)
	if s.Text("login") != "" {
		blocks = []loginBlock{{Config: session.Config{Name: c.Named("login"), URL: s.Text("login")}}}
	}
	o.login.retries = read(c, "login-retries", atLeast(0))
	fresh := read(c, "login-fresh", quantity.ParseDuration)
	for _, name := range []string{"login-user", "login-password-file", "login-field", "login-form", "login-check", "login-check-text"} {
		c.refuse(s.Given(name) && len(blocks) == 0, name, "it needs --login")
		c.refuse(s.Given(name) && len(blocks) > 1, name, "there are %d [[login]] blocks: set it there", len(blocks))
	}
	c.refuse(s.On("login-render") && len(blocks) == 0, "login-render", "it needs --login")
	for i := range blocks {
		b := &blocks[i]
		if len(blocks) == 1 {
			c.override(b)
		}
		b.Fresh, b.Rendered = fresh, s.On("login-render")
		if b.fresh != "" && !strings.HasPrefix(s.Origin("login-fresh"), "--") {
			d, err := quantity.ParseDuration(b.fresh)
			if err != nil {
				c.faults = append(c.faults, fmt.Errorf("%s: fresh: %q is not allowed: %w", b.Name, b.fresh, err))
			}
			b.Fresh = d
		}
		c.password(b, o, len(blocks) == 1)
		o.login.configs = append(o.login.configs, b.Config)
	}
}

// override sets what the flags say of a login.
func (c *compiler) override(b *loginBlock) {
	b.User = cmp.Or(c.Text("login-user"), b.User)
	b.Form = cmp.Or(c.Text("login-form"), b.Form)
	if c.Text("login-check") != "" {
		b.Check, b.CheckText = c.Text("login-check"), ""
	}
	b.CheckText = cmp.Or(c.Text("login-check-text"), b.CheckText)
	for _, text := range c.List("login-field") {
		if text == "" {
			continue // it only drops the values of the configuration file
		}
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" {
			c.refuse(true, "login-field", "use NAME=VALUE")
			continue
		}
		b.Fields = slices.DeleteFunc(b.Fields, func(f session.Field) bool { return f.Name == name })
		b.Fields = append(b.Fields, session.Field{Name: name, Value: session.NewSecret(value)})
	}
}

// password sets the password of a login: that of the flag's file, of the environment, or of
// the configuration, in this order. With several logins, the environment has only the
// passwords that the configuration lacks.
func (c *compiler) password(b *loginBlock, o *options, only bool) {
	for _, key := range b.exposed {
		if key == "password" {
			c.faults = append(c.faults, fmt.Errorf("%s: the password is written in a file that others can read: use chmod 600, password-file, or ${NAME} for an environment variable", b.Name))
		} else {
			o.login.notes = append(o.login.notes, fmt.Sprintf("%s: others can read the %s in the file", b.Name, key))
		}
	}
	b.Password = session.NewSecret(withoutLineEnd(b.Password.Reveal())) // an environment variable may have one
	variable := session.NewSecret(withoutLineEnd(os.Getenv(passwordVariable)))
	inFile := !b.Password.IsZero() || b.passwordFile != ""
	switch {
	case only && c.Text("login-password-file") != "":
		b.Password = c.passwordFrom(c.Named("login-password-file"), c.Text("login-password-file"), o)
	case !variable.IsZero() && (only || !inFile):
		b.Password = variable
	case b.Password.IsZero() && b.passwordFile != "":
		b.Password = c.passwordFrom(b.Name+": password-file", b.passwordFile, o)
	}
	if !utf8.ValidString(b.Password.Reveal()) {
		c.faults = append(c.faults, fmt.Errorf("%s: the password is not valid UTF-8", b.Name))
	}
}

// passwordFrom reads a file with a password. Others may be able to read it, as CI systems
// mount secrets so.
func (c *compiler) passwordFrom(where, name string, o *options) session.Secret {
	fail := func(err error) session.Secret {
		c.faults = append(c.faults, fmt.Errorf("%s: read %s: %w", where, name, withoutPath(err)))
		return session.Secret{}
	}
	f, err := os.Open(name)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPassword+1))
	if err != nil {
		return fail(err)
	}
	switch text := withoutLineEnd(string(text)); {
	case text == "":
		return fail(errors.New("it is empty"))
	case len(text) > maxPassword:
		return fail(fmt.Errorf("it is longer than %d bytes", maxPassword))
	default:
		if info, err := f.Stat(); err == nil && othersMayRead(info) {
			o.login.notes = append(o.login.notes, fmt.Sprintf("others can read the password in %s", name))
		}
		return session.NewSecret(text)
	}
}

// withoutLineEnd removes one line end, which editors and echo append.
func withoutLineEnd(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// planLogins checks the logins of a run against its targets, and asks on a terminal for
// what is missing. Its errors are usage errors. Without anyTarget, a login needs none.
func planLogins(o *options, p *plan, in io.Reader, console *console, anyTarget bool) (*session.Plan, error) {
	if len(o.login.configs) == 0 {
		return &session.Plan{}, nil
	}
	for _, note := range o.login.notes {
		console.notef("%s", note)
	}
	targets := startPages(p)
	var internal func(urinorm.URL) bool
	switch {
	case len(targets) > 0:
		internal = o.crawl.Reaches(p.seeds)
	case !anyTarget:
		return nil, usageError("%s: no target is an http or https URL: there is nothing to sign in to", o.login.configs[0].Name)
	}
	if err := askForLogins(o.login.configs, in, console.out); err != nil {
		return nil, usageError("%w", err)
	}
	plan, err := session.NewPlan(o.login.configs, targets, internal)
	if err != nil {
		return nil, usageError("%w", err)
	}
	o.net.CookieGroups = plan.CookieGroups()
	return plan, nil
}

// askForLogins asks for missing user names and passwords if the input is a terminal. What
// is still missing is reported by session.NewPlan.
func askForLogins(configs []session.Config, in io.Reader, out io.Writer) error {
	f, ok := in.(*os.File)
	if !ok || !isTerminal(f) {
		return nil
	}
	for i := range configs {
		c := &configs[i]
		if c.User == "" {
			fmt.Fprintf(out, "user name for %s: ", urinorm.Redact(c.URL))
			var line strings.Builder
			for b := make([]byte, 1); ; { // no byte after the line is taken from a terminal
				if n, err := f.Read(b); n == 0 || err != nil || b[0] == '\n' {
					break
				}
				line.WriteByte(b[0])
			}
			c.User = strings.TrimSpace(line.String())
		}
		if c.Password.IsZero() {
			fmt.Fprintf(out, "password of %s for %s: ", c.User, urinorm.Redact(c.URL))
			text, err := term.ReadPassword(int(f.Fd()))
			fmt.Fprintln(out)
			if err != nil {
				return fmt.Errorf("read the password: %w", err)
			}
			c.Password = session.NewSecret(string(text))
		}
	}
	return nil
}

// configureSessions gives a run its sessions: those of the logins and, with --cookies,
// those of the start targets that the cookies are for.
func configureSessions(cfg *crawler.Config, o *options, p *plan, web *fetch.HTTP, logins *session.Plan) {
	login := &cfg.Login
	login.Fetch = web
	login.Logins = slices.Clone(logins.Logins)
	pages := startPages(p)
	for i, u := range pages {
		known := slices.ContainsFunc(login.Logins, func(l *session.Login) bool { return l.Covers(u) })
		if !known && web.HasUserCookies(u) {
			login.Logins = append(login.Logins, session.ForCookies(pages[i:]))
		}
	}
	cfg.Scope.SessionOrigins = logins.Origins()
	if login.Retries = o.login.retries; login.Retries == 0 {
		login.Retries = -1
	}
}

// startPages returns the web pages that a run starts from.
func startPages(p *plan) []urinorm.URL {
	var pages []urinorm.URL
	for _, seed := range p.seeds {
		if seed.Named && seed.Crawl && isWeb(seed.URL) {
			pages = append(pages, seed.URL)
		}
	}
	return pages
}
