package serve

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Limits of one part of a list.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// query reads the parameters of an address and collects what is wrong with them.
type query struct {
	values url.Values
	faults []api.Fault
}

func (c *call) query() *query { return &query{values: c.URL.Query()} }

func (q *query) fail(name, message string) {
	q.faults = append(q.faults, api.Fault{Field: name, Message: message})
}

// problem returns what is wrong, or nil.
func (q *query) problem() error {
	if len(q.faults) > 0 {
		return api.Invalid(q.faults...)
	}
	return nil
}

func (q *query) text(name string) string { return q.values.Get(name) }

// limit reads limit, whose default is 100.
func (q *query) limit() int {
	text := q.text("limit")
	if !q.values.Has("limit") {
		return defaultLimit
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		q.fail("limit", strconv.Quote(text)+" is not allowed: use a whole number from 1 to 1000")
	}
	return n
}

// word reads a parameter with one of a few values; "" if it is not given.
func (q *query) word(name string, allowed ...string) string {
	text := q.text(name)
	if q.values.Has(name) && !slices.Contains(allowed, text) {
		q.fail(name, strconv.Quote(text)+" is not allowed: use "+strings.Join(allowed, ", "))
	}
	return text
}

// words reads a list with commas of a few values.
func (q *query) words(name string, allowed ...string) []string {
	return q.list(name, func(text string) string {
		if slices.Contains(allowed, text) {
			return ""
		}
		return strconv.Quote(text) + " is not allowed: use " + strings.Join(allowed, ", ")
	})
}

func (q *query) codes() []string {
	return q.list("code", func(text string) string {
		if _, known := check.Lookup(check.Code(text)); known || text == "ok" {
			return ""
		}
		message := strconv.Quote(text) + " is not a code"
		if near, found := check.Nearest(text); found {
			message += ": did you mean " + strconv.Quote(string(near)) + "?"
		}
		return message
	})
}

// list reads a list with commas, each value once. wrong returns what is wrong with a value, or "". Only
// the first fault is reported, so that a long list costs no more than a short one.
func (q *query) list(name string, wrong func(string) string) (all []string) {
	if !q.values.Has(name) {
		return nil
	}
	for text := range strings.SplitSeq(q.text(name), ",") {
		if message := wrong(text); message != "" {
			q.fail(name, message)
			return nil
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// switchValue reads true or false; nil if it is not given.
func (q *query) switchValue(name string) *bool {
	if !q.values.Has(name) {
		return nil
	}
	on := q.word(name, "true", "false") == "true"
	return &on
}

// verdicts are the values of the filter verdict.
var verdicts = []string{"broken", "unverified", "warning", "ok", "skipped"}

func (q *query) findings() (findings.Query, error) {
	out := findings.Query{
		Verdicts: q.words("verdict", verdicts...), Codes: q.codes(), Scope: q.word("scope", "internal", "external"),
		Host: strings.ToLower(q.text("host")), Page: q.text("page"), Text: q.text("q"), Change: q.word("change", "new", "still", "fixed"), Known: q.switchValue("known"),
		Sort: findings.Sort(q.word("sort", "url", "code", "places")), Limit: q.limit(), After: q.text("after"), Issue: q.text("issue"),
	}
	return out, q.problem()
}

// issues reads the filters of issues. me is the name of who asks.
func (q *query) issues(me string) (out findings.IssueQuery, owner string, err error) {
	sort := findings.Sort(q.word("sort", findings.IssueSorts...))
	q.values.Del("sort")
	out.Query, err = q.findings()
	out.Sort = sort
	if owner = q.text("owner"); owner == service.Myself {
		owner = me
	}
	return out, owner, err
}

// filterNames are the parameters that select findings.
var filterNames = []string{"verdict", "code", "scope", "host", "page", "q", "change", "known", "issue"}

// joinCommas makes one value of the several of a list, as check boxes send them.
func joinCommas(values url.Values) {
	for _, name := range []string{"verdict", "code"} {
		if values.Has(name) {
			values.Set(name, strings.Join(values[name], ","))
		}
	}
}

// checkView returns what is wrong with the query of a view: neither a list of findings nor one of
// issues takes it.
func checkView(values url.Values) error {
	for name := range values {
		if !slices.Contains(append([]string{"view", "by", "sort", "limit", "owner"}, filterNames...), name) {
			return fmt.Errorf("unknown parameter %q", name)
		}
	}
	joinCommas(values)
	list := &query{values: values}
	list.word("view", "issues", "links", "pages", "hosts", "codes")
	if err := list.problem(); err != nil {
		return err
	}
	if _, err := list.findings(); err == nil {
		return nil
	}
	_, _, err := (&query{values: values}).issues("")
	return err
}

func (q *query) projects() (service.ProjectQuery, error) {
	out := service.ProjectQuery{Text: q.text("q"), Tags: q.values["tag"], State: q.word("state", service.ProjectStates...), Sort: q.word("sort", service.ProjectSorts...), Limit: q.limit(), After: q.text("after")}
	return out, q.problem()
}

func (q *query) pages() (findings.PageQuery, error) {
	out := findings.PageQuery{Text: q.text("q"), Status: q.text("status"), Depth: q.text("depth"), Type: q.text("type"), Sort: findings.PageSort(q.word("sort", findings.PageSorts...)), Order: q.word("order", "asc", "desc"), Limit: q.limit(), After: q.text("after")}
	return out, q.problem()
}

// readFilter reads a filter, whose members are those of the query of findings.
func readFilter(b *service.Bulk, value []byte) (faults []api.Fault) {
	members, err := strictjson.Members(value)
	if err != nil {
		return []api.Fault{{Field: "filter", Message: "use an object with the filters of findings"}}
	}
	values := url.Values{}
	for _, m := range members {
		text := string(m.Value) // of true and false
		var several []string
		if strictjson.Decode(m.Value, &several) == nil {
			for _, one := range several {
				values.Add(m.Name, one)
			}
			continue
		}
		if strictjson.Decode(m.Value, &text) != nil && text != "true" && text != "false" || !slices.Contains(filterNames, m.Name) {
			faults = append(faults, api.Fault{Field: "filter." + m.Name, Message: "it is no filter of findings"})
		}
		values.Set(m.Name, text)
	}
	joinCommas(values)
	q := &query{values: values}
	if b.Filter, err = q.findings(); err != nil {
		for _, f := range q.faults {
			faults = append(faults, api.Fault{Field: "filter." + f.Field, Message: f.Message})
		}
	}
	return faults
}
