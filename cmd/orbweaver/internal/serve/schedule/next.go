package schedule

import (
	"time"
)

// maxDays is the number of days that are searched for the next one of a schedule: eight
// years pass between the leap days around 1900 and 2100.
const maxDays = 9 * 366

// maxChange is more than clocks are put forward or back, but for days that a country leaves
// out when it changes sides of the date line.
const maxChange = 3 * time.Hour

// IsZero reports whether s is the schedule that never comes.
func (s Schedule) IsZero() bool { return s == Schedule{} }

// Next returns the first time of s after a time, in the time zone of after, or the zero
// time if there is none.
//
// Where the clock is put forward, a time that does not exist is run at once after the
// change. Where it is put back, a time that comes twice is run the first time. But if the
// hours of s are * or */n, it is run whenever the clock shows one of its times: an hourly
// run stays hourly.
func (s Schedule) Next(after time.Time) time.Time {
	if s.IsZero() {
		return time.Time{}
	}
	year, month, day := after.Date()
	for i := -1; i < maxDays; i++ { // a clock that is put back after midnight shows yesterday again
		date := time.Date(year, month, day+i, 12, 0, 0, 0, time.UTC)
		if !s.runsOn(date) {
			continue
		}
		if next := s.firstOf(date, after); !next.IsZero() {
			return next
		}
	}
	return time.Time{}
}

// runsOn reports whether s has times on a date. If both the day of the month and the day of
// the week are given, either is enough (POSIX, crontab).
func (s Schedule) runsOn(date time.Time) bool {
	if s.months&(1<<int(date.Month())) == 0 {
		return false
	}
	day := s.days&(1<<date.Day()) != 0
	weekday := s.weekdays&(1<<int(date.Weekday())) != 0
	switch {
	case s.anyDay:
		return weekday
	case s.anyWeekday:
		return day
	}
	return day || weekday
}

// firstOf returns the first time of s on a date that is later than after.
func (s Schedule) firstOf(date, after time.Time) (first time.Time) {
	year, month, day := date.Date()
	begin := wall(after).Add(-maxChange)
	for hour := range 24 {
		start := time.Date(year, month, day, hour, 0, 0, 0, time.UTC)
		if s.hours&(1<<hour) == 0 || start.Add(time.Hour).Before(begin) {
			continue
		}
		if !first.IsZero() && start.Sub(wall(first)) > maxChange {
			break // clocks are not put back that far
		}
		for minute := range 60 {
			if s.minutes&(1<<minute) == 0 {
				continue
			}
			clock := start.Add(time.Duration(minute) * time.Minute)
			for _, t := range s.times(clock, after.Location()) {
				if t.After(after) && (first.IsZero() || t.Before(first)) {
					first = t
				}
			}
		}
	}
	return first
}

// times returns when s runs for what a clock in a time zone shows. clock has that in UTC.
func (s Schedule) times(clock time.Time, zone *time.Location) []time.Time {
	year, month, day := clock.Date()
	t := time.Date(year, month, day, clock.Hour(), clock.Minute(), 0, 0, zone)
	begin, end := t.ZoneBounds()
	shown := wall(t)
	if !shown.Equal(clock) { // the clock is put forward and never shows it
		change := begin
		if shown.Before(clock) {
			change = end
		}
		if s.everyHour || change.IsZero() {
			return nil
		}
		return []time.Time{change}
	}
	found := []time.Time{t}
	for _, beyond := range []time.Time{begin.Add(-time.Second), end} { // the clock may be put back and show it twice
		if begin.IsZero() && beyond.Before(t) || end.IsZero() && !beyond.Before(t) {
			continue
		}
		_, offset := beyond.In(zone).Zone()
		other := clock.Add(-time.Duration(offset) * time.Second).In(zone)
		if !other.Equal(t) && wall(other).Equal(clock) {
			found = append(found, other)
		}
	}
	if !s.everyHour {
		for _, t := range found[1:] {
			if t.Before(found[0]) {
				found[0] = t
			}
		}
		found = found[:1]
	}
	return found
}

// wall returns what the clock shows at a time, in UTC.
func wall(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}
