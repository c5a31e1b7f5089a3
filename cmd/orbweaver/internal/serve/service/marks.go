package service

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/similar"
	"github.com/orbweaver/orbweaver/report"
)

// maxReason is the maximum length of a reason, in bytes.
const maxReason = 2000

// Seen returns a problem if a project never had a finding with a fingerprint.
func (s *Marks) Seen(ctx context.Context, project, fingerprint string) error {
	seen, err := s.store.FirstSeen(ctx, project, []string{fingerprint})
	if err == nil && len(seen) == 0 {
		err = api.NewProblem(http.StatusNotFound, "the project never had a finding with the fingerprint %s", fingerprint)
	}
	return err
}

// Put marks a finding as known, from a JSON object. The project has Seen the fingerprint. by is who
// marks it.
func (s *Marks) Put(ctx context.Context, project, fingerprint, by string, body []strictjson.Member, ifMatch Condition) (*api.Mark, error) {
	m := &api.Mark{Fingerprint: fingerprint, By: by, Created: time.Now().UTC().Truncate(time.Millisecond)}
	var faults []api.Fault
	for _, field := range body {
		if message := readMark(m, field); message != "" {
			faults = append(faults, api.Fault{Field: field.Name, Message: message})
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(body, func(f strictjson.Member) bool { return f.Name == name })
	}
	for _, name := range []string{"as", "reason"} {
		if !has(name) {
			faults = append(faults, api.Fault{Field: name, Message: "it is missing"})
		}
	}
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return m, store.Marks{Store: s.store}.Put(ctx, project, m, ifMatch.allowsMark)
}

// readMark reads one member and returns what is wrong with it.
func readMark(m *api.Mark, field strictjson.Member) string {
	switch field.Name {
	case "as":
		if strictjson.Decode(field.Value, &m.As) != nil || m.As != "known" && m.As != "false-alarm" {
			return "use known or false-alarm"
		}
	case "reason":
		if strictjson.Decode(field.Value, &m.Reason) != nil || strings.TrimSpace(m.Reason) == "" || len(m.Reason) > maxReason {
			return "write why, in 1 to 2000 bytes"
		}
		if strings.ContainsFunc(m.Reason, report.IsControl) {
			return noControls
		}
	case "until":
		if string(field.Value) == "null" {
			return ""
		}
		var text string
		until, err := time.Time{}, strictjson.Decode(field.Value, &text)
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
	default:
		message := "unknown member \"" + field.Name + "\""
		if near := similar.Word(field.Name, []string{"as", "reason", "until"}); near != "" {
			message += ": did you mean \"" + near + "\"?"
		}
		return message
	}
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

// Delete removes a mark.
func (s *Marks) Delete(ctx context.Context, project, fingerprint string, ifMatch Condition) error {
	err := store.Marks{Store: s.store}.Delete(ctx, project, fingerprint, ifMatch.allowsMark)
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
	list := &api.List[*api.Mark]{Items: []*api.Mark{}, Total: len(all)}
	if after != "" && !slices.ContainsFunc(all, func(m *api.Mark) bool { return m.Fingerprint == after }) {
		return nil, invalidCursor()
	}
	for _, m := range all {
		if m.Fingerprint <= after {
			continue
		}
		if len(list.Items) == limit {
			list.Next = &list.Items[limit-1].Fingerprint
			break
		}
		list.Items = append(list.Items, m)
	}
	return list, nil
}
