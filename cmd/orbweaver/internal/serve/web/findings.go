package web

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/report"
)

const perPage = 100

// filters are what the address of a list says.
type filters struct{ url.Values }

// verdicts returns the selected verdicts. Check boxes send several values.
func (f filters) verdicts() []string {
	var all []string
	for _, v := range strings.Split(strings.Join(f.Values["verdict"], ","), ",") {
		if slices.Contains(allVerdicts, v) && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// Value is Get, for templates.
func (f filters) Value(name string) string { return f.Get(name) }

// one returns a value if it is one of a few words.
func (f filters) one(name string, words ...string) string {
	if slices.Contains(words, f.Get(name)) {
		return f.Get(name)
	}
	return ""
}

func (f filters) query() findings.Query {
	q := findings.Query{Verdicts: f.verdicts(), Scope: f.one("scope", "internal", "external"), Host: strings.ToLower(f.Get("host")), Page: f.Get("page"), Text: f.Get("q"),
		Change: f.one("change", "new", "still", "fixed"), Sort: findings.Sort(f.one("sort", "url", "code", "places")), Limit: perPage, After: f.Get("after")}
	q.Issue = f.Get("issue")
	if code := f.Get("code"); code != "" {
		q.Codes = strings.Split(code, ",")
	}
	switch f.Get("known") {
	case "true":
		q.Known = new(bool)
		*q.Known = true
	case "false":
		q.Known = new(bool)
	}
	return q
}

// With returns the query of the address with one value changed, from the first part on.
func (f filters) With(name, value string) template.URL {
	v := f.set()
	v.Del(name)
	if value != "" {
		v.Set(name, value)
	}
	return template.URL(v.Encode()) // it is escaped
}

// set returns the values that are not empty, without the place in the list: a form sends one of each field,
// and empty ones select all.
func (f filters) set() url.Values {
	v := url.Values{}
	for name, all := range f.Values {
		for _, value := range all {
			if value != "" && name != "after" {
				v.Add(name, value)
			}
		}
	}
	return v
}

type findingsPage struct {
	filters
	Items   []api.Finding
	Groups  []findingGroup // if the findings are grouped
	By      string
	Next    *string
	Total   int
	Fault   string
	Formats []*report.Format
	Codes   []codeCount
	Active  bool // the run is not over
	// Compared reports whether there is a reliable run before, so that some findings are new.
	Compared bool
	path     string // of the list
	Issues   []api.Issue
	People   []string // who may own issues
	Saved    []*api.View
	Told     string // what the bar below the list did
	// Form is what was typed into a form below the list that was refused, and Faults is why, by field.
	Form   url.Values
	Faults map[string]string
}

// Ticked reports whether a row was ticked in the form that was refused.
func (p *findingsPage) Ticked(id string) bool { return slices.Contains(p.Form["fingerprint"], id) }

// view returns what the list shows: issues, links, or groups of links.
func (f filters) view() (links bool, by string) {
	groups := map[string]string{"pages": "page", "hosts": "host", "codes": "code"}
	if by := groups[f.Get("view")]; by != "" {
		return true, by
	}
	by = f.one("by", "page", "host", "code")
	plain := slices.ContainsFunc(f.verdicts(), func(v string) bool { return v == "ok" || v == "skipped" })
	return by != "" || plain || f.Get("view") == "links" || f.Get("issue") != "" || f.Get("page") != "", by
}

func (f filters) issues(c *Call) (q findings.IssueQuery, owner string) {
	q.Query = f.query()
	q.Sort = findings.Sort(f.one("sort", findings.IssueSorts...))
	if owner = f.Get("owner"); owner == service.Myself {
		owner = c.Who.Key()
	}
	return q, owner
}

// findingColumn is a column by which the list can be sorted.
type findingColumn struct {
	Name, Order string // Order is a value of aria-sort
	Path        template.URL
	Class       string
}

// Columns are the columns behind the verdict.
func (p *findingsPage) Columns() []findingColumn {
	sort := p.filters.one("sort", "code", "places")
	column := func(name, value, order string) findingColumn {
		c := findingColumn{Name: name, Path: template.URL(p.path+"?") + p.With("sort", value), Class: map[string]string{"places": "number", "code": "code"}[value]}
		if value == sort {
			c.Order = order
		}
		return c
	}
	return []findingColumn{column("Code", "code", "ascending"), column("Target", "", "ascending"), column("Places", "places", "descending")}
}

// findingGroup are findings with something in common, and the query that selects them.
type findingGroup struct {
	findings.Group
	Query template.URL
}

// codeCount is a code with the number of its findings in the whole run.
type codeCount struct {
	Code  string
	Count int
}

func (p *findingsPage) Checked(verdict string) bool {
	shown := p.filters.verdicts()
	if len(shown) == 0 {
		shown = shownFirst
	}
	return slices.Contains(shown, verdict)
}

func (p *findingsPage) Verdicts() []string { return allVerdicts }

// Narrowed reports whether one of the filters is set that are folded otherwise.
func (p *findingsPage) Narrowed() bool {
	return slices.ContainsFunc([]string{"code", "scope", "change", "known", "sort", "by", "view", "owner", "host", "page"}, func(name string) bool { return p.filters.Get(name) != "" })
}

// selectField is a filter with a few values, each with its text.
type selectField struct {
	Name, Label, Value string
	Choices            [][2]string
}

func (p *findingsPage) Selects() []selectField {
	all := []selectField{
		{Name: "scope", Label: "Scope", Choices: [][2]string{{"", "all"}, {"internal", "internal"}, {"external", "external"}}},
		{Name: "change", Label: "Change", Choices: [][2]string{{"", "all"}, {"new", "new"}, {"still", "still there"}, {"fixed", "fixed"}}},
		{Name: "known", Label: "Marked", Choices: [][2]string{{"", "all"}, {"true", "marked"}, {"false", "not marked"}}},
		{Name: "view", Label: "Show", Choices: [][2]string{{"", "issues"}, {"links", "links"}, {"pages", "by page"}, {"hosts", "by host"}, {"codes", "by code"}}},
		{Name: "sort", Label: "Order", Choices: p.orders()},
	}
	for i := range all {
		all[i].Value = p.filters.Get(all[i].Name)
	}
	if links, _ := p.filters.view(); !links {
		all = append(all, selectField{Name: "owner", Label: "Owner", Value: p.filters.Get("owner"), Choices: p.Owners()})
	}
	return all
}

func (p *findingsPage) orders() [][2]string {
	if links, _ := p.filters.view(); links {
		return [][2]string{{"", "by URL"}, {"code", "by code"}, {"places", "most places first"}}
	}
	return [][2]string{{"", "most pages first"}, {"findings", "most links first"}, {"delta", "grown most first"}, {"code", "by code"}, {"url", "by URL"}}
}

// Owners are the values of owner to filter by.
func (p *findingsPage) Owners() [][2]string {
	all := [][2]string{{"", "all"}, {service.Myself, "me"}, {service.Nobody, "nobody"}}
	for _, name := range p.People {
		all = append(all, [2]string{name, name})
	}
	return all
}

func (p *findingsPage) Query() template.URL { return p.filters.With("", "") }

func codesOf(s *summary) []codeCount {
	var all []codeCount
	if s == nil {
		return nil
	}
	for code, n := range s.ByCode {
		all = append(all, codeCount{code, n})
	}
	slices.SortFunc(all, func(a, b codeCount) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

func showFindings(c *Call) error {
	return findingsList(c, http.StatusOK, &findingsPage{filters: filters{c.URL.Query()}})
}

// refused writes the list to which the form that was sent belongs again, with what is wrong with the form.
func refused(c *Call, f filters, told string, err error) error {
	faults, err := faultsOf(err)
	if err != nil {
		return err
	}
	if after := c.fields.Get("after"); after != "" { // the rows that are ticked are there
		f.Set("after", after)
	}
	return findingsList(c, http.StatusUnprocessableEntity, &findingsPage{filters: f, Fault: told, Form: c.fields, Faults: faults})
}

// findingsList writes the list that the filters of a page select.
func findingsList(c *Call, status int, page *findingsPage) error {
	f := page.filters
	links, by := f.view()
	page.By, page.Told, page.path = by, c.Site.flashed(c.Who, c.Path), "runs/"+c.Run.ID+"/findings"
	page.Formats, page.Codes, page.Active = report.Formats, codesOf(summaryOf(&c.Run.Run)), c.Run.State.Active()
	q := f.query()
	before, err := soundBefore(c, c.Run)
	if err != nil {
		return err
	}
	page.Compared = before != ""
	if page.Saved, err = c.Site.Service.Issues.Views(c.Context(), c.Run.Project); err != nil {
		return err
	}
	if page.People, err = c.Site.Service.Issues.People(c.Context(), c.Project); err != nil {
		return err
	}
	if !links {
		var list *api.List[api.Issue]
		issues, owner := f.issues(c)
		if list, err = c.Site.Service.Issues.List(c.Context(), c.Run, issues, owner); err == nil {
			page.Issues, page.Next, page.Total = list.Items, list.Next, list.Total
		}
	} else if page.By == "" {
		var list *api.List[api.Finding]
		if list, err = c.Site.Service.Findings.List(c.Context(), c.Run, q); err == nil {
			page.Items, page.Next, page.Total = list.Items, list.Next, list.Total
		}
	} else {
		err = page.group(c, q)
	}
	if err != nil {
		faults, err := faultsOf(err)
		if err != nil {
			return err
		}
		status = http.StatusUnprocessableEntity
		for _, message := range faults {
			page.Fault = cmp.Or(page.Fault, message)
		}
	}
	return c.page(status, "findings-of-run", "Findings", page)
}

// group makes groups of the findings by what By says.
func (p *findingsPage) group(c *Call, q findings.Query) error {
	groups, total, err := c.Site.Service.Findings.Groups(c.Context(), c.Run, q, p.By)
	if err != nil {
		return err
	}
	p.Total = total
	rest := filters{url.Values(mapWithout(p.filters.Values, "by"))}
	for _, g := range groups {
		p.Groups = append(p.Groups, findingGroup{g, rest.With(p.By, g.Name)})
	}
	return nil
}

func mapWithout(v url.Values, name string) url.Values {
	out := url.Values{}
	for key, all := range v {
		if key != name {
			out[key] = all
		}
	}
	return out
}

// collect returns the findings that match, at most most, and how many there are.
func collect(c *Call, q findings.Query, most int) (all []api.Finding, total int, err error) {
	q.After, q.Limit = "", 1000
	for {
		list, err := c.Site.Service.Findings.List(c.Context(), c.Run, q)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, list.Items...)
		if list.Next == nil || len(all) >= most {
			return all[:min(len(all), most)], list.Total, nil
		}
		q.After = *list.Next
	}
}

type findingPage struct {
	api.Finding
	Result  *targetResult
	History []api.PastVerdict
	Places  []reference
	Count   int // of all places
	More    int // places that are not listed
	Recheck *api.Recheck
	Values  url.Values // of the form to mark
	Faults  map[string]string
	Talk    *issueTalk // of the issue to which it belongs, nil for none
	around  around
}

// Before and After are the addresses of the findings before and after this one in its list.
func (p *findingPage) Before() template.URL { return p.around.before }
func (p *findingPage) After() template.URL  { return p.around.after }

// maxPlaces is the number of places that a finding lists.
const maxPlaces = 500

func showFinding(c *Call) error { return finding(c, http.StatusOK, c.Params["id"], nil, nil) }

func finding(c *Call, status int, id string, values url.Values, faults map[string]string) error {
	f, err := c.Site.Service.Findings.Get(c.Context(), c.Run, id)
	if err != nil {
		return err
	}
	page := &findingPage{Finding: f.Finding, History: f.History, Recheck: c.Site.recheckOf(c.Run.ID, f.URL), Values: values, Faults: faults}
	if page.Result, err = parseResult(f.Result); err != nil {
		return err
	}
	page.Places = page.Result.References[:min(len(page.Result.References), maxPlaces)]
	page.Count = len(page.Result.References)
	page.More = page.Count - len(page.Places)
	if page.around, err = aroundFinding(c, &f.Finding); err != nil {
		return err
	}
	if f.Issue != "" {
		d, err := c.Site.Service.Issues.Get(c.Context(), c.Run, f.Issue)
		if err == nil {
			if page.Talk, err = talkOf(c, &d.Issue, values, faults); err == nil {
				page.Talk.Finding = id
			}
		}
		if err != nil && asProblem(err) == nil { // a run that is not over may not have it
			return err
		}
	}
	if known := f.Known; known != nil && values == nil { // the form changes it
		page.Values = markValues(known)
	}
	return c.page(status, "finding", shownURL(f.URL, 100), page)
}
