package web

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

const runsShown = 60

type projectPage struct {
	*api.Project
	Runs    []runRow
	More    bool
	Chart   template.HTML
	Last    *runRow // the last run that has ended
	Changes *api.Comparison
	Active  *api.Run // that is queued or running
	// Compared reports whether there is a reliable run before Last.
	Compared bool
	Fault    string
}

// HasFailing reports whether something had failed in the last reliable run, which can be asked again.
func (p *projectPage) HasFailing() bool {
	at := slices.IndexFunc(p.Runs, func(r runRow) bool { return r.IsSound() && r.Kind == api.Full })
	return at >= 0 && p.Runs[at].Summary != nil && p.Runs[at].Summary.Broken+p.Runs[at].Summary.Unverified > 0
}

type runRow struct {
	*api.Run
	Summary *summary
}

// rowOf returns a run with its counts. It has neither if there is no run.
func rowOf(r *api.Run) runRow { return runRow{r, summaryOf(r)} }

// IsClean reports whether a run found nothing, and that can be relied on.
func (r runRow) IsClean() bool {
	s := r.Summary
	return r.IsSound() && s != nil && s.Broken+s.Unverified+s.Warnings == 0
}

func showProject(c *Call) error { return project(c, http.StatusOK, "") }

// project shows a project. fault is why an action was not possible.
func project(c *Call, status int, fault string) error {
	s := c.Site.Service
	p, err := s.Projects.Get(c.Context(), c.Project)
	if err != nil {
		return err
	}
	list, err := s.Runs.List(c.Context(), p.ID, "", "", runsShown)
	if err != nil {
		return err
	}
	page := &projectPage{Project: p, More: list.Next != nil, Chart: historyChart(list.Items, c.clock()), Fault: fault}
	for _, r := range list.Items {
		row := rowOf(r)
		page.Runs = append(page.Runs, row)
		switch {
		case r.State.Active() && page.Active == nil:
			page.Active = r
		case r.State.Over() && page.Last == nil && r.Kind == api.Full:
			page.Last = &row
		}
	}
	if page.Last != nil && page.Last.State == api.Done {
		row, err := c.Site.Store.Run(c.Context(), page.Last.ID)
		if err != nil {
			return err
		}
		before, err := soundBefore(c, row)
		if err != nil {
			return err
		}
		page.Compared = before != ""
		if page.Changes, err = s.Findings.Compare(c.Context(), row, "", 5); err != nil {
			return err
		}
	}
	return c.page(status, "project", p.Name, page)
}

type settingsPage struct {
	*projectForm
	Notify  []api.Notify
	Links   []*api.Link
	Made    string // the address of a link that was just made
	Tested  string // the result of a test
	Adding  url.Values
	Problem string
	// NotifyTypes are the types of notifications.
	NotifyTypes []string
	URLs        int
}

// ChannelMembers are the members of notifications that only some services have.
func (p *settingsPage) ChannelMembers() []string { return []string{"token", "topic", "chat", "room"} }

func showProjectSettings(c *Call) error {
	return projectSettings(c, http.StatusOK, nil, nil, nil)
}

// projectSettings shows the settings. values are those of the form that was sent, with faults.
func projectSettings(c *Call, status int, values url.Values, faults map[string]string, adding url.Values) error {
	p, err := c.Site.Service.Projects.Get(c.Context(), c.Project)
	if err != nil {
		return err
	}
	links, err := c.Site.Service.Links.List(c.Context(), p.ID, "", 1000)
	if err != nil {
		return err
	}
	if values == nil {
		values = valuesOf(p)
	}
	if values.Set("urls", adding.Get("urls")); !adding.Has("urls") {
		list, err := c.Site.Service.Projects.URLs(c.Context(), p.ID)
		if err != nil {
			return err
		}
		values.Set("urls", list)
	}
	form := newProjectForm(values, faults)
	form.New, form.Version = false, p.Version
	return c.page(status, "project-settings", "Settings of "+p.Name, &settingsPage{projectForm: form, Notify: p.Notify, Links: links.Items, URLs: p.URLs, Adding: adding,
		Made: c.Site.flashed(c.Who, "link "+p.ID), Tested: c.Site.flashed(c.Who, "test "+p.ID), Problem: faults[""], NotifyTypes: c.Site.Service.Notices.Types()})
}

// changeProject does what a form of the settings asks for: it saves, or deletes, or changes
// notifications and links.
func changeProject(c *Call) error {
	v := c.fields
	s, back := c.Site.Service, "projects/"+c.Project.ID+"/settings"
	var values, adding url.Values
	var err error
	switch v.Get("do") {
	case "", "save":
		values = v
		var body []byte
		if body, err = projectBody(v, false); err == nil {
			_, err = s.Projects.Change(c.Context(), c.Project, body, versionOf(v))
		}
		back = "projects/" + c.Project.ID
	case "delete":
		if v.Get("sure") != "yes" {
			err = api.Invalid(api.Fault{Field: "sure", Message: "tick the box to delete the project, its runs and its marks"})
			break
		}
		err = s.Projects.Delete(c.Context(), c.Project, versionOf(v))
		back = ""
	case "set-urls", "remove-urls":
		adding = v
		err = changeURLs(c, v)
	case "add-link":
		adding = v
		err = addLink(c, v)
	case "remove-link":
		if v.Get("sure") != "yes" {
			return confirm(c, v, "Revoke a read-only address", "Whoever has the address cannot read it any more. It cannot be made again.", "projects/"+c.Project.ID+"/settings")
		}
		err = s.Links.Delete(c.Context(), c.Project.ID, v.Get("id"))
	case "add-notify", "remove-notify":
		if v.Get("do") == "remove-notify" && v.Get("sure") != "yes" {
			return confirmNotify(c, v)
		}
		adding = v
		err = changeNotify(c, v)
	case "test-notify":
		err = testNotify(c, v)
	default:
		err = api.NewProblem(http.StatusBadRequest, "the form asks for %q, which is unknown", v.Get("do"))
	}
	if err == nil {
		return c.See(back)
	}
	if faults := conflictOf(err, values, storedProject); faults != nil {
		if c.Project, err = c.Site.Store.Project(c.Context(), c.Project.ID); err != nil {
			return err
		}
		return projectSettings(c, http.StatusConflict, values, faults, adding)
	}
	faults, err := faultsOf(err)
	if err != nil {
		return err
	}
	return projectSettings(c, http.StatusUnprocessableEntity, values, faults, adding)
}

// changeURLs replaces the list of URLs of a project, or removes it.
func changeURLs(c *Call, v url.Values) error {
	text := v.Get("urls")
	if v.Get("do") == "remove-urls" {
		text = ""
	} else if strings.TrimSpace(text) == "" {
		return api.Invalid(api.Fault{Field: "urls", Message: "write URLs, one a line, or choose a file"})
	}
	_, err := c.Site.Service.Projects.PutURLs(c.Context(), c.Project, text, versionOf(v))
	return err
}

func storedProject(current any) url.Values {
	p, _ := current.(*api.Project)
	if p == nil {
		return url.Values{}
	}
	return valuesOf(p)
}

// storedMark returns the fields of a mark that is stored, or that there is none.
func storedMark(current any) url.Values {
	m, _ := current.(*api.Mark)
	if m == nil {
		return url.Values{"as": {""}, "reason": {""}, "until": {""}}
	}
	v := url.Values{"as": {m.As}, "reason": {m.Reason}, "until": {""}}
	if m.Until != nil {
		v.Set("until", m.Until.Format(time.RFC3339))
	}
	return v
}

// members returns fields as members of a JSON object; empty ones are left out.
func members(v url.Values, names ...string) (all []strictjson.Member) {
	for _, name := range names {
		if text := strings.TrimSpace(v.Get(name)); text != "" {
			all = append(all, member(name, text))
		}
	}
	return all
}

func member(name string, texts any) strictjson.Member {
	value, _ := json.Marshal(texts) // strings never fail
	return strictjson.Member{Name: name, Value: value}
}

// textMembers returns those fields that a form has as members of a JSON object.
func textMembers(v url.Values, names ...string) (all []strictjson.Member) {
	for _, name := range names {
		if v.Has(name) {
			all = append(all, member(name, v.Get(name)))
		}
	}
	return all
}

func addLink(c *Call, v url.Values) error {
	l, err := c.Site.Service.Links.Create(c.Context(), c.Project.ID, members(v, "for", "expires"))
	if err != nil {
		return err
	}
	c.Site.flash(c.Who, "link "+c.Project.ID, c.Origin+c.Prefix+l.URL)
	return nil
}

// confirmNotify asks whether a way to notify people shall be removed.
func confirmNotify(c *Call, v url.Values) error {
	p, err := c.Site.Service.Projects.Get(c.Context(), c.Project)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(v.Get("n"))
	if err != nil || n < 0 || n >= len(p.Notify) {
		return api.NewProblem(http.StatusNotFound, "there is no such notification")
	}
	one := p.Notify[n]
	return confirm(c, v, "Remove a notification", "No message is sent to "+one.Type+" "+one.URL+one.To+one.Topic+one.Chat+" any more, and its address and secret are lost.", "projects/"+c.Project.ID+"/settings")
}

// changeNotify adds a way to notify people, or removes the nth one.
func changeNotify(c *Call, v url.Values) error {
	if v.Get("do") == "remove-notify" {
		n, err := strconv.Atoi(v.Get("n"))
		if err != nil {
			n = -1 // there is no such notification
		}
		return c.Site.Service.Projects.RemoveNotify(c.Context(), c.Project, n, versionOf(v))
	}
	p, err := c.Site.Service.Projects.Get(c.Context(), c.Project)
	if err != nil {
		return err
	}
	all := append(slices.Clone(p.Notify), api.Notify{Type: v.Get("type"), URL: strings.TrimSpace(v.Get("url")), Secret: v.Get("secret"), Token: strings.TrimSpace(v.Get("token")), To: strings.TrimSpace(v.Get("to")),
		Topic: strings.TrimSpace(v.Get("topic")), Chat: strings.TrimSpace(v.Get("chat")), Room: strings.TrimSpace(v.Get("room")), On: v["on"]})
	body, err := json.Marshal(map[string]any{"notify": all})
	if err != nil {
		return err
	}
	_, err = c.Site.Service.Projects.Change(c.Context(), c.Project, body, versionOf(v))
	return err
}

// testNotify sends a test to the nth notification of a project.
func testNotify(c *Call, v url.Values) error {
	d, err := c.Site.Service.Notices.Test(c.Context(), c.Project, v.Get("n"))
	if err != nil {
		return err
	}
	text := "The test was delivered."
	if !d.Delivered {
		text = "The test was not delivered: " + d.Error
	}
	if d.Status != 0 {
		text += " (status " + strconv.Itoa(d.Status) + ")"
	}
	c.Site.flash(c.Who, "test "+c.Project.ID, text)
	return nil
}

// mark marks a finding as known, or removes the mark.
func mark(c *Call) error {
	v := c.fields
	fingerprint := c.Params["fingerprint"]
	var err error
	if v.Get("do") == "remove" {
		err = c.Site.Service.Marks.Delete(c.Context(), c.Project.ID, fingerprint, versionOf(v))
	} else {
		_, err = c.Site.Service.Marks.Put(c.Context(), c.Project.ID, fingerprint, c.Who.Name, members(v, "as", "reason", "until"), versionOf(v))
	}
	run, id := v.Get("run"), v.Get("id")
	if err != nil {
		status, faults := http.StatusConflict, conflictOf(err, v, storedMark)
		if faults == nil {
			status = http.StatusUnprocessableEntity
			if faults, err = faultsOf(err); err != nil {
				return err
			}
		}
		if c.Run, err = c.Site.Store.Run(c.Context(), run); err != nil || c.Run.Project != c.Project.ID {
			c.Run = nil
			return c.page(status, "mark", "Mark a finding", &markForm{Fingerprint: fingerprint, Values: v, Faults: faults})
		}
		if v.Get("what") == "issue" {
			return issue(c, status, id, v, faults)
		}
		return finding(c, status, id, v, faults)
	}
	if run == "" || id == "" {
		return c.See("projects/" + c.Project.ID)
	}
	list := "/findings/"
	if v.Get("what") == "issue" {
		list = "/issues/"
	}
	return c.See("runs/" + url.PathEscape(run) + list + url.PathEscape(id))
}

type markForm struct {
	Fingerprint string
	Values      url.Values
	Faults      map[string]string
}
