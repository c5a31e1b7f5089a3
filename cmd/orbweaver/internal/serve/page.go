package serve

import (
	"net/http"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/web"
)

// newSite returns what the pages need of a server.
func newSite(s *Server) *web.Site {
	return &web.Site{Service: s.service, Store: s.store, Version: s.settings.Version, CheckView: checkView,
		ReadOnly: s.settings.ReadOnly, Passwords: s.settings.Mode == Passwords || s.settings.Mode == SingleSignOn, Open: s.settings.Mode == Open}
}

func pageRoutes() []route {
	var rows []route
	for _, r := range web.Routes() {
		rows = append(rows, route{Method: r.Method, Path: r.Path, Role: r.Role, Public: r.Public, Form: r.Method == http.MethodPost, Handle: func(c *call) error {
			page := c.web()
			if c.route.Form {
				if err := page.ReadForm(); err != nil {
					return err
				}
			}
			return r.Handle(page)
		}})
	}
	return rows
}

// web returns the request as the pages see it.
func (c *call) web() *web.Call {
	var params map[string]string
	if c.route != nil {
		params = c.route.params(c.Request)
	}
	return &web.Call{Request: c.Request, W: c.w, Site: c.server.site, Prefix: c.prefix, Origin: c.server.origin(c.Request), Path: c.path,
		Who: c.who, Params: params, Project: c.project, Run: c.run, Session: sessionOf(c.Request), Client: c.server.client(c.Request)}
}

// page writes a form to sign in or to set up.
func (c *call) page(status int, name string, form *web.SignIn) error {
	return web.WriteSignIn(c.web(), status, name, form)
}

// wantsPage reports whether an error is shown to a person: a form was sent, or a browser asks
// for a page.
func (c *call) wantsPage() bool {
	if c.route != nil && c.route.Form {
		return true
	}
	return !c.isMachine() && strings.Contains(c.Header.Get("Accept"), "text/html")
}

// problem writes a problem, as a page for people and as JSON for programs.
func (c *call) problem(p *api.Problem) error {
	if c.wantsPage() {
		return web.Fail(c.web(), p)
	}
	return c.object(p.Status, "application/problem+json", p)
}
