// Package gap is the table of what a run can leave out.
package gap

// Kind is a kind of thing that a run left out: why its result does not cover everything
// that the user asked for. The zero value is no gap.
//
// The order of the constants is their precedence: if a run has several gaps, the first one
// names the run (Summary.StoppedBy). Gaps that end a run come first.
type Kind uint8

// All kinds of gaps. Each has a row in the table gaps.
const (
	None Kind = iota

	Interrupt // the user ended the run
	Drain     // `orbweaver frontier drain` ended a shared crawl
	MaxTime   // the run reached --max-time
	Requests  // the budget of requests was used up

	Trap       // addresses looked like an endless series
	URLLength  // addresses of pages were too long to be read
	MaxPages   // the run reached --max-pages
	Script     // scripts make the links of the start page, or of all pages
	Machine    // this machine, or its proxy, stopped requests
	NoLogin    // nobody could sign in
	NoForm     // no sign-in form was found
	Challenge  // the sign-in asks for something that a program cannot answer
	LostLogin  // the session was lost and could not be renewed
	Clamd      // the scanner for viruses was lost
	Validator  // the service that validates HTML was lost
	Plugin     // a plugin failed too often
	FileChange // a file changed while it was checked
	Document   // a document that the user named could not be read
	Evidence   // answers were not in the evidence

	NumKinds
)

// Info is a row of the table of gaps.
type Info struct {
	Name  string // as in the field stopped_by of a report
	Ends  bool   // it ended the run before the crawl was over: another run can resume it
	Title string // what happened, for people: "the run was interrupted"
	// Because is the kind of reason for which the result cannot be relied on, for programs that
	// tell only a few of them apart; see result.Soundness.Because.
	Because string
}

var gaps = [NumKinds]Info{
	Interrupt: {"interrupt", true, "the run was interrupted", "interrupted"},
	Drain:     {"drain", true, "the shared crawl was drained", "interrupted"},
	MaxTime:   {"max-time", true, "the run reached --max-time", "max-time"},
	Requests:  {"limit", true, "the budget of requests was used up", "max-time"},

	Trap:       {"trap", false, "pages were not read because their addresses look like an endless series", "max-pages"},
	URLLength:  {"url-length", false, "pages were not read because their addresses are too long", "max-pages"},
	MaxPages:   {"max-pages", false, "the run reached --max-pages", "max-pages"},
	Script:     {"script-rendered", false, "scripts make the links, so they were not seen", "nothing-verified"},
	Machine:    {"local-limit", false, "this machine or its proxy stopped requests", "nothing-verified"},
	NoLogin:    {"login-failed", false, "the sign-in failed", "login"},
	NoForm:     {"login-form-missing", false, "no sign-in form was found", "login"},
	Challenge:  {"login-challenge", false, "the sign-in asks for something that a program cannot answer", "login"},
	LostLogin:  {"login-lost", false, "the session was lost and could not be had again", "login"},
	Clamd:      {"clamd", false, "the virus scanner was lost", "nothing-verified"},
	Validator:  {"validator", false, "the HTML validator was lost", "nothing-verified"},
	Plugin:     {"plugin", false, "a plugin failed too often", "nothing-verified"},
	FileChange: {"file-changed", false, "files changed while they were checked", "nothing-verified"},
	Document:   {"unreadable-document", false, "a named document could not be read", "start-unread"},
	Evidence:   {"evidence", false, "answers are not in the evidence", "nothing-verified"},
}

// Info returns the row of a gap; it has no name for None.
func (g Kind) Info() *Info { return &gaps[g] }

// Counts are the numbers of things that a run left out, by their kind.
type Counts [NumKinds]int

// First returns the kind that names the run, None if nothing was left out.
func (c *Counts) First() Kind {
	for g, n := range c {
		if n > 0 {
			return Kind(g)
		}
	}
	return None
}

// String returns the name of a gap, "" for None.
func (g Kind) String() string { return gaps[g].Name }

// Named returns the gap with a name, and None for an unknown name.
func Named(name string) Kind {
	for g := None + 1; g < NumKinds; g++ {
		if gaps[g].Name == name {
			return g
		}
	}
	return None
}
