package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/report"
)

// StatusPages tell people without accounts how several projects are.
type StatusPages struct{ *parts }

const maxOnStatusPage = 1000

// Create makes a status page from the members of a JSON object. The token and the path are only in
// this answer.
func (s *StatusPages) Create(ctx context.Context, body []strictjson.Member) (*api.StatusPage, error) {
	p := &api.StatusPage{ID: store.NewID(), Token: auth.NewSecret(), Created: time.Now().UTC().Truncate(time.Millisecond)}
	var title, tag *string
	err := readMembers(body, fields{"title": textField(&title, checkTitle), "tag": orNone(textField(&tag, checkTag)), "expires": expiryField(p.Created, &p.Expires),
		"projects": func(value json.RawMessage) string { return s.readProjects(ctx, &p.Projects, value) }}, "title")
	if err != nil {
		return nil, err
	}
	if (tag == nil) == (p.Projects == nil) {
		return nil, api.Invalid(api.Fault{Field: "projects", Message: "give either projects or a tag"})
	}
	if p.Title = *title; tag != nil {
		p.Tag = new(strings.ToLower(*tag))
	}
	p.URL = "/status/" + p.Token
	if err := (store.StatusPages{Store: s.store}).Add(ctx, p, auth.HashSecret(p.Token)); err != nil {
		return nil, err
	}
	return p, s.note(ctx, deed{"status.add", "", p.Title}, nil, p, "title", "projects", "tag", "expires")
}

func checkTitle(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n < 1 || n > MaxName || strings.TrimSpace(text) == "":
		return fmt.Errorf("use 1 to %d characters", MaxName)
	case strings.ContainsFunc(text, report.IsControl):
		return errors.New(noControls)
	}
	return nil
}

func checkTag(text string) error {
	if !isTag(text) {
		return errors.New(wantTag)
	}
	return nil
}

// readProjects reads a list of ids of projects. It returns what is wrong with it, or "".
func (s *StatusPages) readProjects(ctx context.Context, into *[]string, value json.RawMessage) string {
	if string(value) == "null" {
		return ""
	}
	if strictjson.Decode(value, into) != nil || len(*into) == 0 || len(*into) > maxOnStatusPage {
		return fmt.Sprintf("use a list of 1 to %d ids of projects", maxOnStatusPage)
	}
	for i, id := range *into {
		if _, err := s.store.Project(ctx, id); err != nil || slices.Contains((*into)[:i], id) {
			return fmt.Sprintf("there is no project %q, or it is given twice", id)
		}
	}
	return ""
}

// List returns one part of the status pages, oldest first.
func (s *StatusPages) List(ctx context.Context, after string, limit int) (*api.List[*api.StatusPage], error) {
	all, err := store.StatusPages{Store: s.store}.All(ctx)
	if err != nil {
		return nil, err
	}
	return Part(all, after, limit, func(p *api.StatusPage) string { return p.ID })
}

// Get returns a status page; the error is a problem if there is none with the id.
func (s *StatusPages) Get(ctx context.Context, id string) (*api.StatusPage, error) {
	p, err := store.StatusPages{Store: s.store}.Get(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = api.NewProblem(http.StatusNotFound, "there is no status page %s", id)
	}
	return p, err
}

// Delete removes a status page.
func (s *StatusPages) Delete(ctx context.Context, id string) error {
	p, err := s.Get(ctx, id)
	if err == nil {
		err = store.StatusPages{Store: s.store}.Delete(ctx, id)
	}
	if err != nil {
		return err
	}
	return s.note(ctx, deed{"status.remove", "", p.Title}, p, nil, "title")
}

// Status is what a status page shows of a project: nothing that names a target, a finding or a person.
type Status struct {
	Name string
	Last *api.Run // that has ended, nil if there is none
}

// Of returns the title of the status page with a token and its projects, by name. The error is
// store.ErrNotFound if there is no such page.
func (s *StatusPages) Of(ctx context.Context, token string) (title string, all []Status, err error) {
	p, err := store.StatusPages{Store: s.store}.Page(ctx, auth.HashSecret(token))
	if err != nil {
		return "", nil, err
	}
	rows, _, err := s.store.Projects(ctx, store.Scope{}, "", -1)
	if err != nil {
		return "", nil, err
	}
	for _, row := range rows {
		var tags []string
		if err := strictjson.Decode(row.Tags, &tags); err != nil {
			return "", nil, fmt.Errorf("read the tags of the project %s: %w", row.ID, err)
		}
		if !slices.Contains(p.Projects, row.ID) && (p.Tag == nil || !slices.Contains(tags, *p.Tag)) {
			continue
		}
		last, err := store.Ended{Store: s.store}.Last(ctx, row.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", nil, err
		}
		one := Status{Name: row.Name}
		if err == nil {
			one.Last = &last.Run
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b Status) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return p.Title, all, nil
}
