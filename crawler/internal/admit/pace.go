package admit

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// line sends the requests of each visit one after another.
type line struct {
	frontier *frontier.Frontier
	places   *places
}

// goTo lets the next requests of a visit go to the host of a URL: it waits for a place there and for the
// turn of a request. The first request to the host of the target comes at the turn of the
// target. The interval of a host is kept between the requests of a visit, and to those of
// others.
func (l *line) goTo(ctx context.Context, t *Target, u urinorm.URL) error {
	s, host := &t.Sending, u.Authority()
	if s.place.host == host {
		return nil
	}
	l.Leave(t)
	if !s.begun {
		s.begun = true
		l.places.visit(t.Host, +1)
	}
	if host != t.Host {
		if _, err := l.places.locate(ctx, u); err != nil {
			return err
		}
	}
	place, err := l.places.take(ctx, host)
	if err != nil {
		return err
	}
	s.place = place
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

// Locate finds out the address of a target's host if the requests to one address are limited. It
// reports whether the target has to be handed out again: the frontier did not know the address, and
// others may be visited there already. So no worker waits for an address.
func (l *line) Locate(ctx context.Context, t *Target) (again bool, err error) {
	first, err := l.places.locate(ctx, t.At)
	return first && !t.Session && l.frontier.Sharing() == nil, err
}

// Leave gives the place of a visit back, such as while a browser shows its page.
func (l *line) Leave(t *Target) {
	if s := &t.Sending; s.place.host != "" {
		l.places.give(s.place)
		s.place = taken{}
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
