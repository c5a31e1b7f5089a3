package web

import (
	"errors"
	"net/http"
	"slices"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// sharePage shows the last run of a project to whoever has its address, and the last one whose
// result can be relied on, if that is another one.
type sharePage struct {
	Name string
	Runs []sharedRun
}

type sharedRun struct {
	Row    runRow
	Groups []sharedGroup
}

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
	list, _, err := c.Site.Store.RunsOf(c.Context(), id, api.Full, 0, runsShown)
	if err != nil {
		return err
	}
	if n := slices.IndexFunc(list, func(r *store.Run) bool { return r.State.Over() }); n >= 0 {
		err = page.add(c, list[n])
		if err == nil && !list[n].IsSound() {
			err = page.addSound(c, list[n])
		}
	}
	if err != nil {
		return err
	}
	return c.page(http.StatusOK, "share", project.Name, page)
}

// addSound shows the last run before another one whose result can be relied on.
func (p *sharePage) addSound(c *Call, after *store.Run) error {
	before, err := c.Site.Store.SoundBefore(c.Context(), after.Project, after.Number)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.add(c, before)
}

func (p *sharePage) add(c *Call, r *store.Run) error {
	run := sharedRun{Row: rowOf(&r.Run)}
	for _, verdict := range shownFirst {
		group, err := shared(c, r, verdict)
		if err != nil {
			return err
		}
		if group.Total > 0 {
			run.Groups = append(run.Groups, *group)
		}
	}
	p.Runs = append(p.Runs, run)
	return nil
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
	Next     string
	Name     string
	Message  string
	Token    bool   // sign in with a token
	Password bool   // sign in with a name and a password
	SSO      string // the provider to sign in at, "" for none
	SetUp    bool   // there is no account yet
}

// WriteSignIn writes the form to sign in, "login", or the one for the first administrator,
// "setup".
func WriteSignIn(c *Call, status int, name string, form *SignIn) error {
	title := map[string]string{"login": "Sign in", "setup": "Set up"}[name]
	return c.page(status, name, title, form)
}
