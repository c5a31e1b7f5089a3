package web

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// around are the addresses of what is before and after an item in the list that one came from.
type around struct{ before, after template.URL }

// address returns the filters of the list as the end of an address, without the place in the list.
func (f filters) address() string {
	text := string(f.With("", ""))
	if text != "" {
		text = "?" + text
	}
	return text
}

// aroundFinding returns the neighbors of a finding: in a list of issues, those of its issue.
func aroundFinding(c *Call, f *api.Finding) (a around, err error) {
	filter := filters{c.URL.Query()}
	if links, _ := filter.view(); !links && f.Issue != "" {
		return aroundIssue(c, f.Issue)
	}
	return neighbors(func(backward bool) (string, error) {
		q := filter.query()
		q.After, q.Limit, q.Backward = f.ID, 1, backward
		list, err := c.Site.Service.Findings.List(c.Context(), c.Run, q)
		if err != nil || len(list.Items) == 0 {
			return "", err
		}
		return "runs/" + c.Run.ID + "/findings/" + list.Items[0].ID + filter.address(), nil
	})
}

func aroundIssue(c *Call, id string) (a around, err error) {
	filter := filters{c.URL.Query()}
	filter.Del("from")
	return neighbors(func(backward bool) (string, error) {
		q, owner := filter.issues(c)
		q.After, q.Limit, q.Backward = id, 1, backward
		list, err := c.Site.Service.Issues.List(c.Context(), c.Run, q, owner)
		if err != nil || len(list.Items) == 0 {
			return "", err
		}
		place := "/issues/" + list.Items[0].ID
		if only := list.Items[0].Only; only != "" { // it is shown as its finding
			place = "/findings/" + only
		}
		return "runs/" + c.Run.ID + place + filter.address(), nil
	})
}

// neighbors returns what find finds in both directions. An item that the list does not have has none.
func neighbors(find func(backward bool) (string, error)) (a around, err error) {
	before, err := find(true)
	if err == nil {
		var after string
		after, err = find(false)
		a = around{template.URL(before), template.URL(after)} // they are escaped
	}
	if asProblem(err) != nil {
		return around{}, nil
	}
	return a, err
}

func markValues(m *api.Mark) url.Values {
	v := url.Values{"as": {m.As}, "reason": {m.Reason}}
	if m.Until != nil {
		v.Set("until", m.Until.Add(-time.Nanosecond).Format(time.DateOnly)) // the date whose end it is
	}
	return v
}

type issuePage struct {
	*api.IssueDetail
	Talk    *issueTalk
	Mark    *api.Mark // of the issue
	Values  url.Values
	Faults  map[string]string
	Before  template.URL
	After   template.URL
	Earlier template.URL // part of the pages
	Later   template.URL
	Told    string
}

// issueTalk is who repairs an issue, and what people say of it.
type issueTalk struct {
	*api.Issue
	Finding string // whose page shows it, "" for the page of the issue
	Said    []*api.Comment
	People  []string
	Faults  map[string]string
	Typed   string // a comment
	Me      string
}

func talkOf(c *Call, i *api.Issue, values url.Values, faults map[string]string) (t *issueTalk, err error) {
	t = &issueTalk{Issue: i, Faults: faults, Typed: values.Get("text"), Me: c.Who.Key()}
	if t.Said, err = c.Site.Service.Issues.Comments(c.Context(), c.Run.Project, i.ID); err != nil {
		return nil, err
	}
	t.People, err = c.Site.Service.Issues.People(c.Context(), c.Project)
	return t, err
}

// OwnerName returns the name of the owner, "" for none.
func (t *issueTalk) OwnerName() string {
	if t.Owner == nil {
		return ""
	}
	return *t.Owner
}

func showIssue(c *Call) error { return issue(c, http.StatusOK, c.Params["id"], nil, nil) }

func issue(c *Call, status int, id string, values url.Values, faults map[string]string) error {
	issues := c.Site.Service.Issues
	d, err := issues.Get(c.Context(), c.Run, id)
	if err != nil {
		return err
	}
	f := filters{c.URL.Query()}
	page := &issuePage{IssueDetail: d, Values: values, Faults: faults, Told: c.Site.flashed(c.Who, c.Path)}
	from, _ := strconv.Atoi(f.Get("from"))
	from = max(0, from)
	if d.On, err = issues.Pages(c.Context(), c.Run, id, from, perPage+1); err != nil {
		return err
	}
	part := func(n int) template.URL {
		return template.URL("runs/"+c.Run.ID+"/issues/"+id+"?") + f.With("from", strconv.Itoa(n))
	}
	if len(d.On) > perPage {
		d.On, page.Later = d.On[:perPage], part(from+perPage)
	}
	if from > 0 {
		page.Earlier = part(max(0, from-perPage))
	}
	if d.Items, err = c.Site.Service.Findings.All(c.Context(), c.Run, findings.Query{Issue: id, Change: map[bool]string{true: "fixed"}[d.Change == "fixed"]}, perPage); err != nil {
		return err
	}
	if page.Talk, err = talkOf(c, &d.Issue, values, faults); err != nil {
		return err
	}
	near, err := aroundIssue(c, id)
	if err != nil {
		return err
	}
	page.Before, page.After = near.before, near.after
	mark, err := store.Marks{Store: c.Site.Store}.Get(c.Context(), c.Run.Project, id)
	if err == nil && mark.InForce(time.Now()) {
		page.Mark = mark
		if values == nil {
			page.Values = markValues(mark)
		}
	}
	return c.page(status, "issue", clip(d.Subject, 100), page)
}

// runOf loads the run that a form names, for the page to which the form belongs.
func (c *Call) runOf(id string) error {
	r, err := c.Site.Store.Run(c.Context(), id)
	if err != nil || r.Project != c.Project.ID {
		return api.Invalid(api.Fault{Field: "run", Message: "the project has no such run"})
	}
	c.Run = r
	return nil
}

// changeIssue gives an issue an owner, or adds or removes a comment. The form is on the page of the
// issue, or on that of a finding.
func changeIssue(c *Call) error {
	v := c.fields
	if err := c.runOf(v.Get("run")); err != nil {
		return err
	}
	issues, id := c.Site.Service.Issues, c.Params["id"]
	if err := c.Site.Service.Marks.Seen(c.Context(), c.Project.ID, id); err != nil {
		return err
	}
	var err error
	switch v.Get("do") {
	case "comment":
		_, err = issues.Comment(c.Context(), c.Project.ID, id, c.Who.Key(), v.Get("text"))
	case "remove-comment":
		err = issues.DeleteComment(c.Context(), c.Project.ID, id, v.Get("comment"), c.Who)
	default:
		err = issues.Assign(c.Context(), c.Project, v.Get("owner"), id)
	}
	show, place := issue, "/issues/"
	if f := v.Get("finding"); f != "" {
		show, place, id = finding, "/findings/", f
	}
	if err != nil {
		faults, err := faultsOf(err)
		if err != nil {
			return err
		}
		return show(c, http.StatusUnprocessableEntity, id, v, faults)
	}
	return c.See("runs/" + c.Run.ID + place + url.PathEscape(id))
}

// changeViews saves the filter of a list, or removes a view.
func changeViews(c *Call) error {
	v := c.fields
	if err := c.runOf(v.Get("run")); err != nil {
		return err
	}
	var err error
	issues := c.Site.Service.Issues
	if v.Get("do") == "remove-view" {
		if v.Get("sure") != "yes" {
			return confirm(c, v, "Remove a saved view", "The view is lost for all people of the project. What it shows stays.", "runs/"+c.Run.ID+"/findings")
		}
		err = issues.DeleteView(c.Context(), c.Project.ID, v.Get("id"))
	} else {
		_, err = issues.AddView(c.Context(), c.Project.ID, v.Get("name"), v.Get("query"), c.Site.CheckView)
	}
	p := asProblem(err)
	if p != nil && p.Status == http.StatusUnprocessableEntity {
		values, _ := url.ParseQuery(v.Get("query")) // what it has that can be read is the list
		return refused(c, filters{values}, "The view was not saved: "+p.Detail+".", err)
	}
	if p != nil {
		c.Site.flash(c.Who, "/runs/"+c.Run.ID+"/findings", sentence(p.Detail)+".")
		err = nil
	}
	if err != nil {
		return err
	}
	return c.See("runs/" + c.Run.ID + "/findings?" + v.Get("query"))
}

// bulk does something with the rows that are ticked in a list, or with all that match.
func bulk(c *Call) error {
	v := c.fields
	if err := c.runOf(v.Get("run")); err != nil {
		return err
	}
	values, err := url.ParseQuery(v.Get("query"))
	if err != nil {
		return api.Invalid(api.Fault{Field: "query", Message: "it is not the query of a list"})
	}
	told, err := c.bulk(v, filters{values})
	if p := asProblem(err); p != nil && p.Status == http.StatusUnprocessableEntity {
		return refused(c, filters{values}, "Nothing was changed: "+p.Errors[0].Field+": "+p.Detail+".", err)
	}
	if err != nil {
		return err
	}
	c.Site.flash(c.Who, "/runs/"+c.Run.ID+"/findings", told)
	return c.See("runs/" + c.Run.ID + "/findings" + filters{values}.address())
}

// bulk does what a form asks for, and says what was done.
func (c *Call) bulk(v url.Values, f filters) (told string, err error) {
	s, ids, do := c.Site.Service, v["fingerprint"], v.Get("do")
	if !slices.Contains([]string{"mark", "unmark", "assign", "recheck"}, do) {
		return "", api.Invalid(api.Fault{Field: "do", Message: "use mark, unmark, assign or recheck"})
	}
	all := v.Get("all") != ""
	if len(ids) == 0 && !all {
		return "", api.Invalid(api.Fault{Field: "fingerprint", Message: "tick at least one row"})
	}
	if all {
		if err = c.Site.CheckView(f.set()); err != nil { // what the list would ignore must not select all rows
			return "", api.Invalid(api.Fault{Field: "query", Message: "it is not one that the list takes: " + err.Error()})
		}
		if ids, err = c.matching(f); err != nil {
			return "", err
		}
		if len(ids) == 0 {
			return "", api.Invalid(api.Fault{Field: "all", Message: "no row matches the filter of the list"})
		}
	}
	switch do {
	case "assign":
		if ids, err = c.issuesOf(ids); err == nil {
			err = s.Issues.Assign(c.Context(), c.Project, v.Get("owner"), ids...)
		}
		return "The owner of " + api.Plural(len(ids), "issue") + " was changed.", err
	case "recheck":
		return c.recheckAll(ids)
	}
	b := &service.Bulk{Fingerprints: ids, Remove: do == "unmark"}
	if !b.Remove {
		b.Mark = members(v, "as", "reason", "until")
	}
	n, err := s.Marks.PutAll(c.Context(), c.Project.ID, c.Who.Name, b)
	return api.Plural(n, "mark") + map[bool]string{true: " removed.", false: " set."}[b.Remove], err
}

// matching returns the ids of all rows of a list, up to the number of which one request may have.
func (c *Call) matching(f filters) (ids []string, err error) {
	if links, _ := f.view(); links {
		list, total, err := collect(c, f.query(), service.MaxBulk)
		for _, item := range list {
			ids = append(ids, item.ID)
		}
		if err == nil {
			err = tooMany(total)
		}
		return ids, err
	}
	q, owner := f.issues(c)
	q.After, q.Limit = "", service.MaxBulk
	list, err := c.Site.Service.Issues.List(c.Context(), c.Run, q, owner)
	if err != nil {
		return nil, err
	}
	for _, item := range list.Items {
		ids = append(ids, item.ID)
	}
	return ids, tooMany(list.Total)
}

// tooMany returns a problem for more rows than are changed at once, so that none is left out silently.
func tooMany(n int) error {
	if n <= service.MaxBulk {
		return nil
	}
	return api.Invalid(api.Fault{Field: "all", Message: api.Count(n) + " match, and " + api.Count(service.MaxBulk) + " can be changed at once: filter the list"})
}

// findingsOf returns the findings with ids, or of the issues with ids.
func (c *Call) findingsOf(ids []string, most int) (all []api.Finding, err error) {
	for _, id := range ids {
		list, err := c.Site.Service.Findings.All(c.Context(), c.Run, findings.Query{Issue: id}, most)
		if err == nil && len(list) == 0 {
			var f *service.Finding
			if f, err = c.Site.Service.Findings.Get(c.Context(), c.Run, id); err == nil {
				list = []api.Finding{f.Finding}
			}
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, list...); len(all) >= most {
			return all[:most], nil
		}
	}
	return all, nil
}

// issuesOf returns the issues with ids, or of the findings with ids, of which at least one has an issue.
func (c *Call) issuesOf(ids []string) (issues []string, err error) {
	for _, id := range ids {
		of, err := c.findingsOf([]string{id}, 1)
		if err != nil {
			return nil, err
		}
		for _, f := range of {
			if f.Issue != "" && !slices.Contains(issues, f.Issue) {
				issues = append(issues, f.Issue)
			}
		}
	}
	if len(issues) == 0 {
		return nil, api.Invalid(api.Fault{Field: "fingerprint", Message: "links that are not broken, unverified or with a warning have no owner"})
	}
	return issues, nil
}

// maxRechecked is the number of targets that are requested again at once.
const maxRechecked = 100

// recheckAll requests the targets of findings and issues again.
func (c *Call) recheckAll(ids []string) (told string, err error) {
	found, err := c.findingsOf(ids, maxRechecked)
	if err != nil {
		return "", err
	}
	var urls []string
	for _, f := range found {
		if !slices.Contains(urls, f.URL) {
			urls = append(urls, f.URL)
		}
	}
	all, err := c.Site.Service.Findings.Rechecks(c.Context(), c.Run, urls)
	if err != nil {
		return "", err
	}
	counts := map[string]int{}
	for i, r := range all {
		c.Site.keepRecheck(c.Run.ID, urls[i], *r)
		counts[r.After.Verdict]++
	}
	var parts []string
	for _, verdict := range allVerdicts {
		if n := counts[verdict]; n > 0 {
			parts = append(parts, api.Count(n)+" "+verdict)
		}
	}
	return api.Plural(len(urls), "link") + " checked again: " + strings.Join(parts, ", ") + ".", nil
}
