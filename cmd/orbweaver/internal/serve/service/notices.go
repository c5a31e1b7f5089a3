package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/secret"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Limits of notices.
const (
	maxNoticed       = 1000 // findings of an event
	maxNoticedIssues = 100
	maxDeliveries    = 8 // projects at a time, and targets of each
	// retryNotices is the time after which events are sent again that could not be, because
	// of the database.
	retryNotices = time.Minute
)

// Notices are what people are told.
type Notices struct {
	*parts
	findings *Findings
	issues   *Issues
	projects *Projects
	kept     *notify.Store
	sender   *notify.Sender
	policy   *fetch.AddressPolicy
	canMail  bool
	base     atomic.Pointer[string]
	wake     chan struct{}
}

func newNotices(c *Config, shared *parts, f *Findings, p *Projects) *Notices {
	return &Notices{parts: shared, findings: f, projects: p, kept: notify.NewStore(c.Store.DB()), sender: notify.NewSender(c.Policy, "Orbweaver/"+c.Version, c.Mail),
		policy: c.Policy, canMail: c.Mail != nil || c.CanMail, wake: make(chan struct{}, 1)}
}

// SetBase sets the absolute URL of the server, with its final slash, for the links of events.
func (s *Notices) SetBase(url string) { s.base.Store(&url) }

func (s *Notices) url(path string) string {
	base := s.base.Load()
	if base == nil {
		return ""
	}
	return *base + path
}

// runEnded decides whether a run that has ended is an event, and wakes those who send it.
func (s *Notices) runEnded(ctx context.Context, r *store.Run) {
	if r.Kind == api.Failing {
		return
	}
	if err := s.decide(ctx, r); err != nil {
		s.log("run %s: %v", r.ID, err)
	}
	s.wakeUp()
}

// wakeUp makes Run look for events that may be sent.
func (s *Notices) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// decide stores an event if the run brought a change.
func (s *Notices) decide(ctx context.Context, r *store.Run) error {
	row, err := s.store.Project(ctx, r.Project)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	e := notify.Event{Project: notify.Project{ID: row.ID, Name: row.Name}, Run: &r.Run, Reason: r.Reason}
	o := notify.Outcome{Sound: r.IsSound()}
	newCount := 0
	before, err := s.findings.comparedWith(ctx, r, "")
	if err != nil {
		return err
	}
	e.First = before == nil
	if o.Sound {
		unknown := false
		query := findings.Query{Verdicts: []string{"broken"}, Known: &unknown}
		all, err := s.findings.List(ctx, r, withLimit(query, "", 1))
		if err != nil {
			return err
		}
		broken, err := s.findings.List(ctx, r, withLimit(query, "new", maxNoticed))
		if err != nil {
			return err
		}
		fixed, err := s.findings.List(ctx, r, withLimit(query, "fixed", maxNoticed))
		if err != nil {
			return err
		}
		o.Broken, o.New, o.Fixed = all.Total, findingsOf(broken.Items), findingsOf(fixed.Items)
		e.New, e.Fixed, newCount = o.New, o.Fixed, broken.Total
		e.Found, e.Totals = r.Headline(), notify.Totals{New: broken.Total, Fixed: fixed.Total}
		issues, err := s.issues.List(ctx, r, findings.IssueQuery{Query: withLimit(query, "new", maxNoticedIssues)}, "")
		if err != nil {
			return err
		}
		e.Issues = issues.Items
		e.Count = fixed.Total
	}
	_, err = s.kept.Record(ctx, row.ID, r.ID, o, func(kind notify.Kind) (*notify.Event, string) {
		if e.Kind = kind; kind == notify.New {
			e.Count = newCount
		}
		return &e, "runs/" + r.ID + "/compare"
	})
	return err
}

func withLimit(q findings.Query, change string, limit int) findings.Query {
	q.Change, q.Limit = change, limit
	return q
}

func findingsOf(all []api.Finding) []notify.Finding {
	list := make([]notify.Finding, len(all))
	for i, f := range all {
		list[i] = notify.Finding{Fingerprint: f.Fingerprint, URL: f.URL, Code: f.Code, Message: f.Message, Object: f}
	}
	return list
}

// Run sends events until the context ends. It begins with those that an earlier process did
// not send, and with the runs about which it did not decide.
func (s *Notices) Run(ctx context.Context) {
	if err := s.catchUp(ctx); err != nil && ctx.Err() == nil {
		s.log("notify: %v", err)
	}
	for {
		if err := s.sendPending(ctx); err != nil && ctx.Err() == nil {
			s.log("notify: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-time.After(retryNotices):
		}
	}
}

// catchUp decides about the last run of each project, if the process before had no time to.
func (s *Notices) catchUp(ctx context.Context) error {
	after := ""
	for {
		rows, _, err := s.store.Projects(ctx, store.Scope{}, after, 100)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			after = row.ID
			last, _, err := s.store.RunsOf(ctx, row.ID, api.Full, 0, 1)
			if err != nil {
				return err
			}
			if len(last) == 0 || last[0].State != api.Done && last[0].State != api.Failed {
				continue
			}
			if decided, err := s.kept.Decided(ctx, last[0].ID); err != nil || decided {
				if err != nil {
					return err
				}
				continue
			}
			s.runEnded(ctx, last[0])
		}
	}
}

// sendPending sends the events that are pending, and returns when each had its tries. The
// events of a project are sent in order, and a project whose targets do not answer does not
// hold up the others. What the quiet time of a project has held is sent as one event after it.
func (s *Notices) sendPending(ctx context.Context) error {
	for ctx.Err() == nil {
		projects, err := s.kept.Waiting(ctx)
		if err != nil {
			return err
		}
		var sending atomic.Bool
		var group errgroup.Group
		group.SetLimit(maxDeliveries)
		for _, project := range projects {
			group.Go(func() error {
				if quiet, err := s.isQuiet(ctx, project); err != nil || quiet {
					return errors.Join(err, s.kept.Hold(ctx, project))
				}
				sending.Store(true)
				return s.sendProject(ctx, project)
			})
		}
		if err := group.Wait(); err != nil || !sending.Load() {
			return err
		}
	}
	return nil
}

func (s *Notices) sendProject(ctx context.Context, project string) error {
	pending, held, err := s.kept.Pending(ctx, project)
	if err != nil {
		return err
	}
	for i := range pending {
		if err := s.sendAll(ctx, &pending[i]); err != nil {
			return err
		}
	}
	if len(held) == 0 || ctx.Err() != nil {
		return nil
	}
	one, err := s.merge(ctx, held)
	if err == nil && one.Event.Kind != "" {
		err = s.sendAll(ctx, one)
	}
	if err != nil || ctx.Err() != nil {
		return err
	}
	for _, p := range held { // the one that stands for all is the last
		err = errors.Join(err, s.kept.Sent(ctx, p.Run))
	}
	return err
}

// sendAll sends one event to the targets of its project.
func (s *Notices) sendAll(ctx context.Context, p *notify.Pending) error {
	row, err := s.store.Project(ctx, p.Project)
	if errors.Is(err, store.ErrNotFound) {
		return s.kept.Forget(ctx, p.Project)
	}
	if err != nil {
		return err
	}
	c, err := s.projects.contentOf(row)
	if err != nil {
		s.log("project %s: no event was sent: %v", p.Project, err)
		return s.kept.Sent(ctx, p.Run)
	}
	p.Event.URL = s.url(p.Path)
	var group errgroup.Group
	group.SetLimit(maxDeliveries)
	for i := range c.Notify {
		target := targetOf(&c.Notify[i])
		if target.Wants(p.Event.Kind) {
			group.Go(func() error { return s.sendOne(ctx, p, nameOf(i), target) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // what was not sent is still pending
	}
	return s.kept.Sent(ctx, p.Run)
}

// sendOne sends one event to one target, unless that was begun before.
func (s *Notices) sendOne(ctx context.Context, p *notify.Pending, name string, target *notify.Target) error {
	always := context.WithoutCancel(ctx)
	if begun, err := s.kept.Begin(always, p.Run, name); err != nil || !begun {
		return err
	}
	result := s.sender.Send(ctx, target, &p.Event)
	if ctx.Err() != nil && !result.Delivered && result.Again {
		return s.kept.Undo(always, p.Run, name)
	}
	if !result.Delivered {
		s.log("project %s: %s of run %s was not delivered to %s: %s", p.Project, p.Event.Kind, p.Run, name, result.Error)
	}
	return s.kept.End(always, p.Run, name, result)
}

// Types returns the types of targets.
func (s *Notices) Types() []string { return notify.Types }

// nameOf returns the name of a project's target, as in the paths of errors.
func nameOf(i int) string { return fmt.Sprintf("notify.%d", i) }

func targetOf(n *api.Notify) *notify.Target {
	return &notify.Target{Type: n.Type, URL: n.URL, Secret: n.Secret, Token: n.Token, To: n.To, Topic: n.Topic, Chat: n.Chat, Room: n.Room, On: n.On}
}

// Exists returns a problem if a project has no target of notify with a number, which is part of a
// path.
func (s *Notices) Exists(row *store.Project, number string) error {
	_, err := s.target(row, number)
	return err
}

func (s *Notices) target(row *store.Project, number string) (*notify.Target, error) {
	c, err := s.projects.contentOf(row)
	if err != nil {
		return nil, err
	}
	for i := range c.Notify {
		if number == fmt.Sprint(i) {
			return targetOf(&c.Notify[i]), nil
		}
	}
	return nil, api.NewProblem(http.StatusNotFound, "the project has no notification %s: the first one is 0", number)
}

// Test sends a test to a target of a project. Its number is part of a path.
func (s *Notices) Test(ctx context.Context, row *store.Project, number string) (*notify.Result, error) {
	target, err := s.target(row, number)
	if err != nil {
		return nil, err
	}
	e := &notify.Event{Kind: notify.Test, Project: notify.Project{ID: row.ID, Name: row.Name}, URL: s.url("projects/" + row.ID)}
	last, _, err := s.store.RunsOf(ctx, row.ID, api.Full, 0, 1)
	if err != nil {
		return nil, err
	}
	if len(last) > 0 {
		e.Run = &last[0].Run
	}
	result := s.sender.Send(ctx, target, e)
	s.audit.Note(ctx, "notify.test", row.ID, "notify."+number, nil)
	return &result, nil
}

// Broken returns the number of broken links in the last sound run of a project, without those
// that a mark covers, or notify.Unknown.
func (s *Notices) Broken(ctx context.Context, project string) (int, error) {
	r, err := s.store.SoundBefore(ctx, project, 0)
	if errors.Is(err, store.ErrNotFound) {
		return notify.Unknown, nil
	}
	if err != nil {
		return 0, err
	}
	known := false
	list, err := s.findings.List(ctx, r, findings.Query{Verdicts: []string{"broken"}, Known: &known, Limit: 1})
	if err != nil {
		return 0, err
	}
	return list.Total, nil
}

// Entries returns the last events of a project, newest first.
func (s *Notices) Entries(ctx context.Context, project string) ([]notify.Entry, error) {
	return s.kept.Entries(ctx, project)
}

// Failed returns why the last event of a project was not delivered, by the path of the target,
// such as "notify.0".
func (s *Notices) Failed(ctx context.Context, project string) (map[string]string, error) {
	return s.kept.Failed(ctx, project)
}

// Forget deletes what is kept of a project.
func (s *Notices) Forget(ctx context.Context, project string) error {
	return s.kept.Forget(ctx, project)
}

// read reads the member notify of a project. A secret that is hidden keeps the stored one, if the
// address is on the same host.
func (s *Notices) read(next, before *content, value json.RawMessage) []api.Fault {
	var items []json.RawMessage
	if err := strictjson.Decode(value, &items); err != nil || items == nil || len(items) > notify.MaxTargets {
		return []api.Fault{{Field: "notify", Message: fmt.Sprintf("use a list of at most %d objects", notify.MaxTargets)}}
	}
	var faults []api.Fault
	all := make([]api.Notify, len(items))
	members := make([][]strictjson.Member, len(items))
	read := make([][]api.Fault, len(items)) // nil for what is no object
	for i, item := range items {
		var err error
		if members[i], err = strictjson.Members(item); err == nil {
			read[i] = append([]api.Fault{}, readNotify(&all[i], members[i])...)
		}
	}
	given := slices.Clone(all)
	for i, found := range read {
		if found == nil {
			faults = append(faults, api.Fault{Field: nameOf(i), Message: "use an object"})
			continue
		}
		more := restoreNotify(&all[i], i, given, before.Notify)
		for _, f := range targetOf(&all[i]).Validate(s.policy, s.canMail) {
			more = append(more, api.Fault{Field: f.Field, Message: f.Message})
		}
		found = inOrder(members[i], found, more)
		if len(all[i].On) == 0 {
			all[i].On = []string{string(notify.New), string(notify.Fixed), string(notify.Unsound)}
		}
		for _, f := range found {
			f.Field = nameOf(i) + "." + f.Field
			faults = append(faults, f)
		}
	}
	next.Notify = all
	return faults
}

// sameHost reports whether two targets have the same type, and addresses of the same scheme, host and
// port. The type counts only if there is no address, unless typed is set.
func sameHost(a, b *api.Notify, typed bool) bool {
	return notify.HideURL(a.URL) == notify.HideURL(b.URL) && (a.Type == b.Type || a.URL != "" && !typed)
}

// hidesValues reports whether a target stands for a stored one in part.
func hidesValues(n *api.Notify) bool {
	return notify.IsHidden(n.URL) || n.Secret == secret.Shown || n.Token == secret.Shown
}

// storedFor returns the index of the stored target that the ith given one, some values of which are
// hidden, stands for: -1 if there is none, or if there are several.
func storedFor(i int, given, stored []api.Notify) (at int, several bool) {
	n := &given[i]
	if n.URL != "" && !notify.IsHidden(n.URL) {
		at = slices.IndexFunc(stored, func(s api.Notify) bool { return s.URL == n.URL && s.Type == n.Type && s.Secret+s.Token != "" })
		if at < 0 && i < len(stored) {
			at = i
		}
		return at, false
	}
	var equal []int
	for _, typed := range []bool{true, false} {
		equal = nil
		for k := range stored {
			if sameHost(n, &stored[k], typed) {
				equal = append(equal, k)
			}
		}
		order, count := 0, 0 // of the given ones that are hidden as well
		for k := range given {
			if g := &given[k]; sameHost(n, g, typed) && hidesValues(g) && (g.URL == "" || notify.IsHidden(g.URL)) {
				if count++; k < i {
					order++
				}
			}
		}
		if len(equal) == count {
			return equal[order], false
		}
	}
	switch {
	case len(equal) == 1:
		return equal[0], false
	case len(given) >= len(stored) && slices.Contains(equal, i): // none was removed
		return i, false
	}
	return -1, len(equal) > 1
}

// restoreNotify replaces the hidden values of a target, the ith given one, by stored ones of the same
// scheme, host and port.
func restoreNotify(n *api.Notify, i int, given, stored []api.Notify) []api.Fault {
	if !hidesValues(n) {
		return nil
	}
	at, several := storedFor(i, given, stored)
	switch {
	case several && n.URL == "":
		return []api.Fault{{Field: "token", Message: "several targets of this type are stored: give the token again"}}
	case several:
		return []api.Fault{{Field: "url", Message: "several addresses on this host are stored: give the address again"}}
	case at < 0 && notify.IsHidden(n.URL):
		return []api.Fault{{Field: "url", Message: "no address on this host is stored: give the address again"}}
	}
	for _, one := range []struct {
		field string
		value *string
		of    func(*api.Notify) string
	}{{"secret", &n.Secret, func(s *api.Notify) string { return s.Secret }}, {"token", &n.Token, func(s *api.Notify) string { return s.Token }}} {
		if *one.value != secret.Shown {
			continue
		}
		switch {
		case at < 0 || one.of(&stored[at]) == "":
			return []api.Fault{{Field: one.field, Message: "no " + one.field + " is stored for it: write it out"}}
		case !sameHost(n, &stored[at], false):
			return []api.Fault{{Field: "url", Message: "give the " + one.field + " again, because the address is on another host"}}
		}
		*one.value = one.of(&stored[at])
	}
	if notify.IsHidden(n.URL) {
		n.URL = stored[at].URL
	}
	return nil
}

// readNotify reads one target. Its faults have paths within it.
func readNotify(n *api.Notify, members []strictjson.Member) (faults []api.Fault) {
	for _, m := range members {
		into, ok := map[string]any{"type": &n.Type, "url": &n.URL, "secret": &n.Secret, "token": &n.Token, "to": &n.To, "topic": &n.Topic, "chat": &n.Chat, "room": &n.Room, "on": &n.On}[m.Name]
		switch {
		case !ok:
			faults = append(faults, api.Fault{Field: m.Name, Message: fmt.Sprintf("unknown member %q", m.Name)})
		case string(m.Value) == "null" || strictjson.Decode(m.Value, into) != nil:
			want := "use a string"
			if m.Name == "on" {
				want = "use a list of new, fixed and unsound"
			}
			faults = append(faults, api.Fault{Field: m.Name, Message: want})
		}
	}
	return faults
}
