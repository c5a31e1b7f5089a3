package captures

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
)

var errLinks = errors.New("it is not a TimeMap in link format")

// TimeMap reads a TimeMap in link format (RFC 7089 section 5, RFC 6690). An answer that is longer
// than MaxAnswer is read up to its last whole link. Further pages are not read: the last capture is
// then known only if the TimeMap says until when there are any.
func TimeMap(answer []byte) (*check.Archived, error) {
	cut := len(answer) > MaxAnswer
	c := collection{}
	var self string     // the address of the TimeMap
	var others []string // those of others
	rest := strings.TrimSpace(string(answer[:min(len(answer), MaxAnswer)]))
	for rest != "" {
		l, more, ok := nextLink(rest)
		if !ok || cut && more == "" {
			if cut {
				break
			}
			return nil, fmt.Errorf("read its answer: %w", errLinks)
		}
		rest = more
		switch rels := strings.Fields(strings.ToLower(l.params["rel"])); {
		case slices.Contains(rels, "self"):
			self = l.target
		case slices.Contains(rels, "timemap") && l.hasFormat():
			others = append(others, l.target)
		case slices.Contains(rels, "memento"):
			if err := c.memento(&l); err != nil {
				return nil, fmt.Errorf("read its answer: %w", err)
			}
		}
		if until, err := parseHTTPDate(l.params["until"]); err == nil && until.After(c.until) {
			c.until = until
		}
	}
	c.cut = slices.ContainsFunc(others, func(page string) bool { return page != self })
	if cut {
		c.cut, c.until = true, time.Time{}
	}
	return c.archived("memento"), nil
}

// memento adds a capture of a TimeMap.
func (c *collection) memento(l *timeLink) error {
	at, err := parseHTTPDate(l.params["datetime"])
	if err != nil {
		return fmt.Errorf("the datetime %q is not a time", l.params["datetime"])
	}
	address := web(l.target)
	if address == "" {
		return errAddress
	}
	c.add(seen{at: at, status: "200", copy: address})
	return nil
}

// hasFormat reports whether a link leads to something in link format, as far as it says. Some archives
// name the same TimeMap in other formats as well.
func (l *timeLink) hasFormat() bool {
	media, _, _ := strings.Cut(l.params["type"], ";")
	return media == "" || strings.EqualFold(strings.TrimSpace(media), "application/link-format")
}

func parseHTTPDate(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC1123, s)
	return t.UTC(), err
}

// timeLink is one link of a TimeMap.
type timeLink struct {
	target string
	params map[string]string // by their names in lower case, the first of each
}

// nextLink reads the first of some links, and returns those behind its comma.
func nextLink(s string) (l timeLink, rest string, ok bool) {
	s = strings.TrimLeft(s, " \t\r\n,")
	if s == "" {
		return l, "", true
	}
	target, s, ok := strings.Cut(s, ">")
	if target, found := strings.CutPrefix(target, "<"); ok && found {
		l = timeLink{strings.TrimSpace(target), map[string]string{}}
	} else {
		return l, "", false
	}
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case s == "":
			return l, "", true
		case s[0] == ',':
			return l, s[1:], true
		case s[0] != ';':
			return l, "", false
		}
		s = strings.TrimLeft(s[1:], " \t\r\n")
		end := strings.IndexAny(s, "=;,")
		if end < 0 {
			end = len(s)
		}
		name, value := strings.ToLower(strings.TrimSpace(s[:end])), ""
		s = s[end:]
		if strings.HasPrefix(s, "=") {
			if value, s, ok = paramValue(strings.TrimLeft(s[1:], " \t\r\n")); !ok {
				return l, "", false
			}
		}
		if _, known := l.params[name]; !known {
			l.params[name] = value
		}
	}
}

// paramValue reads the value of a parameter, which may be quoted.
func paramValue(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ";,")
		if end < 0 {
			end = len(s)
		}
		return strings.TrimSpace(s[:end]), s[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}
