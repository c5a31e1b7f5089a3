package api

import (
	"encoding/json"
	"strconv"
)

// Count formats a number for people: 12,345.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural returns a number with its noun: 1 link, 2 links.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Headline says how many broken links a run found, issues first: "3 issues, 1,536 broken links", and
// with marks "3 issues, 18 broken + 1 known". It is empty for a run without a summary, or without
// broken links.
func (r *Run) Headline() string {
	var s struct{ Broken int }
	if len(r.Summary) == 0 || json.Unmarshal(r.Summary, &s) != nil || s.Broken == 0 {
		return ""
	}
	text := Plural(s.Broken, "broken link")
	if r.Known != nil && *r.Known > 0 {
		text = Count(s.Broken-*r.Known) + " broken + " + Count(*r.Known) + " known"
	}
	if r.Issues != nil && r.Issues.Broken > 0 {
		text = Plural(r.Issues.Broken, "issue") + ", " + text
	}
	return text
}
