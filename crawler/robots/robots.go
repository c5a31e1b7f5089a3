package robots

import (
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Rules is what one origin's robots.txt says to one agent (RFC 9309). It is
// immutable and safe for concurrent use.
//
// The work is shared with github.com/temoto/robotstxt:
//
//   - readGroup reads the file line by line as RFC 9309 2.2 wants: what cannot be
//     parsed is dropped alone (the library gives up on the whole file), product
//     tokens are compared whole (the library compares prefixes), other records end
//     no group, a group without rules is a group. Rules and paths are brought to
//     one percent-encoding (2.2.2), which the library leaves as it is.
//   - What is left is one clean group, longest rule first and allow before
//     disallow. The library reads it and answers for Crawl-delay, Sitemap, and
//     for groups of plain prefixes, where it is exact once ties stand in this order.
//   - A group with a wildcard is matched here: the library turns "*" and "$" into
//     unanchored regular expressions and measures their escaped length.
type Rules struct {
	data  *robotstxt.RobotsData // the clean group
	group *robotstxt.Group      // of data; its rules are empty when a pattern decides
	rules []rule                // best first
	// patterns is true when a rule has a wildcard, so that rules decide.
	patterns bool
	// refusal, when set, says why the whole origin is refused.
	refusal string
	// retryAfter is how long a refusal lasts before the origin may be asked once more;
	// 0 for rules that were read.
	retryAfter time.Duration
	fault      *fetch.Fault
}

// maxCrawlDelay bounds what Crawl-delay may ask for: a longer one is a mistake or
// a way to say no, and Disallow is there for that.
const maxCrawlDelay = time.Hour

// libraryAgent is the agent of the one group that is handed to the library.
const libraryAgent = "*"

// Parse reads the first 500 KiB of a robots.txt for an agent, given as its
// product token or as a whole User-Agent value. Any bytes are a robots.txt.
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
		// Nothing that clean writes is known to do this; should the library ever
		// refuse it, the rules still count.
		r.patterns = true
		data = &robotstxt.RobotsData{Sitemaps: group.sitemaps}
	}
	r.data = data
	r.group = data.FindGroup(libraryAgent)
	return r
}

// Allowed tells whether the agent may ask for a path, given with its query as the
// request has it. /robots.txt itself is always allowed (RFC 9309 2.2.2).
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

// Reason says in words why a path is refused: the rule as it is written, or what
// became of the request for robots.txt. It is empty for an allowed path.
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
	return "robots.txt refuses it"
}

// find returns the rule that decides a normalized path, nil when none matches.
func (r *Rules) find(path string) *rule {
	for i := range r.rules {
		if r.rules[i].match(path) {
			return &r.rules[i]
		}
	}
	return nil
}

// CrawlDelay is the pause the origin asks for between two requests, 0 when it asks
// for none; at most an hour. It is no part of RFC 9309 but widely written.
func (r *Rules) CrawlDelay() time.Duration {
	if r.group == nil {
		return 0
	}
	return r.group.CrawlDelay
}

// Sitemaps are the values of the Sitemap lines in their order, as written, spaces
// encoded; most are absolute URLs.
func (r *Rules) Sitemaps() []string {
	if r.data == nil {
		return nil
	}
	return r.data.Sitemaps
}

// Refused tells that the whole origin is refused because its robots.txt could not
// be had (RFC 9309 2.3.1.4), and after how long it may be asked again.
func (r *Rules) Refused() (again time.Duration, refused bool) {
	return r.retryAfter, r.refusal != ""
}

// Fault is what went wrong on the way to a robots.txt that could not be had: a host
// whose name does not exist is known not to be there, and its pages need no other
// verdict. It is nil when there was an answer.
func (r *Rules) Fault() *fetch.Fault { return r.fault }

// size is about what the rules take in memory, in bytes. The library keeps a copy
// of plain rules.
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

// productToken cuts the product token out of an agent's name: "MyBot/1.0 (…)" is
// "MyBot". RFC 9309 2.2.1 has letters, "_" and "-"; agents in use also have digits
// and dots, and cutting there would make bot2 answer to the name of bot.
func productToken(agent string) string {
	agent = strings.TrimLeft(agent, " \t")
	for i := 0; i < len(agent); i++ {
		c := agent[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return agent[:i]
		}
	}
	return agent
}
