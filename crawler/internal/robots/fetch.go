package robots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// robotsPath is the path of an origin's rules (RFC 9309 2.3).
const robotsPath = "/robots.txt"

// maxRedirects is the number of redirects to follow (RFC 9309 2.3.1.2).
const maxRedirects = 5

// Getter sends one GET request with the settings and limits of the crawl. It does not
// follow redirects, and the caller closes the body.
type Getter = func(context.Context, urinorm.URL) (*fetch.Response, error)

// urlFor returns the URL of the robots.txt that applies to a URL (RFC 9309 2.3).
func urlFor(u urinorm.URL) (urinorm.URL, error) {
	at, _, err := urinorm.ParseWeb(u.Scheme() + "://" + u.Authority() + robotsPath)
	if err != nil {
		return urinorm.URL{}, fmt.Errorf("find robots.txt of %s: %w", u.Printed(), err)
	}
	return at, nil
}

// fetchRules fetches a robots.txt. It follows redirects to any web server; the rules
// apply to the authority of the first request (RFC 9309 2.3.1.2).
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
				return &Rules{}, nil // treated like a missing file
			}
			at = next
			continue
		}
		body, err := readBody(resp)
		if err != nil {
			return disallowForFault(ctx, err)
		}
		rules := fromStatus(resp.Status, body, agent)
		if rules.failure != nil {
			rules.failure.Header = resp.Header
		}
		return rules, nil
	}
}

// readBody reads the part of a body that counts, and one octet more to find out whether
// the last line is complete.
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

// redirect resolves a Location; ok is false if there is no web address to follow.
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

// outcome is the meaning of a status for robots.txt (RFC 9309 2.3.1).
type outcome uint8

const (
	parseBody      outcome = iota // the body contains the rules
	allowAll                      // there are no rules
	disallow                      // robots.txt is unavailable: disallow everything
	followRedirect                // the rules are at another URL
)

// outcomeOf returns the meaning of a status. RFC 9309 counts 429 among the statuses
// that allow everything, but a crawler that is asked to slow down should not start
// crawling, so it disallows. A status that HTTP does not define, and a 304 to an
// unconditional request, count as faults.
func outcomeOf(status int) outcome {
	switch {
	case status == 0: // a scheme without statuses returned a file
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

// fromStatus returns the rules for an answer that is not a redirect.
func fromStatus(status int, body []byte, agent string) *Rules {
	switch outcomeOf(status) {
	case parseBody:
		return Parse(body, agent)
	case disallow:
		return disallowAll(fmt.Sprintf("robots.txt is unavailable: the server answered with status %d", status), &Failure{Status: status})
	}
	return &Rules{}
}

// disallowAll returns rules that disallow everything.
func disallowAll(why string, f *Failure) *Rules { return &Rules{refusal: why, failure: f} }

// disallowForFault returns the rules for a request that failed.
func disallowForFault(ctx context.Context, err error) (*Rules, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	failure := &Failure{}
	if fault, ok := errors.AsType[*fetch.Fault](err); ok {
		switch {
		case fault.Local:
			return nil, err
		case fault.Kind == "file-missing": // the 404 of a scheme without statuses
			return &Rules{}, nil
		}
		failure.Fault = fault
	}
	return disallowAll("robots.txt is unavailable: "+err.Error(), failure), nil
}
