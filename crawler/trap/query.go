package trap

import (
	"fmt"
	"strings"
)

// queryShape is what a query looks like whatever the order of its parameters.
type queryShape struct {
	parameters int    // session ids left out
	set        uint64 // the parameters in whatever order, session ids left out
	session    bool
}

// maxParameters bounds the parameters that are compared with each other.
const maxParameters = 64

// read takes a query apart. It returns the pattern of a query that is a trap by its
// own look.
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
			return fmt.Sprintf("parameter %q stands %d times", pair, samePair)
		}
		if exceeds(sameName, l.SameName) {
			return fmt.Sprintf("more than %d parameters %q", l.SameName, name)
		}
	}
	return ""
}

// sessionNames are parameters that hold a session id whatever their value, in lower
// case. Web frameworks put them into links for clients without cookies.
var sessionNames = [...]string{
	"phpsessid", "jsessionid", "sessionid", "session_id", "cfid", "cftoken", "oscsid", "zenid", "xtcsid",
}

// isSession tells whether a parameter is a session id. Short names mean other
// things as well (sid is a section somewhere), so their value must look the part.
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

// cutSession takes a session id off a segment: ";jsessionid=…" of servlets, and
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
