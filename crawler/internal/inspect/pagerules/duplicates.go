package pagerules

import "github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"

// takeFingerprint takes the fingerprint of the visible text.
func takeFingerprint(s *source, content *visible.Content) {
	if s.groups&Duplicates != 0 && !s.document.sendsOn && !s.document.frameset {
		s.facts.Body = content.Text.Fingerprint()
	}
}
