package robots

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

// maxRedirects is how many redirects are followed (RFC 9309 2.3.1.2).
const maxRedirects = 5

// Getter sends one GET with the crawl's own ways and limits, follows no
// redirect, and leaves the body to the caller.
type Getter = func(context.Context, urinorm.URL) (*fetch.Response, error)

// urlFor is where the rules for a URL lie (RFC 9309 2.3).
func urlFor(u urinorm.URL) (urinorm.URL, error) {
	at, _, err := urinorm.ParseWeb(u.Scheme() + "://" + u.Authority() + robotsPath)
	if err != nil {
		return urinorm.URL{}, fmt.Errorf("find robots.txt of %s: %w", u.Printed(), err)
	}
	return at, nil
}

// fetchRules fetches a robots.txt. Redirects are followed to any web server, and
// the rules are those of the authority that was asked first (RFC 9309 2.3.1.2).
func fetchRules(ctx context.Context, at urinorm.URL, agent string, get Getter) (*Rules, error) {
	for redirects := 0; ; redirects++ {
		resp, err := get(ctx, at)
		if err != nil {
			return disallowForFault(ctx, err)
		}
		if outcomeOf(resp.Status) == followRedirect {
			if resp.Body != nil {
				resp.Body.Close()
			}
			next, ok := redirect(at, resp.Location)
			if !ok || redirects == maxRedirects {
				return &Rules{}, nil // as good as absent
			}
			at = next
			continue
		}
		body, err := readBody(resp)
		if err != nil {
			return disallowForFault(ctx, err)
		}
		rules := fromStatus(resp.Status, body, agent)
		if rules.refusal != "" {
			rules.retryAfter = retryAfter(resp.Header, time.Now())
		}
		return rules, nil
	}
}

// readBody reads what counts of a body, and one octet more to know whether
// the last line is whole.
func readBody(resp *fetch.Response) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}
	defer resp.Body.Close()
	if outcomeOf(resp.Status) != parseBody {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
}

// redirect resolves a Location; ok is false when there is none to follow.
func redirect(at urinorm.URL, location string) (next urinorm.URL, ok bool) {
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

// outcome is what a status means for robots.txt (RFC 9309 2.3.1).
type outcome uint8

const (
	parseBody      outcome = iota // the body holds the rules
	allowAll                      // there are no rules
	disallow                      // the rules cannot be had: nothing is allowed for now
	followRedirect                // the rules lie elsewhere
)

// outcomeOf reads a status. 429 is a 4xx by the RFC and so no rules at all;
// but who is asked to slow down should not begin to crawl, so it refuses. What is
// no answer of HTTP's, and a 304 nobody asked for, can't be told from a fault.
func outcomeOf(status int) outcome {
	switch {
	case status == 0: // a scheme without statuses answered with a file
		return parseBody
	case 200 <= status && status < 300:
		return parseBody
	case status == http.StatusNotModified:
		return disallow
	case 300 <= status && status < 400:
		return followRedirect
	case status == http.StatusTooManyRequests:
		return disallow
	case 400 <= status && status < 500:
		return allowAll
	}
	return disallow
}

// fromStatus makes rules of an answer that is no redirect.
func fromStatus(status int, body []byte, agent string) *Rules {
	switch outcomeOf(status) {
	case parseBody:
		return Parse(body, agent)
	case disallow:
		return disallowAll(fmt.Sprintf("robots.txt cannot be had: it answers %d", status))
	}
	return &Rules{}
}

// disallowAll makes rules that allow nothing for a while.
func disallowAll(why string) *Rules {
	return &Rules{refusal: why, retryAfter: retryInterval}
}

// disallowForFault makes rules of a request that brought no answer.
func disallowForFault(ctx context.Context, err error) (*Rules, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	rules := disallowAll("robots.txt cannot be had: " + err.Error())
	if fault, ok := errors.AsType[*fetch.Fault](err); ok {
		switch {
		case fault.Local:
			return nil, err
		case fault.Kind == "file-missing": // a scheme without statuses says 404
			return &Rules{}, nil
		}
		rules.fault = fault
	}
	return rules, nil
}

// retryAfter is how long a refusal lasts: what Retry-After says, within a minute
// and a day.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(max(time.Duration(seconds)*time.Second, retryInterval), lifetime)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), retryInterval), lifetime)
	}
	return retryInterval
}
