// Package captures reads what archives know of a page: the answers of CDX servers, and TimeMaps
// (RFC 7089). They are a stranger's, so an answer that is not what it should be is an error, and
// says nothing of the page.
package captures

import (
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Classes of pages, besides check.NeverSeen.
const (
	classRotted  = "rotted"  // it was there
	classMoved   = "moved"   // it redirected permanently at last
	classUnclear = "unclear" // there are only captures of errors
)

// MaxAnswer is how many bytes of an answer are read.
const MaxAnswer = 1 << 20

// seen is one capture.
type seen struct {
	at       time.Time
	status   string // "" if it is not known
	copy     string // the address of the copy
	redirect string // where it redirected; "" if it is not known
}

func (s *seen) isGood() bool { return len(s.status) == 3 && s.status[0] == '2' }

// collection sums up captures.
type collection struct {
	first, last, good seen
	until             time.Time // there are captures up to then, which are not known; zero if there are none
	cut               bool      // there may be more captures
}

func (c *collection) add(s seen) {
	if c.first.at.IsZero() || s.at.Before(c.first.at) {
		c.first = s
	}
	if !s.at.Before(c.last.at) {
		c.last = s
	}
	if s.isGood() && !s.at.Before(c.good.at) {
		c.good = s
	}
}

// archived returns what the captures say of the page.
func (c *collection) archived(service string) *check.Archived {
	a := &check.Archived{Service: service, Class: check.NeverSeen}
	if c.first.at.IsZero() {
		if c.cut { // there is at least the one that was too long
			a.Class = classUnclear
		}
		return a
	}
	a.FirstSeen = c.first.at
	switch {
	case !c.cut:
		a.LastSeen = c.last.at
	case !c.until.Before(c.last.at):
		a.LastSeen = c.until
	}
	hasGood := !c.good.at.IsZero()
	if hasGood {
		a.LastGood = &check.Copy{URL: c.good.copy, Time: c.good.at}
	}
	moved := (c.last.status == "301" || c.last.status == "308") && (hasGood || c.last.redirect != "")
	switch {
	case moved && !c.cut:
		a.Class, a.MovedTo = classMoved, c.last.redirect
	case hasGood:
		a.Class = classRotted
	default:
		a.Class = classUnclear
	}
	return a
}

// web returns an address as it is printed; "" if it is neither http nor https, or has user
// information.
func web(address string) string {
	u, _, err := urinorm.ParseWeb(address)
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" || u.HasUserinfo() {
		return ""
	}
	return u.Printed()
}

var errAddress = errors.New("the address of a capture is neither http nor https")
