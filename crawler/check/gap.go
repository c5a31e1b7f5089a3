package check

// Gap is a kind of thing that a run left out: why its result does not cover everything
// that the user asked for. The zero value is no gap.
//
// The order of the constants is their precedence: if a run has several gaps, the first one
// names the run (Summary.StoppedBy). Gaps that end a run come first.
type Gap uint8

// All kinds of gaps. Each has a row in the table gaps.
const (
	NoGap Gap = iota

	GapInterrupt // the user ended the run
	GapDrain     // `orbweaver frontier drain` ended a shared crawl
	GapMaxTime   // the run reached --max-time
	GapRequests  // the budget of requests was used up

	GapTrap       // addresses looked like an endless series
	GapURLLength  // addresses of pages were too long to be read
	GapMaxPages   // the run reached --max-pages
	GapScript     // scripts make the links of the start page, or of all pages
	GapMachine    // this machine, or its proxy, stopped requests
	GapNoLogin    // nobody could sign in
	GapNoForm     // no sign-in form was found
	GapChallenge  // the sign-in asks for something that a program cannot answer
	GapLostLogin  // the session was lost and could not be renewed
	GapClamd      // the scanner for viruses was lost
	GapValidator  // the service that validates HTML was lost
	GapPlugin     // a plugin failed too often
	GapFileChange // a file changed while it was checked
	GapDocument   // a document that the user named could not be read
	GapEvidence   // answers were not in the evidence

	NumGaps
)

// GapInfo is a row of the table of gaps.
type GapInfo struct {
	Name  string // as in the field stopped_by of a report
	Ends  bool   // it ended the run before the crawl was over: another run can resume it
	Title string // what happened, for people: "the run was interrupted"
	// Because is the kind of reason for which the result cannot be relied on, for programs that
	// tell only a few of them apart; see result.Soundness.Because.
	Because string
}

var gaps = [NumGaps]GapInfo{
	GapInterrupt: {"interrupt", true, "the run was interrupted", "interrupted"},
	GapDrain:     {"drain", true, "the shared crawl was drained", "interrupted"},
	GapMaxTime:   {"max-time", true, "the run reached --max-time", "max-time"},
	GapRequests:  {"limit", true, "the budget of requests was used up", "max-time"},

	GapTrap:       {"trap", false, "pages were not read because their addresses look like an endless series", "max-pages"},
	GapURLLength:  {"url-length", false, "pages were not read because their addresses are too long", "max-pages"},
	GapMaxPages:   {"max-pages", false, "the run reached --max-pages", "max-pages"},
	GapScript:     {"script-rendered", false, "scripts make the links, so they were not seen", "nothing-verified"},
	GapMachine:    {"local-limit", false, "this machine or its proxy stopped requests", "nothing-verified"},
	GapNoLogin:    {"login-failed", false, "the sign-in failed", "login"},
	GapNoForm:     {"login-form-missing", false, "no sign-in form was found", "login"},
	GapChallenge:  {"login-challenge", false, "the sign-in asks for something that a program cannot answer", "login"},
	GapLostLogin:  {"login-lost", false, "the session was lost and could not be had again", "login"},
	GapClamd:      {"clamd", false, "the virus scanner was lost", "nothing-verified"},
	GapValidator:  {"validator", false, "the HTML validator was lost", "nothing-verified"},
	GapPlugin:     {"plugin", false, "a plugin failed too often", "nothing-verified"},
	GapFileChange: {"file-changed", false, "files changed while they were checked", "nothing-verified"},
	GapDocument:   {"unreadable-document", false, "a named document could not be read", "start-unread"},
	GapEvidence:   {"evidence", false, "answers are not in the evidence", "nothing-verified"},
}

// Info returns the row of a gap; it has no name for NoGap.
func (g Gap) Info() *GapInfo { return &gaps[g] }

// String returns the name of a gap, "" for NoGap.
func (g Gap) String() string { return gaps[g].Name }

// GapNamed returns the gap with a name, and NoGap for an unknown name.
func GapNamed(name string) Gap {
	for g := NoGap + 1; g < NumGaps; g++ {
		if gaps[g].Name == name {
			return g
		}
	}
	return NoGap
}
