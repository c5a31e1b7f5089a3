package scope

import "github.com/orbweaver/orbweaver/crawler/internal/frontier"

// Marks are what is kept of one reference beside its place; the join turns them into
// warnings of its target. The upper half of a mark holds the repairs.
const (
	MarkExpect      = 3                     // extract.Expect
	MarkMixed       = 1 << 2                // an https page loads it over http
	MarkOutsideBase = 1 << 3                // on the published host, but not under --base-url
	MarkForm        = 1 << 4                // the action of a form
	MarkAside       = 1 << 5                // named, not linked: nothing is asked because of it
	MarkExcluded    = 1 << 6                // a rule says not to check this URL, whatever becomes of its page
	MarkChanged     = 1 << 7                // on a changed page, where Config.Changed tells them from the others
	MarkAnyFragment = 1 << 8                // its fragment need not exist
	MarkIgnored     = 1 << 9                // an inline mark excludes it
	MarkCandidate   = 1 << 10               // an image candidate that browsers ignore
	MarkUnseen      = 1 << 11               // for programs, not for readers: a link element, or metadata; only with content checks
	MarkRemapped    = 1 << 12               // Config.Remaps replaced its URL; see WithOrigin
	MarkText        = 1 << 13               // its fragment has a text directive, and Config.TextFragments is set
	MarkRendered    = frontier.MarkRendered // only scripts make it
	MarkAround      = 1 << 15               // it leads to a file in the directory around that of the page (disk.Site.Around)
	MarkRepairs     = 32                    // where the repairs begin
)

// NeutralMarks are the marks that change nothing about a target.
const NeutralMarks = MarkUnseen | MarkRendered | MarkAround

// IgnoredInline is the reason to skip a link with an inline mark.
const IgnoredInline = "an inline mark excludes this link"

// UnchangedNote is the reason to skip a target because of Config.Changed.
const UnchangedNote = "neither the target nor a page that links to it has changed"
