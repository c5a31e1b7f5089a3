package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/tomlsize"
)

// Limits of an import.
const (
	MaxImport      = 16 << 20 // bytes
	maxImportParts = 500_000  // members and elements
)

func fromTOML(text []byte) ([]byte, error) {
	if err := tomlsize.Check(string(text), maxImportParts); err != nil {
		return nil, err
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

// ReadExchange returns a document in JSON or TOML as JSON. What is wrong with it is a problem.
func ReadExchange(text []byte) ([]byte, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return text, nil
	}
	document, err := fromTOML(text)
	if err != nil {
		return nil, api.NewProblem(http.StatusBadRequest, "the document is not well-formed TOML: %v", err)
	}
	return document, nil
}

type incoming struct {
	row   *store.Project // as it is stored; new without a version
	next  *content
	marks []*api.Mark
	views []*api.View
	same  bool

	unlisted int // faults that its problem does not list
}

// Import adds the projects of a document in JSON, or changes those that have the names: members that the
// document lacks stay as they are, and marks and views are added or changed. It is all or nothing; with
// try, nothing. by is who imports, and checkView returns what is wrong with the query of a view.
func (s *Exchange) Import(ctx context.Context, by string, document []byte, try bool, checkView func(url.Values) error) (*api.Imported, error) {
	projects, err := projectsOf(ctx, document)
	if err != nil {
		return nil, err
	}
	stored, _, err := s.store.Projects(ctx, store.Scope{}, "", -1)
	if err != nil {
		return nil, err
	}
	byName := map[string][]*store.Project{}
	for _, row := range stored {
		byName[row.Name] = append(byName[row.Name], row)
	}
	names := map[string]bool{}
	var faults []api.Fault
	var all []*incoming
	done := &api.Imported{Added: []string{}, Changed: []string{}, Same: []string{}}
	for i, value := range projects {
		var p struct{ Name string }
		_ = strictjson.Decode(value, &p) // read finds what is wrong with it
		rows := byName[p.Name]
		if names[p.Name] || len(rows) > 1 {
			return nil, api.NewProblem(http.StatusConflict, "two projects have the name %q, by which they are matched", p.Name)
		}
		names[p.Name] = true
		one, found, err := s.read(ctx, rows, by, value, checkView)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if n := utf8.RuneCountInString(p.Name); n >= 1 && n <= MaxName { // who reads the fault does not count projects
				f.Message += fmt.Sprintf(" (project %q)", p.Name)
			}
			faults = append(faults, api.Fault{Field: strings.TrimSuffix(fmt.Sprintf("projects.%d.%s", i, f.Field), "."), Message: f.Message})
		}
		all = append(all, one)
		list := &done.Changed
		switch {
		case len(rows) == 0:
			list = &done.Added
		case len(found) == 0 && one.same:
			list = &done.Same
		}
		*list = append(*list, p.Name)
	}
	if len(faults) > 0 {
		p := api.Invalid(faults...)
		for _, one := range all {
			p.More += one.unlisted
		}
		return nil, p
	}
	if try {
		return done, nil
	}
	if err := s.put(ctx, all); err != nil {
		return nil, err
	}
	s.audit.Note(ctx, "import", "", api.Plural(len(all), "project"), audit.Changes{"added": {nil, done.Added}, "changed": {nil, done.Changed}})
	return done, nil
}

func projectsOf(ctx context.Context, document []byte) ([]json.RawMessage, error) {
	if err := strictjson.CheckUpTo(ctx, document, maxImportParts); err != nil {
		return nil, api.NewProblem(http.StatusBadRequest, "the document is not well-formed: %v", err)
	}
	var head struct {
		Version  any
		Projects []json.RawMessage
	}
	if err := strictjson.Decode(document, &head); err != nil || head.Version != json.Number("2") {
		return nil, api.Invalid(api.Fault{Field: "version", Message: "use an object with the version 2 and a list of projects, as an export has them"})
	}
	return head.Projects, nil
}

// read reads a project of an import, of which rows may have the stored one.
func (s *Exchange) read(ctx context.Context, rows []*store.Project, by string, value json.RawMessage, checkView func(url.Values) error) (*incoming, []api.Fault, error) {
	one := &incoming{row: &store.Project{ID: store.NewID(), Created: time.Now().UTC().Truncate(time.Millisecond)}}
	before := &content{Options: map[string]any{}, Notify: []api.Notify{}, Tags: []string{}}
	if len(rows) > 0 {
		one.row = rows[0]
		var err error
		if before, err = s.projects.contentOf(one.row); err != nil {
			return nil, nil, err
		}
	}
	all, err := strictjson.Members(value)
	if err != nil {
		return one, []api.Fault{{Message: "use an object"}}, nil
	}
	var faults []api.Fault
	body := bytes.NewBufferString("{")
	for _, m := range all {
		switch m.Name {
		case "marks":
			faults = append(faults, one.readMarks(by, m.Value)...)
		case "urls":
			var urls []string
			if strictjson.Decode(m.Value, &urls) != nil || urls == nil {
				faults = append(faults, api.Fault{Field: "urls", Message: "use a list of URLs"})
				continue
			}
			var wrong *api.Problem
			one.row.List, wrong = readURLs(s.engine, strings.Join(urls, "\n"))
			one.row.URLs, before.URLs = len(one.row.List), len(one.row.List)
			if wrong != nil {
				faults = append(faults, wrong.Errors...)
				one.unlisted = wrong.More
			}
		case "views":
			faults = append(faults, one.readViews(m.Value, checkView)...)
		default:
			if body.Len() > 1 {
				body.WriteByte(',')
			}
			fmt.Fprintf(body, "%s:%s", mustQuote(m.Name), m.Value)
		}
	}
	body.WriteByte('}')
	old := before.text()
	one.next, err = s.projects.read(ctx, before, body.Bytes(), len(rows) == 0)
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == http.StatusUnprocessableEntity {
		one.unlisted += p.More
		return one, append(p.Errors, faults...), nil
	}
	if err != nil || len(faults) > 0 {
		return one, faults, err
	}
	listed, err := store.URLs(ctx, s.store, one.row.ID)
	if err != nil {
		return one, nil, err
	}
	one.same = bytes.Equal(old, one.next.text()) && (one.row.List == nil || slices.Equal(one.row.List, listed))
	return one, nil, s.keepNew(ctx, one)
}

func mustQuote(text string) []byte {
	quoted, _ := json.Marshal(text) // strings never fail
	return quoted
}

// text returns the content with its secrets as a text, to compare it.
func (c *content) text() []byte {
	b, _ := json.Marshal([]any{c.Targets, c.Options, c.Schedule, c.Notify, c.Access, c.Tags, c.Quiet}) // it came from JSON
	return b
}

func (one *incoming) readMarks(by string, value json.RawMessage) (faults []api.Fault) {
	var items []json.RawMessage
	if strictjson.Decode(value, &items) != nil {
		return []api.Fault{{Field: "marks", Message: "use a list of marks"}}
	}
	for i, item := range items {
		fault := func(field, message string) {
			faults = append(faults, api.Fault{Field: strings.TrimSuffix(fmt.Sprintf("marks.%d.%s", i, field), "."), Message: message})
		}
		all, err := strictjson.Members(item)
		if err != nil {
			fault("", "use an object")
			continue
		}
		var place api.MarkPlace
		into := map[string]*string{"url": &place.URL, "kind": &place.Kind, "subject": &place.Subject, "verdict": &place.Verdict, "code": &place.Code}
		var rest []strictjson.Member
		for _, m := range all {
			if text, ok := into[m.Name]; !ok {
				rest = append(rest, m)
			} else if strictjson.Decode(m.Value, text) != nil {
				fault(m.Name, "use a string")
			}
		}
		m, found := newMark(by, rest)
		for _, f := range found {
			fault(f.Field, f.Message)
		}
		switch {
		case place.Code == "":
			fault("code", "it is missing")
		case place.URL != "" && place.Kind+place.Subject+place.Verdict == "":
			m.Fingerprint = findings.Fingerprint(one.row.ID, place.URL, place.Code)
		case place.URL == "" && place.Subject != "" && place.Verdict != "" && (place.Kind == findings.KindDocument || place.Kind == findings.KindLink):
			m.Fingerprint = findings.IssueID(place.Kind, place.Verdict, place.Code, place.Subject)
		default:
			fault("url", "give the url of a finding, or kind, subject and verdict of an issue")
		}
		m.Place = place
		one.marks = append(one.marks, m)
	}
	return faults
}

func (one *incoming) readViews(value json.RawMessage, checkView func(url.Values) error) (faults []api.Fault) {
	var items []json.RawMessage
	if strictjson.Decode(value, &items) != nil {
		return []api.Fault{{Field: "views", Message: "use a list of views"}}
	}
	names := map[string]bool{}
	for i, item := range items {
		var name, query *string
		all, err := strictjson.Members(item)
		if err == nil {
			err = readMembers(all, fields{"name": textField(&name, nil), "query": textField(&query, nil)}, "name", "query")
		}
		var v *api.View
		if err == nil {
			v, err = newView(*name, *query, checkView)
		}
		var p *api.Problem
		switch {
		case errors.As(err, &p):
			for _, f := range p.Errors {
				faults = append(faults, api.Fault{Field: fmt.Sprintf("views.%d.%s", i, f.Field), Message: f.Message})
			}
		case err != nil || names[v.Name]:
			faults = append(faults, api.Fault{Field: fmt.Sprintf("views.%d", i), Message: "use an object with another name than those before"})
		default:
			names[v.Name] = true
			one.views = append(one.views, v)
		}
	}
	return faults
}

// keepNew leaves only the marks and views that differ from what is stored.
func (s *Exchange) keepNew(ctx context.Context, one *incoming) error {
	marks, err := store.Marks{Store: s.store}.All(ctx, one.row.ID)
	if err != nil {
		return err
	}
	views, err := s.issues.Views(ctx, one.row.ID)
	if err != nil {
		return err
	}
	set := map[string]*api.Mark{}
	for _, m := range marks {
		set[m.Fingerprint] = m
	}
	one.marks = slices.DeleteFunc(one.marks, func(m *api.Mark) bool {
		o := set[m.Fingerprint]
		return o != nil && o.As == m.As && o.Reason == m.Reason && (o.Until == nil) == (m.Until == nil) && (o.Until == nil || o.Until.Equal(*m.Until))
	})
	queries := map[string]string{}
	for _, v := range views {
		queries[v.Name] = v.Query
	}
	one.views = slices.DeleteFunc(one.views, func(v *api.View) bool {
		query, stored := queries[v.Name]
		return stored && query == v.Query
	})
	one.same = one.same && len(one.marks)+len(one.views) == 0
	return nil
}

// put stores the projects of an import, all or none.
func (s *Exchange) put(ctx context.Context, all []*incoming) error {
	var changed []*store.Whole
	for _, one := range all {
		if one.same && one.row.Version > 0 {
			continue
		}
		if err := s.projects.keep(one.row, one.next); err != nil {
			return fmt.Errorf("read the project %q: %w", one.next.Name, err)
		}
		changed = append(changed, &store.Whole{Project: one.row, Marks: one.marks, Views: one.views})
	}
	err := store.PutWhole(ctx, s.store, changed)
	var whole *store.WholeError
	if errors.Is(err, store.ErrChanged) && errors.As(err, &whole) {
		return api.NewProblem(http.StatusConflict, "somebody has changed the project %q meanwhile: import the file again", whole.Name)
	}
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		s.projects.follow()
	}
	return nil
}
