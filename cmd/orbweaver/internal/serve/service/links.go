package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

// Purposes are what read-only addresses are for.
var Purposes = []string{"feed", "badge", "share"}

// Create makes a read-only address of a project from the members of a JSON object. The
// token and the path are only in this answer.
func (s *Links) Create(ctx context.Context, project string, body []strictjson.Member) (*api.Link, error) {
	l := &api.Link{ID: store.NewID(), Token: auth.NewSecret(), Created: time.Now().UTC().Truncate(time.Millisecond)}
	err := readMembers(body, fields{"expires": expiryField(l.Created, &l.Expires), "for": func(value json.RawMessage) string {
		if strictjson.Decode(value, &l.For) != nil || !slices.Contains(Purposes, l.For) {
			return "use " + strings.Join(Purposes, ", ")
		}
		return ""
	}}, "for")
	if err != nil {
		return nil, err
	}
	switch l.For {
	case "feed":
		l.URL = "/api/v1/projects/" + project + "/feed.atom?token=" + l.Token
	case "badge":
		l.URL = "/api/v1/projects/" + project + "/badge.svg?token=" + l.Token
	default:
		l.URL = "/share/" + l.Token
	}
	if err := (store.Links{Store: s.store}).Add(ctx, project, l, auth.HashSecret(l.Token)); err != nil {
		return nil, err
	}
	return l, s.note(ctx, deed{"link.add", project, l.ID}, nil, l, "for", "expires")
}

// expiryField reads the time after which something expires; null and "" mean never.
func expiryField(created time.Time, into **time.Time) func(json.RawMessage) string {
	return orNone(func(value json.RawMessage) string {
		var text string
		err := strictjson.Decode(value, &text)
		after, ageErr := ParseAge(text)
		if err != nil || ageErr != nil || after <= 0 {
			return "use a time such as 90d or 12h, or null for never"
		}
		*into = new(created.Add(after))
		return ""
	})
}

// ParseAge reads a duration in Go's notation, or in days with "d".
func ParseAge(text string) (time.Duration, error) {
	if days, found := strings.CutSuffix(text, "d"); found {
		n, err := strconv.ParseFloat(days, 64)
		const most = 100 * 365
		if err != nil || !(n >= 0 && n <= most) {
			return 0, errors.New("use a duration such as 90d, 12h or 30m")
		}
		return time.Duration(n * float64(24*time.Hour)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("use a duration such as 90d, 12h or 30m")
	}
	return d, nil
}

// List returns one part of the read-only addresses of a project.
func (s *Links) List(ctx context.Context, project, after string, limit int) (*api.List[*api.Link], error) {
	all, err := store.Links{Store: s.store}.All(ctx, project)
	if err != nil {
		return nil, err
	}
	return Part(all, after, limit, func(l *api.Link) string { return l.ID })
}

// Project returns the project of a read-only token for a purpose.
func (s *Links) Project(ctx context.Context, token, purpose string) (string, bool) {
	project, err := store.Links{Store: s.store}.Project(ctx, auth.HashSecret(token), purpose)
	return project, err == nil
}

// Exists returns a problem if a project has no read-only address with an id.
func (s *Links) Exists(ctx context.Context, project, id string) error {
	all, err := store.Links{Store: s.store}.All(ctx, project)
	if err == nil && !slices.ContainsFunc(all, func(l *api.Link) bool { return l.ID == id }) {
		err = noLink(id)
	}
	return err
}

// Delete revokes a read-only address.
func (s *Links) Delete(ctx context.Context, project, id string) error {
	err := store.Links{Store: s.store}.Delete(ctx, project, id)
	if errors.Is(err, store.ErrNotFound) {
		return noLink(id)
	}
	if err == nil {
		s.audit.Note(ctx, "link.remove", project, id, nil)
	}
	return err
}

func noLink(id string) error { return api.NewProblem(http.StatusNotFound, "there is no link %s", id) }
