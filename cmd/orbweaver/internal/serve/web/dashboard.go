package web

import (
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
)

const maxProjects = 200

// maxAssigned is the number of issues of one project that the dashboard lists for their owner.
const maxAssigned = 10

// dashboard is the first page: all projects and their last runs.
type dashboard struct {
	filters
	Fault    string   // what is wrong with them
	Tags     []string // of all projects
	Projects []projectCard
	Assigned []service.Assigned // to the person who looks
	Total    int
	Next     *string
	Form     *projectForm // without projects
	Events   string       // the address of the events that follow
}

// Mine is the query of the issues of the person who looks.
func (d *dashboard) Mine() template.URL { return "owner=" + service.Myself }

// projectCard is a project with the counts of its last run.
type projectCard struct {
	*api.Project
	Last  runRow // the last run, if there is one
	Spark template.HTML
}

func showDashboard(c *Call) error {
	last := c.Site.Service.Manager.All.Last() // before the rows, so that no change is missed
	d := &dashboard{filters: filters{c.URL.Query()}, Events: "api/v1/events?after=" + strconv.FormatInt(last, 10)}
	list, status, err := d.list(c)
	if err != nil {
		return err
	}
	d.Total, d.Next = list.Total, list.Next
	if c.Who.IsPerson() && c.URL.Query().Get("after") == "" {
		if d.Assigned, err = c.Site.Service.Issues.AssignedTo(c.Context(), c.Who, maxAssigned); err != nil {
			return err
		}
	}
	for _, p := range list.Items {
		card := projectCard{Project: p, Last: rowOf(p.LastRun)}
		runs, err := c.Site.Service.Runs.List(c.Context(), p.ID, api.Full, "", 20)
		if err != nil {
			return err
		}
		card.Spark = sparkline(runs.Items)
		d.Projects = append(d.Projects, card)
	}
	if d.Total == 0 && !d.Filtered() {
		d.Form = newProjectForm(url.Values{}, nil)
	}
	return c.page(status, "dashboard", "Projects", d)
}

// list returns the projects that the address asks for, and the status of the page. Words that are not
// known are reported, and all projects are shown.
func (d *dashboard) list(c *Call) (*api.List[*api.Project], int, error) {
	f, status := d.filters, http.StatusOK
	q := service.ProjectQuery{Text: f.Get("q"), Tags: slices.DeleteFunc(slices.Clone(f.Values["tag"]), func(tag string) bool { return tag == "" }), State: f.one("state", service.ProjectStates...), Sort: f.one("sort", service.ProjectSorts...), Limit: maxProjects, After: f.Get("after")}
	for name, known := range map[string]string{"state": q.State, "sort": q.Sort} {
		if f.Get(name) != known {
			d.Fault, status = "There is no "+name+" “"+clip(f.Get(name), 40)+"”.", http.StatusUnprocessableEntity
		}
	}
	var err error
	if d.Tags, err = c.Site.Service.Projects.Tags(c.Context(), service.ScopeOf(c.Who)); err != nil {
		return nil, 0, err
	}
	list, err := c.Site.Service.Projects.List(c.Context(), service.ScopeOf(c.Who), q)
	if p := asProblem(err); p != nil && q.After != "" {
		d.Fault, status, q.After = sentence(p.Detail)+".", http.StatusUnprocessableEntity, ""
		list, err = c.Site.Service.Projects.List(c.Context(), service.ScopeOf(c.Who), q)
	}
	return list, status, err
}

func (d *dashboard) Filtered() bool {
	return slices.ContainsFunc([]string{"q", "tag", "state"}, func(name string) bool { return d.filters.Get(name) != "" })
}

// Selects are the filters with a few values.
func (d *dashboard) Selects() []selectField {
	all := []selectField{
		{Name: "tag", Label: "Tag", Choices: [][2]string{{"", "all"}}},
		{Name: "state", Label: "State", Choices: [][2]string{{"", "all"}, {"broken", "broken"}, {"ok", "in order"}, {"unreliable", "not reliable"}, {"running", "running"}, {"never", "never checked"}}},
		{Name: "sort", Label: "Order", Choices: [][2]string{{"", "by name"}, {"broken", "most broken first"}, {"checked", "last checked first"}, {"next", "next run first"}, {"created", "oldest first"}}},
	}
	for _, tag := range d.Tags {
		all[0].Choices = append(all[0].Choices, [2]string{tag, tag})
	}
	for i := range all {
		all[i].Value = d.filters.Get(all[i].Name)
	}
	return all
}

type projectForm struct {
	Values  url.Values
	Faults  map[string]string
	Groups  []group
	New     bool
	Version int64 // of the stored project
}

func (f *projectForm) Value(name string) string { return f.Values.Get(name) }
func (f *projectForm) Fault(name string) string { return f.Faults[name] }

// maxShownList is the size of a list of URLs that a form shows, in bytes.
const maxShownList = 50_000

// URLList returns the list of URLs, "" for one that is too long for a form.
func (f *projectForm) URLList() string {
	if list := f.Value("urls"); len(list) <= maxShownList {
		return list
	}
	return ""
}

// NameHint says what an empty name means.
func (f *projectForm) NameHint() string {
	if f.New {
		return "Empty: the host of the first address."
	}
	return ""
}

func newProjectForm(v url.Values, faults map[string]string) *projectForm {
	known := map[string]bool{"": true, "name": true, "targets": true, "schedule": true, "access": true, "tags": true, "urls": true}
	for _, name := range quietNames {
		known[name] = true
	}
	for _, g := range optionGroups() {
		for _, o := range g.Options {
			known[o.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		if !known[name] { // the form has no field of this name
			faults[""] = strings.TrimPrefix(faults[""]+"; "+name+": "+faults[name], "; ")
		}
	}
	return &projectForm{Values: v, Faults: faults, Groups: groupsOf(v, faults), New: true}
}

func newProject(c *Call) error {
	return c.page(http.StatusOK, "new", "Add a site", newProjectForm(c.URL.Query(), nil))
}

// createProject creates a project from a form, and starts its first run if the button asks
// for that.
func createProject(c *Call) error {
	v := c.fields
	body, err := projectBody(v, true)
	if err != nil {
		return err
	}
	p, err := c.Site.Service.Projects.Create(c.Context(), body, v.Get("urls"))
	if err != nil {
		faults, err := faultsOf(err)
		if err != nil {
			return err
		}
		return c.page(http.StatusUnprocessableEntity, "new", "Add a site", newProjectForm(v, faults))
	}
	if v.Get("run") == "" {
		return c.See("projects/" + p.ID)
	}
	row, err := c.Site.Store.Project(c.Context(), p.ID)
	if err != nil {
		return err
	}
	r, err := c.Site.Service.Runs.Start(c.Context(), row, api.Full)
	if err != nil {
		return err
	}
	return c.See("runs/" + r.ID)
}
