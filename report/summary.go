package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// summaryLine sums up a run:
//
//	2 broken, 1 unverified, 3 warnings · 1204 links to 410 targets on 57 pages · 1.2 s
//	1008 broken · 1 broken document · 1204 links to 1100 targets on 57 pages · 1.2 s
//	all ok · 3 hidden by orbweaver.toml · 1204 links to 410 targets on 57 pages · 1.2 s
//	2 broken, 9 warnings · 7 findings about pages · 1204 links to 410 targets on 57 pages · 1.2 s
//
// Counts of zero are omitted. If all are zero, the line says "all ok", or why the run
// cannot say so. A run that was cut short never says that everything is ok.
func summaryLine(s *result.Summary) string {
	links := s.References
	if s.NoLinks() {
		links = 0 // the only references are the targets that the user named
	}
	parts := []string{outcome(s)}
	if broken, _ := s.BrokenTargets(); s.BrokenDocuments > 0 && broken-s.ByCode[check.CodeFragmentMissing] >= s.BrokenDocuments+manySharing {
		parts = append(parts, plural(s.BrokenDocuments, "broken document"))
	}
	if f := s.Findings; f != nil && f.Broken+f.Unverified+f.Warning > 0 {
		parts = append(parts, plural(f.Broken+f.Unverified+f.Warning, "finding")+" about pages")
	}
	if s.Hidden > 0 {
		parts = append(parts, strconv.Itoa(s.Hidden)+" hidden by "+foundConfig)
	}
	parts = append(parts,
		plural(links, "link")+" to "+plural(s.Results, "target")+" on "+plural(s.Pages, "page"),
		seconds(s.Elapsed),
	)
	if p := s.Soundness.Progress(); p != "" && p != parts[0] {
		parts = append(parts, p)
	}
	switch by := s.Soundness.StoppedBy; {
	case s.Soundness.State == result.Unsound:
		parts = append(parts, visible(s.Soundness.Why))
	case s.Soundness.Complete():
	case by != "":
		parts = append(parts, "stopped by "+visible(by))
	default:
		parts = append(parts, "incomplete")
	}
	return strings.Join(parts, " · ")
}

// foundConfig is the configuration file that is read if it is not named.
const foundConfig = "orbweaver.toml"

// manySharing is how many more broken targets than broken documents there must be for the
// summary line to count the documents.
const manySharing = 10

// outcome returns the first part of the summary line.
func outcome(s *result.Summary) string {
	var counts []string
	if s.Broken > 0 {
		counts = append(counts, fmt.Sprintf("%d broken", s.Broken)+excludedNote(s.Known.Broken, s.Recent))
	}
	if s.Unverified > 0 {
		counts = append(counts, fmt.Sprintf("%d unverified", s.Unverified)+excludedNote(s.Known.Unverified, 0))
	}
	if s.Warnings > 0 {
		counts = append(counts, plural(s.Warnings, "warning")+excludedNote(s.Known.Warnings, 0))
	}
	if s.Fixed > 0 {
		counts = append(counts, plural(s.Fixed, "link")+" fixed")
	}
	switch {
	case len(counts) > 0:
		return strings.Join(counts, ", ")
	case s.NoLinks() && s.Soundness.Complete():
		return "no links found"
	case s.OK > 0 && s.Soundness.IsSound():
		return "all ok"
	case s.Soundness.Progress() != "":
		return s.Soundness.Progress()
	case s.OK > 0 && s.Soundness.State == result.Unsound:
		return "not reliable"
	case s.OK > 0:
		return "not every target was checked"
	case s.Skipped > 0:
		return fmt.Sprintf("nothing checked, %d skipped", s.Skipped)
	default:
		return "no links found"
	}
}

// excludedNote states how many of a count cannot fail the run: " (2 known, 1 recent)".
func excludedNote(known, recent int) string {
	switch {
	case known > 0 && recent > 0:
		return fmt.Sprintf(" (%d known, %d recent)", known, recent)
	case known > 0:
		return fmt.Sprintf(" (%d known)", known)
	case recent > 0:
		return fmt.Sprintf(" (%d recent)", recent)
	}
	return ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// seconds formats a duration for people: 1.2 s, 3 min 5 s, 2 h 10 min.
func seconds(d time.Duration) string {
	switch {
	case d < 59950*time.Millisecond:
		return fmt.Sprintf("%.1f s", max(d, 0).Seconds())
	case d < time.Hour-500*time.Millisecond:
		s := int(d.Round(time.Second).Seconds())
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		m := int(d.Round(time.Minute).Minutes())
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	}
}

var longCounts = regexp.MustCompile(`[0-9]{5,}`)

// separated adds separators to the large counts in a sentence: 2,535,564. Counts of four
// digits have none.
func separated(s string) string { return longCounts.ReplaceAllStringFunc(s, grouped) }

// thousands formats a count with separators: 12,345.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

var digits = regexp.MustCompile(`[0-9]{4,}`)

// grouped adds separators to the counts in a sentence.
func grouped(s string) string {
	return digits.ReplaceAllStringFunc(s, func(d string) string {
		if n, err := strconv.Atoi(d); err == nil {
			return thousands(n)
		}
		return d
	})
}
