package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

// ProjectQuery selects projects. Empty fields select all; fields are combined with and.
type ProjectQuery struct {
	Text  string   // part of the name, a target or a tag, in any case
	Tags  []string // all of them
	State string   // one of ProjectStates
	Sort  string   // one of ProjectSorts
	After string   // the id of the last project of the part before
	Limit int
}

// ProjectStates are what the last run of a project may have found, and ProjectSorts the orders of
// projects: by name, the most broken links first, the last checked first, the soonest run first, or
// the oldest project first. Ties are in the order of names.
var (
	ProjectStates = []string{"broken", "ok", "unreliable", "running", "never"}
	ProjectSorts  = []string{"name", "broken", "checked", "next", "created"}
)

// List returns one part of the list of projects that somebody may see.
func (s *Projects) List(ctx context.Context, in store.Scope, q ProjectQuery) (*api.List[*api.Project], error) {
	const all = -1
	rows, _, err := s.store.Projects(ctx, in, "", all)
	if err != nil {
		return nil, err
	}
	var found []*listed
	for _, row := range rows {
		p := &listed{row: row, name: strings.ToLower(row.Name)}
		if err := strictjson.Decode(row.Tags, &p.tags); err != nil {
			return nil, fmt.Errorf("read the tags of the project %s: %w", row.ID, err)
		}
		if !p.matches(&q) {
			continue
		}
		if q.needsRuns() {
			if p.project, err = s.Get(ctx, row); err != nil {
				return nil, err
			}
			if q.State != "" && q.State != StateOf(p.project.LastRun) {
				continue
			}
		}
		found = append(found, p)
	}
	slices.SortStableFunc(found, func(a, b *listed) int { return cmp.Or(q.compare(a, b), cmp.Compare(a.name, b.name)) })
	part, err := Part(found, q.After, q.Limit, func(p *listed) string { return p.row.ID })
	if err != nil {
		return nil, err
	}
	list := &api.List[*api.Project]{Items: []*api.Project{}, Next: part.Next, Total: part.Total}
	for _, p := range part.Items {
		if p.project == nil {
			if p.project, err = s.Get(ctx, p.row); err != nil {
				return nil, err
			}
		}
		list.Items = append(list.Items, p.project)
	}
	return list, nil
}

// Tags returns the tags of the projects that somebody may see.
func (s *Projects) Tags(ctx context.Context, in store.Scope) ([]string, error) {
	rows, _, err := s.store.Projects(ctx, in, "", -1)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, row := range rows {
		var tags []string
		if err := strictjson.Decode(row.Tags, &tags); err != nil {
			return nil, fmt.Errorf("read the tags of the project %s: %w", row.ID, err)
		}
		all = append(all, tags...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// listed is a project that a query may select.
type listed struct {
	row     *store.Project
	name    string // without letter case
	tags    []string
	project *api.Project // with its last run, if it was needed
}

func (p *listed) matches(q *ProjectQuery) bool {
	for _, tag := range q.Tags {
		if !slices.Contains(p.tags, strings.ToLower(tag)) {
			return false
		}
	}
	text := strings.ToLower(q.Text)
	return text == "" || strings.Contains(p.name, text) || strings.Contains(strings.ToLower(string(p.row.Targets)), text) ||
		slices.ContainsFunc(p.tags, func(tag string) bool { return strings.Contains(tag, text) })
}

func (q *ProjectQuery) needsRuns() bool {
	return q.State != "" || slices.Contains([]string{"broken", "checked", "next"}, q.Sort)
}

// compare orders two projects. Those that have no such value are last.
func (q *ProjectQuery) compare(a, b *listed) int {
	switch q.Sort {
	case "broken":
		return cmp.Compare(BrokenIn(b.project.LastRun), BrokenIn(a.project.LastRun))
	case "checked":
		return -compareTimes(finishedOf(a.project), finishedOf(b.project), -1)
	case "next":
		return compareTimes(a.project.NextRun, b.project.NextRun, 1)
	case "created":
		return a.row.Created.Compare(b.row.Created)
	}
	return 0
}

func finishedOf(p *api.Project) *time.Time {
	if p.LastRun == nil {
		return nil
	}
	return p.LastRun.Finished
}

// compareTimes compares two times. A missing one is before the others (-1) or after them (1).
func compareTimes(a, b *time.Time, missing int) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return missing
	case b == nil:
		return -missing
	}
	return a.Compare(*b)
}

// StateOf returns one of ProjectStates for the last run of a project, nil if there is none.
func StateOf(r *api.Run) string {
	switch {
	case r == nil:
		return "never"
	case r.State.Active():
		return "running"
	case !r.IsSound():
		return "unreliable"
	case BrokenIn(r) > 0:
		return "broken"
	}
	return "ok"
}

// BrokenIn returns the number of broken links of a run that no mark covers, -1 without a reliable
// result.
func BrokenIn(r *api.Run) int {
	var s struct{ Broken int }
	if r == nil || !r.IsSound() || json.Unmarshal(r.Summary, &s) != nil {
		return -1
	}
	if r.Known != nil {
		s.Broken -= *r.Known
	}
	return s.Broken
}

const maxTags = 20

// wantTag is the message for a text that is no tag.
const wantTag = "use 1 to 40 letters, digits, dots, hyphens and underscores"

// isTag reports whether a text is a tag: 1 to 40 letters, digits and some signs. (A regular expression with
// such a repetition takes 1.5 MB, and 14 ms of every start of the program.)
func isTag(text string) bool {
	n := utf8.RuneCountInString(text)
	return 1 <= n && n <= 40 && !strings.ContainsFunc(text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsNumber(c) && !strings.ContainsRune("._-", c)
	})
}

func (next *content) readTags(value json.RawMessage) (faults []api.Fault) {
	var items []json.RawMessage
	if strictjson.Decode(value, &items) != nil || items == nil {
		return []api.Fault{{Field: "tags", Message: "use a list of strings"}}
	}
	if len(items) > maxTags {
		return []api.Fault{{Field: "tags", Message: fmt.Sprintf("use at most %d tags", maxTags)}}
	}
	next.Tags = []string{}
	tags, isText := readTexts(items)
	for i, tag := range tags {
		lower := strings.ToLower(tag)
		switch {
		case !isText[i]:
			faults = append(faults, api.Fault{Field: fmt.Sprintf("tags.%d", i), Message: "use a string"})
		case !isTag(tag):
			faults = append(faults, api.Fault{Field: fmt.Sprintf("tags.%d", i), Message: wantTag})
		case slices.Contains(next.Tags, lower):
			faults = append(faults, api.Fault{Field: fmt.Sprintf("tags.%d", i), Message: "it is given twice"})
		}
		next.Tags = append(next.Tags, lower)
	}
	slices.Sort(next.Tags)
	return faults
}
