package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// process is what the store offers for this process.
type process struct{ *Store }

// Servers implements frontier.Process.
func (s process) Servers() int { return len(s.parts.all) }

// Why implements frontier.Process.
func (s process) Why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// setWhy notes why nothing is given out.
func (s process) setWhy(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why = why
}

// Offset implements frontier.Process.
func (s process) Offset(host string) time.Duration {
	p := s.parts.at(host)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offset
}

// ExtendAll implements frontier.Process.
func (s process) ExtendAll(ctx context.Context, server int, leases []frontier.Lease, d time.Duration) (lost []frontier.ID, err error) {
	return s.parts.all[server].extend(ctx, leases, d)
}

// Start implements frontier.Process.
func (s process) Start(ctx context.Context, l frontier.Lease, further bool) (time.Duration, error) {
	p := s.parts.of(&l)
	answer, err := p.to.runText(ctx, "start", p.at.local(l.ID), fence(&l), flag(further))
	if err == nil && answer == stale {
		err = errStale(&l)
	}
	if err != nil {
		return 0, err
	}
	return time.Duration(asInt(answer)) * time.Microsecond, nil
}

// Join implements frontier.Process. A server that is filled at the moment can be joined later.
func (s process) Join(ctx context.Context) error {
	missing := 0
	for _, p := range s.parts.all {
		if err := p.join(ctx, s.version, s.Browser); errors.Is(err, frontier.ErrAbsent) {
			missing++
		} else if err != nil {
			return err
		}
	}
	if missing == len(s.parts.all) {
		return frontier.ErrAbsent
	}
	return nil
}

// Leave implements frontier.Process.
func (s process) Leave(ctx context.Context) error {
	s.claims.calls.Wait() // they may have brought leases
	for _, p := range s.parts.all {
		if _, err := p.to.run(ctx, "leave", p.worker, p.session); err != nil {
			return err
		}
	}
	return nil
}

// GiveBack implements frontier.Process.
func (s process) GiveBack(ctx context.Context, l frontier.Lease) error {
	p := s.parts.of(&l)
	_, err := p.to.run(ctx, "giveback", p.at.local(l.ID), fence(&l))
	return err
}

// BeginPage implements frontier.Process. The first server counts the pages. A lease of another one is
// marked there before, so that it tells when the lease ends.
func (s process) BeginPage(ctx context.Context, l frontier.Lease, n int) (frontier.PageTurn, error) {
	p := s.parts.of(&l)
	s.counts.Store(true)
	call := func(on *part, what string) (string, error) {
		return on.to.runText(ctx, "beginpage", l.Server, p.at.local(l.ID), fence(&l), n, what)
	}
	var answer string
	var err error
	if p == s.parts.home() {
		answer, err = call(p, "all")
	} else if answer, err = call(p, "mark"); err == nil && answer == "OK" {
		if answer, err = call(s.parts.home(), "count"); err == nil && (answer == "WAIT" || answer == "LIMIT") {
			_, err = call(p, "unmark")
		}
	}
	switch {
	case err != nil:
		return 0, err
	case answer == "OK":
		return frontier.PageBegins, nil
	case answer == "WAIT":
		return frontier.PageWaits, nil
	case answer == "LIMIT":
		return frontier.PageLimit, nil
	}
	return 0, errStale(&l)
}
