package fix

import (
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/report"
)

// Proposal is what one result asks of its references.
type Proposal = report.Proposal

// Propose returns what a result proposes, if anything; see [report.Propose].
func Propose(r *crawler.Result) (Proposal, bool) { return report.Propose(r) }
