package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestParse(t *testing.T) {
	for _, text := range []string{"", "@hourly", "@daily", "@weekly", "* * * * *", "0 0 29 2 *", "*/5 8-18/2 1,15 jan-MAR,Dec mon-fri", "59 23 31 12 7", "0 0 30 2 1", "  0\t0 * *  * ",
		"0 0 * * fri-sun", "0 0 * * 5-7", "0,30 0 * * *", "*/59 * * * *", "0 0 31 jan,feb *", "00 007 1 1 0"} {
		if _, err := Parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"0 0 30 2 *": "never comes", "0 0 31 2,4,6,9,11 *": "never comes", "0 0 30,31 feb *": "never comes",
		"60 * * * *": `minute "60" is not allowed: use 0 to 59`, "* 24 * * *": "use 0 to 23", "* * 0 * *": "use 1 to 31", "* * 32 * *": "day of month", "* * * 0 *": "use 1 to 12, or jan to dec",
		"* * * * 8": "use 0 to 7, or sun to sat", "* * * foo *": "jan to dec", "* * * * mond": "sun to sat", "* * * mon *": "jan to dec",
		"* * * *": "five fields", "* * * * * *": "five fields", "@monthly": "five fields", "@every 5m": "five fields", "@DAILY": "five fields", "daily": "five fields", "* ": "five fields",
		"5-1 * * * *": "ends before it begins", "*/0 * * * *": "step", "*/60 * * * *": "step", "5/10 * * * *": "a step needs", "*/ * * * *": "step", "1- * * * *": "use 0", "-1 * * * *": "use 0", "1,,2 * * * *": "use 0", ", * * * *": "use 0",
		"? * * * *": "use 0", "L * * * *": "use 0", "* * L * *": "use 1", "+5 * * * *": "use 0", "1.5 * * * *": "use 0", "** * * * *": "use 0", "*-5 * * * *": "use 0", "0x1 * * * *": "use 0", "٣ * * * *": "use 0",
		"9999999999999999999999 * * * *": "use 0", "* * * * " + strings.Repeat("1,", 600): "longer than",
	} {
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || !s.IsZero() {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"@daily", "*/5 8-18/2 1,15 jan-MAR,Dec mon-fri", "0 0 29 2 *", "0 0 30 2 1", "30 2 * * 7"} {
		f.Add(text, int64(1_700_000_000), uint8(0))
	}
	zones := []*time.Location{time.UTC, zone(f, "Europe/Berlin"), zone(f, "Australia/Lord_Howe"), zone(f, "America/St_Johns"), zone(f, "Pacific/Apia")}
	f.Fuzz(func(t *testing.T, text string, at int64, where uint8) {
		s, err := Parse(text)
		if err != nil || s.IsZero() {
			return
		}
		after := time.Unix(at%8_000_000_000, 0).In(zones[int(where)%len(zones)])
		next := s.Next(after)
		if !next.After(after) {
			t.Fatalf("%q after %v: %v", text, after, next)
		}
		if !s.runsOn(wall(next)) && next.Location() == time.UTC {
			t.Fatalf("%q after %v: %v is no such day", text, after, next)
		}
		if earlier := s.Next(next.Add(-time.Second)); !earlier.Equal(next) {
			t.Fatalf("%q: %v after %v, and %v just before it", text, next, after, earlier)
		}
	})
}

// steps returns the next n times of a schedule after a time.
func steps(t *testing.T, text, after, where string, n int) string {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", after, zone(t, where))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for range n {
		at = s.Next(at)
		found = append(found, at.Format("2006-01-02 15:04 -07"))
	}
	return strings.Join(found, ", ")
}

func TestNext(t *testing.T) {
	for _, row := range []struct{ schedule, after, want string }{
		{"* * * * *", "2026-11-23 18:00", "2026-11-23 18:01 +00, 2026-11-23 18:02 +00"},
		{"@hourly", "2026-11-23 18:00", "2026-11-23 19:00 +00, 2026-11-23 20:00 +00"},
		{"@daily", "2026-12-30 18:00", "2026-12-31 00:00 +00, 2027-01-01 00:00 +00"},
		{"@weekly", "2026-11-23 18:00", "2026-11-29 00:00 +00, 2026-12-06 00:00 +00"}, // a Monday
		{"0 0 * * 7", "2026-11-23 18:00", "2026-11-29 00:00 +00, 2026-12-06 00:00 +00"},
		{"30 3 * * mon-fri", "2026-11-27 03:30", "2026-11-30 03:30 +00, 2026-12-01 03:30 +00"},
		{"0 0 13 * 5", "2026-11-11 00:00", "2026-11-13 00:00 +00, 2026-11-20 00:00 +00"}, // the 13th and every Friday
		{"0 0 14 * 5", "2026-11-11 00:00", "2026-11-13 00:00 +00, 2026-11-14 00:00 +00"},
		{"0 0 */10 * *", "2026-11-11 00:00", "2026-11-21 00:00 +00, 2026-12-01 00:00 +00"},
		{"0 0 31 * *", "2026-11-11 00:00", "2026-12-31 00:00 +00, 2027-01-31 00:00 +00"},
		{"0 0 29 2 *", "2026-11-11 00:00", "2028-02-29 00:00 +00, 2032-02-29 00:00 +00"},
		{"0 0 29 2 *", "2096-11-11 00:00", "2104-02-29 00:00 +00, 2108-02-29 00:00 +00"},
		{"*/20 9-10 * * *", "2026-11-11 09:20", "2026-11-11 09:40 +00, 2026-11-11 10:00 +00"},
		{"0 0 30 2 1", "2026-01-30 00:00", "2026-02-02 00:00 +00, 2026-02-09 00:00 +00"},
	} {
		if got := steps(t, row.schedule, row.after, "UTC", 2); got != row.want {
			t.Errorf("%q after %s: %s, want %s", row.schedule, row.after, got, row.want)
		}
	}
	if !(Schedule{}).Next(time.Now()).IsZero() {
		t.Error("the zero schedule comes")
	}
}

func TestClockChanges(t *testing.T) {
	for _, row := range []struct{ name, zone, schedule, after, want string }{
		{"put forward at 2", "Europe/Berlin", "30 2 * * *", "2026-03-28 12:00", "2026-03-29 03:00 +02, 2026-03-30 02:30 +02"},
		{"put forward, several", "Europe/Berlin", "0,15,30 2,3 * * *", "2026-03-29 01:59", "2026-03-29 03:00 +02, 2026-03-29 03:15 +02, 2026-03-29 03:30 +02"},
		{"put forward, hourly", "Europe/Berlin", "@hourly", "2026-03-29 00:30", "2026-03-29 01:00 +01, 2026-03-29 03:00 +02, 2026-03-29 04:00 +02"},
		{"put back at 3", "Europe/Berlin", "30 2 * * *", "2026-10-24 12:00", "2026-10-25 02:30 +02, 2026-10-26 02:30 +01"},
		{"put back, hourly", "Europe/Berlin", "@hourly", "2026-10-25 01:30", "2026-10-25 02:00 +02, 2026-10-25 02:00 +01, 2026-10-25 03:00 +01"},
		{"put back, every half hour", "Europe/Berlin", "*/30 * * * *", "2026-10-25 01:59", "2026-10-25 02:00 +02, 2026-10-25 02:30 +02, 2026-10-25 02:00 +01, 2026-10-25 02:30 +01"},
		{"daily across the change", "America/New_York", "@daily", "2026-11-01 00:00", "2026-11-02 00:00 -05, 2026-11-03 00:00 -05"},
		{"no midnight", "America/Sao_Paulo", "@daily", "2018-11-03 12:00", "2018-11-04 01:00 -02, 2018-11-05 00:00 -02"},
		{"midnight twice", "America/Havana", "30 0 * * *", "2025-11-01 12:00", "2025-11-02 00:30 -04, 2025-11-03 00:30 -05"},
		{"half an hour", "Australia/Lord_Howe", "15 2 * * *", "2026-10-03 12:00", "2026-10-04 02:30 +11, 2026-10-05 02:15 +11"},
		{"back into yesterday", "America/St_Johns", "30 23 * * *", "2006-10-28 23:45", "2006-10-29 23:30 -0330, 2006-10-30 23:30 -0330"},
		{"a day that never was", "Pacific/Apia", "0 12 * * *", "2011-12-29 13:00", "2011-12-31 00:00 +14, 2011-12-31 12:00 +14"},
	} {
		want := strings.ReplaceAll(row.want, " -0330", " -03")
		if got := steps(t, row.schedule, row.after, row.zone, strings.Count(want, ",")+1); got != want {
			t.Errorf("%s: %s, want %s", row.name, got, want)
		}
	}
}

// jobs is a server with projects, without runs.
type jobs struct {
	mu    sync.Mutex
	all   map[string]*Job
	fail  error
	start []string
}

func (j *jobs) Jobs(context.Context) (all []Job, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range j.all {
			if !yield(name) {
				return
			}
		}
	}) {
		all = append(all, *j.all[name])
	}
	return all, j.fail
}

func (j *jobs) Start(_ context.Context, project string, handled time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail != nil {
		return j.fail
	}
	j.start = append(j.start, fmt.Sprintf("%s %s", project, handled.Format("Jan 2 15:04:05")))
	j.all[project].Handled = handled
	return nil
}

func (j *jobs) SetHandled(_ context.Context, project string, handled time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.all[project].Handled = handled
	return nil
}

// A time up to which a schedule has been followed lies in the future if the clock was ahead once.
func TestClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it begins at midnight of 2000-01-01 UTC
		every, _ := Parse("* * * * *")
		j := &jobs{all: map[string]*Job{"p": {Project: "p", Schedule: every, Handled: time.Now().AddDate(1, 0, 0)}}}
		k := NewKeeper(j, time.UTC, func(err error) { t.Error(err) })
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { k.Run(ctx); close(done) }()
		wait := func(d time.Duration, want string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			j.mu.Lock()
			defer j.mu.Unlock()
			if got := strings.Join(j.start, ", "); got != want {
				t.Errorf("started %s, want %s", got, want)
			}
			j.start = nil
		}
		wait(90*time.Second, "p Jan 1 00:01:00")
		// The clock was at 00:00:30 when somebody set it back, so that the last time comes again.
		wait(31*time.Second, "p Jan 1 00:02:00")
		j.mu.Lock()
		j.all["p"].Handled = time.Now().Add(-time.Minute)
		j.mu.Unlock()
		k.Changed()
		wait(58*time.Second, "")
		wait(time.Second, "p Jan 1 00:03:00")
		cancel()
		<-done
	})
}

func TestKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it begins at midnight of 2000-01-01 UTC
		hourly, _ := Parse("@hourly")
		daily, _ := Parse("30 3 * * *")
		now := time.Now()
		j := &jobs{all: map[string]*Job{
			"late": {Project: "late", Schedule: daily, Handled: now.Add(-50 * time.Hour)},
			"new":  {Project: "new", Schedule: hourly, Handled: now.Add(-time.Minute)},
			"none": {Project: "none"},
		}}
		var errs []error
		k := NewKeeper(j, time.UTC, func(err error) { errs = append(errs, err) })
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { k.Run(ctx); close(done) }()
		wait := func(d time.Duration, want string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			j.mu.Lock()
			defer j.mu.Unlock()
			if got := strings.Join(j.start, ", "); got != want {
				t.Errorf("started %s, want %s", got, want)
			}
			j.start = nil
		}
		wait(time.Second, "late Jan 1 00:00:00, new Jan 1 00:00:00")
		wait(time.Hour, "new Jan 1 01:00:00")
		wait(3*time.Hour, "new Jan 1 02:00:00, new Jan 1 03:00:00, late Jan 1 03:30:00, new Jan 1 04:00:00")
		every, _ := Parse("* * * * *")
		change := func(f func()) {
			j.mu.Lock()
			defer j.mu.Unlock()
			f()
		}
		change(func() { j.all["none"].Schedule, j.all["none"].Handled = every, time.Now() })
		k.Changed()
		k.Changed()
		wait(2*time.Minute, "none Jan 1 04:01:00, none Jan 1 04:02:00")
		change(func() { delete(j.all, "none"); j.fail = errors.New("the disk is full") })
		wait(time.Hour, "")
		if len(errs) < 50 {
			t.Errorf("%d errors", len(errs))
		}
		change(func() { j.fail = nil })
		wait(time.Minute, "new Jan 1 05:03:00")
		cancel()
		<-done
	})
}

func BenchmarkNext(b *testing.B) {
	berlin := zone(b, "Europe/Berlin")
	for _, text := range []string{"* * * * *", "0 3 * * *", "0 0 29 2 *", "59 23 31 12 *"} {
		s, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			after := time.Date(2026, 11, 23, 18, 0, 0, 0, berlin)
			for b.Loop() {
				s.Next(after)
			}
		})
	}
}
