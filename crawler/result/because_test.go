package result

import (
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/gap"
)

// Programs are told one of a few reasons for which a result cannot be relied on, also if the
// soundness was read from a report.
func TestBecause(t *testing.T) {
	kinds := []string{"nothing-verified", "start-unread", "max-time", "max-pages", "interrupted", "login"}
	for g := gap.None + 1; g < gap.NumKinds; g++ {
		s := Read(false, g.String(), "")
		if because := s.Because(); !slices.Contains(kinds, because) || because != g.Info().Because || s.Why != g.Info().Title {
			t.Errorf("%s: %q, %q", g, because, s.Why)
		}
	}
	if gap.Interrupt.String() != ByInterrupt || gap.MaxTime.String() != ByMaxTime || gap.MaxPages.String() != ByMaxPages {
		t.Error("the values of StoppedBy for callers are not those of the table of gaps")
	}
	for _, row := range []struct {
		s    Soundness
		want string
	}{
		{Soundness{}, ""},
		{Read(false, ByMaxTime, ""), "max-time"},
		{Read(false, gap.LostLogin.String(), ""), "login"},
		{Read(true, "", "nothing was checked: no start target could be read"), "start-unread"},
		{notSound("no link could be verified: 2 timeout"), "nothing-verified"},
		{SoundnessOf(&Summary{StartFailed: []string{"http://a.test/"}}, 0), "start-unread"},
	} {
		if got := row.s.Because(); got != row.want {
			t.Errorf("%+v: %q, want %q", row.s, got, row.want)
		}
	}
}
