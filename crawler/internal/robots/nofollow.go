package robots

import (
	"net/http"
	"strings"
)

// NoFollowHeader reports whether an X-Robots-Tag header forbids an agent to follow a
// page's links, as a robots meta element would.
func NoFollowHeader(h http.Header, agent string) bool { return robotsTag(h, agent, "nofollow") }

// NoIndexHeader reports whether an X-Robots-Tag header asks all agents not to index a
// page.
func NoIndexHeader(h http.Header) bool { return robotsTag(h, "", "noindex") }

// robotsTag reports whether the X-Robots-Tag fields of a header contain a word or
// "none". A value may begin with the name of the agent that it applies to:
//
//	X-Robots-Tag: noindex, nofollow
//	X-Robots-Tag: otherbot: none
func robotsTag(h http.Header, agent, word string) bool {
	for _, value := range h["X-Robots-Tag"] {
		concerned := true
		for part := range strings.SplitSeq(value, ",") {
			part = strings.ToLower(strings.TrimSpace(part))
			if name, rest, named := strings.Cut(part, ":"); named && !valuedRobotsRules[name] {
				concerned = strings.EqualFold(strings.TrimSpace(name), agent)
				part = strings.TrimSpace(rest)
			}
			if concerned && (part == word || part == "none") {
				return true
			}
		}
	}
	return false
}

// valuedRobotsRules are rules that take a value after a colon. Any other name before a
// colon is an agent's.
var valuedRobotsRules = map[string]bool{
	"unavailable_after": true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true,
}
