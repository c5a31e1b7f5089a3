package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/report"
)

// maxReason is the maximum length of a reason, in bytes.
const maxReason = 2000

// Seen returns a problem if a project never had a finding with a fingerprint, or an issue with an id.
func (s *Marks) Seen(ctx context.Context, project, id string) error {
	unknown, err := s.unseen(ctx, project, []string{id})
	if err == nil && len(unknown) > 0 {
		err = api.NewProblem(http.StatusNotFound, "the project never had a finding or an issue %s", id)
	}
	return err
}

// unseen returns the places of those fingerprints and issues that a project never had.
func (s *Marks) unseen(ctx context.Context, project string, ids []string) (places []int, err error) {
	seen, err := s.store.FirstSeen(ctx, project, ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if _, ok := seen[id]; ok {
			continue
		}
		if there, err := s.inLastRun(ctx, project, id); err != nil {
			return nil, err
		} else if !there {
			places = append(places, i)
		}
	}
	return places, nil
}

// inLastRun reports whether the last sound run of a project has an issue, which counts if an earlier
// version did that run.
func (s *Marks) inLastRun(ctx context.Context, project, issue string) (bool, error) {
	r, err := s.store.SoundBefore(ctx, project, 0)
	if err != nil {
		return false, ignore(err, store.ErrNotFound)
	}
	_, err = inRun(s.parts, r.ID, func(x *findings.Index) (api.Issue, error) { return x.Issue(ctx, issue) })
	if isMissing(err) {
		return false, nil
	}
	return err == nil, err
}

// ignore returns an error unless it is a certain one.
func ignore(err, one error) error {
	if errors.Is(err, one) {
		return nil
	}
	return err
}

// Put marks a finding or an issue as known, from a JSON object. The project has Seen it. by is who
// marks it.
func (s *Marks) Put(ctx context.Context, project, fingerprint, by string, body []strictjson.Member, ifMatch Condition) (*api.Mark, error) {
	m, faults := newMark(by, body)
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	m.Fingerprint = fingerprint
	var before *api.Mark
	err := store.Marks{Store: s.store}.Put(ctx, project, m, ifMatch.keeping(&before))
	if err != nil {
		return nil, err
	}
	return m, s.note(ctx, deed{"mark.set", project, fingerprint}, before, m, markMembers...)
}

// newMark reads a mark, without its fingerprint.
func newMark(by string, body []strictjson.Member) (*api.Mark, []api.Fault) {
	m := &api.Mark{By: by, Created: time.Now().UTC().Truncate(time.Millisecond)}
	return m, fields{"as": func(value json.RawMessage) string {
		if strictjson.Decode(value, &m.As) != nil || m.As != "known" && m.As != "false-alarm" {
			return "use known or false-alarm"
		}
		return ""
	}, "reason": func(value json.RawMessage) string {
		if strictjson.Decode(value, &m.Reason) != nil || strings.TrimSpace(m.Reason) == "" || len(m.Reason) > maxReason {
			return "write why, in 1 to 2000 bytes"
		}
		if strings.ContainsFunc(m.Reason, report.IsControl) {
			return noControls
		}
		return ""
	}, "until": func(value json.RawMessage) string { return readUntil(m, value) }}.read(body, "as", "reason")
}

// Bulk is a change of many marks at once.
type Bulk struct {
	Run          *store.Run // and
	Filter       findings.Query
	Fingerprints []string // or these, if they are not nil
	Remove       bool     // else Mark
	Mark         []strictjson.Member
}

// WithMark returns the faults of a body with those of the mark that it has, in the order of its members.
func (b *Bulk) WithMark(body []strictjson.Member, faults []api.Fault) []api.Fault {
	if b.Remove {
		return faults
	}
	_, more := newMark("", b.Mark)
	return inOrder(body, faults, more)
}

// MaxBulk is the number of fingerprints that one request names.
const MaxBulk = 10_000

// PutAll marks findings, or removes their marks, all or none. It returns how many.
func (s *Marks) PutAll(ctx context.Context, project, by string, b *Bulk) (int, error) {
	m, faults := newMark(by, b.Mark)
	if b.Remove {
		faults = nil
	}
	unknown, err := s.unseen(ctx, project, b.Fingerprints)
	if err != nil {
		return 0, err
	}
	for _, i := range unknown {
		faults = append(faults, api.Fault{Field: fmt.Sprintf("fingerprints.%d", i), Message: "the project never had it"})
	}
	if len(faults) > 0 {
		return 0, api.Invalid(faults...)
	}
	ids := slices.Clone(b.Fingerprints)
	if b.Fingerprints == nil {
		if ids, err = s.matching(ctx, b); err != nil {
			return 0, err
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if b.Remove {
		n, err := store.Marks{Store: s.store}.DeleteAll(ctx, project, ids)
		if err == nil && n > 0 {
			s.audit.Note(ctx, "mark.remove", project, several(ids, "finding"), nil)
		}
		return n, err
	}
	marks := make([]*api.Mark, len(ids))
	for i, id := range ids {
		one := *m
		one.Fingerprint = id
		marks[i] = &one
	}
	if err := (store.Marks{Store: s.store}).PutAll(ctx, project, marks); err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), s.note(ctx, deed{"mark.set", project, several(ids, "finding")}, nil, m, markMembers...)
}

// several names an object by its id, or says how many there are.
func several(ids []string, noun string) string {
	if len(ids) == 1 {
		return ids[0]
	}
	return api.Plural(len(ids), noun)
}

// matching returns the fingerprints of all findings that a filter selects.
func (s *Marks) matching(ctx context.Context, b *Bulk) ([]string, error) {
	q := b.Filter
	if q.Known != nil {
		marks, err := s.marksInForce(ctx, b.Run.Project)
		if err != nil {
			return nil, err
		}
		q.Marked = slices.Collect(maps.Keys(marks))
	}
	ids, err := inRun(s.parts, b.Run.ID, func(x *findings.Index) ([]string, error) { return x.Fingerprints(ctx, &q) })
	return ids, ignore(err, fs.ErrNotExist)
}

// readUntil reads when a mark ends and returns what is wrong with it; null is never.
func readUntil(m *api.Mark, value json.RawMessage) string {
	if string(value) == "null" {
		return ""
	}
	var text string
	until, err := time.Time{}, strictjson.Decode(value, &text)
	if err == nil {
		until, err = parseUntil(text)
	}
	if err != nil {
		return "use null, a date such as 2027-12-31, or a time such as 2027-12-31T12:00:00Z"
	}
	if !until.After(time.Now()) {
		return "it is in the past"
	}
	m.Until = &until
	return ""
}

// parseUntil reads a time, or a date, which means its end in UTC.
func parseUntil(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC(), err
}

// allowsMark returns a problem if a mark, which may be nil, must not be changed.
func (c Condition) allowsMark(m *api.Mark) error {
	switch {
	case m == nil && !c.holds(0):
		return changedMeanwhile(nil)
	case m != nil && !c.holds(m.Version) && (m.InForce(time.Now()) || !c.holds(0)):
		return changedMeanwhile(m)
	}
	return nil
}

// keeping is allowsMark that also keeps the stored mark.
func (c Condition) keeping(before **api.Mark) func(*api.Mark) error {
	return func(m *api.Mark) error {
		*before = m
		return c.allowsMark(m)
	}
}

// markMembers are the members of a mark that people set.
var markMembers = []string{"as", "reason", "until"}

// Delete removes a mark.
func (s *Marks) Delete(ctx context.Context, project, fingerprint string, ifMatch Condition) error {
	var before *api.Mark
	err := store.Marks{Store: s.store}.Delete(ctx, project, fingerprint, ifMatch.keeping(&before))
	if err == nil {
		return s.note(ctx, deed{"mark.remove", project, fingerprint}, before, nil, markMembers...)
	}
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(http.StatusNotFound, "there is no mark for the fingerprint %s", fingerprint)
	}
	return err
}

// List returns one part of the marks of a project, by fingerprint.
func (s *Marks) List(ctx context.Context, project, after string, limit int) (*api.List[*api.Mark], error) {
	all, err := store.Marks{Store: s.store}.All(ctx, project)
	if err != nil {
		return nil, err
	}
	return Part(all, after, limit, func(m *api.Mark) string { return m.Fingerprint })
}
