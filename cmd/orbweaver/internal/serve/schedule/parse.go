package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Schedule is a set of minutes of the calendar. The zero value never comes.
type Schedule struct {
	minutes, hours, days, months, weekdays uint64 // bit n is set if n belongs to the schedule
	anyDay, anyWeekday                     bool   // the field is *
	everyHour                              bool   // the hours are * or */n: real hours count, not those of the clock
}

// maxLength is the length of the longest schedule in bytes.
const maxLength = 1000

// aliases are the names for common schedules.
var aliases = map[string]string{"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0"}

// field describes the values of one field.
type field struct {
	name     string
	min, max int
	names    []string // of the values from min on
}

var fields = [5]field{
	{name: "minute", max: 59},
	{name: "hour", max: 23},
	{name: "day of month", min: 1, max: 31},
	{name: "month", min: 1, max: 12, names: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{name: "day of week", max: 7, names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// Parse reads a schedule: five fields of cron (POSIX, crontab), or @hourly, @daily or
// @weekly. A field is *, or a list of numbers, names and ranges; * and ranges may have a
// step (*/5, 8-18/2). 7 is Sunday, like 0. An empty text is the schedule that never comes.
// A schedule that can never come otherwise, such as the 30th of February, is an error.
func Parse(text string) (Schedule, error) {
	var s Schedule
	if len(text) > maxLength {
		return s, fmt.Errorf("the schedule is longer than %d bytes", maxLength)
	}
	if text == "" {
		return s, nil
	}
	if full, ok := aliases[text]; ok {
		text = full
	}
	parts := strings.Fields(text)
	if len(parts) != len(fields) {
		return s, fmt.Errorf("%q is not a schedule: use five fields (minute, hour, day of month, month, day of week), @hourly, @daily or @weekly", text)
	}
	var sets [5]uint64
	for i, f := range fields {
		var err error
		if sets[i], err = f.parse(parts[i]); err != nil {
			return s, fmt.Errorf("%s %q is not allowed: %w", f.name, parts[i], err)
		}
	}
	if sets[4]&(1<<7) != 0 {
		sets[4] = sets[4]&^(1<<7) | 1
	}
	s = Schedule{minutes: sets[0], hours: sets[1], days: sets[2], months: sets[3], weekdays: sets[4],
		anyDay: parts[2] == "*", anyWeekday: parts[4] == "*", everyHour: strings.HasPrefix(parts[1], "*")}
	if !s.comes() {
		return Schedule{}, errors.New("the date never comes: no month of the schedule has that day")
	}
	return s, nil
}

func (f field) parse(text string) (set uint64, err error) {
	for item := range strings.SplitSeq(text, ",") {
		values, stepText, stepped := strings.Cut(item, "/")
		low, high := f.min, f.max
		if values != "*" {
			first, last, isRange := strings.Cut(values, "-")
			if low, err = f.value(first); err != nil {
				return 0, err
			}
			high = low
			if isRange {
				if high, err = f.value(last); err != nil {
					return 0, err
				}
				if high == 0 && f.max == 7 {
					high = 7 // a range may end on Sunday
				}
			} else if stepped {
				return 0, errors.New("a step needs * or a range before it, such as */5 or 10-50/5")
			}
			if high < low {
				return 0, fmt.Errorf("the range %s ends before it begins", values)
			}
		}
		step := 1
		if stepped {
			if step, err = number(stepText); err != nil || step < 1 || step > f.max {
				return 0, fmt.Errorf("use a step of 1 to %d", f.max)
			}
		}
		if values == "*" && f.max == 7 {
			high = 6 // 7 is Sunday again
		}
		for v := low; v <= high; v += step {
			set |= 1 << v
		}
	}
	return set, nil
}

func (f field) value(text string) (int, error) {
	for i, name := range f.names {
		if strings.EqualFold(text, name) {
			return f.min + i, nil
		}
	}
	n, err := number(text)
	if err != nil || n < f.min || n > f.max {
		use := fmt.Sprintf("use %d to %d", f.min, f.max)
		if len(f.names) > 0 {
			use += fmt.Sprintf(", or %s to %s", f.names[0], f.names[len(f.names)-1])
		}
		return 0, errors.New(use)
	}
	return n, nil
}

// number reads at most three decimal digits.
func number(text string) (int, error) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, strconv.ErrSyntax
		}
	}
	if len(text) > 3 {
		return 0, strconv.ErrRange
	}
	return strconv.Atoi(text)
}

// monthDays are the most days that each month has.
var monthDays = [13]int{1: 31, 2: 29, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}

// comes reports whether there is a date on which s runs.
func (s Schedule) comes() bool {
	if !s.anyWeekday {
		return true // a day of the week is in every month
	}
	for month := 1; month <= 12; month++ {
		if s.months&(1<<month) != 0 && s.days&(1<<(monthDays[month]+1)-1) != 0 {
			return true
		}
	}
	return false
}
