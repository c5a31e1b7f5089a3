package crawler

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// A run that is narrowed to what has changed (Config.Changed) reads every document
// all the same: only so is it known who links to a page that was removed, or to a
// heading that a changed page no longer has. What it spares is the network, and
// the reader's time: an unchanged page's links to unchanged places are neither
// asked nor told.

// sinceThen narrows the fate of a link: from an unchanged page nobody is asked
// over the network. A changed page with the same link asks all the same.
func (f *findings) sinceThen(o *check.Outcome, v rules.Href, s *said) *check.Outcome {
	if !f.unchanged {
		s.Mark |= rules.MarkChanged
		return o
	}
	if o == nil && f.run.scope().SiteOf(rules.URLOf(v)) == nil && string(v.Scheme()) != "file" {
		return rules.Skip(check.CodeExcluded, rules.UnchangedNote)
	}
	return o
}
