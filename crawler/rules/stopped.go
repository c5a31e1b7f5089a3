package rules

import "github.com/orbweaver/orbweaver/crawler/check"

// Reasons why a run is not complete: the values of Summary.StoppedBy.
const (
	StoppedByInterrupt = "interrupt"
	StoppedByMaxTime   = "max-time"
	StoppedByMaxPages  = "max-pages"
	StoppedByTrap      = "trap"
	StoppedByScript    = "script-rendered"             // scripts render the start page or all pages, whose links were never seen
	StoppedByMachine   = "local-limit"                 // this machine, or its proxy, stopped requests
	StoppedByChange    = "file-changed"                // a file changed while it was checked
	StoppedByNoLogin   = string(check.CodeLoginFailed) // nobody could sign in
	StoppedByNoForm    = string(check.CodeLoginFormMissing)
	StoppedByChallenge = string(check.CodeLoginChallenge)
	StoppedByLostLogin = string(check.CodeLoginLost) // the session was lost and could not be renewed
	StoppedByClamd     = "clamd"                     // the scanner for viruses was lost
	StoppedByValidator = "validator"                 // the service that validates HTML was lost
	StoppedByPlugin    = "plugin"                    // a plugin failed five times in a row
	StoppedByDrain     = "drain"                     // `orbweaver frontier drain` ended a shared crawl
	StoppedByDocument  = "unreadable-document"       // nothing of a document that the user named could be read
)

// EndsSession reports whether a reason ends a run before the crawl is over: with a store
// that outlives the process, another run can resume it.
func EndsSession(why string) bool {
	return why == StoppedByInterrupt || why == StoppedByMaxTime || why == StoppedByDrain
}

// LeavesOut lists the reasons that leave something out while the run continues. A
// reason that ends the run says more.
var LeavesOut = []string{StoppedByTrap, StoppedByMaxPages, StoppedByScript, StoppedByMachine,
	StoppedByNoLogin, StoppedByNoForm, StoppedByChallenge, StoppedByLostLogin,
	StoppedByClamd, StoppedByValidator, StoppedByPlugin}
