package crawler

import (
	"context"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/robots"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// purpose is what a request is for.
type purpose uint8

const (
	forTarget      purpose = iota // to check what a link leads to
	forHop                        // to follow redirects that a cookie may change
	forDocument                   // a frame, or what a script navigates to, in the browser
	forSubresource                // what a page loads in the browser
	forUnchanged                  // to learn whether what a page loaded is as it was in an earlier run
	forProbe                      // a made-up address (--soft-404)
	forTwin                       // the same address over https (--check-https)
	forIcon                       // the icon of a page that names none
	forRobots                     // the robots.txt of a host
	forRobotsHop                  // what a robots.txt redirects to
	forIssuer                     // a certificate that a server did not send
	forArchive                    // to ask an archive for a copy
	forSession                    // to sign in, and to prove that a session has not ended
	purposes
)

// admission is a rule that may keep a request from being sent, or make it wait.
type admission uint8

const (
	ruleExcluded admission = iota // --exclude, rules with the verdict "ignore", --skip-reserved
	ruleExternal                  // --external skip
	ruleSignOut                   // links that sign out or delete, with credentials
	ruleRobots                    // robots.txt
	ruleGivenUp                   // hosts that refused too often, or never answered
	rulePages                     // --max-pages, traps and the longest URL of a page
	rulePlace                     // --per-host
	ruleInterval                  // --delay, --rate and Crawl-delay
	ruleAddress                   // private addresses and blocked ports
	admissions
)

// exempt says why a rule does not apply to requests for a purpose. A rule without an entry
// applies. Package fetch enforces ruleAddress for every request, as only it knows addresses.
var exempt = [purposes][admissions]string{
	forHop: {
		rulePages: "it is part of the visit that is counted",
	},
	forDocument: {
		rulePages: "the document is a target, too, and counted when that is read",
	},
	forSubresource: {
		rulePages: "a file that a page loads is no page",
	},
	forUnchanged: {
		rulePages: "a file that a page loads is no page",
	},
	forProbe: {
		rulePages: "nothing of the answer is read for links",
	},
	forTwin: {
		rulePages: "nothing of the answer is read for links",
	},
	forIcon: {
		rulePages: "nothing of the answer is read for links",
	},
	forRobots: {
		ruleExcluded: "without it, the host's rules would be disobeyed, and nobody would notice",
		ruleExternal: "without it, the host's rules would be disobeyed, and nobody would notice",
		ruleSignOut:  "without it, the host's rules would be disobeyed, and nobody would notice",
		ruleRobots:   "it is what the rule needs",
		ruleGivenUp:  "package robots decides when it is requested again",
		rulePages:    "nothing of the answer is read for links",
		rulePlace:    "it comes before the first visit of the host",
		ruleInterval: "the interval is between other requests",
	},
	forRobotsHop: {
		ruleRobots:   "RFC 9309 lets crawlers follow the redirects of a robots.txt",
		ruleGivenUp:  "package robots decides when it is requested again",
		rulePages:    "nothing of the answer is read for links",
		rulePlace:    "it comes before the first visit of the host",
		ruleInterval: "the interval is between other requests",
	},
	forIssuer: {
		rulePages: "nothing of the answer is read for links",
		rulePlace: "one is requested at a time, by a visit that has a place",
	},
	forArchive: {
		ruleExternal: "the user named the archive",
		ruleSignOut:  "the archive is asked about an address, which it does not request",
		ruleRobots:   "the user named the archive, and its address is an interface for programs",
		ruleGivenUp:  "the archive has a frontier of its own",
		rulePages:    "nothing of the answer is read for links",
		rulePlace:    "the archive has a frontier of its own",
		ruleInterval: "the archive has a frontier of its own",
	},
	forSession: {
		ruleExcluded: "the user named the sign-in page",
		ruleExternal: "the user named the sign-in page",
		ruleSignOut:  "package session requests what leads in, and never what leads out",
		ruleRobots:   "the user signs in, not a crawler",
		ruleGivenUp:  "without a session nothing can be requested",
		rulePages:    "nothing of the answer is read for links",
		rulePlace:    "no other request of the session is sent meanwhile",
		ruleInterval: "a sign-in that waits may be refused as too old",
	},
}

// applies reports whether a rule applies to requests for a purpose.
func (p purpose) applies(a admission) bool { return exempt[p][a] == "" }

// ask is a request that is to be decided about.
type ask struct {
	purpose purpose
	url     urinorm.URL
	page    bool // the links in the answer are to be followed: robots.txt applies without strict mode
}

// door decides about every request that no target of the frontier stands for. The gate
// decides about targets, in the same way.
type door struct {
	requests *requests
	hosts    *frontier.Hosts
	robots   *robots.Cache
	shared   *shared
	places   *places
	always   context.Context
}

// refused returns the outcome that a rule gives to a request that must not be sent, or nil.
// It also returns the number of requests that were necessary to learn that.
func (d *door) refused(ctx context.Context, a ask) (o *check.Outcome, requests int, err error) {
	cfg, scope, href := d.requests.cfg, d.requests.scope(), rules.HrefOf(a.url)
	if !href.IsHTTP() || scope.SiteOf(a.url) != nil { // there is no network
		return nil, 0, nil
	}
	if scope.SyntheticHost(a.url.Authority()) {
		return rules.Skip(check.CodeExcluded, "no document of the directory"), 0, nil
	}
	if a.purpose.applies(ruleExcluded) {
		if o := scope.Excluded(href); o != nil {
			return o, 0, nil
		}
	}
	internal, _ := scope.Internal(href)
	// The robots.txt of a site may be above the directory of its pages.
	inside := internal || a.purpose == forRobotsHop && scope.Reaches(href)
	if a.purpose.applies(ruleExternal) && !inside && cfg.External == rules.SkipExternal {
		return rules.LeftOut, 0, nil
	}
	if a.purpose.applies(ruleSignOut) && scope.LeavesAlone(href, internal, false) {
		return rules.Skip(check.CodeExcluded, rules.SignOutReason), 0, nil
	}
	if host := a.url.Authority(); a.purpose.applies(ruleGivenUp) && (d.hosts.GivenUp(host) || d.hosts.Dead(host)) {
		return rules.Skip(check.CodeRateLimited, "not asked: "+host+" refused too many requests before, or never answered"), 0, nil
	}
	if !a.purpose.applies(ruleRobots) || !d.asksRobots(&a) {
		return nil, 0, nil
	}
	allowed, reason, requests, err := d.allowed(ctx, a.url)
	if err != nil || allowed {
		return nil, requests, err
	}
	return rules.Skip(check.CodeRobotsDisallowed, reason), requests, nil
}

// asksRobots reports whether robots.txt applies to a request.
func (d *door) asksRobots(a *ask) bool {
	cfg := d.requests.cfg
	strict := cfg.Robots == RobotsStrict
	page := cfg.Robots == RobotsCrawl && (a.page || a.purpose == forDocument)
	return (strict || page) && d.requests.scope().RobotsApply(a.url)
}

// allowed reports whether the robots.txt of a URL allows it, or why it does not, and how many
// requests were sent to learn that. A robots.txt that is unavailable for now allows nothing.
func (d *door) allowed(ctx context.Context, u urinorm.URL) (allowed bool, reason string, requests int, err error) {
	txt, err := d.robots.Rules(ctx, u, d.askRobots(&requests))
	switch {
	case ctx.Err() != nil:
		return false, "", requests, nil
	case err != nil:
		_, err := faultOutcome(ctx, err)
		return false, "its robots.txt cannot be requested", requests, err
	}
	if _, again := txt.Next(); again {
		return false, "its robots.txt is unavailable for now", requests, nil
	}
	return txt.Allowed(u.RequestTarget()), txt.Reason(u.RequestTarget()), requests, nil
}

// askRobots returns a function that fetches a robots.txt and adds to the number of requests.
// The cache of package robots follows redirects, and requests the robots.txt of the host
// first. A host that asks for a rest gets it, whether the request will be repeated or not. A
// robots.txt behind a redirect that must not be followed counts as missing.
func (d *door) askRobots(requests *int) robots.Getter {
	what := forRobots
	return func(ctx context.Context, u urinorm.URL) (*fetch.Response, error) {
		this := what
		what = forRobotsHop
		if o, _, err := d.refused(ctx, ask{purpose: this, url: u}); err != nil || o != nil {
			return &fetch.Response{Status: http.StatusNotFound, URL: u}, err
		}
		return d.shared.robotsTxt(ctx, u, func(ctx context.Context, u urinorm.URL) (*fetch.Response, error) {
			resp, err := d.requests.cfg.Fetch.Fetch(ctx, d.requests.content(u))
			if err != nil {
				return nil, err
			}
			*requests += resp.Requests
			o := check.Outcome{Status: resp.Status}
			if rest := requestedRest(&o, resp.Header); rest > 0 && rest <= d.requests.cfg.MaxWait {
				_ = d.hosts.Rest(d.always, u.Authority(), time.Now().Add(rest)) // a store that fails reports that to the worker, too
			}
			return resp, nil
		})
	}
}

// issuerDecision is the time for the requests that a decision about a certificate may need. It
// ends a circle of two servers: the robots.txt of each needs the certificate of the other.
const issuerDecision = 10 * time.Second

// admitIssuer is the [fetch.AdmitIssuer] of a run.
func (d *door) admitIssuer(ctx context.Context, u urinorm.URL) (ok bool, requests int) {
	deciding, cancel := context.WithTimeout(ctx, issuerDecision)
	defer cancel()
	o, requests, err := d.refused(deciding, ask{purpose: forIssuer, url: u})
	if o != nil || err != nil || deciding.Err() != nil { // a store that fails reports that to the worker, too
		return false, requests
	}
	return d.places.awaitTurn(ctx, u.Authority()) == nil, requests
}

// refusesArchive returns the outcome that a rule gives to a request to the archive, or nil.
func (d *door) refusesArchive(ctx context.Context, u urinorm.URL) (*check.Outcome, error) {
	o, _, err := d.refused(ctx, ask{purpose: forArchive, url: u})
	return o, err
}
