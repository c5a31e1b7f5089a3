package report

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Proposal is what one result asks of its references: to lead from From to To,
// both as reports print URLs.
type Proposal struct{ From, To, Why string }

// Propose returns what a result proposes, if anything:
//
//   - of a target that moved permanently (301, 308) its new address. Not when the way
//     ends at a home page, at a sign-in page or on another site: then the page is most likely
//     gone, hidden, or somebody else's, and a person has to look;
//   - of a broken target the suggestion that nothing else is as close as, where
//     there is just one.
//
// Whatever is only for now (302, 303, 307), a better address that works as well (insecure-http), and
// archived copies are never proposed.
func Propose(r *crawler.Result) (Proposal, bool) {
	p := Proposal{From: r.URL}
	switch r.Verdict {
	case check.OK:
		for _, w := range r.Warnings {
			switch w.Code {
			case check.CodeRedirectPermanent:
				p.To, p.Why = w.Proposal, "moved permanently"
			case check.CodeRedirectToRoot, check.CodeRedirectToLogin, check.CodeRedirectToOtherSite:
				return Proposal{}, false
			}
		}
	case check.Broken:
		for _, s := range r.Suggestions {
			if !s.Unique {
				continue
			}
			if p.To != "" {
				return Proposal{}, false
			}
			p.To, p.Why = s.URL, s.Why
		}
	}
	return p, p.To != "" && p.To != p.From
}

// Held says why a reference is not edited although something is proposed for it;
// "" where it may be.
func (p Proposal) Held(ref *crawler.Reference) string {
	switch {
	case strings.Contains(p.From, "***@"), strings.Contains(ref.Raw, "***@"):
		return "its address holds a password"
	case ref.Element == "form" || ref.Attribute == "action" || ref.Attribute == "formaction":
		return "it is where a form is sent to, and a form may be answered otherwise than a link"
	case identifies(ref):
		return "it names something for good, whether or not it is at that address"
	}
	return ""
}

// identifies reports whether a reference is an identifier in the first place:
// feed readers show an entry anew when it changes.
func identifies(ref *crawler.Reference) bool {
	return ref.Element == "guid" || ref.Element == "id" || ref.Attribute == "@id" || ref.Attribute == "about"
}
