package notify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/report"
)

// Kind is what happened.
type Kind string

// The kinds of events.
const (
	New     Kind = "new"     // links are broken that were not broken before
	Fixed   Kind = "fixed"   // the last broken link was fixed
	Unsound Kind = "unsound" // the result of a run is not reliable
	Test    Kind = "test"    // somebody tries a target
)

// Project is the project of an event.
type Project struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Finding is a broken link of an event.
type Finding struct {
	Fingerprint        string
	URL, Code, Message string
	// Object is the finding as in the API. Webhooks get it.
	Object any
}

// Event is what is told.
type Event struct {
	Kind    Kind
	Project Project
	Run     any       // as in the API
	Reason  string    // why the last run is not reliable
	First   bool      // no run of the project had a reliable result before
	Found   string    // what the run found in a few words, issues first
	New     []Finding // links that are broken now
	Fixed   []Finding // links that are no longer broken
	Count   int       // of all links in New or Fixed, if the list was cut; 0 if it was not
	Totals  Totals
	Issues  any    // the first new issues as in the API, nil for none; webhooks get them
	URL     string `json:"-"` // of the page that compares the run with the one before; of the project in a test
}

// Totals are the numbers of all findings of an event, of which New and Fixed may be the first.
type Totals struct {
	New   int `json:"new"`
	Fixed int `json:"fixed"`
}

// linkText returns what the page at the URL shows.
func (e *Event) linkText() string {
	if e.Kind == Test {
		return "Open the project"
	}
	if e.First {
		return "Open the run"
	}
	return "Compare with the run before"
}

// MarshalJSON returns the body of a webhook.
func (e *Event) MarshalJSON() ([]byte, error) {
	list := func(findings []Finding) []any {
		objects := make([]any, len(findings))
		for i := range findings {
			objects[i] = findings[i].Object
		}
		return objects
	}
	return json.Marshal(struct {
		Event   Kind    `json:"event"`
		Project Project `json:"project"`
		Run     any     `json:"run"`
		New     []any   `json:"new"`
		Fixed   []any   `json:"fixed"`
		Totals  Totals  `json:"totals"`
		// Truncated says that New or Fixed is not the whole list.
		Truncated bool   `json:"truncated"`
		Issues    any    `json:"issues"`
		URL       string `json:"url"`
	}{e.Kind, e.Project, e.Run, list(e.New), list(e.Fixed), e.Totals, e.Totals.New > len(e.New) || e.Totals.Fixed > len(e.Fixed), cmp.Or(e.Issues, any([0]int{})), e.URL})
}

// stored is an event as the Store has it.
type stored Event

// UnmarshalJSON leaves the run and the issues as they were written.
func (e *stored) UnmarshalJSON(text []byte) error {
	type plain stored
	e.Run, e.Issues = &json.RawMessage{}, &json.RawMessage{}
	return json.Unmarshal(text, (*plain)(e))
}

// Title returns the event in one line.
func (e *Event) Title() string {
	name := "[" + oneLine(e.Project.Name) + "] "
	switch e.Kind {
	case New:
		switch n := max(e.Count, len(e.New)); {
		case e.First && e.Found != "":
			return name + "first run: " + e.Found
		case e.Found != "":
			return name + e.Found + ", " + strconv.Itoa(n) + " new"
		case n == 1: // an event that an earlier version stored
			return name + "1 new broken link"
		default:
			return name + strconv.Itoa(n) + " new broken links"
		}
	case Fixed:
		return name + "all links are fixed"
	case Unsound:
		return name + "the last run is not reliable"
	}
	return name + "this is a test"
}

// maxListed is the number of findings that a text lists.
const maxListed = 20

func (e *Event) paragraphs() []string {
	switch e.Kind {
	case New:
		text := "These links are broken and were not broken in the run before:"
		if e.First {
			text = "This is the first run with a reliable result. These links are broken:"
		}
		if e.Reason != "" { // this run was held, and the one after it is not reliable
			return []string{"The result of the last run is not reliable. The reason: " + oneLine(e.Reason) + ".", text}
		}
		return []string{text}
	case Fixed:
		return []string{"No link is broken any more. These were:"}
	case Unsound:
		text := "The result of the last run is not reliable, so it says nothing about the links."
		if e.Reason != "" {
			text += " The reason: " + oneLine(e.Reason) + "."
		}
		return []string{text}
	}
	return []string{"This is a test. Messages about broken links of this project will arrive here."}
}

// listed returns the findings that a text lists, and how many it leaves out.
func (e *Event) listed() (list []Finding, more int) {
	list = e.New
	if e.Kind == Fixed {
		list = e.Fixed
	}
	return list[:min(len(list), maxListed)], max(0, max(e.Count, len(list))-maxListed)
}

// Text returns the event as plain text.
func (e *Event) Text() string {
	var b strings.Builder
	for _, p := range e.paragraphs() {
		b.WriteString(p + "\n")
	}
	list, more := e.listed()
	for _, f := range list {
		fmt.Fprintf(&b, "- %s\n  %s: %s\n", oneLine(f.URL), oneLine(f.Code), oneLine(f.Message))
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	if e.URL != "" {
		b.WriteString("\n" + e.URL + "\n")
	}
	return b.String()
}

// oneLine makes a text safe for one line: what pages and users write may contain anything.
func oneLine(s string) string {
	s = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	s = report.Visible(s)
	const maxLine = 1000
	if len(s) > maxLine {
		s = strings.ToValidUTF8(s[:maxLine], "") + "…"
	}
	return strings.TrimSpace(s)
}
