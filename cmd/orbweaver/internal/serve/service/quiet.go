package service

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

// readQuiet reads when no message about the project leaves.
func (next *content) readQuiet(value json.RawMessage) (faults []api.Fault) {
	if next.Quiet = nil; string(value) == "null" {
		return nil
	}
	all, err := strictjson.Members(value)
	if err != nil {
		return []api.Fault{{Field: "quiet", Message: "use null, or an object with from, to, days and zone"}}
	}
	q := &api.Quiet{Days: []string{}}
	for _, m := range all {
		into, ok := map[string]any{"from": &q.From, "to": &q.To, "days": &q.Days, "zone": &q.Zone}[m.Name]
		switch {
		case !ok:
			faults = append(faults, api.Fault{Field: m.Name, Message: "unknown member \"" + m.Name + "\""})
		case string(m.Value) == "null" || strictjson.Decode(m.Value, into) != nil:
			faults = append(faults, api.Fault{Field: m.Name, Message: map[bool]string{true: "use a list of days", false: "use a string"}[m.Name == "days"]})
		}
	}
	faults = inOrder(all, faults, q.Faults())
	for i := range faults {
		faults[i].Field = "quiet." + faults[i].Field
	}
	next.Quiet = q
	return faults
}

// isQuiet reports whether a project has its quiet time now.
func (s *Notices) isQuiet(ctx context.Context, project string) (bool, error) {
	row, err := s.store.Project(ctx, project)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var q *api.Quiet
	err = strictjson.Decode(row.Quiet, &q)
	return q.Holds(time.Now()), err
}

// merge makes one event of those that were held: what is new and fixed between the last reliable run
// before the first of them and the last one now. Its kind is "" if nothing is left to tell.
func (s *Notices) merge(ctx context.Context, held []notify.Pending) (*notify.Pending, error) {
	one := &held[len(held)-1]
	first, err1 := s.store.Run(ctx, held[0].Run)
	last, err2 := s.store.Run(ctx, one.Run)
	now, err3 := s.store.SoundBefore(ctx, one.Project, 0)
	if err := errors.Join(err1, err2, err3); errors.Is(err, store.ErrNotFound) { // runs were removed, or no result is reliable
		return one, nil
	} else if err != nil {
		return nil, err
	}
	before, err := s.findings.comparedWith(ctx, first, "")
	if err != nil {
		return nil, err
	}
	path := "runs/" + now.ID + "/compare"
	if before != nil {
		path += "?with=" + before.ID
	}
	broken, fixed, err := s.changes(ctx, now, before)
	if err != nil {
		return nil, err
	}
	left, err := s.Broken(ctx, one.Project)
	if err != nil {
		return nil, err
	}
	e := one.Event
	if unsound := e.Kind == notify.Unsound && last.Number > now.Number; !unsound {
		e.Kind, e.Reason = "", ""
	}
	switch {
	case broken.Total > 0:
		e.Kind, e.Count = notify.New, broken.Total
		e.Issues, err = s.issuesOf(ctx, now, broken.Items)
	case e.Kind == notify.Unsound:
		return one, nil
	case left == 0 && fixed.Total > 0:
		e.Kind, e.Count = notify.Fixed, fixed.Total
	}
	e.First, e.Found, e.Run, e.New, e.Fixed = before == nil, now.Headline(), &now.Run, findingsOf(broken.Items), findingsOf(fixed.Items)
	e.Totals = notify.Totals{New: broken.Total, Fixed: fixed.Total}
	return &notify.Pending{Project: one.Project, Run: one.Run, Path: path, Event: e}, err
}

// changes returns what is broken now and was not before, and what was broken before. Before is nil if
// nothing was known then: all that is broken is new.
func (s *Notices) changes(ctx context.Context, now, before *store.Run) (broken, fixed *api.List[api.Finding], err error) {
	if before == nil {
		unknown := false
		broken, err = s.findings.List(ctx, now, findings.Query{Verdicts: []string{"broken"}, Known: &unknown, Limit: maxNoticed})
		return broken, &api.List[api.Finding]{}, err
	}
	lists, err := s.findings.Lists(ctx, now, before.ID, &findings.CompareQuery{Lists: []string{findings.ListNew, findings.ListFixed}, Limit: maxNoticed})
	if err != nil {
		return nil, nil, err
	}
	return unmarked(lists[findings.ListNew]), unmarked(lists[findings.ListFixed]), nil
}

// issuesOf returns the issues of findings, the first maxNoticedIssues.
func (s *Notices) issuesOf(ctx context.Context, r *store.Run, all []api.Finding) ([]api.Issue, error) {
	found, seen := []api.Issue{}, map[string]bool{}
	for _, f := range all {
		if seen[f.Issue] || len(found) == maxNoticedIssues {
			continue
		}
		seen[f.Issue] = true
		i, err := s.issues.Get(ctx, r, f.Issue)
		if err != nil {
			return nil, err
		}
		found = append(found, i.Issue)
	}
	return found, nil
}

// unmarked leaves out what a mark covers.
func unmarked(list *api.List[api.Finding]) *api.List[api.Finding] {
	before := len(list.Items)
	list.Items = slices.DeleteFunc(list.Items, func(f api.Finding) bool { return f.Known != nil })
	list.Total -= before - len(list.Items)
	return list
}
