package inspected

import (
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/pagerules"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/siterules"
)

// Needs is what content checks need of a run. The zero value needs nothing.
type Needs struct {
	ScansPages, ScansOthers bool             // for viruses: targets of one's own site, and others
	ScanMax                 int64            // size of the largest body that is scanned, in bytes
	Waits                   bool             // looking at a page may wait for other programs
	FindsLinks              bool             // looking at a page may find links
	Pairs                   siterules.Config // what is to be judged when all pages are known
}

// Scans reports whether targets of one's own site, or others, are scanned for viruses.
func (n Needs) Scans(internal bool) bool { return internal && n.ScansPages || n.ScansOthers }

// Icons reports whether what is found on a start page depends on the icon of its host, too.
func (n Needs) Icons() bool { return n.Pairs.Groups&pagerules.Images != 0 }

// Hashes reports whether the content of scripts and style sheets is compared with the hashes
// that pages expect.
func (n Needs) Hashes() bool { return n.Pairs.Groups&pagerules.Security != 0 }
