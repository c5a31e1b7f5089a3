package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

// Exchange moves projects from one server to another.
type Exchange struct {
	*parts
	projects *Projects
	issues   *Issues
}

// ExchangeFormats are the formats of an export.
var ExchangeFormats = []string{"json", "toml"}

// Export returns all projects, or one, in one of ExchangeFormats. The same projects give the same bytes.
func (s *Exchange) Export(ctx context.Context, project, format string) ([]byte, error) {
	rows, _, err := s.store.Projects(ctx, store.Scope{Project: project}, "", -1)
	if err != nil {
		return nil, err
	}
	if project != "" && len(rows) == 0 {
		return nil, api.Invalid(api.Fault{Field: "project", Message: fmt.Sprintf("there is no project %q", project)})
	}
	all := &api.Exchange{Version: api.ExchangeVersion, Projects: []api.ExchangeProject{}}
	for _, row := range rows {
		p, err := s.export(ctx, row)
		if err != nil {
			return nil, err
		}
		all.Projects = append(all.Projects, *p)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(all); err != nil || format != "toml" {
		return b.Bytes(), err
	}
	var values map[string]any
	if err := strictjson.Decode(b.Bytes(), &values); err != nil {
		return nil, err
	}
	b.Reset()
	err = toml.NewEncoder(&b).Encode(plain(values))
	return b.Bytes(), err
}

// plain returns a value of JSON as TOML has it: members that are null are left out, and numbers are whole if they can be.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil {
				delete(v, name)
			} else {
				v[name] = plain(member)
			}
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil && f == float64(int64(f)) {
			return int64(f)
		} else if err == nil {
			return f
		}
	}
	return value
}

func (s *Exchange) export(ctx context.Context, row *store.Project) (*api.ExchangeProject, error) {
	p, err := s.projects.Get(ctx, row)
	if err != nil {
		return nil, err
	}
	out := &api.ExchangeProject{Name: p.Name, Targets: p.Targets, URLs: []string{}, Options: map[string]any{}, Schedule: p.Schedule, Notify: p.Notify, Tags: p.Tags, Access: p.Access, Quiet: p.Quiet,
		Marks: []api.ExchangeMark{}, Views: []api.ExchangeView{}}
	for name, value := range p.Options {
		out.Options[name] = plain(value)
	}
	urls, err := store.URLs(ctx, s.store, row.ID)
	if err != nil {
		return nil, err
	}
	out.URLs = append(out.URLs, urls...)
	views, err := s.issues.Views(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, v := range views {
		out.Views = append(out.Views, api.ExchangeView{Name: v.Name, Query: v.Query})
	}
	marks, err := store.Marks{Store: s.store}.All(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	marks = slices.DeleteFunc(marks, func(m *api.Mark) bool { return !m.InForce(now) })
	if err := s.place(ctx, row.ID, marks); err != nil {
		return nil, err
	}
	for _, m := range marks {
		if m.Place.Code != "" {
			out.Marks = append(out.Marks, api.ExchangeMark{MarkPlace: m.Place, As: m.As, Reason: m.Reason, Until: m.Until})
		}
	}
	slices.SortFunc(out.Marks, func(a, b api.ExchangeMark) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Verdict, b.Verdict))
	})
	return out, nil
}

// place looks up in the runs of a project what marks are about, unless they know it. One whose finding is
// in no run that is kept stays without a place.
func (s *Exchange) place(ctx context.Context, project string, marks []*api.Mark) error {
	unknown := slices.DeleteFunc(slices.Clone(marks), func(m *api.Mark) bool { return m.Place.Code != "" })
	var before int64
	for len(unknown) > 0 {
		runs, _, err := s.store.RunsOf(ctx, project, "", before, 10)
		if err != nil || len(runs) == 0 {
			return err
		}
		for _, r := range runs {
			before = r.Number
			x, release, err := s.manager.Findings(r.ID)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			unknown = slices.DeleteFunc(unknown, func(m *api.Mark) bool {
				m.Place = placeIn(ctx, x, m.Fingerprint)
				return m.Place.Code != ""
			})
			release()
		}
	}
	return nil
}

// placeIn returns what the mark of a finding or an issue is about, without a code if a run has neither.
func placeIn(ctx context.Context, x *findings.Index, id string) api.MarkPlace {
	if f, _, err := x.Finding(ctx, id); err == nil {
		return api.MarkPlace{URL: f.URL, Code: f.Code}
	}
	if i, err := x.Issue(ctx, id); err == nil {
		return api.MarkPlace{Kind: i.Kind, Subject: i.Subject, Verdict: i.Verdict, Code: i.Code}
	}
	return api.MarkPlace{}
}
