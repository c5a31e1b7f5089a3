package web

import (
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// sharePage shows the last run of a project to whoever has its address.
type sharePage struct {
	Name    string
	Run     *api.Run
	Summary *summary
	Groups  []sharedGroup
}

// sharedGroup are findings with one verdict.
type sharedGroup struct {
	Verdict string
	Items   []sharedFinding
	Total   int
}

// sharedFinding is a finding with the first pages that have the link.
type sharedFinding struct {
	api.Finding
	Pages []findings.Place
}

// Limits of a shared page.
const (
	maxShared      = 200 // findings of a verdict
	maxSharedPages = 3   // of a finding
)

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
		for _, verdict := range []string{"broken", "unverified", "warning"} {
			group, err := shared(c, row, verdict)
			if err != nil {
				return err
			}
			if group.Total > 0 {
				page.Groups = append(page.Groups, *group)
			}
		}
		break
	}
	return c.page(http.StatusOK, "share", project.Name, page)
}

// shared returns the findings of a run with a verdict, those in the most places first.
func shared(c *Call, r *store.Run, verdict string) (*sharedGroup, error) {
	found, err := c.Site.Service.Findings.List(c.Context(), r, findings.Query{Verdicts: []string{verdict}, Sort: "places", Limit: maxShared})
	if err != nil || found.Total == 0 {
		return &sharedGroup{}, err
	}
	x, release, err := c.Site.Service.Manager.Findings(r.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	group := &sharedGroup{Verdict: verdict, Total: found.Total}
	for _, f := range found.Items {
		places, err := x.LinksTo(c.Context(), f.URL, maxSharedPages)
		if err != nil {
			return nil, err
		}
		group.Items = append(group.Items, sharedFinding{f, places})
	}
	return group, nil
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
