package service

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
)

// AuditQuery reads the filters of the audit log. What is wrong with them is a problem.
func AuditQuery(v url.Values, limit int) (*audit.Query, error) {
	q := &audit.Query{Who: v.Get("who"), Action: v.Get("action"), Project: v.Get("project"), After: v.Get("after"), Limit: limit}
	var faults []api.Fault
	if q.Action != "" && !slices.Contains(audit.Actions, q.Action) {
		faults = append(faults, api.Fault{Field: "action", Message: "use " + strings.Join(audit.Actions, ", ")})
	}
	for name, into := range map[string]*time.Time{"from": &q.From, "to": &q.To} {
		text := v.Get(name)
		at, err := time.Parse(time.DateOnly, text)
		if err == nil && name == "to" {
			at = at.AddDate(0, 0, 1)
		}
		if err != nil {
			at, err = time.Parse(time.RFC3339, text)
		}
		if err != nil && text != "" {
			faults = append(faults, api.Fault{Field: name, Message: "use a date such as 2027-12-31, or a time such as 2027-12-31T12:00:00Z"})
		} else if text != "" {
			*into = at
		}
	}
	if len(faults) > 0 {
		slices.SortFunc(faults, func(a, b api.Fault) int { return strings.Compare(a.Field, b.Field) })
		return nil, api.Invalid(faults...)
	}
	return q, nil
}

// AuditList returns one part of the audit log, newest first.
func AuditList(ctx context.Context, log *audit.Log, q *audit.Query) (*api.List[*audit.Entry], error) {
	total, err := log.Count(ctx, q)
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	more := *q
	more.Limit++
	var all []*audit.Entry
	err = log.Each(ctx, &more, func(e *audit.Entry) error {
		all = append(all, e)
		return nil
	})
	if errors.Is(err, audit.ErrCursor) {
		return nil, invalidCursor()
	}
	return cut(all, limit, total, func(e *audit.Entry) string { return e.ID }), err
}
