package trap

import (
	"fmt"
	"net/url"
	"strings"
)

// queryShape is the form of a query regardless of the order of its parameters.
type queryShape struct {
	parameters int    // without session IDs
	set        uint64 // hash of the parameters in any order, without session IDs
	session    bool
}

// maxParameters limits the parameters that are compared with each other.
const maxParameters = 64

// read parses a query. If the query alone identifies a trap, read returns its pattern.
func (q *queryShape) read(query string, l *Limits) (pattern string) {
	var names, pairs [maxParameters]uint64
	for rest, more := query, true; more; {
		var pair string
		pair, rest, more = strings.Cut(rest, "&")
		name, value, _ := strings.Cut(pair, "=")
		if isSession(name, value) {
			q.session = true
			continue
		}
		i := q.parameters
		q.parameters++
		if exceeds(q.parameters, l.Parameters) {
			return fmt.Sprintf("more than %d parameters", l.Parameters)
		}
		pairHash := hashString(pair)
		q.set += pairHash
		if i >= maxParameters {
			continue
		}
		names[i], pairs[i] = hashString(name), pairHash
		sameName, samePair := 1, 1
		for j := range i {
			if names[j] == names[i] {
				sameName++
			}
			if pairs[j] == pairs[i] {
				samePair++
			}
		}
		if exceeds(samePair, l.Repeats) {
			return fmt.Sprintf("parameter %q occurs %d times", pair, samePair)
		}
		if exceeds(sameName, l.SameName) {
			return fmt.Sprintf("more than %d parameters %q", l.SameName, name)
		}
	}
	if text, times := repeated(query); times > 0 && exceeds(times, l.Repeats) {
		return fmt.Sprintf("%q occurs %d times in a row in the query", text, times)
	}
	return ""
}

// maxRepeated limits the length of a repeated text, in bytes, and maxSearched the part of a
// query that is searched for it.
const (
	maxRepeated = 128
	maxSearched = 2048
)

// repeated returns the text that a query repeats most often without anything between, and how
// often; 0 if none does. A page that adds to its own query does so: "?next=?next=?next=". Only a
// text with a letter and with a delimiter of URLs counts: real queries contain "0,0,0,0" and
// "====".
func repeated(query string) (text string, times int) {
	if strings.Contains(query, "%") {
		if plain, err := url.PathUnescape(query); err == nil {
			query = plain
		}
	}
	query = query[:min(len(query), maxSearched)]
	for length := 3; length <= min(maxRepeated, len(query)/2); length++ {
		run := 0
		for i := length; i < len(query); i++ {
			if query[i] != query[i-length] {
				run = 0
				continue
			}
			run++
			if n := run/length + 1; n > times && n > 1 {
				if found := query[i+1-length : i+1]; growsQuery(found) {
					text, times = found, n
				}
			}
		}
	}
	return text, times
}

// growsQuery reports whether a text can be what a page adds to its own query.
func growsQuery(text string) bool {
	letter := func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
	return strings.ContainsAny(text, "?=/&") && strings.ContainsFunc(text, letter)
}

// sessionNames are parameters, in lower case, whose value is always a session ID. Web
// frameworks add them to links for clients without cookies.
var sessionNames = [...]string{
	"phpsessid", "jsessionid", "sessionid", "session_id", "cfid", "cftoken", "oscsid", "zenid", "xtcsid",
}

// isSession reports whether a parameter is a session ID. Short names have other
// meanings too ("sid" can be a section), so their values must be long enough.
func isSession(name, value string) bool {
	switch n := len(name); {
	case n < 3 || n > 24:
		return false
	case strings.EqualFold(name, "sid"), strings.EqualFold(name, "session"):
		return len(value) >= 16
	case n > len("aspsessionid") && strings.EqualFold(name[:len("aspsessionid")], "aspsessionid"):
		return true
	}
	for _, known := range sessionNames {
		if len(name) == len(known) && strings.EqualFold(name, known) {
			return true
		}
	}
	return false
}

// cutSession removes a session ID from a segment: ";jsessionid=…" of servlets, or
// "(S(…))" of ASP.NET, which is a segment of its own.
func cutSession(segment string) (rest string, session bool) {
	if i := strings.IndexByte(segment, ';'); i >= 0 {
		name, value, _ := strings.Cut(segment[i+1:], "=")
		if isSession(name, value) {
			return segment[:i], true
		}
	}
	if strings.HasPrefix(segment, "(S(") && strings.HasSuffix(segment, "))") {
		return "", true
	}
	return segment, false
}
