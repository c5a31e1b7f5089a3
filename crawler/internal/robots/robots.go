package robots

import (
	"net/http"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Rules is what the robots.txt of one origin tells one agent (RFC 9309). It is
// immutable and safe for concurrent use.
//
// This package shares the work with github.com/temoto/robotstxt:
//
//   - readGroup reads the file line by line as RFC 9309 2.2 requires. It drops only the
//     lines that it cannot parse (the library rejects the whole file) and compares
//     whole product tokens (the library compares prefixes). Other records do not end a
//     group, and a group may have no rules. It normalizes the percent-encoding of rules
//     and paths (2.2.2), which the library does not.
//   - The result is one clean group, longest rule first and allow before disallow. The
//     library reads it and provides Crawl-delay and Sitemap. It also matches groups of
//     plain prefixes, which it does correctly for rules in this order.
//   - This package matches groups with wildcards: the library turns "*" and "$" into
//     unanchored regular expressions and compares their escaped lengths.
type Rules struct {
	data  *robotstxt.RobotsData // the clean group
	group *robotstxt.Group      // of data; has no rules if patterns is true
	rules []rule                // most specific first
	// patterns is true if a rule has a wildcard, so that rules decides.
	patterns bool
	// refusal says why the whole origin is disallowed; empty if it is not.
	refusal string
	// failure is why robots.txt is unavailable; nil if it is not.
	failure *Failure
	// next is the time of the next request for an unavailable robots.txt; zero if there is
	// none.
	next time.Time
}

// maxCrawlDelay limits Crawl-delay. A longer delay is a mistake or an attempt to
// refuse, for which there is Disallow.
const maxCrawlDelay = time.Hour

// libraryAgent is the agent of the one group that the library reads.
const libraryAgent = "*"

// Parse reads the first 500 KiB of a robots.txt for an agent, given as a product token
// or a whole User-Agent value. It accepts any bytes.
func Parse(body []byte, agent string) *Rules {
	group := readGroup(body, agent)
	r := &Rules{rules: group.rules}
	for i := range r.rules {
		if r.rules[i].parts != nil {
			r.patterns = true
			break
		}
	}
	data, err := robotstxt.FromBytes(group.forLibrary(!r.patterns))
	if err != nil {
		// The library is not known to reject any output of forLibrary. If it ever does,
		// the rules still count.
		r.patterns = true
		data = &robotstxt.RobotsData{Sitemaps: group.sitemaps}
	}
	r.data = data
	r.group = data.FindGroup(libraryAgent)
	return r
}

// Allowed reports whether the agent may request a path, given with its query as in the
// request. /robots.txt itself is always allowed (RFC 9309 2.2.2).
func (r *Rules) Allowed(path string) bool {
	if path == robotsPath {
		return true
	}
	if r.refusal != "" {
		return false
	}
	if len(r.rules) == 0 {
		return true
	}
	if path == "" {
		path = "/"
	}
	path = normalize(path)
	if !r.patterns {
		return r.group.Test(path)
	}
	rule := r.find(path)
	return rule == nil || rule.allow
}

// Reason explains why a path is disallowed: it names the rule as written, or the
// failure of the request for robots.txt. It is empty for an allowed path.
func (r *Rules) Reason(path string) string {
	switch {
	case r.Allowed(path):
		return ""
	case r.refusal != "":
		return r.refusal
	}
	if path == "" {
		path = "/"
	}
	if rule := r.find(normalize(path)); rule != nil {
		return "robots.txt says Disallow: " + rule.raw
	}
	return "robots.txt disallows it"
}

// find returns the rule that decides on a normalized path, or nil if none matches.
func (r *Rules) find(path string) *rule {
	for i := range r.rules {
		if r.rules[i].match(path) {
			return &r.rules[i]
		}
	}
	return nil
}

// CrawlDelay is the time that the origin asks agents to wait between two requests, at
// most an hour; 0 if it does not ask. Crawl-delay is not part of RFC 9309 but is widely
// used.
func (r *Rules) CrawlDelay() time.Duration {
	if r.group == nil {
		return 0
	}
	return r.group.CrawlDelay
}

// Sitemaps returns the values of the Sitemap lines in order, as written but with blanks
// encoded. Most are absolute URLs.
func (r *Rules) Sitemaps() []string {
	if r.data == nil {
		return nil
	}
	return r.data.Sitemaps
}

// Failure returns why the whole origin is disallowed if its robots.txt is unavailable
// (RFC 9309 2.3.1.4), and nil otherwise.
func (r *Rules) Failure() *Failure { return r.failure }

// Next returns the time from which [Cache.Rules] requests an unavailable robots.txt again.
// Until then it is not known what the origin allows. Next returns false for rules that
// are final.
func (r *Rules) Next() (time.Time, bool) { return r.next, !r.next.IsZero() }

// Failure is a request for robots.txt that did not return rules.
type Failure struct {
	Status int          // of the answer, 0 if there was none
	Header http.Header  // of the answer
	Fault  *fetch.Fault // nil if the server answered; one such as an unknown host name applies to the pages as well
}

// size returns the approximate memory use of the rules in bytes. The library keeps a
// copy of plain rules.
func (r *Rules) size() int {
	n := 256
	for i := range r.rules {
		n += 160 + 3*len(r.rules[i].raw) + 16*len(r.rules[i].parts)
	}
	for _, s := range r.Sitemaps() {
		n += 16 + len(s)
	}
	return n
}
