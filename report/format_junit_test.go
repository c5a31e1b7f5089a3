package report

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestJUnitGolden(t *testing.T) {
	golden(t, "contract.junit.xml.golden", []byte(render(t, "junit", Options{}, contractRun())))
	golden(t, "full-all.junit.xml.golden", []byte(render(t, "junit", Options{Show: ShowAll}, fullRun())))
}

func TestJUnitMatchesItsSchema(t *testing.T) {
	for name, run := range testRuns() {
		for _, show := range []Show{ShowDefault, ShowAll} {
			t.Run(name+" "+show.String(), func(t *testing.T) {
				xmllint(t, render(t, "junit", Options{Show: show}, run), schemaFile("jenkins-junit.xsd"))
			})
		}
	}
}

type junitReport struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Skipped *struct{} `xml:"skipped"`
			Error   *struct{} `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func readJUnit(t *testing.T, document string) junitReport {
	t.Helper()
	var r junitReport
	if err := xml.Unmarshal([]byte(document), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// The counts match the test cases, and the names of cases are unique in their suite.
func TestJUnitCounts(t *testing.T) {
	for name, run := range testRuns() {
		for _, policy := range []string{"broken", "warning", "none", "internal:warning,external:none"} {
			failOn, err := ParseFailOn(policy)
			if err != nil {
				t.Fatal(err)
			}
			r := readJUnit(t, render(t, "junit", Options{Show: ShowAll, FailOn: failOn}, run))
			tests, failures, errors := 0, 0, 0
			for _, s := range r.Suites {
				f, e, k := 0, 0, 0
				seen := map[string]bool{}
				for _, c := range s.Cases {
					if seen[c.Name] {
						t.Errorf("%s: two cases of %s are named %s", name, s.Name, c.Name)
					}
					seen[c.Name] = true
					f, e, k = f+one(c.Failure != nil), e+one(c.Error != nil), k+one(c.Skipped != nil)
				}
				if len(s.Cases) != s.Tests || f != s.Failures || e != s.Errors || k != s.Skipped {
					t.Errorf("%s, %s: suite %s counts wrong", name, policy, s.Name)
				}
				tests, failures, errors = tests+s.Tests, failures+f, errors+e
			}
			if tests != r.Tests || failures != r.Failures || errors != r.Errors {
				t.Errorf("%s, %s: got %d, %d, %d; says %d, %d, %d", name, policy, tests, failures, errors, r.Tests, r.Failures, r.Errors)
			}
		}
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Cases fail exactly when findings fail the run.
func TestJUnitFailsAsTheRunDoes(t *testing.T) {
	for policy, want := range map[string]int{
		"broken": 52, "unverified": 55, "warning": 57, "none": 0, "internal:none": 0, "external:none": 52,
	} {
		failOn, err := ParseFailOn(policy)
		if err != nil {
			t.Fatal(err)
		}
		r := readJUnit(t, render(t, "junit", Options{FailOn: failOn}, fullRun()))
		if r.Failures != want {
			t.Errorf("%s: %d failures, want %d", policy, r.Failures, want)
		}
	}
}

func TestJUnitOfRunWithoutFindings(t *testing.T) {
	clean := result.Summary{OK: 3, Results: 3, References: 3, Links: 3, Pages: 1}
	for _, test := range []struct {
		name   string
		change func(*result.Summary)
		errors int
		says   string
	}{
		{"clean", func(*result.Summary) {}, 0, "all ok"},
		{"interrupted", func(s *result.Summary) { s.Soundness = result.Read(false, "interrupt", "") }, 1, "interrupted"},
		{"nothing checked", func(s *result.Summary) {
			*s = result.Summary{Crawled: true, Pages: 1, Soundness: result.Read(true, "", "nothing was checked: no link was found")}
		}, 1, "nothing was checked"},
		{"only skipped", func(s *result.Summary) {
			*s = result.Summary{Pages: 1, Links: 1, Skipped: 1, Results: 1, ByCode: map[check.Code]int{"scheme-unchecked": 1}}
		}, 0, "skipped"},
	} {
		s := clean
		test.change(&s)
		document := render(t, "junit", Options{}, &Report{Summary: s})
		r := readJUnit(t, document)
		if r.Tests != 1 || r.Failures != 0 || r.Errors != test.errors || !strings.Contains(document, test.says) {
			t.Errorf("%s: %s", test.name, document)
		}
	}
}

// A finding that cannot fail the run, or not yet, is not a failure.
func TestJUnitOfKnownAndRecentFindings(t *testing.T) {
	run := contractRun()
	run.Results[0].FailsAfter, run.Results[0].BrokenRuns = 3, 1
	run.Results[1].Known = []check.Code{run.Results[1].Code}
	r := readJUnit(t, render(t, "junit", Options{Show: ShowDefault | ShowKnown}, run))
	if r.Failures != 0 || r.Tests != 3 {
		t.Errorf("%+v", r)
	}
}
