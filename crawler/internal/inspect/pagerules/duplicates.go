package pagerules

import (
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
)

// fingerprint returns the fingerprint of the visible text, the zero one of a page that shows another.
func (d *document) fingerprint(content *visible.Content) facts.Fingerprint {
	if d.sendsOn || d.frameset {
		return facts.Fingerprint{}
	}
	return content.Text.Fingerprint()
}
