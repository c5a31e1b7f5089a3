package admit

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// line sends the requests of each visit one after another.
type line struct {
	always   context.Context // of calls that must not be cut off with the run
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
		if _, err := l.places.locate(ctx, u, 0); err != nil {
			return err
		}
	}
	place, err := l.places.take(ctx, host)
	if err != nil {
		return err
	}
	s.place = place
	if host != t.Host {
		s.pace = &besidePace{at: l.places, host: host}
		return l.places.awaitTurn(ctx, host)
	}
	s.pace = &visitPace{at: l.frontier, target: t.Target}
	if s.paced {
		return l.frontier.AwaitNext(ctx, t.Target)
	}
	s.paced = true
	return l.frontier.Sharing().Begin(ctx, t.Target)
}

// visitPace is the pace of requests to the host of a target. Its first request has waited.
type visitPace struct {
	at     *frontier.Frontier
	target *frontier.Target
	begun  bool
}

// Next is a method of [traffic.Pace].
func (p *visitPace) Next(ctx context.Context) error {
	if !p.begun {
		p.begun = true
		return nil
	}
	return p.at.AwaitNext(ctx, p.target)
}

// Connected is a method of [traffic.Pace]. Other processes learn when the request is really sent.
func (p *visitPace) Connected(ctx context.Context) error {
	return p.at.Sharing().Begin(ctx, p.target)
}

// besidePace is the pace of requests of a visit to another host. Its first request has waited.
type besidePace struct {
	at    *places
	host  string
	begun bool
}

// Next is a method of [traffic.Pace].
func (p *besidePace) Next(ctx context.Context) error {
	if !p.begun {
		p.begun = true
		return nil
	}
	return p.at.awaitTurn(ctx, p.host)
}

// Connected is a method of [traffic.Pace]: the turn is that of the beginning.
func (p *besidePace) Connected(context.Context) error { return nil }

// Locate finds out the address of a target's host if the requests to one address are limited. It
// reports whether the target has to be handed out again: the frontier did not know the address, and
// others may be visited there already. So no worker waits for an address.
func (l *line) Locate(ctx context.Context, t *Target) (again bool, err error) {
	early, err := l.places.locate(ctx, t.At, t.Lease.Controller)
	return early && !t.Session, err
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

// EndPass lets no other visit pass the gate of the target's host any more, see
// frontier.Frontier.PassGate. It is called before the target is settled or deferred: afterwards,
// two visits that need the rules of the host could pass.
func (l *line) EndPass(t *Target) error {
	if !t.Sending.passing {
		return nil
	}
	t.Sending.passing = false
	return l.frontier.PassGate(l.always, t.Host, -1)
}
