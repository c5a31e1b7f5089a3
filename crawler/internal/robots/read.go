package robots

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// maxBytes is the size limit of a robots.txt, the smallest that RFC 9309 2.5 allows.
// The rest of a longer file is not read.
const maxBytes = 500 << 10

// group merges all groups of a robots.txt that apply to one agent.
type group struct {
	rules    []rule
	delay    time.Duration
	sitemaps []string
}

// readGroup returns the agent's group of a robots.txt, or the group "*" if no group
// names the agent (RFC 9309 2.2.1). It drops lines that it cannot parse and keeps the
// others.
func readGroup(body []byte, agent string) *group {
	var (
		token      = fetch.ProductToken(agent)
		mine, star group
		named      bool // a group names the agent
		forMe      bool // the current group is the agent's
		forAll     bool // the current group is that of "*"
		ruled      bool // the current group has a rule: the next user-agent line starts another group
		sitemaps   []string

		slowsMe, slowsAll bool // a Crawl-delay applies to the agent, to "*"
		slowed            bool // the named agents have a Crawl-delay: the next ones do not share it
	)
	add := func(allow bool, value string) {
		ruled = true
		if value == "" { // an empty pattern matches nothing
			return
		}
		if !forMe && !forAll {
			return
		}
		rule := newRule(allow, strings.Clone(value)) // so that the file can be freed
		if forMe {
			mine.rules = append(mine.rules, rule)
		}
		if forAll {
			star.rules = append(star.rules, rule)
		}
	}
	for line := range lines(body) {
		name, value, ok := splitRecord(line)
		if !ok {
			continue
		}
		switch {
		case strings.EqualFold(name, "user-agent"):
			if ruled {
				forMe, forAll, ruled, slowed = false, false, false, true
			}
			if slowed {
				slowsMe, slowsAll, slowed = false, false, false
			}
			// A value without a token names no agent but still begins a group: its
			// rules do not belong to the previous group. For the same reason, control
			// characters after a name do not invalidate the line.
			agent := fetch.ProductToken(value)
			if agent != "" && strings.EqualFold(agent, token) {
				forMe, slowsMe, named = true, true, true
			}
			if value != "" && value[0] == '*' && (len(value) == 1 || value[1] <= ' ') {
				forAll, slowsAll = true, true
			}
		case hasControl(value): // no path or number contains one
		case strings.EqualFold(name, "allow"):
			add(true, value)
		case strings.EqualFold(name, "disallow"):
			add(false, value)
		case strings.EqualFold(name, "crawl-delay"):
			slowed = true // the agents named next may be in the same group (RFC 9309 2.2.4)
			delay, ok := parseCrawlDelay(value)
			if ok && slowsMe {
				mine.delay = max(mine.delay, delay)
			}
			if ok && slowsAll {
				star.delay = max(star.delay, delay)
			}
		case strings.EqualFold(name, "sitemap"):
			if value != "" {
				sitemaps = append(sitemaps, sitemapBlanks.Replace(value))
			}
		}
	}
	group := &star
	if named {
		group = &mine
	}
	group.sitemaps = sitemaps
	group.sort()
	return group
}

// sitemapBlanks encodes blanks, at which the library would end a value.
var sitemapBlanks = strings.NewReplacer(" ", "%20", "\t", "%09")

// lines yields the lines of a robots.txt without byte order mark, comments, surrounding
// blanks and empty lines. Lines end with CR, LF or both. A line that exceeds the size
// limit is left out, because part of a rule is a different rule.
func lines(body []byte) func(yield func(string) bool) {
	if len(body) > maxBytes {
		whole := body[maxBytes] == '\n' || body[maxBytes] == '\r'
		body = body[:maxBytes]
		if !whole {
			body = body[:bytes.LastIndexAny(body, "\r\n")+1]
		}
	}
	text := strings.TrimPrefix(string(body), "\ufeff")
	return func(yield func(string) bool) {
		for text != "" {
			line := text
			if end := strings.IndexAny(text, "\r\n"); end >= 0 {
				line, text = text[:end], text[end+1:]
			} else {
				text = ""
			}
			line, _, _ = strings.Cut(line, "#")
			line = strings.Trim(line, " \t")
			if line != "" && !yield(line) {
				return
			}
		}
	}
}

// splitRecord splits a line into its field name and value. ok is false for a line
// without a colon.
func splitRecord(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, ":")
	return strings.TrimRight(name, " \t"), strings.TrimLeft(value, " \t"), ok
}

func hasControl(value string) bool {
	for i := 0; i < len(value); i++ {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7F {
			return true
		}
	}
	return false
}

// parseCrawlDelay parses a number of seconds, whole or decimal. A value with a sign, an
// exponent or a unit is not a number here.
func parseCrawlDelay(value string) (time.Duration, bool) {
	if strings.Trim(value, "0123456789.") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil && seconds == 0 { // a number out of range is a very long delay
		return 0, false
	}
	if seconds > maxCrawlDelay.Seconds() {
		return maxCrawlDelay, true
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// sort orders the rules so that the first match decides: most octets first, allow
// before disallow on a tie (RFC 9309 2.2.2).
func (g *group) sort() {
	slices.SortFunc(g.rules, func(a, b rule) int {
		switch {
		case a.octets != b.octets:
			return cmp.Compare(b.octets, a.octets)
		case a.allow != b.allow && a.allow:
			return -1
		case a.allow != b.allow:
			return 1
		}
		return strings.Compare(a.raw, b.raw)
	})
	g.rules = slices.CompactFunc(g.rules, func(a, b rule) bool { return a.allow == b.allow && a.raw == b.raw })
}

// forLibrary writes the group as a robots.txt that the library cannot misread: one
// group, one record per line, values without blanks, and valid numbers. It leaves the
// rules out if the library is not to match them.
func (g *group) forLibrary(rules bool) []byte {
	n := 64
	if rules {
		for i := range g.rules {
			n += len("disallow:\n") + len(g.rules[i].prefix)
		}
	}
	b := make([]byte, 0, n)
	b = append(b, "user-agent:"+libraryAgent+"\n"...)
	if g.delay > 0 {
		b = append(b, "crawl-delay:"...)
		b = strconv.AppendFloat(b, g.delay.Seconds(), 'f', -1, 64)
		b = append(b, '\n')
	}
	if rules {
		for i := range g.rules {
			if g.rules[i].allow {
				b = append(b, "allow:"...)
			} else {
				b = append(b, "disallow:"...)
			}
			b = append(b, g.rules[i].prefix...)
			b = append(b, '\n')
		}
	}
	for _, s := range g.sitemaps {
		b = append(b, "sitemap:"...)
		b = append(b, s...)
		b = append(b, '\n')
	}
	return b
}
