package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
)

// accountsPage has the users and the tokens.
type accountsPage struct {
	Users  []auth.User
	Tokens []auth.Token
	Made   string // a token that was just made
	Form   string // the form with the faults
	Values url.Values
	Faults map[string]string
	Roles  []string
	People bool // people have accounts
}

// Value and Fault return those of a field of a form.
func (p *accountsPage) Value(form, name string) string {
	if form != p.Form {
		return ""
	}
	return p.Values.Get(name)
}

// Fault returns what is wrong with a field of a form.
func (p *accountsPage) Fault(form, name string) string {
	if form != p.Form {
		return ""
	}
	return p.Faults[name]
}

func showSettings(c *Call) error { return settings(c, "", nil, nil) }

func settings(c *Call, form string, values url.Values, faults map[string]string) error {
	page := &accountsPage{Form: form, Values: values, Faults: faults, People: c.Site.Passwords, Roles: []string{"viewer", "editor", "admin"}, Made: c.Site.flashed(c.Who, "token")}
	var err, failed error
	page.Users, err = c.Site.Accounts.Users(c.Context())
	page.Tokens, failed = c.Site.Accounts.Tokens(c.Context())
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	status := http.StatusOK
	if len(faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return c.page(status, "settings", "Settings", page)
}

// changeSettings adds or removes a user or a token.
func changeSettings(c *Call) error {
	v, err := c.Form()
	if err != nil {
		return err
	}
	do, name := v.Get("do"), v.Get("name")
	field := "name"
	switch do {
	case "add-user":
		field, err = addUser(c, v)
	case "remove-user":
		err = c.Site.Accounts.RemoveUser(c.Context(), name)
	case "add-token":
		field, err = addToken(c, v)
	case "remove-token":
		err = c.Site.Accounts.RemoveToken(c.Context(), name)
	default:
		return api.NewProblem(http.StatusBadRequest, "the form asks for %q, which is unknown", do)
	}
	if errors.Is(err, auth.ErrUsage) {
		return settings(c, do, v, map[string]string{field: usageText(err)})
	}
	if err != nil {
		return err
	}
	return c.See("settings")
}

// usageText returns an error of the accounts without what only programs need.
func usageText(err error) string {
	text := strings.TrimPrefix(err.Error(), auth.ErrUsage.Error()+": ")
	text, _, _ = strings.Cut(text, " ("+auth.ErrUsage.Error()+")")
	_, after, found := strings.Cut(text, "\n")
	if found {
		return after
	}
	return text
}

// addUser returns the field that an error is about.
func addUser(c *Call, v url.Values) (string, error) {
	role, err := auth.ParseRole(v.Get("role"))
	if err != nil {
		return "role", err
	}
	if err := auth.CheckPassword(v.Get("password")); err != nil {
		return "password", fmt.Errorf("%w (%w)", err, auth.ErrUsage)
	}
	return "name", c.Site.Accounts.AddUser(c.Context(), v.Get("name"), v.Get("password"), role)
}

func addToken(c *Call, v url.Values) (string, error) {
	role, err := auth.ParseRole(v.Get("role"))
	if err != nil {
		return "role", err
	}
	var expires time.Time
	if text := v.Get("expires"); text != "" {
		after, err := service.ParseAge(text)
		if err != nil || after <= 0 {
			return "expires", fmt.Errorf("use a time such as 90d or 12h, or nothing for never (%w)", auth.ErrUsage)
		}
		expires = time.Now().Add(after)
	}
	token, err := c.Site.Accounts.CreateToken(c.Context(), v.Get("name"), role, expires)
	if err == nil {
		c.Site.flash(c.Who, "token", token)
	}
	return "name", err
}
