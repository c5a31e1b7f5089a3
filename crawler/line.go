package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// line sends the requests of one visit, one after another. It gives each a place at its host,
// and keeps the interval of the host between them, and to those of others.
type line struct {
	door     *door
	frontier *frontier.Frontier
	places   *places
	target   *frontier.Target
	tally    *tally
	release  func() // lets another worker compute meanwhile

	host  string      // that the line has a place at; "" for none
	pace  *fetch.Pace // of requests there
	paced bool        // a request to the host of the target was sent
	begun bool        // requests were sent
}

// at lets the next requests go to a host: it waits for a place there and for the
// turn of a request. The first request to the host of the target comes at the turn of the
// target.
func (l *line) at(ctx context.Context, host string) error {
	if l.host == host {
		return nil
	}
	l.leave()
	l.begin()
	if err := l.places.take(ctx, host); err != nil {
		return err
	}
	l.host = host
	pace := &fetch.Pace{Next: func(ctx context.Context) error {
		l.release()
		return l.places.awaitTurn(ctx, host)
	}}
	var err error
	switch {
	case host != l.target.Host:
		err = l.places.awaitTurn(ctx, host)
	default:
		pace.Next = func(ctx context.Context) error {
			l.release()
			return l.frontier.AwaitNext(ctx, l.target)
		}
		if sharing := l.frontier.Sharing(); sharing != nil {
			pace.Connected = func(ctx context.Context) error { return sharing.Begin(ctx, l.target) }
		}
		if l.paced {
			err = l.frontier.AwaitNext(ctx, l.target)
		} else {
			err = l.frontier.Sharing().Begin(ctx, l.target)
		}
		l.paced = true
	}
	l.pace = pace
	return err
}

// leave gives the place of the visit back, such as while a browser shows its page.
func (l *line) leave() {
	if l.host != "" {
		l.places.give(l.host)
		l.host = ""
	}
}

// begin notes that the visit begins to send requests.
func (l *line) begin() {
	if !l.begun {
		l.begun = true
		l.places.visit(l.target.Host, +1)
	}
}

// end notes that the visit sends no more requests.
func (l *line) end() {
	l.leave()
	if l.begun {
		l.begun = false
		l.places.visit(l.target.Host, -1)
	}
}

// fetch sends a request of the visit at its turn.
func (l *line) fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	if l.door.requests.scope().SiteOf(req.URL) != nil { // there is no network
		return l.door.requests.fetch(ctx, req)
	}
	host := req.URL.Authority()
	if host == "" { // a file
		return l.door.requests.fetch(ctx, req)
	}
	if err := l.at(ctx, host); err != nil {
		return nil, err
	}
	return l.door.requests.fetch(fetch.WithPace(ctx, l.pace), req)
}

// fetchAnew is fetch for an address that may have been requested before, with other cookies.
func (l *line) fetchAnew(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	if lib := l.door.requests.library; lib != nil {
		lib.Forget(req.URL)
	}
	return l.fetch(ctx, req)
}

// beside sends a request beside the one for the target. It returns nil if a rule refuses the
// request.
func (l *line) beside(ctx context.Context, what purpose, req *fetch.Request) (resp *fetch.Response, err error) {
	o, requests, err := l.door.refused(ctx, ask{purpose: what, url: req.URL})
	l.tally.count(countRequests, requests)
	if o != nil || err != nil {
		return nil, err
	}
	l.release() // the network is slower than other workers
	return l.fetch(ctx, req)
}

// refused returns the outcome that a rule gives to the target of a redirect that the visit must
// not follow, or nil.
func (l *line) refused(ctx context.Context, to urinorm.URL) (refused *check.Outcome, err error) {
	refused, requests, err := l.door.refused(ctx, ask{purpose: forHop, url: to, page: l.target.Follow})
	l.tally.count(countRequests, requests)
	return refused, err
}
