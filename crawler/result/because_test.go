package result

import (
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Programs are told one of a few reasons for which a result cannot be relied on, also if the
// soundness was read from a report.
func TestBecause(t *testing.T) {
	kinds := []string{"nothing-verified", "start-unread", "max-time", "max-pages", "interrupted", "login"}
	for g := check.NoGap + 1; g < check.NumGaps; g++ {
		s := StoppedBy(g)
		read := Read(false, s.StoppedBy, s.Why)
		if because := s.Because(); !slices.Contains(kinds, because) || read.Because() != because {
			t.Errorf("%s: %q, and %q when read from a report", g, because, read.Because())
		}
	}
	for _, row := range []struct {
		s    Soundness
		want string
	}{
		{Soundness{}, ""},
		{StoppedBy(check.GapMaxTime), "max-time"},
		{StoppedBy(check.GapLostLogin), "login"},
		{Read(true, "", "nothing was checked: no start target could be read"), "start-unread"},
		{NotSound("no link could be verified: 2 timeout"), "nothing-verified"},
		{SoundnessOf(&Summary{StartFailed: []string{"http://a.test/"}}, GapCounts{}, 0), "start-unread"},
	} {
		if got := row.s.Because(); got != row.want {
			t.Errorf("%+v: %q, want %q", row.s, got, row.want)
		}
	}
}
