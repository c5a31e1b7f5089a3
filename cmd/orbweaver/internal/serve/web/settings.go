package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

type accountsPage struct {
	sentForm
	Users    []*api.User
	Tokens   []*api.Token
	Projects []*store.Project
	Made     string // a token that was just made
	Pages    []*api.StatusPage
	Status   string // the address of a status page that was just made
	Imported string // what an import did
	Roles    []string
	People   bool // people have accounts
}

// sentForm is the form of a page that has several which was sent, with its faults.
type sentForm struct {
	Form   string // what it does, and for whom: "change-user ada"
	Values url.Values
	Faults map[string]string
}

func (p *sentForm) Value(form, name string) string {
	if form != p.Form {
		return ""
	}
	return p.Values.Get(name)
}

func (p *sentForm) Fault(form, name string) string {
	if form != p.Form {
		return ""
	}
	return p.Faults[name]
}

func (p *sentForm) status() int {
	if len(p.Faults) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// ProjectName returns the name of a project of a token.
func (p *accountsPage) ProjectName(id *string) string {
	if id == nil {
		return ""
	}
	for _, one := range p.Projects {
		if one.ID == *id {
			return one.Name
		}
	}
	return "a project that is gone"
}

// maxListed is how many users, tokens and projects a page lists.
const maxListed = 10_000

func showSettings(c *Call) error { return settings(c, sentForm{}) }

func settings(c *Call, sent sentForm) error {
	page := &accountsPage{sentForm: sent, People: c.Site.Passwords, Roles: []string{"viewer", "editor", "admin"}, Made: c.Site.flashed(c.Who, "token"), Status: c.Site.flashed(c.Who, "status"), Imported: c.Site.flashed(c.Who, "import")}
	users, err := c.Site.Service.Accounts.Users(c.Context(), "", maxListed)
	if err != nil {
		return err
	}
	tokens, err := c.Site.Service.Accounts.Tokens(c.Context(), "", maxListed)
	if err != nil {
		return err
	}
	if page.Projects, _, err = c.Site.Store.Projects(c.Context(), store.Scope{}, "", maxListed); err != nil {
		return err
	}
	pages, err := c.Site.Service.Pages.List(c.Context(), "", maxListed)
	if err != nil {
		return err
	}
	page.Users, page.Tokens, page.Pages = users.Items, tokens.Items, pages.Items
	return c.page(page.status(), "settings", "Settings", page)
}

// changeSettings adds, changes or removes a user, a token or a status page.
func changeSettings(c *Call) error {
	v := c.fields
	do, name := v.Get("do"), v.Get("name")
	accounts, form := c.Site.Service.Accounts, do
	var err error
	switch do {
	case "add-user":
		_, err = accounts.AddUser(c.Context(), members(v, "name", "password", "role", "email"))
	case "change-user":
		form += " " + name
		_, err = accounts.ChangeUser(c.Context(), name, append(members(v, "role", "password"), textMembers(v, "email")...))
	case "remove-user":
		if v.Get("sure") != "yes" {
			return confirm(c, v, "Remove the user "+name, "The account "+name+", its profile, its sessions and its access to projects are lost. What the person did stays.", "settings")
		}
		err = accounts.RemoveUser(c.Context(), name)
	case "add-token":
		err = addToken(c, v)
	case "remove-token":
		if v.Get("sure") != "yes" {
			return confirm(c, v, "Revoke the token "+name, "Programs that use the token "+name+" are refused from now on. It cannot be made again.", "settings")
		}
		err = accounts.RemoveToken(c.Context(), name)
	case "import":
		err = importProjects(c, v)
	case "add-status":
		err = addStatus(c, v)
	case "remove-status":
		if v.Get("sure") != "yes" {
			return confirmStatus(c, v)
		}
		err = c.Site.Service.Pages.Delete(c.Context(), v.Get("id"))
	default:
		return api.NewProblem(http.StatusBadRequest, "the form asks for %q, which is unknown", do)
	}
	if err == nil {
		return c.See("settings")
	}
	if p := asProblem(err); p != nil && (p.Status == http.StatusConflict || p.Status == http.StatusNotFound) {
		err = api.Invalid(api.Fault{Field: "name", Message: p.Detail})
	}
	faults, err := faultsOf(err)
	if err != nil {
		return err
	}
	return settings(c, sentForm{form, v, faults})
}

func addToken(c *Call, v url.Values) error {
	t, err := c.Site.Service.Accounts.AddToken(c.Context(), members(v, "name", "role", "expires", "project"))
	if err == nil {
		c.Site.flash(c.Who, "token", t.Token)
	}
	return err
}

// confirmPage asks before something is removed.
type confirmPage struct {
	Lost   string
	Action string
	Back   string // where to go if it shall not
	Fields url.Values
	Faults map[string]string
}

// confirm asks whether what a form removes shall be lost.
func confirm(c *Call, v url.Values, title, lost, back string) error {
	fields := url.Values{}
	for name, values := range v {
		if name != "sure" {
			fields[name] = values
		}
	}
	status := http.StatusOK
	if v.Has("sure") {
		status = http.StatusUnprocessableEntity
	}
	return c.page(status, "confirm", title, &confirmPage{Lost: lost, Action: strings.TrimPrefix(c.Path, "/"), Back: back, Fields: fields})
}

// profilePage is somebody's own account.
type profilePage struct {
	sentForm
	Me       *api.Me
	Sessions []*api.Session
	Digests  []string
	Done     string
	Person   bool // there is an account
	Password bool // it has a password
}

// Entered returns what was typed into a field, or what is stored.
func (p *profilePage) Entered(name, stored string) string {
	if p.Form == "save" {
		return p.Values.Get(name)
	}
	return stored
}

func showProfile(c *Call) error { return profile(c, sentForm{}) }

func profile(c *Call, sent sentForm) error {
	me, err := c.Site.Service.Accounts.Me(c.Context(), c.Who)
	if err != nil {
		return err
	}
	sessions, err := c.Site.Service.Accounts.Sessions(c.Context(), c.Who, "", maxListed)
	if err != nil {
		return err
	}
	return c.page(sent.status(), "profile", "Profile", &profilePage{sentForm: sent, Me: me, Sessions: sessions.Items, Digests: auth.Digests,
		Done: c.Site.flashed(c.Who, "profile"), Person: c.Who.IsPerson(), Password: c.Who.Via == auth.Password})
}

// changeProfile does what a form of the profile asks for.
func changeProfile(c *Call) error {
	v := c.fields
	accounts := c.Site.Service.Accounts
	do := cmp.Or(v.Get("do"), "save")
	done := "Saved."
	var err error
	switch do {
	case "save":
		_, err = accounts.ChangeMe(c.Context(), c.Who, textMembers(v, "email", "time_zone", "digest"))
	case "password":
		done = "The password is changed. Other sessions have ended."
		err = accounts.ChangePassword(c.Context(), c.Who, textMembers(v, "current", "new"), c.Session, c.Client)
	case "digest":
		var sent *api.Mailed
		if sent, err = c.Site.Service.Digests.Send(c.Context(), c.Who); err == nil {
			if done = "The summary was sent."; !sent.Delivered {
				done = "The summary was not sent: " + *sent.Error
			}
		} else if p := asProblem(err); p != nil {
			err = api.Invalid(api.Fault{Field: "email", Message: p.Detail})
		}
		do = "save"
	case "end-session":
		done = "The session has ended."
		err = accounts.EndSession(c.Context(), c.Who, cmp.Or(v.Get("id"), "-"))
	case "end-sessions":
		done = "All other sessions have ended."
		err = accounts.EndSession(c.Context(), c.Who, "")
	default:
		return api.NewProblem(http.StatusBadRequest, "the form asks for %q, which is unknown", do)
	}
	if err == nil {
		c.Site.flash(c.Who, "profile", done)
		return c.See("profile")
	}
	if p := asProblem(err); p != nil && p.Status == http.StatusForbidden {
		err = api.Invalid(api.Fault{Field: "current", Message: p.Detail})
	}
	faults, err := faultsOf(err)
	if err != nil {
		return err
	}
	return profile(c, sentForm{do, v, faults})
}
