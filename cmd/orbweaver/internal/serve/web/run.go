package web

import (
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/report"
)

// runPage shows a run: live while it is active, then its result.
type runPage struct {
	*api.Run
	Summary *summary
	First   []api.Finding // the broken targets that the most places refer to, while the run is active
	Worst   []api.Issue   // the broken issues on the most pages, of a run that is over
	Issues  int           // the number of all broken issues
	Changes *api.Comparison
	Formats []*report.Format
	// Evidence reports whether what was asked and answered was kept.
	Evidence bool
	Fault    string // why an action was not possible
	// Compared reports whether there is a reliable run before, with which Changes compares.
	Compared bool
	name     string   // of the project
	Events   string   // the address of the events that follow
	Asked    *api.Run // the run whose failed targets a run of the kind api.Failing asked again, if it is kept
}

// Heading says in a few words how the run went.
func (p *runPage) Heading() string {
	s := p.Summary
	switch {
	case p.State.Active():
		return "Checking " + clip(p.name, 60)
	case s == nil:
		return "The run is " + string(p.State)
	case s.Broken > 0:
		return p.Headline()
	case p.Unsound():
		return "Not reliable"
	case s.Unverified > 0:
		return api.Plural(s.Unverified, "unverified link")
	case s.Warnings > 0:
		return api.Plural(s.Warnings, "warning")
	}
	if p.Kind == api.Failing {
		return "What had failed is ok now"
	}
	return "All links are ok"
}

// Elapsed, Rate and Left say how long the run takes, and how fast it is.
func (p *runPage) Elapsed() string {
	return durationText(time.Duration(p.Progress.ElapsedMS) * time.Millisecond)
}

// Rate returns the number of requests a second.
func (p *runPage) Rate() string { return strconv.FormatFloat(p.Progress.Rate, 'f', 1, 64) }

// Left returns an estimate of the time that is left.
func (p *runPage) Left() string {
	if p.Progress.RemainingMS == nil {
		return "–"
	}
	return "about " + durationText(time.Duration(*p.Progress.RemainingMS)*time.Millisecond)
}

// Known returns the number of targets that are known, checked or not.
func (p *runPage) Known() int { return p.Progress.Checked + p.Progress.Queued }

func showRun(c *Call) error { return run(c, http.StatusOK, "") }

func run(c *Call, status int, fault string) error {
	s := c.Site.Service
	last, err := s.Manager.LastEvent(c.Run.ID) // before the row, so that no change is missed
	if err != nil {
		return err
	}
	if c.Run, err = c.Site.Store.Run(c.Context(), c.Run.ID); err != nil {
		return err
	}
	page := &runPage{Run: &c.Run.Run, Summary: summaryOf(&c.Run.Run), Formats: report.Formats, Fault: fault, name: c.Project.Name,
		Events: "api/v1/runs/" + c.Run.ID + "/events?after=" + strconv.FormatInt(last, 10)}
	worst := findings.Query{Verdicts: []string{"broken"}, Limit: 8}
	switch {
	case c.Run.State.Over():
		list, err := s.Issues.List(c.Context(), c.Run, findings.IssueQuery{Query: worst}, "")
		if err != nil {
			return err
		}
		page.Worst, page.Issues = list.Items, list.Total
		if kept, err := s.Runs.Evidence(c.Run); err == nil {
			kept.Close()
			page.Evidence = true
		}
	case c.Run.State != api.Queued:
		worst.Sort, worst.Limit = "places", 20
		if page.First, err = s.Findings.All(c.Context(), c.Run, worst, worst.Limit); err != nil {
			return err
		}
	}
	if c.Run.State == api.Done {
		before, err := soundBefore(c, c.Run)
		if err != nil {
			return err
		}
		page.Compared = before != "" && c.Run.Kind == api.Full
		if page.Changes, err = s.Findings.Compare(c.Context(), c.Run, "", 1); err != nil {
			return err
		}
		if c.Run.Kind == api.Failing && before != "" {
			row, err := c.Site.Store.Run(c.Context(), before)
			if err != nil {
				return err
			}
			page.Asked = &row.Run
		}
	}
	return c.page(status, "run", page.Heading()+" · "+clip(c.Project.Name, 60), page)
}

// soundBefore returns the id of the reliable run before a run, "" if there is none.
func soundBefore(c *Call, r *store.Run) (string, error) {
	before, err := c.Site.Store.SoundBefore(c.Context(), r.Project, r.Number)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return before.ID, nil
}

// startRun starts a run of a project. If one is queued or running, that is shown.
func startRun(c *Call) error {
	v := c.fields
	kind := api.Full
	if v.Get("only") == api.Failing {
		kind = api.Failing
	}
	r, err := c.Site.Service.Runs.Start(c.Context(), c.Project, kind)
	if errors.Is(err, store.ErrActive) {
		return project(c, http.StatusConflict, "")
	}
	if p := asProblem(err); p != nil && p.Status == http.StatusConflict {
		return project(c, p.Status, sentence(p.Detail)+".")
	}
	if err != nil {
		return err
	}
	return c.See("runs/" + r.ID)
}

func stopRun(c *Call) error {
	return act(c, func() error { _, err := c.Site.Service.Runs.Stop(c.Context(), c.Run.ID, c.Who.Name); return err })
}

func resumeRun(c *Call) error {
	return act(c, func() error { _, err := c.Site.Service.Runs.Resume(c.Context(), c.Run.ID); return err })
}

// act does something with a run. If its state does not allow that, the page says so.
func act(c *Call, do func() error) error {
	err := do()
	if p := asProblem(err); p != nil && p.Status == http.StatusConflict {
		return run(c, p.Status, p.Detail)
	}
	if err != nil {
		return err
	}
	return c.See("runs/" + c.Run.ID)
}

// recheck requests a target again and shows the result at its finding.
func recheck(c *Call) error {
	v := c.fields
	if v.Get("url") == "" {
		return api.Invalid(api.Fault{Field: "url", Message: "use the URL of a target, as it is printed"})
	}
	r, err := c.Site.Service.Findings.Recheck(c.Context(), c.Run, v.Get("url"))
	if err != nil {
		return err
	}
	c.Site.keepRecheck(c.Run.ID, v.Get("url"), *r)
	id := v.Get("id")
	if id == "" {
		list, err := c.Site.Service.Findings.All(c.Context(), c.Run, findings.Query{Verdicts: allVerdicts, Text: v.Get("url")}, 1)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return c.See("runs/" + c.Run.ID)
		}
		id = list[0].ID
	}
	return c.See("runs/" + c.Run.ID + "/findings/" + id)
}

// allVerdicts are the verdicts of findings and of other results.
var allVerdicts = []string{"broken", "unverified", "warning", "ok", "skipped"}

// shownFirst are the verdicts of findings, which lists show unless asked for others.
var shownFirst = allVerdicts[:3]

type comparePage struct {
	Lists    []comparedList
	With     string
	Only     string     // the list that is shown alone, "" for all
	OldRun   string     // the run that is compared with, empty for none
	Runs     []*api.Run // earlier ones
	Fault    string
	Compared bool // there is a run to compare with
}

type comparedList struct {
	*api.List[api.Finding]
	Title, Caption, None string
	Run                  string       // the run that has the findings
	All, Following       template.URL // queries of the whole list, and of its next part
}

func (p *comparePage) lists() []string {
	if p.Only != "" {
		return []string{p.Only}
	}
	return []string{findings.ListNew, findings.ListFixed, findings.ListStill}
}

// compared are the texts of the lists of a comparison.
var compared = map[string]comparedList{
	findings.ListNew:   {Title: "new broken links", Caption: "Broken now, and not before", None: "Nothing new is broken."},
	findings.ListFixed: {Title: "fixed", Caption: "Broken before, and not now", None: "Nothing was fixed."},
	findings.ListStill: {Title: "still broken", Caption: "Broken before and now", None: "Nothing."},
}

func showCompare(c *Call) error {
	v := filters{c.URL.Query()}
	with := v.Get("with")
	page := &comparePage{With: with, Only: v.one("list", findings.ListNew, findings.ListFixed, findings.ListStill)}
	earlier, err := c.Site.Service.Runs.List(c.Context(), c.Run.Project, "", c.Run.ID, runsShown)
	if err != nil {
		return err
	}
	page.Runs = earlier.Items
	q := &findings.CompareQuery{Lists: page.lists(), Limit: perPage}
	if page.Only != "" {
		q.After = v.Get("after")
	}
	status := http.StatusOK
	both, err := c.Site.Service.Findings.Lists(c.Context(), c.Run, with, q)
	if err != nil {
		faults, err := faultsOf(err)
		if err != nil {
			return err
		}
		page.Fault, status = faults["with"]+faults["after"], http.StatusUnprocessableEntity
	} else if page.OldRun = with; with == "" {
		if page.OldRun, err = soundBefore(c, c.Run); err != nil {
			return err
		}
	}
	for _, name := range page.lists() {
		list := compared[name]
		if list.List = both[name]; list.List == nil {
			list.List = &api.List[api.Finding]{}
		}
		if list.Run = c.Run.ID; name == findings.ListFixed {
			list.Run = page.OldRun
		}
		if name == findings.ListNew && list.Total == 1 {
			list.Title = "new broken link"
		}
		list.All = v.With("list", name)
		if list.Next != nil {
			list.Following = filters{url.Values{"with": {with}, "list": {name}}}.With("", "") + "&after=" + template.URL(url.QueryEscape(*list.Next))
		}
		page.Lists = append(page.Lists, list)
	}
	page.Compared = page.Fault != "" || page.OldRun != ""
	return c.page(status, "compare", "Compare", page)
}

// targetResult is what a report says about a target.
type targetResult struct {
	URL         string
	Verdict     string
	Code        string
	Message     string
	Scope       string
	Status      int
	Attempts    int
	ElapsedMS   int64  `json:"elapsed_ms"`
	FinalURL    string `json:"final_url"`
	ContentType string `json:"content_type"`
	Size        int64
	Redirects   []struct {
		URL    string
		Status int
	}
	Warnings []struct {
		Code, Message, Proposal string
	}
	Suggestions []struct {
		URL, Why string
	}
	References []reference
}

// reference is a place that refers to a target.
type reference struct {
	Page, Element, Attribute, Raw, Text string
	Line, Column                        int
}

func parseResult(text []byte) (*targetResult, error) {
	r := &targetResult{Size: -1}
	return r, json.Unmarshal(text, r)
}
