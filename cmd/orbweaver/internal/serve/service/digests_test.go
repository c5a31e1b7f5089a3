package service

import (
	"testing"
	"time"
)

func TestDigestTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ digest, now, due, before string }{
		{"weekly", "2026-11-28T12:00:00+01:00", "2026-11-23T08:00:00+01:00", "2026-11-16T08:00:00+01:00"}, // a Saturday
		{"weekly", "2026-11-30T07:59:59+01:00", "2026-11-23T08:00:00+01:00", "2026-11-16T08:00:00+01:00"},
		{"weekly", "2026-11-30T08:00:00+01:00", "2026-11-30T08:00:00+01:00", "2026-11-23T08:00:00+01:00"},
		{"weekly", "2026-10-26T09:00:00+01:00", "2026-10-26T08:00:00+01:00", "2026-10-19T08:00:00+02:00"}, // the clock was set back between
		{"monthly", "2026-11-28T12:00:00+01:00", "2026-11-01T08:00:00+01:00", "2026-10-01T08:00:00+02:00"},
		{"monthly", "2027-01-01T07:00:00+01:00", "2026-12-01T08:00:00+01:00", "2026-11-01T08:00:00+01:00"},
		{"monthly", "2027-01-01T08:00:00+01:00", "2027-01-01T08:00:00+01:00", "2026-12-01T08:00:00+01:00"},
	} {
		now, err := time.Parse(time.RFC3339, row.now)
		if err != nil {
			t.Fatal(err)
		}
		due, before := digestTimes(row.digest, now.In(berlin))
		if got := due.Format(time.RFC3339) + " " + before.Format(time.RFC3339); got != row.due+" "+row.before {
			t.Errorf("%s at %s: due and before are %s, want %s %s", row.digest, row.now, got, row.due, row.before)
		}
	}
}
