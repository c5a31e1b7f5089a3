package web

import (
	"testing"
	"time"
)

// TestTimes tells times from now for a week, and then by the calendar of a zone.
func TestTimes(t *testing.T) {
	zone, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 31, 22, 0, 0, 0, time.UTC)
	c := clock{zone, func() time.Time { return now }}
	const day = 24 * time.Hour
	for _, row := range []struct {
		away time.Duration
		want string
	}{
		{0, "just now"}, {-59 * time.Second, "just now"}, {30 * time.Second, "just now"}, {-time.Minute, "1 minute ago"}, {59 * time.Minute, "in 59 minutes"},
		{-3 * time.Hour, "3 hours ago"}, {-23*time.Hour - 59*time.Minute, "23 hours ago"}, {2 * day, "in 2 days"}, {-day, "1 day ago"}, {-7 * day, "7 days ago"},
		{-7*day - time.Second, ""}, {8 * day, ""},
	} {
		if got := c.near(now.Add(row.away)); got != row.want {
			t.Errorf("%v away: %q, want %q", row.away, got, row.want)
		}
	}
	for at, want := range map[time.Time]string{
		now.Add(-3 * time.Hour): `<time datetime="2026-03-31T19:00:00Z" title="1 April 2026, 00:30 IST">3 hours ago</time>`,
		now.Add(30 * day):       `<time datetime="2026-04-30T22:00:00Z" title="1 May 2026, 03:30 IST">1 May 2026, 03:30 IST</time>`,
	} {
		if got := string(c.when(&at)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if c.when(nil) != "not yet" || c.name() != "Asia/Kolkata" {
		t.Errorf("%s, %s", c.when(nil), c.name())
	}
}
