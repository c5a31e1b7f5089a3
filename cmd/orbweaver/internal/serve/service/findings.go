package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// marksInForce returns the marks of a project that cover their findings now.
func (s *parts) marksInForce(ctx context.Context, project string) (map[string]*api.Mark, error) {
	all, err := store.Marks{Store: s.store}.All(ctx, project)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	inForce := map[string]*api.Mark{}
	for _, m := range all {
		if m.InForce(now) {
			inForce[m.Fingerprint] = m
		}
	}
	return inForce, nil
}

// inRun returns what read finds in the findings of a run. The error wraps fs.ErrNotExist for a run
// without any, and is a problem for an unknown cursor.
func inRun[T any](p *parts, run string, read func(*findings.Index) (T, error)) (found T, err error) {
	x, release, err := p.manager.Findings(run)
	if err != nil {
		return found, err
	}
	defer release()
	if found, err = read(x); errors.Is(err, findings.ErrCursor) {
		err = invalidCursor()
	}
	return found, err
}

// listInRun is inRun for a list, which is empty for a run without findings.
func listInRun[T any](p *parts, run string, read func(*findings.Index) (*api.List[T], error)) (*api.List[T], error) {
	list, err := inRun(p, run, read)
	if errors.Is(err, fs.ErrNotExist) {
		return &api.List[T]{Items: []T{}}, nil
	}
	return list, err
}

// isMissing reports whether a run has no findings, or not the one that was looked for.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, findings.ErrNotFound)
}

// markOf returns the mark in force of a finding: its own, or that of its issue.
func markOf(marks map[string]*api.Mark, f *api.Finding) *api.Mark {
	return cmp.Or(marks[f.Fingerprint], marks[f.Issue])
}

// List returns one part of the findings of a run.
func (s *Findings) List(ctx context.Context, r *store.Run, q findings.Query) (*api.List[api.Finding], error) {
	marks, err := s.marksInForce(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	if q.Known != nil {
		q.Marked = slices.Collect(maps.Keys(marks))
	}
	list, err := listInRun(s.parts, r.ID, func(x *findings.Index) (*api.List[api.Finding], error) {
		return x.Findings(ctx, &q, r.State.Over())
	})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		list.Items[i].Known = markOf(marks, &list.Items[i])
	}
	return list, nil
}

// Groups returns the findings of a run that match, by what they have in common; see findings.Index.
func (s *Findings) Groups(ctx context.Context, r *store.Run, q findings.Query, by string) (groups []findings.Group, total int, err error) {
	if q.Known != nil {
		marks, err := s.marksInForce(ctx, r.Project)
		if err != nil {
			return nil, 0, err
		}
		q.Marked = slices.Collect(maps.Keys(marks))
	}
	groups, err = inRun(s.parts, r.ID, func(x *findings.Index) (groups []findings.Group, err error) {
		groups, total, err = x.Groups(ctx, &q, by, r.State.Over())
		return groups, err
	})
	return groups, total, ignore(err, fs.ErrNotExist)
}

// All returns the first findings that match, at most limit.
func (s *Findings) All(ctx context.Context, r *store.Run, q findings.Query, limit int) ([]api.Finding, error) {
	q.Limit = limit
	list, err := s.List(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Finding is one finding with the result that it belongs to and its past.
type Finding struct {
	api.Finding
	Result  json.RawMessage
	History []api.PastVerdict
}

// MarshalJSON adds the members of the finding to those of the result.
func (f *Finding) MarshalJSON() ([]byte, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(f.Result, &whole); err != nil {
		return nil, err
	}
	for name, value := range map[string]any{"id": f.ID, "fingerprint": f.Fingerprint, "known": f.Known, "first_seen": f.FirstSeen, "history": f.History,
		"issue": f.Issue, "page": f.Page, "pages": f.Pages} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		whole[name] = text
	}
	return json.Marshal(whole)
}

// Get returns one finding of a run.
func (s *Findings) Get(ctx context.Context, r *store.Run, id string) (*Finding, error) {
	found, err := inRun(s.parts, r.ID, func(x *findings.Index) (found *Finding, err error) {
		found = &Finding{}
		found.Finding, found.Result, err = x.Finding(ctx, id)
		return found, err
	})
	if isMissing(err) {
		return nil, noFinding(r, id)
	}
	if err != nil {
		return nil, err
	}
	marks, err := s.marksInForce(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	found.Known = markOf(marks, &found.Finding)
	found.History, err = s.history(ctx, r.Project, found.URL)
	return found, err
}

// Exists returns a problem if a run has no finding with an id.
func (s *Findings) Exists(ctx context.Context, r *store.Run, id string) error {
	_, err := inRun(s.parts, r.ID, func(x *findings.Index) (f api.Finding, err error) {
		f, _, err = x.Finding(ctx, id)
		return f, err
	})
	if isMissing(err) {
		return noFinding(r, id)
	}
	return err
}

func noFinding(r *store.Run, id string) error {
	return api.NewProblem(http.StatusNotFound, "run %s has no finding %s", r.ID, id)
}

// history returns what the runs of a project found at a target, newest first.
func (s *Findings) history(ctx context.Context, project, url string) ([]api.PastVerdict, error) {
	past := []api.PastVerdict{}
	var before int64
	for {
		const part = 100
		rows, _, err := s.store.RunsOf(ctx, project, "", before, part)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			before = r.Number
			one, err := inRun(s.parts, r.ID, func(x *findings.Index) (one api.PastVerdict, err error) {
				one = api.PastVerdict{Run: r.ID, Started: r.Started}
				one.Verdict, one.Code, err = x.Verdict(ctx, url)
				return one, err
			})
			if isMissing(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			past = append(past, one)
		}
		if len(rows) < part {
			return past, nil
		}
	}
}

// Pages returns one part of the pages of a run.
func (s *Findings) Pages(ctx context.Context, r *store.Run, q findings.PageQuery) (*api.List[api.Page], error) {
	if faults := q.Faults(); len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return listInRun(s.parts, r.ID, func(x *findings.Index) (*api.List[api.Page], error) {
		return x.Pages(ctx, &q, r.State.Over())
	})
}

// Figures counts the pages of a run by status, depth, media type and response time.
func (s *Findings) Figures(ctx context.Context, r *store.Run) (*api.Figures, error) {
	f, err := inRun(s.parts, r.ID, func(x *findings.Index) (*api.Figures, error) { return x.Figures(ctx) })
	if errors.Is(err, fs.ErrNotExist) {
		return &api.Figures{Status: []api.ValueCount[int]{}, Depth: []api.ValueCount[int]{}, ContentType: []api.ValueCount[string]{}, Elapsed: []api.ElapsedCount{}}, nil
	}
	return f, err
}

// comparedWith returns the run of a project to compare a run with: "" is the sound run before it, nil
// if there is none.
func (s *Findings) comparedWith(ctx context.Context, r *store.Run, with string) (*store.Run, error) {
	if with == "" {
		old, err := s.store.SoundBefore(ctx, r.Project, r.Number)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		return old, err
	}
	old, err := s.store.Run(ctx, with)
	if errors.Is(err, store.ErrNotFound) {
		return nil, api.NewProblem(http.StatusNotFound, "there is no run %s", with)
	}
	if err == nil && old.Project != r.Project {
		return nil, api.Invalid(api.Fault{Field: "with", Message: "it is a run of another project"})
	}
	return old, err
}

// Lists compares a run with another one of its project: "" is the sound run before it.
func (s *Findings) Lists(ctx context.Context, r *store.Run, with string, q *findings.CompareQuery) (map[string]*api.List[api.Finding], error) {
	old, err := s.comparedWith(ctx, r, with)
	if err != nil {
		return nil, err
	}
	none := map[string]*api.List[api.Finding]{}
	for _, name := range []string{findings.ListNew, findings.ListFixed, findings.ListStill} {
		none[name] = &api.List[api.Finding]{Items: []api.Finding{}}
	}
	x, release, err := s.manager.Findings(r.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return nil, err
	}
	defer release()
	var before *findings.Index
	if old != nil {
		var release func()
		before, release, err = s.manager.Findings(old.ID)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			defer release()
		}
	}
	lists, err := x.Compare(ctx, before, q)
	if errors.Is(err, findings.ErrCursor) {
		return nil, invalidCursor()
	}
	if err != nil {
		return nil, err
	}
	marks, err := s.marksInForce(ctx, r.Project)
	for _, list := range lists {
		for i := range list.Items {
			list.Items[i].Known = markOf(marks, &list.Items[i])
		}
	}
	return lists, err
}

// Compare compares a run with another one of its project: "" is the sound run before it. Each list
// has at most limit findings.
func (s *Findings) Compare(ctx context.Context, r *store.Run, with string, limit int) (*api.Comparison, error) {
	lists, err := s.Lists(ctx, r, with, &findings.CompareQuery{Lists: []string{findings.ListNew, findings.ListFixed, findings.ListStill}, Limit: limit})
	if err != nil {
		return nil, err
	}
	c := &api.Comparison{New: lists[findings.ListNew].Items, Fixed: lists[findings.ListFixed].Items, Still: lists[findings.ListStill].Items}
	c.Totals = api.Totals{New: lists[findings.ListNew].Total, Fixed: lists[findings.ListFixed].Total, Still: lists[findings.ListStill].Total}
	for _, list := range lists {
		c.Truncated = c.Truncated || list.Next != nil
	}
	return c, nil
}

// Rechecks requests targets of a run again, a few at a time. The answers are in the order of the
// targets.
func (s *Findings) Rechecks(ctx context.Context, r *store.Run, urls []string) ([]*api.Recheck, error) {
	all := make([]*api.Recheck, len(urls))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxDeliveries)
	for i, url := range urls {
		group.Go(func() (err error) {
			if all[i], err = s.Recheck(ctx, r, url); err == nil {
				all[i].URL = url
			}
			return err
		})
	}
	return all, group.Wait()
}

// Recheck requests a target of a run again.
func (s *Findings) Recheck(ctx context.Context, r *store.Run, url string) (*api.Recheck, error) {
	text, err := inRun(s.parts, r.ID, func(x *findings.Index) (json.RawMessage, error) { return x.Result(ctx, url) })
	if isMissing(err) {
		return nil, api.NewProblem(http.StatusNotFound, "run %s has no target %s", r.ID, url)
	}
	if err != nil {
		return nil, err
	}
	var before struct {
		api.Outcome
		Scope string `json:"scope"`
	}
	if err := json.Unmarshal(text, &before); err != nil {
		return nil, err
	}
	project, err := s.store.Project(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	job, err := s.projects.job(project)
	if err != nil {
		return nil, err
	}
	after, err := s.engine.Recheck(ctx, job, url, before.Scope == "internal")
	if err != nil {
		return nil, err
	}
	return &api.Recheck{Before: before.Outcome, After: after}, nil
}
