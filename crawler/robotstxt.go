package crawler

import (
	"context"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/robots"
	"github.com/orbweaver/orbweaver/urinorm"
)

// robotsTxt returns the rules of the target's origin. If its robots.txt is unavailable
// and will be requested again, robotsTxt lets the host rest until then, and returns how
// long the target must wait.
func (v *visit) robotsTxt(ctx context.Context) (txt *robots.Rules, wait time.Duration, err error) {
	if v.t.Second {
		v.run.robots.RequestOnceMore(v.u)
	}
	if txt, err = v.run.robots.Rules(ctx, v.u, v.askRobots); err != nil {
		return nil, 0, err
	}
	next, again := txt.Next()
	if !again {
		return txt, 0, nil
	}
	// The time may have come meanwhile; the wait is positive in any case.
	return txt, max(time.Until(next), time.Nanosecond), v.run.frontier.Hosts().Rest(v.run.always, v.t.Host, next)
}

// askRobots fetches a robots.txt; the cache of package robots follows redirects. A host
// that asks for a rest gets it, whether the request will be repeated or not.
func (v *visit) askRobots(ctx context.Context, u urinorm.URL) (*fetch.Response, error) {
	resp, err := v.run.cfg.Fetch.Fetch(ctx, v.run.requests.content(u))
	if err != nil {
		return nil, err
	}
	v.worker.tally.count(countRequests, resp.Requests)
	o := check.Outcome{Status: resp.Status}
	if rest := requestedRest(&o, resp.Header); rest > 0 && rest <= v.run.cfg.MaxWait {
		_ = v.run.frontier.Hosts().Rest(v.run.always, u.Authority(), time.Now().Add(rest)) // a store that fails reports that to the worker, too
	}
	return resp, nil
}

// retryRobots decides whether a robots.txt is requested again after a failure, as
// visit.retry does for a target.
func (r *requests) retryRobots(f *robots.Failure, failures int) (wait time.Duration, again bool) {
	o := robotsOutcome(f)
	rest := requestedRest(&o, f.Header)
	if !o.Retryable() || failures > r.cfg.Retries || rest > r.cfg.MaxWait {
		return 0, false
	}
	return max(frontier.Backoff(r.cfg.Backoff, failures-1, frontier.MaxBackoff), rest), true
}

// robotsOutcome returns the outcome of a failed request for robots.txt.
func robotsOutcome(f *robots.Failure) check.Outcome {
	if f.Fault != nil {
		return check.ObserveFault(f.Fault)
	}
	return check.Observe(check.Question{}, &fetch.Response{Status: f.Status, Header: f.Header})
}
