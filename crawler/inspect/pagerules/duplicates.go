package pagerules

import (
	"github.com/orbweaver/orbweaver/crawler/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/inspect/visible"
)

// endDuplicates takes the fingerprint of the visible text.
func (c *Checker) endDuplicates(content *visible.Content) {
	if c.groups&Duplicates != 0 && !c.document.sendsOn && !c.document.frameset {
		c.Facts.Body = facts.FingerprintOf(content.Text.Bytes())
	}
}
