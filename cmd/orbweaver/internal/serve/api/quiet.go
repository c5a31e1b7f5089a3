package api

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Quiet are the times in which no message about a project leaves.
type Quiet struct {
	From string   `json:"from"` // "20:00", or "" if only whole days are quiet
	To   string   `json:"to"`   // "07:00", of the next day if it is before From
	Days []string `json:"days"` // whole days, of Weekdays
	Zone string   `json:"zone"` // the name of a time zone, "" for that of the server
}

// Weekdays are the names of days, in the order of time.Weekday.
var Weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// clock is the form of From and To.
const clock = "15:04"

// Faults returns what is wrong, by the member.
func (q *Quiet) Faults() (faults []Fault) {
	for _, one := range []struct{ name, value string }{{"from", q.From}, {"to", q.To}} {
		_, err := time.Parse(clock, one.value)
		switch {
		case one.value == "" && q.From+q.To == "" && len(q.Days) > 0:
		case err != nil || len(one.value) != len(clock):
			faults = append(faults, Fault{Field: one.name, Message: "use a time of the day, such as 20:00"})
		case one.name == "to" && q.From == q.To:
			faults = append(faults, Fault{Field: one.name, Message: "use another time than from; days names whole days"})
		}
	}
	for i, day := range q.Days {
		if !slices.Contains(Weekdays, day) || slices.Contains(q.Days[:i], day) {
			faults = append(faults, Fault{Field: "days", Message: fmt.Sprintf("%q is not allowed: use each of %s at most once", day, strings.Join(Weekdays, ", "))})
			break
		}
	}
	if _, err := q.location(); err != nil || q.Zone == "Local" {
		faults = append(faults, Fault{Field: "zone", Message: "use the name of a time zone, such as Europe/Berlin, or nothing for that of the server"})
	}
	return faults
}

func (q *Quiet) location() (*time.Location, error) {
	if q.Zone == "" {
		return time.Local, nil
	}
	return time.LoadLocation(q.Zone)
}

// Holds reports whether messages are held at a time. A zone that this computer no longer knows holds
// nothing.
func (q *Quiet) Holds(at time.Time) bool {
	if q == nil {
		return false
	}
	zone, err := q.location()
	if err != nil {
		return false
	}
	at = at.In(zone)
	now := at.Format(clock)
	switch {
	case slices.Contains(q.Days, Weekdays[at.Weekday()]):
		return true
	case q.From < q.To:
		return q.From <= now && now < q.To
	case q.From > q.To:
		return q.From <= now || now < q.To
	}
	return false
}
