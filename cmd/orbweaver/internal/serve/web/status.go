package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// statusPage tells how several projects are to whoever has its address.
type statusPage struct {
	Title    string
	Projects []statusRow
}

// statusRow is a project with the last run that has ended.
type statusRow struct {
	service.Status
	Summary *summary
}

// Why says why the result of the last run is not reliable, without what only people of the project may
// know, such as who stopped it.
func (r statusRow) Why() string {
	return map[string]string{"nothing-verified": "nothing could be verified", "start-unread": "a start page could not be read", "max-time": "it reached its time limit", "max-pages": "it reached its limit of pages",
		"interrupted": "it was interrupted", "login": "it was signed out", "failed": "it failed"}[*r.Last.UnsoundBecause]
}

func showStatus(c *Call) error {
	title, all, err := c.Site.Service.Pages.Of(c.Context(), c.Params["token"])
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(http.StatusNotFound, "there is no status page here, or no longer")
	}
	if err != nil {
		return err
	}
	page := &statusPage{Title: title}
	for _, one := range all {
		page.Projects = append(page.Projects, statusRow{one, summaryOf(one.Last)})
	}
	return c.page(http.StatusOK, "status", title, page)
}

func addStatus(c *Call, v url.Values) error {
	body := members(v, "title", "tag", "expires")
	if v.Has("projects") {
		body = append(body, member("projects", v["projects"]))
	}
	p, err := c.Site.Service.Pages.Create(c.Context(), body)
	if err == nil {
		c.Site.flash(c.Who, "status", c.Origin+c.Prefix+p.URL)
	}
	return err
}

// confirmStatus asks whether a status page shall be removed.
func confirmStatus(c *Call, v url.Values) error {
	p, err := c.Site.Service.Pages.Get(c.Context(), v.Get("id"))
	if err != nil {
		return err
	}
	return confirm(c, v, "Remove the status page "+p.Title, "Whoever has its address cannot read it any more. It cannot be made again.", "settings")
}
