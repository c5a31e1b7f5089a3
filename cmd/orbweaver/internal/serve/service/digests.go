package service

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// Digests are the summaries that people get by mail: on Monday or the first of the month, at
// digestHour in their zone.
type Digests struct {
	*parts
	accounts *auth.Store
	notices  *Notices
}

const (
	digestHour = 8
	// digestPatience is how long a digest that the mail server did not take is tried again.
	digestPatience = time.Hour
)

// digestTimes returns the last time at which a digest was due, and the one before it.
func digestTimes(digest string, now time.Time) (due, before time.Time) {
	back := func(t time.Time, periods int) time.Time {
		if digest == "monthly" {
			return time.Date(t.Year(), t.Month()-time.Month(periods), 1, digestHour, 0, 0, 0, t.Location())
		}
		sinceMonday := (int(t.Weekday()) + 6) % 7
		return time.Date(t.Year(), t.Month(), t.Day()-sinceMonday-7*periods, digestHour, 0, 0, 0, t.Location())
	}
	if due = back(now, 0); due.After(now) {
		due = back(now, 1)
	}
	return due, back(due, 1)
}

// Run sends digests until the context ends. One that was missed while the server was down is sent at its start.
func (s *Digests) Run(ctx context.Context) {
	for {
		if err := s.sendDue(ctx, time.Now()); err != nil && ctx.Err() == nil {
			s.log("digests: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryNotices):
		}
	}
}

func (s *Digests) sendDue(ctx context.Context, now time.Time) error {
	people, err := s.accounts.Users(ctx)
	if err != nil || !s.notices.canMail {
		return err
	}
	for _, u := range people {
		now := now.In(zoneOf(u.Zone))
		due, before := digestTimes(u.Digest, now)
		switch {
		case u.Digest == auth.Digests[0] || u.Email == "" || ctx.Err() != nil:
			continue
		case u.Digested.After(now): // the clock was ahead when it was stored
		case !u.Digested.Before(due):
			continue
		default:
			result, err := s.send(ctx, u, before, due)
			if err != nil {
				return err
			}
			if !result.Delivered && result.Error != "" {
				s.log("the digest of %s was not delivered: %s", u.Name, result.Error)
			}
			if result.Again && now.Before(due.Add(digestPatience)) {
				continue
			}
		}
		if err := s.accounts.SetDigested(context.WithoutCancel(ctx), u.Name, now); err != nil {
			return err
		}
	}
	return nil
}

// zoneOf returns the time zone with a name, that of the server if this computer does not know it.
func zoneOf(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil && name != "" {
		return zone
	}
	return time.Local
}

// Send sends a person the digest of the time up to now.
func (s *Digests) Send(ctx context.Context, who *auth.Identity) (*api.Mailed, error) {
	if !who.IsPerson() {
		return nil, api.NewProblem(http.StatusConflict, "only people have a profile, and this is a token or nobody's account")
	}
	u, err := s.accounts.User(ctx, who.Name)
	switch {
	case err != nil:
		return nil, accountProblem(err, "name")
	case u.Email == "":
		return nil, api.NewProblem(http.StatusConflict, "the profile has no mail address")
	case !s.notices.canMail:
		return nil, api.NewProblem(http.StatusConflict, "this server cannot send mail: its administrator has to set --smtp")
	}
	now := time.Now().In(zoneOf(u.Zone))
	since := now.AddDate(0, 0, -7)
	if u.Digest == "monthly" {
		since = now.AddDate(0, -1, 0)
	}
	result, err := s.send(ctx, u, since, now)
	if err != nil {
		return nil, err
	}
	sent := &api.Mailed{Delivered: result.Delivered}
	switch {
	case result.Error != "":
		sent.Error = &result.Error
	case !sent.Delivered:
		sent.Error = new("there is no project to tell of")
	}
	return sent, nil
}

// send sends a person the digest of a time. Nothing is sent if there is no project.
func (s *Digests) send(ctx context.Context, u *auth.User, from, to time.Time) (notify.Result, error) {
	rows, _, err := s.store.Projects(ctx, ScopeOf(&auth.Identity{Name: u.Name, Role: u.Role, Via: u.Via}), "", -1)
	if err != nil || len(rows) == 0 {
		return notify.Result{}, err
	}
	d := &notify.Digest{From: from, To: to, Base: s.notices.url("")}
	for _, row := range rows {
		p := notify.DigestProject{Path: "projects/" + row.ID, Name: row.Name}
		if err := s.fill(ctx, &p, row.ID, from, to); err != nil {
			return notify.Result{}, err
		}
		d.Projects = append(d.Projects, p)
	}
	return s.notices.sender.SendDigest(ctx, u.Email, d), nil
}

// fill adds what happened to a project in a time.
func (s *Digests) fill(ctx context.Context, p *notify.DigestProject, project string, from, to time.Time) error {
	p.Result, p.Missed = "not checked yet", true
	ended := store.Ended{Store: s.store}
	over, err := ended.Last(ctx, project)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	p.Result, p.Checked = resultOf(&over.Run), over.Finished
	last, err := ended.SoundAt(ctx, project, to)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil || !last.Finished.After(from) {
		return err
	}
	p.Missed = false
	now, err := s.open(ctx, last)
	if err != nil {
		return err
	}
	before := map[string]string{}
	first, err := ended.SoundAt(ctx, project, from)
	if err == nil {
		before, err = s.open(ctx, first)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	p.New, p.Fixed = without(now, before), without(before, now)
	return nil
}

// resultOf says in a few words what a run found.
func resultOf(r *api.Run) string {
	switch {
	case !r.IsSound():
		return "not reliable: " + r.Reason
	case r.Headline() == "":
		return "no broken links"
	}
	return r.Headline()
}

// open returns the issues of a run that are broken links and not under a mark, each in one line, by their ids.
func (s *Digests) open(ctx context.Context, r *store.Run) (map[string]string, error) {
	unknown, all := false, map[string]string{}
	q := findings.IssueQuery{Query: findings.Query{Verdicts: []string{"broken"}, Known: &unknown, Limit: maxNoticed}}
	for {
		list, err := s.notices.issues.List(ctx, r, q, "")
		if err != nil {
			return nil, err
		}
		for _, i := range list.Items {
			all[i.ID] = i.Subject + " (" + i.Code + ")"
		}
		if list.Next == nil {
			return all, nil
		}
		q.After = *list.Next
	}
}

// without returns the values of a map whose keys another one lacks, sorted.
func without(all, others map[string]string) (left []string) {
	for id, text := range all {
		if _, ok := others[id]; !ok {
			left = append(left, text)
		}
	}
	slices.Sort(left)
	return left
}
