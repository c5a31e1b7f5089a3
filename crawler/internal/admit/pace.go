package admit

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// line sends the requests of each visit one after another.
type line struct {
	frontier *frontier.Frontier
	places   *places
}

// goTo lets the next requests of a visit go to a host: it waits for a place there and for the
// turn of a request. The first request to the host of the target comes at the turn of the
// target. The interval of a host is kept between the requests of a visit, and to those of
// others.
func (l *line) goTo(ctx context.Context, t *Target, host string) error {
	s := &t.Sending
	if s.host == host {
		return nil
	}
	l.Leave(t)
	if !s.begun {
		s.begun = true
		l.places.visit(t.Host, +1)
	}
	if err := l.places.take(ctx, host); err != nil {
		return err
	}
	s.host = host
	if host != t.Host {
		s.pace = &fetch.Pace{Next: func(ctx context.Context) error { return l.places.awaitTurn(ctx, host) }}
		return l.places.awaitTurn(ctx, host)
	}
	s.pace = &fetch.Pace{Next: func(ctx context.Context) error { return l.frontier.AwaitNext(ctx, t.Target) }}
	sharing := l.frontier.Sharing()
	if sharing != nil {
		s.pace.Connected = func(ctx context.Context) error { return sharing.Begin(ctx, t.Target) }
	}
	if s.paced {
		return l.frontier.AwaitNext(ctx, t.Target)
	}
	s.paced = true
	return sharing.Begin(ctx, t.Target)
}

// Leave gives the place of a visit back, such as while a browser shows its page.
func (l *line) Leave(t *Target) {
	if s := &t.Sending; s.host != "" {
		l.places.give(s.host)
		s.host = ""
	}
}

// End notes that a visit sends no more requests.
func (l *line) End(t *Target) {
	l.Leave(t)
	if t.Sending.begun {
		t.Sending.begun = false
		l.places.visit(t.Host, -1)
	}
}
