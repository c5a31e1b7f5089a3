package web

import (
	"errors"
	"html/template"
	"io/fs"
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
)

// pagesPage is the list of the pages that a run has read.
type pagesPage struct {
	Filters filters
	Items   []api.Page
	Next    *string
	Total   int
	Sorts   []column
	Active  bool
}

// column is a column of the list by which it can be sorted.
type column struct {
	Name, Sort    string
	Number, Extra bool // Extra columns are not shown on narrow screens
}

var pageColumns = []column{{"Page", "url", false, false}, {"Status", "", true, false}, {"Depth", "depth", true, true}, {"Links in", "links", true, true}, {"Links out", "", true, true},
	{"Time", "elapsed", true, true}, {"Size", "size", true, true}, {"Broken", "broken", true, false}}

// With returns the query of the list with one value changed.
func (p *pagesPage) With(name, value string) template.URL { return p.Filters.with(name, value) }

// Value returns a filter.
func (p *pagesPage) Value(name string) string { return p.Filters.Get(name) }

func showPages(c *Call) error {
	f := filters{c.URL.Query()}
	page := &pagesPage{Filters: f, Sorts: pageColumns, Active: c.Run.State.Active()}
	sort := f.one("sort", findings.PageSorts...)
	if sort == "" {
		sort = "broken"
		f.Set("sort", sort)
	}
	list, err := c.Site.Service.Findings.Pages(c.Context(), c.Run, findings.PageQuery{Text: f.Get("q"), Sort: findings.PageSort(sort), Limit: perPage, After: f.Get("after")})
	if err != nil {
		return err
	}
	page.Items, page.Next, page.Total = list.Items, list.Next, list.Total
	return c.page(http.StatusOK, "pages", "Pages", page)
}

// pageView shows one page: what is on it, and who links to it.
type pageView struct {
	api.Page
	On, To     []link
	MoreOn     bool
	MoreTo     bool
	BrokenOnly bool
}

// link is a link with the finding at its target.
type link struct {
	findings.Place
	Finding *api.Finding // nil for none
}

// maxOnPage is the number of findings of a page that are looked at.
const maxOnPage = 20_000

// maxLinks is the number of links that a page lists.
const maxLinks = 1000

func showPage(c *Call) error {
	address := c.URL.Query().Get("url")
	notFound := api.NewProblem(http.StatusNotFound, "the run has read no page %s", address)
	x, release, err := c.Site.Service.Manager.Findings(c.Run.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound
	}
	if err != nil {
		return err
	}
	defer release()
	view := &pageView{BrokenOnly: c.URL.Query().Get("show") != "all"}
	if view.Page, err = x.Page(c.Context(), address); err != nil {
		if errors.Is(err, findings.ErrNotFound) {
			return notFound
		}
		return err
	}
	on, err := x.LinksOn(c.Context(), address, maxLinks+1)
	if err != nil {
		return err
	}
	to, err := x.LinksTo(c.Context(), address, maxLinks+1)
	if err != nil {
		return err
	}
	view.MoreOn, view.MoreTo = len(on) > maxLinks, len(to) > maxLinks
	found := map[string]*api.Finding{}
	list, _, err := collect(c, findings.Query{Page: address}, maxOnPage)
	if err != nil {
		return err
	}
	for i := range list {
		if f := &list[i]; found[f.URL] == nil {
			found[f.URL] = f
		}
	}
	for _, p := range on[:min(len(on), maxLinks)] {
		if !view.BrokenOnly || found[p.Target] != nil {
			view.On = append(view.On, link{p, found[p.Target]})
		}
	}
	for _, p := range to[:min(len(to), maxLinks)] {
		view.To = append(view.To, link{Place: p})
	}
	return c.page(http.StatusOK, "page", clip(view.URL, 100), view)
}
