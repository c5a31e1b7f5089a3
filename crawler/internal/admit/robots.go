package admit

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/robots"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// allowed reports whether the robots.txt of a URL allows it, or why it does not, and how many
// requests were sent to learn that. A robots.txt that is unavailable for now allows nothing.
func (d *Door) allowed(ctx context.Context, u urinorm.URL) (allowed bool, reason string, requests int, err error) {
	txt, err := d.robots.Rules(ctx, u, d.getRobots(&requests), d.retryRobots)
	switch {
	case ctx.Err() != nil:
		return false, "", requests, nil
	case err != nil:
		if _, local := errors.AsType[*fetch.Fault](err); local {
			err = nil
		}
		return false, "its robots.txt cannot be requested", requests, err
	}
	if _, again := txt.Next(); again {
		return false, "its robots.txt is unavailable for now", requests, nil
	}
	return txt.Allowed(u.RequestTarget()), txt.Reason(u.RequestTarget()), requests, nil
}

// RobotsTxt returns the rules of a target's origin, and how many requests were sent to learn
// them. If its robots.txt is unavailable and will be requested again, RobotsTxt lets the host
// rest until then, and returns how long the target must wait.
func (d *Door) RobotsTxt(ctx context.Context, t *Target) (txt *robots.Rules, wait time.Duration, requests int, err error) {
	if t.Second {
		d.robots.RequestOnceMore(t.At)
	}
	if txt, err = d.robots.Rules(ctx, t.At, d.getRobots(&requests), d.retryRobots); err != nil {
		return nil, 0, requests, err
	}
	next, again := txt.Next()
	if !again {
		return txt, 0, requests, nil
	}
	// The time may have come meanwhile; the wait is positive in any case.
	return txt, max(time.Until(next), time.Nanosecond), requests, d.hosts.Rest(d.always, t.Host, next)
}

// getRobots returns a function that requests a robots.txt and adds to the number of requests.
// The cache of package robots follows redirects, and requests the robots.txt of the host
// first. A host that asks for a rest gets it, whether the request will be repeated or not. A
// robots.txt behind a redirect that must not be followed counts as missing.
func (d *Door) getRobots(requests *int) robots.Getter {
	what := Robots
	var first urinorm.URL
	return func(ctx context.Context, u urinorm.URL) (*fetch.Response, error) {
		this := what
		if what == Robots {
			what, first = RobotsHop, u
		}
		ctx = traffic.WithAsker(ctx, traffic.Asker{URL: first})
		by, err := d.Decide(ctx, Ask{URL: u, For: this})
		if err != nil || !by.Admitted() {
			return &fetch.Response{Status: http.StatusNotFound, URL: u}, err
		}
		return d.shared.robotsTxt(ctx, u, func(ctx context.Context, u urinorm.URL) (*fetch.Response, error) {
			resp, err := d.Send(ctx, by, contentRequest(d.Scope(), u))
			if err != nil {
				return nil, err
			}
			if resp.Fault != nil {
				return nil, resp.Fault
			}
			*requests += resp.Sent
			if resp.Rest > 0 && resp.Rest <= d.cfg.MaxWait {
				_ = d.hosts.Rest(d.always, u.Authority(), time.Now().Add(resp.Rest)) // a store that fails reports that to the worker, too
			}
			return resp.Response, nil
		})
	}
}

// robotsOutcome returns the outcome of a failed request for robots.txt.
func robotsOutcome(f *robots.Failure) judging.Outcome {
	if f.Fault != nil {
		return judging.ObserveFault(f.Fault)
	}
	return judging.Observe(judging.Question{}, &fetch.Response{Status: f.Status, Header: f.Header})
}

// issuerDecision is the time for the requests that a decision about a certificate may need. It
// ends a circle of two servers: the robots.txt of each needs the certificate of the other.
const issuerDecision = 10 * time.Second

// WithIssuers returns a context for the requests of the run that lets the door decide about the
// certificates that they need, which a server did not send.
func (d *Door) WithIssuers(ctx context.Context) context.Context {
	return traffic.WithIssuers(ctx, d.admitIssuer)
}

// admitIssuer is the [traffic.AdmitIssuer] of a run.
func (d *Door) admitIssuer(ctx context.Context, u urinorm.URL) (ok bool, requests int) {
	deciding, cancel := context.WithTimeout(ctx, issuerDecision)
	defer cancel()
	by, err := d.Decide(deciding, Ask{URL: u, For: Issuer})
	if err != nil || !by.Admitted() || deciding.Err() != nil { // a store that fails reports that to the worker, too
		return false, by.Requests
	}
	return d.places.awaitTurn(ctx, u.Authority()) == nil, by.Requests
}
