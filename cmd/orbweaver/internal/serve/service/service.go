package service

import (
	"context"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/schedule"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/secret"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Service is all that the web interface does.
type Service struct {
	Projects *Projects
	Runs     *Runs
	Findings *Findings
	Marks    *Marks
	Issues   *Issues
	Links    *Links
	Pages    *StatusPages
	Exchange *Exchange
	Accounts *Accounts
	Notices  *Notices
	Digests  *Digests
	Audit    *audit.Log
	Manager  *runs.Manager
	// Schedules starts the runs of schedules while its Run is called.
	Schedules *schedule.Keeper
}

type parts struct {
	store   *store.Store
	box     *secret.Box
	engine  runs.Engine
	manager *runs.Manager
	audit   *audit.Log
	log     func(format string, args ...any)
}

// deed is what the audit log says was done to what.
type deed struct{ action, project, subject string }

// note notes a change of an object, with those members that differ. Either may be nil. A change of
// nothing is not noted.
func (p *parts) note(ctx context.Context, d deed, before, after any, members ...string) error {
	changes, err := audit.Diff(before, after, members...)
	if err == nil && len(changes) > 0 {
		p.audit.Note(ctx, d.action, d.project, d.subject, changes)
	}
	return err
}

// Config configures a Service.
type Config struct {
	Data     string // the data directory
	Store    *store.Store
	Accounts *auth.Store
	Box      *secret.Box
	Engine   runs.Engine
	MaxRuns  int
	Retain   runs.Retention
	ReadOnly bool
	Version  string
	Policy   *fetch.AddressPolicy // of webhooks
	Mail     *notify.Mailer       // nil if the server cannot send mail
	CanMail  bool                 // take projects that send mail without Mail: the server may have one
	Log      func(format string, args ...any)
}

// New returns a service that executes nothing until its Manager is started.
func New(c Config) *Service {
	log := &audit.Log{DB: c.Store.DB(), Failed: func(err error) { c.Log("%v", err) }}
	shared := &parts{store: c.Store, box: c.Box, engine: c.Engine, audit: log, log: c.Log}
	s := &Service{Audit: log}
	s.Findings = &Findings{parts: shared}
	s.Projects = &Projects{parts: shared}
	s.Notices = newNotices(&c, shared, s.Findings, s.Projects)
	s.Runs = &Runs{parts: shared, projects: s.Projects}
	s.Findings.projects = s.Projects
	s.Marks, s.Links, s.Pages = &Marks{shared}, &Links{shared}, &StatusPages{shared}
	s.Issues = &Issues{parts: shared, findings: s.Findings, projects: s.Projects, accounts: c.Accounts}
	s.Notices.issues = s.Issues
	s.Exchange = &Exchange{parts: shared, projects: s.Projects, issues: s.Issues}
	s.Digests = &Digests{parts: shared, accounts: c.Accounts, notices: s.Notices}
	s.Accounts = &Accounts{shared, c.Accounts}
	s.Projects.accounts = c.Accounts
	shared.manager = runs.New(runs.Config{Dir: c.Data, Store: c.Store, Engine: c.Engine, MaxRuns: c.MaxRuns, Retain: c.Retain, ReadOnly: c.ReadOnly,
		Job: s.Runs.toRun, Ended: s.Notices.runEnded, Log: c.Log})
	s.Manager = shared.manager
	s.Schedules = schedule.NewKeeper(scheduled{shared, s.Runs}, time.Local, func(err error) { c.Log("schedule: %v", err) })
	s.Projects.changed, s.Projects.notices = s.Schedules.Changed, s.Notices
	return s
}

// Projects are the sites that are checked.
type Projects struct {
	*parts
	changed  func() // a schedule may have changed
	accounts *auth.Store
	notices  *Notices
}

// Runs are the checks of projects.
type Runs struct {
	*parts
	projects *Projects
}

// Findings are what runs found.
type Findings struct {
	*parts
	projects *Projects
}

// Marks say which findings are known.
type Marks struct{ *parts }

// Issues are what people repair, and what they say of it.
type Issues struct {
	*parts
	findings *Findings
	projects *Projects
	accounts *auth.Store
}

// Links are read-only addresses.
type Links struct{ *parts }

// cut makes a part of a list from rows, of which there may be one more than limit.
func cut[T any](rows []T, limit, total int, id func(T) string) *api.List[T] {
	list := &api.List[T]{Items: rows, Total: total}
	if len(rows) > limit {
		list.Items = rows[:limit]
		list.Next = new(id(rows[limit-1]))
	}
	if list.Items == nil {
		list.Items = []T{}
	}
	return list
}

// Part makes the part of a list after a cursor, which is the id of an item, "" for the first part.
func Part[T any](all []T, after string, limit int, id func(T) string) (*api.List[T], error) {
	total := len(all)
	if after != "" {
		at := slices.IndexFunc(all, func(item T) bool { return id(item) == after })
		if at < 0 {
			return nil, invalidCursor()
		}
		all = all[at+1:]
	}
	return cut(all[:min(len(all), limit+1)], limit, total, id), nil
}

// invalidCursor is the problem for a cursor that no list has returned.
func invalidCursor() error {
	return api.Invalid(api.Fault{Field: "after", Message: findings.ErrCursor.Error()})
}
