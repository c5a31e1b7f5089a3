package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var junitFormat = Format{
	Name:       "junit",
	Extensions: []string{".junit.xml", ".junit"},
	Files:      []string{"junit.xml"},
	Use:        "test reports of CI systems: Jenkins, GitLab, Azure, CircleCI",
	NewOnly:    true,
	New: func(w io.Writer, o Options) Writer {
		return &junitWriter{xml: xmlEncoder{w: w}, show: o.Show.orDefault(), policy: o.FailOn}
	},
}

// junitWriter writes a test suite for each page and a test case for each finding on it,
// as in Jenkins' schema. A finding that fails the run is a failure. An unverified or
// skipped target is skipped. Other findings pass and have their details in the output.
// One more suite contains a test that the run is complete, so that the file of a clean
// run is not empty, and a run that was cut short is not a success.
type junitWriter struct {
	xml    xmlEncoder
	show   Show
	policy Policy
	head   *Head
	codes  catalog
	all    occurrences
}

func (j *junitWriter) Begin(h *Head) error {
	j.head, j.codes = h, newCatalog(h)
	return nil
}

func (j *junitWriter) Result(r *result.Result) error {
	j.all.add(j.show, r)
	return nil
}

type junitCount struct{ tests, failures, errors, skipped int }

func (c *junitCount) add(o caseOutcome) {
	c.tests++
	switch o {
	case caseFails:
		c.failures++
	case caseSkipped:
		c.skipped++
	}
}

type caseOutcome uint8

const (
	casePasses caseOutcome = iota
	caseFails
	caseSkipped
)

// outcome returns the outcome of a finding's test case. It is a failure exactly if the
// finding fails the run.
func (j *junitWriter) outcome(f *finding) caseOutcome {
	if slices.Contains(f.result.Known, f.code) || !f.warning && f.result.FailsAfter > 0 {
		return caseSkipped // it cannot fail the run, or not yet
	}
	at := j.policy.External
	if f.result.Internal {
		at = j.policy.Internal
	}
	var tally result.Tally
	switch f.word {
	case "broken":
		tally.Broken = 1
	case "unverified":
		tally.Unverified = 1
	case "warning":
		tally.Warnings = 1
	case "skipped":
		return caseSkipped
	}
	switch {
	case f.excused:
		return caseSkipped
	case at.fails(tally):
		return caseFails
	case f.word == "unverified":
		return caseSkipped
	}
	return casePasses
}

func (j *junitWriter) End(s *result.Summary) error {
	j.all.byPage()
	whole := junitCount{tests: 1}
	unsound := !s.Soundness.IsSound()
	if unsound {
		whole.errors = 1
	}
	for _, o := range j.all {
		whole.add(j.outcome(o.finding))
	}
	j.xml.declare()
	j.xml.start("testsuites", "name", "orbweaver", "tests", strconv.Itoa(whole.tests), "failures", strconv.Itoa(whole.failures),
		"errors", strconv.Itoa(whole.errors), "time", junitTime(s.Elapsed))
	j.run(s, unsound)
	j.all.eachPage(func(_ string, cases occurrences) { j.page(cases) })
	return j.xml.finish()
}

func (j *junitWriter) run(s *result.Summary, unsound bool) {
	j.suite("orbweaver", junitCount{tests: 1, errors: map[bool]int{true: 1}[unsound]}, s.Elapsed)
	j.xml.start("testcase", "name", "the run is complete", "classname", "orbweaver", "time", junitTime(s.Elapsed))
	if unsound {
		why := s.Soundness.Why
		if s.Soundness.Complete() && len(s.StartFailed) > 0 {
			why = "could not be read: " + strings.Join(s.StartFailed, ", ")
		}
		j.xml.leaf("error", visible(summaryLine(s)), "type", "incomplete", "message", visible(why))
	} else {
		j.xml.leaf("system-out", visible(summaryLine(s)))
	}
	j.xml.end()
	j.xml.end()
}

func (j *junitWriter) suite(name string, c junitCount, elapsed time.Duration) {
	started, _ := j.head.of(j.head.Summary)
	j.xml.start("testsuite", "name", name, "tests", strconv.Itoa(c.tests), "failures", strconv.Itoa(c.failures),
		"errors", strconv.Itoa(c.errors), "skipped", strconv.Itoa(c.skipped),
		"time", junitTime(elapsed), "timestamp", started.UTC().Format("2006-01-02T15:04:05"))
}

// page writes the test suite of a page. A test case is named by its code and its target or
// rule, and a number if several have these in common. The name does not change if lines move, so
// that a CI system can show how long a link has been broken.
func (j *junitWriter) page(cases occurrences) {
	var c junitCount
	var elapsed time.Duration
	for _, o := range cases {
		c.add(j.outcome(o.finding))
		elapsed += o.result.Elapsed.Truncate(time.Millisecond)
	}
	page := visible(cmp.Or(cases[0].page, "-"))
	j.suite(page, c, elapsed)
	seen := map[string]int{}
	for _, o := range cases {
		name := visible(string(o.code) + " " + o.result.URL)
		if o.aboutPage() {
			name = visible(strings.TrimRight(string(o.code)+" "+o.result.Rule, " "))
		}
		if seen[name]++; seen[name] > 1 {
			name += fmt.Sprintf(" (%d)", seen[name])
		}
		j.xml.start("testcase", "name", name, "classname", page, "time", junitTime(o.result.Elapsed))
		switch text := j.details(o); j.outcome(o.finding) {
		case caseFails:
			j.xml.leaf("failure", text, "type", visible(string(o.code)), "message", visible(o.finding.sentence()))
		case caseSkipped:
			j.xml.leaf("skipped", text)
		default:
			j.xml.optional("system-out", text)
		}
		j.xml.end()
	}
	j.xml.end()
}

// details describes a finding in several lines.
func (j *junitWriter) details(o occurrence) string {
	lines := []string{visible(o.finding.sentence()), "at " + visible(o.place.String())}
	if o.ref != nil && o.ref.Text+o.ref.Folder != "" {
		lines = append(lines, "text "+linkText(o.ref, maxTextWidth))
	}
	if o.result.FinalURL != "" && o.result.FinalURL != o.result.URL && len(o.result.Redirects) > 0 {
		lines = append(lines, "redirected to "+visible(o.result.FinalURL))
	}
	if o.ref != nil && o.ref.RemappedFrom != "" {
		lines = append(lines, "remapped from "+visible(o.ref.RemappedFrom))
	}
	if entry, ok := j.codes.lookup(o.code); ok && entry.Advice != "" && o.isProblem() {
		lines = append(lines, entry.Advice)
	}
	return strings.Join(lines, "\n")
}

// junitTime formats a duration in seconds, to the millisecond, as saved reports have it.
func junitTime(d time.Duration) string {
	return strconv.FormatFloat(max(d, 0).Truncate(time.Millisecond).Seconds(), 'f', 3, 64)
}
