package web

import (
	"cmp"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
)

// pagesPage is the list of the pages that a run has read.
type pagesPage struct {
	filters
	Items   []api.Page
	Next    *string
	Total   int
	Figures []figure
	Fault   string
	Active  bool
	path    string // of the list
}

// pageColumn is a column of the list, by which it can be sorted.
type pageColumn struct {
	Name, Sort, Class string
	Order             string       // a value of aria-sort, "" if the list is not sorted by it
	Path              template.URL // of the list sorted by it, or in the reverse order
}

var pageColumns = []pageColumn{{Name: "Page", Sort: "url"}, {Name: "Status", Sort: "status", Class: "number"}, {Name: "Depth", Sort: "depth", Class: "number extra"}, {Name: "Links in", Sort: "in", Class: "number extra"},
	{Name: "Links out", Sort: "out", Class: "number extra"}, {Name: "Type", Sort: "type", Class: "extra"}, {Name: "Time", Sort: "elapsed", Class: "number extra"}, {Name: "Size", Sort: "size", Class: "number extra"}, {Name: "Broken", Sort: "broken", Class: "number"}}

func (p *pagesPage) Columns() []pageColumn {
	all := slices.Clone(pageColumns)
	for i := range all {
		c := &all[i]
		f := filters{mapWithout(p.filters.Values, "order")}
		if c.Sort == p.Value("sort") {
			c.Order = "descending"
			upward := findings.PageSort(c.Sort).Upward()
			if order := p.Value("order"); order == "asc" || order == "" && upward {
				c.Order = "ascending"
			}
			if p.Value("order") == "" { // else the link leads back to the usual order
				f.Set("order", map[bool]string{true: "desc", false: "asc"}[upward])
			}
		}
		c.Path = template.URL(p.path+"?") + f.With("sort", c.Sort)
	}
	return all
}

func (p *pagesPage) Filtered() bool {
	return slices.ContainsFunc([]string{"q", "status", "depth", "type"}, func(name string) bool { return p.Value(name) != "" })
}

// figure is a chart of the pages by a property.
type figure struct {
	Name string
	Bars []figureBar
	More int // bars that are left out
}

// figureBar is the number of pages with a value.
type figureBar struct {
	Label string
	Count int
	Width int          // of 100
	Path  template.URL // of these pages
}

const maxBars = 12

// add adds a chart of values, each with the filter that selects it.
func (p *pagesPage) add(name string, bars []figureBar) {
	f := figure{Name: name, Bars: bars[:min(len(bars), maxBars)], More: max(0, len(bars)-maxBars)}
	most := 1
	for _, b := range f.Bars {
		most = max(most, b.Count)
	}
	for i := range f.Bars {
		f.Bars[i].Width = (100*f.Bars[i].Count + most - 1) / most
	}
	p.Figures = append(p.Figures, f)
}

func (p *pagesPage) draw(f *api.Figures) {
	path := func(name, value string) template.URL {
		return template.URL(p.path + "?" + url.Values{name: {value}}.Encode())
	}
	var status, depth, types, elapsed []figureBar
	for _, v := range f.Status {
		label := strconv.Itoa(v.Value)
		status = append(status, figureBar{Label: map[bool]string{true: "none", false: label}[v.Value == 0], Count: v.Count, Path: path("status", label)})
	}
	for _, v := range f.Depth {
		depth = append(depth, figureBar{Label: strconv.Itoa(v.Value), Count: v.Count, Path: path("depth", strconv.Itoa(v.Value))})
	}
	for _, v := range f.ContentType {
		name := cmp.Or(v.Value, findings.NoType)
		types = append(types, figureBar{Label: clip(name, 60), Count: v.Count, Path: path("type", name)})
	}
	slices.SortStableFunc(types, func(a, b figureBar) int { return b.Count - a.Count })
	for i, v := range f.Elapsed {
		label := "over " + durationText(time.Duration(*f.Elapsed[max(i-1, 0)].UpToMS)*time.Millisecond)
		if v.UpToMS != nil {
			label = "up to " + durationText(time.Duration(*v.UpToMS)*time.Millisecond)
		}
		elapsed = append(elapsed, figureBar{Label: label, Count: v.Count, Path: path("sort", "elapsed")})
	}
	p.add("Status", status)
	p.add("Depth", depth)
	p.add("Content type", types)
	p.add("Response time", elapsed)
}

func showPages(c *Call) error {
	f := filters{c.URL.Query()}
	page, status := &pagesPage{filters: f, Active: c.Run.State.Active(), path: "runs/" + c.Run.ID + "/pages"}, http.StatusOK
	sort := f.one("sort", findings.PageSorts...)
	if sort == "" {
		sort = "broken"
		f.Set("sort", sort)
	}
	q := findings.PageQuery{Text: f.Get("q"), Status: f.Get("status"), Depth: f.Get("depth"), Type: f.Get("type"), Sort: findings.PageSort(sort), Order: f.one("order", "asc", "desc"), Limit: perPage, After: f.Get("after")}
	list, err := c.Site.Service.Findings.Pages(c.Context(), c.Run, q)
	if p := asProblem(err); p != nil && len(p.Errors) > 0 {
		page.Fault, status = sentence(p.Errors[0].Field+": "+p.Detail)+".", http.StatusUnprocessableEntity
		list, err = &api.List[api.Page]{}, nil
	}
	if err != nil {
		return err
	}
	page.Items, page.Next, page.Total = list.Items, list.Next, list.Total
	figures, err := c.Site.Service.Findings.Figures(c.Context(), c.Run)
	if err != nil {
		return err
	}
	page.draw(figures)
	return c.page(status, "pages", "Pages", page)
}

// pageView shows one page: what is on it, and who links to it.
type pageView struct {
	api.Page
	On, To     []link
	MoreOn     bool
	MoreTo     bool
	BrokenOnly bool
}

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
	return c.page(http.StatusOK, "page", shownURL(view.URL, 100), view)
}
