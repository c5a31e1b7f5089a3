package service

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/report"
)

// Limits of what people write about issues, in characters.
const (
	maxComment = 4000
	maxView    = 60
	// maxViewQuery is in bytes: the server takes longer addresses from nobody, and pages repeat them.
	maxViewQuery = 8 << 10
)

// firstOfIssue is the number of pages and findings that an issue shows first.
const firstOfIssue = 20

// Owner values of a list of issues.
const (
	Nobody = "none"
	Myself = "me"
)

// List returns one part of the issues of a run. owner is a name, Nobody, or "" for all.
func (s *Issues) List(ctx context.Context, r *store.Run, q findings.IssueQuery, owner string) (*api.List[api.Issue], error) {
	said, err := s.said(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	if q.Owner = owner != ""; q.Owner {
		q.LeaveOwned = owner == Nobody
		for issue, name := range said.owners {
			if q.LeaveOwned || name == owner {
				q.Owned = append(q.Owned, issue)
			}
		}
		slices.Sort(q.Owned)
	}
	if q.Known != nil {
		q.Marked = said.marked
	}
	return listInRun(s.parts, r.ID, func(x *findings.Index) (*api.List[api.Issue], error) {
		list, err := x.Issues(ctx, &q, r.State.Over())
		if err != nil {
			return nil, err
		}
		known, err := x.KnownBy(ctx, said.marked)
		for i := range list.Items {
			said.add(&list.Items[i], known)
		}
		return list, err
	})
}

// said is what people say of the issues of a project.
type said struct {
	owners   map[string]string
	comments map[string]int
	marked   []string // fingerprints and ids of issues of the marks in force
}

func (s *Issues) said(ctx context.Context, project string) (*said, error) {
	notes := store.Issues{Store: s.store}
	owners, err := notes.Owners(ctx, project)
	if err != nil {
		return nil, err
	}
	comments, err := notes.CountComments(ctx, project)
	if err != nil {
		return nil, err
	}
	marks, err := s.marksInForce(ctx, project)
	return &said{owners, comments, slices.Sorted(maps.Keys(marks))}, err
}

func (s *said) add(i *api.Issue, known map[string]int) {
	i.Known, i.Comments = known[i.ID], s.comments[i.ID]
	if owner, ok := s.owners[i.ID]; ok {
		i.Owner = &owner
	}
}

// Get returns an issue of a run with its first pages and findings.
func (s *Issues) Get(ctx context.Context, r *store.Run, id string) (*api.IssueDetail, error) {
	d, err := inRun(s.parts, r.ID, func(x *findings.Index) (d *api.IssueDetail, err error) {
		d = &api.IssueDetail{}
		if d.Issue, err = x.Issue(ctx, id); err != nil {
			return nil, err
		}
		said, err := s.said(ctx, r.Project)
		if err != nil {
			return nil, err
		}
		known, err := x.KnownBy(ctx, said.marked)
		if err != nil {
			return nil, err
		}
		said.add(&d.Issue, known)
		d.On, err = x.PagesOf(ctx, id, 0, firstOfIssue)
		return d, err
	})
	if isMissing(err) {
		return nil, api.NewProblem(http.StatusNotFound, "run %s has no issue %s", r.ID, id)
	}
	if err != nil {
		return nil, err
	}
	q := findings.Query{Issue: id, Limit: firstOfIssue}
	if d.Change == "fixed" {
		q.Change = "fixed"
	}
	list, err := s.findings.List(ctx, r, q)
	if err != nil {
		return nil, err
	}
	d.Items = list.Items
	return d, nil
}

// Pages returns the pages of an issue from an offset on.
func (s *Issues) Pages(ctx context.Context, r *store.Run, id string, offset, limit int) ([]api.OnPage, error) {
	pages, err := inRun(s.parts, r.ID, func(x *findings.Index) ([]api.OnPage, error) { return x.PagesOf(ctx, id, offset, limit) })
	return pages, ignore(err, fs.ErrNotExist)
}

// People returns the names of those who may read a project, and so own its issues.
func (s *Issues) People(ctx context.Context, project *store.Project) ([]string, error) {
	users, err := s.accounts.Users(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, u := range users {
		role, err := s.projects.RoleIn(project, &auth.Identity{Name: u.Name, Role: u.Role, Via: u.Via})
		if err != nil {
			return nil, err
		}
		if role > 0 {
			names = append(names, u.Name)
		}
	}
	return names, nil
}

// Assign gives issues an owner; "" takes it away.
func (s *Issues) Assign(ctx context.Context, project *store.Project, owner string, ids ...string) error {
	people, err := s.People(ctx, project)
	if err != nil {
		return err
	}
	if owner != "" && !slices.Contains(people, owner) {
		return api.Invalid(api.Fault{Field: "owner", Message: "there is no user of this name who may read the project"})
	}
	notes := store.Issues{Store: s.store}
	owners, err := notes.Owners(ctx, project.ID)
	if err != nil {
		return err
	}
	if err := notes.SetOwner(ctx, project.ID, owner, ids...); err != nil {
		return err
	}
	was := map[string]any{"owner": nil}
	if name, owned := owners[ids[0]]; owned && len(ids) == 1 {
		was["owner"] = name
	}
	is := map[string]any{"owner": nil}
	if owner != "" {
		is["owner"] = owner
	}
	return s.note(ctx, deed{"issue.assign", project.ID, several(ids, "issue")}, was, is, "owner")
}

// Assigned are the open issues of a project that somebody owns.
type Assigned struct {
	Project *store.Project
	Run     string // the last run that is over
	Issues  []api.Issue
	Total   int // of the issues, of which only the first may be listed
}

// AssignedTo returns the open issues that somebody owns, by project, at most most of each.
func (s *Issues) AssignedTo(ctx context.Context, who *auth.Identity, most int) ([]Assigned, error) {
	projects, err := store.Issues{Store: s.store}.Owning(ctx, who.Key())
	if err != nil {
		return nil, err
	}
	var all []Assigned
	for _, id := range projects {
		row, err := s.store.Project(ctx, id)
		if err != nil {
			return nil, err
		}
		role, err := s.projects.RoleIn(row, who)
		if err != nil {
			return nil, err
		}
		last, _, err := s.store.RunsOf(ctx, id, api.Full, 0, 2) // at most one of them is not over
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(last, func(r *store.Run) bool { return r.State.Over() })
		if role == 0 || at < 0 {
			continue
		}
		run := last[at]
		list, err := s.List(ctx, run, findings.IssueQuery{Query: findings.Query{Limit: most}}, who.Key())
		if err != nil {
			return nil, err
		}
		if list.Total > 0 {
			all = append(all, Assigned{row, run.ID, list.Items, list.Total})
		}
	}
	return all, nil
}

// Last returns an issue as the last run of a project has it. Of one that it does not have, only what
// people say of it is known.
func (s *Issues) Last(ctx context.Context, project, id string) (*api.Issue, error) {
	runs, _, err := s.store.RunsOf(ctx, project, api.Full, 0, 1)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		d, err := s.Get(ctx, r, id)
		if err == nil {
			return &d.Issue, nil
		}
		var p *api.Problem
		if !errors.As(err, &p) {
			return nil, err
		}
	}
	said, err := s.said(ctx, project)
	if err != nil {
		return nil, err
	}
	i := &api.Issue{ID: id}
	said.add(i, nil)
	return i, nil
}

// Comments returns the comments on an issue.
func (s *Issues) Comments(ctx context.Context, project, id string) ([]*api.Comment, error) {
	return store.Issues{Store: s.store}.Comments(ctx, project, id)
}

// Comment adds a comment.
func (s *Issues) Comment(ctx context.Context, project, id, by, text string) (*api.Comment, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if n := utf8.RuneCountInString(text); strings.TrimSpace(text) == "" || n > maxComment {
		return nil, api.Invalid(api.Fault{Field: "text", Message: "write 1 to 4000 characters"})
	}
	c := &api.Comment{ID: store.NewID(), By: by, Created: time.Now().UTC().Truncate(time.Millisecond), Text: text}
	if err := (store.Issues{Store: s.store}).AddComment(ctx, project, id, c); err != nil {
		return nil, err
	}
	return c, s.note(ctx, deed{"issue.comment", project, id}, nil, c, "text")
}

// DeleteComment deletes a comment, which its author and administrators may.
func (s *Issues) DeleteComment(ctx context.Context, project, issue, id string, who *auth.Identity) error {
	all, err := s.Comments(ctx, project, issue)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(c *api.Comment) bool { return c.ID == id })
	if at < 0 {
		return api.NewProblem(http.StatusNotFound, "the issue has no comment %s", id)
	}
	if all[at].By != who.Key() && who.Role < auth.Admin {
		return api.NewProblem(http.StatusForbidden, "only its author and administrators may delete a comment")
	}
	if err := (store.Issues{Store: s.store}).DeleteComment(ctx, project, id); err != nil {
		return err
	}
	return s.note(ctx, deed{"issue.comment", project, issue}, all[at], nil, "text")
}

// Views returns the views of a project.
func (s *Issues) Views(ctx context.Context, project string) ([]*api.View, error) {
	return store.Views{Store: s.store}.All(ctx, project)
}

// AddView adds a view. check returns what is wrong with its query.
func (s *Issues) AddView(ctx context.Context, project, name, query string, check func(url.Values) error) (*api.View, error) {
	v, err := newView(name, query, check)
	if err != nil {
		return nil, err
	}
	added, err := store.Views{Store: s.store}.Add(ctx, project, v)
	if err == nil && !added {
		err = api.Invalid(api.Fault{Field: "name", Message: "the project has a view of this name"})
	}
	if err != nil {
		return nil, err
	}
	return v, s.note(ctx, deed{"view.add", project, v.Name}, nil, v, "name", "query")
}

// newView makes a view. What is wrong with it is a problem.
func newView(name, query string, check func(url.Values) error) (*api.View, error) {
	var faults []api.Fault
	if n := utf8.RuneCountInString(name); strings.TrimSpace(name) == "" || n > maxView {
		faults = append(faults, api.Fault{Field: "name", Message: "use 1 to 60 characters"})
	} else if strings.ContainsFunc(name, report.IsControl) {
		faults = append(faults, api.Fault{Field: "name", Message: noControls})
	}
	query = strings.TrimPrefix(query, "?")
	values, err := url.ParseQuery(query)
	if err == nil && len(query) > maxViewQuery {
		err = errors.New("it has more than 8 KiB")
	}
	if err == nil {
		err = check(values)
	}
	if err != nil {
		faults = append(faults, api.Fault{Field: "query", Message: "it is not one that the list takes: " + err.Error()})
	}
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return &api.View{ID: store.NewID(), Name: name, Query: query}, nil
}

// DeleteView deletes a view.
func (s *Issues) DeleteView(ctx context.Context, project, id string) error {
	name, err := store.Views{Store: s.store}.Delete(ctx, project, id)
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(http.StatusNotFound, "the project has no view %s", id)
	}
	if err == nil {
		s.audit.Note(ctx, "view.remove", project, name, nil)
	}
	return err
}
