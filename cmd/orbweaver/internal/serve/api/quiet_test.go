package api

import (
	"strings"
	"testing"
	"time"
)

func TestQuietHolds(t *testing.T) {
	night := &Quiet{From: "20:00", To: "07:00", Days: []string{"sat", "sun"}, Zone: "Europe/Berlin"}
	noon := &Quiet{From: "12:00", To: "13:00", Zone: "UTC"}
	for _, row := range []struct {
		quiet *Quiet
		at    string
		want  bool
	}{
		{night, "2026-11-27T18:59:00Z", false}, // Friday, 19:59 in Berlin
		{night, "2026-11-27T19:00:00Z", true},
		{night, "2026-11-28T12:00:00Z", true}, // Saturday
		{night, "2026-11-29T22:59:00Z", true}, // Sunday
		{night, "2026-11-30T05:59:00Z", true}, // Monday, 06:59
		{night, "2026-11-30T06:00:00Z", false},
		{night, "2026-07-27T05:00:00Z", false}, // 07:00 in summer
		{noon, "2026-11-28T11:59:59Z", false}, {noon, "2026-11-28T12:00:00Z", true}, {noon, "2026-11-28T13:00:00Z", false},
		{&Quiet{Days: []string{"sat"}, Zone: "UTC"}, "2026-11-28T00:00:00Z", true}, {&Quiet{Days: []string{"sat"}, Zone: "UTC"}, "2026-11-29T00:00:00Z", false},
		{&Quiet{From: "00:00", To: "23:59", Zone: "No/Where"}, "2026-11-28T12:00:00Z", false},
		{nil, "2026-11-28T12:00:00Z", false},
	} {
		at, err := time.Parse(time.RFC3339, row.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := row.quiet.Holds(at); got != row.want {
			t.Errorf("%+v at %s: got %t, want %t", row.quiet, row.at, got, row.want)
		}
	}
}

func TestQuietFaults(t *testing.T) {
	for _, row := range []struct {
		quiet Quiet
		want  string // fields
	}{
		{Quiet{From: "20:00", To: "07:00"}, ""}, {Quiet{Days: []string{"mon", "sun"}}, ""}, {Quiet{From: "20:00", To: "07:00", Days: []string{"sat"}, Zone: "Asia/Kolkata"}, ""},
		{Quiet{}, "from to"}, {Quiet{From: "20:00"}, "to"}, {Quiet{To: "07:00", Days: []string{"sat"}}, "from"}, {Quiet{From: "7:00", To: "25:00"}, "from to"}, {Quiet{From: "07:00", To: "07:00"}, "to"},
		{Quiet{Days: []string{"Saturday"}}, "days"}, {Quiet{Days: []string{"sat", "sat"}}, "days"}, {Quiet{Days: []string{"sat"}, Zone: "Mars"}, "zone"}, {Quiet{Days: []string{"sat"}, Zone: "Local"}, "zone"},
	} {
		var fields []string
		for _, f := range row.quiet.Faults() {
			fields = append(fields, f.Field)
		}
		if got := strings.Join(fields, " "); got != row.want {
			t.Errorf("%+v: faults at %q, want %q", row.quiet, got, row.want)
		}
	}
}
