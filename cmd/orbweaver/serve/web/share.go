package web

import (
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/findings"
)

// sharePage shows the last run of a project to whoever has its address.
type sharePage struct {
	Name    string
	Run     *api.Run
	Summary *summary
	Items   []api.Finding
	Total   int
}

func showShare(c *Call) error {
	none := api.NewProblem(http.StatusNotFound, "this address is not shared, or no longer")
	id, ok := c.Site.Service.Links.Project(c.Context(), c.Params["token"], "share")
	if !ok {
		return none
	}
	project, err := c.Site.Store.Project(c.Context(), id)
	if err != nil {
		return err
	}
	page := &sharePage{Name: project.Name}
	list, err := c.Site.Service.Runs.List(c.Context(), id, "", runsShown)
	if err != nil {
		return err
	}
	for _, r := range list.Items {
		if !r.State.Over() {
			continue
		}
		page.Run, page.Summary = r, summaryOf(r)
		row, err := c.Site.Store.Run(c.Context(), r.ID)
		if err != nil {
			return err
		}
		found, err := c.Site.Service.Findings.List(c.Context(), row, findings.Query{Verdicts: []string{"broken", "unverified"}, Sort: "places", Limit: 500})
		if err != nil {
			return err
		}
		page.Items, page.Total = found.Items, found.Total
		break
	}
	return c.page(http.StatusOK, "share", project.Name, page)
}

// SignIn is what the forms to sign in and to set up show.
type SignIn struct {
	Next    string
	Name    string
	Message string
	Token   bool // sign in with a token
}

// WriteSignIn writes the form to sign in, "login", or the one for the first administrator,
// "setup".
func WriteSignIn(c *Call, status int, name string, form *SignIn) error {
	title := map[string]string{"login": "Sign in", "setup": "Set up"}[name]
	return c.page(status, name, title, form)
}
