package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// robotsPath is where an origin keeps its rules (RFC 9309 2.3).
const robotsPath = "/robots.txt"

// maxRobotsRedirects is how many redirects are followed (RFC 9309 2.3.1.2).
const maxRobotsRedirects = 5

// robotsGetter sends one GET with the crawl's own ways and limits, follows no
// redirect, and leaves the body to the caller.
type robotsGetter = func(context.Context, urinorm.URL) (*fetch.Response, error)

// robotsURL is where the rules for a URL lie (RFC 9309 2.3).
func robotsURL(u urinorm.URL) (urinorm.URL, error) {
	at, _, err := urinorm.ParseWeb(u.Scheme() + "://" + u.Authority() + robotsPath)
	if err != nil {
		return urinorm.URL{}, fmt.Errorf("find robots.txt of %s: %w", u.Printed(), err)
	}
	return at, nil
}

// askRobots fetches a robots.txt. Redirects are followed to any web server, and
// the rules are those of the authority that was asked first (RFC 9309 2.3.1.2).
func askRobots(ctx context.Context, at urinorm.URL, agent string, get robotsGetter) (*robotsRules, error) {
	for redirects := 0; ; redirects++ {
		resp, err := get(ctx, at)
		if err != nil {
			return refuseFault(ctx, err)
		}
		if robotsAnswerTo(resp.Status) == robotsFollow {
			if resp.Body != nil {
				resp.Body.Close()
			}
			next, ok := robotsRedirect(at, resp.Location)
			if !ok || redirects == maxRobotsRedirects {
				return &robotsRules{}, nil // as good as absent
			}
			at = next
			continue
		}
		body, err := readRobotsBody(resp)
		if err != nil {
			return refuseFault(ctx, err)
		}
		rules := robotsFromStatus(resp.Status, body, agent)
		if rules.refusal != "" {
			rules.again = robotsRetry(resp.Header, time.Now())
		}
		return rules, nil
	}
}

// readRobotsBody reads what counts of a body, and one octet more to know whether
// the last line is whole.
func readRobotsBody(resp *fetch.Response) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}
	defer resp.Body.Close()
	if robotsAnswerTo(resp.Status) != robotsParse {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxRobotsBytes+1))
}

// robotsRedirect resolves a Location; ok is false when there is none to follow.
func robotsRedirect(at urinorm.URL, location string) (next urinorm.URL, ok bool) {
	if location == "" {
		return urinorm.URL{}, false
	}
	base, err := urinorm.NewBase(at, "")
	if err != nil {
		return urinorm.URL{}, false
	}
	next, _, err = base.Resolve(location)
	if err != nil {
		return urinorm.URL{}, false
	}
	next = next.WithoutUserinfo().WithoutFragment()
	return next, next.Scheme() == "http" || next.Scheme() == "https"
}

// robotsAnswer is what a status means for robots.txt (RFC 9309 2.3.1).
type robotsAnswer uint8

const (
	robotsParse  robotsAnswer = iota // the body holds the rules
	robotsAllow                      // there are no rules
	robotsRefuse                     // the rules cannot be had: nothing is allowed for now
	robotsFollow                     // the rules lie elsewhere
)

// robotsAnswerTo reads a status. 429 is a 4xx by the RFC and so no rules at all;
// but who is asked to slow down should not begin to crawl, so it refuses. What is
// no answer of HTTP's, and a 304 nobody asked for, can't be told from a fault.
func robotsAnswerTo(status int) robotsAnswer {
	switch {
	case status == 0: // a scheme without statuses answered with a file
		return robotsParse
	case 200 <= status && status < 300:
		return robotsParse
	case status == http.StatusNotModified:
		return robotsRefuse
	case 300 <= status && status < 400:
		return robotsFollow
	case status == http.StatusTooManyRequests:
		return robotsRefuse
	case 400 <= status && status < 500:
		return robotsAllow
	}
	return robotsRefuse
}

// robotsFromStatus makes rules of an answer that is no redirect.
func robotsFromStatus(status int, body []byte, agent string) *robotsRules {
	switch robotsAnswerTo(status) {
	case robotsParse:
		return parseRobots(body, agent)
	case robotsRefuse:
		return refuseAll(fmt.Sprintf("robots.txt cannot be had: it answers %d", status))
	}
	return &robotsRules{}
}

// refuseAll makes rules that allow nothing for a while.
func refuseAll(why string) *robotsRules {
	return &robotsRules{refusal: why, again: robotsPatience}
}

// refuseFault makes rules of a request that brought no answer.
func refuseFault(ctx context.Context, err error) (*robotsRules, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	rules := refuseAll("robots.txt cannot be had: " + err.Error())
	if fault, ok := errors.AsType[*fetch.Fault](err); ok {
		switch {
		case fault.Local:
			return nil, err
		case fault.Kind == "file-missing": // a scheme without statuses says 404
			return &robotsRules{}, nil
		}
		rules.fault = fault
	}
	return rules, nil
}

// robotsRetry is how long a refusal lasts: what Retry-After says, within a minute
// and a day.
func robotsRetry(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(max(time.Duration(seconds)*time.Second, robotsPatience), robotsLifetime)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), robotsPatience), robotsLifetime)
	}
	return robotsPatience
}
