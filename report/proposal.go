package report

import (
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Proposal is the change that a result proposes for its references: replace the target
// From with To. Both are printed URLs.
type Proposal struct {
	From, To, Why string
	Code          check.Code // of the finding or warning that it mends
	// Literal is true for the proposal of a content check: To is the text to write in place
	// of the reference's Raw, and From is the page.
	Literal bool
	// Doubt is why the change may be wrong, for a proposal of [Guess]; otherwise it is empty.
	Doubt string
}

// Propose returns the proposal of a result, if it has one:
//
//   - For a target that moved permanently (301, 308), its new address. But if the redirect
//     ends at a home page, at a sign-in page or on another site, there is no proposal: the page has probably been removed, hidden or replaced by someone else's, and a person has to look.
//   - For a broken target, the suggestion that is closer than all others, if there is
//     exactly one.
//   - For a finding of a content check, its proposal.
//
// Temporary redirects (302, 303, 307), better addresses where the old one works too
// (insecure-http) and archived copies are never proposed.
func Propose(r *result.Result) (Proposal, bool) {
	if r.Kind == result.KindPage {
		return Proposal{From: r.URL, To: r.Proposal, Why: string(r.Code), Code: r.Code, Literal: true}, r.Proposal != ""
	}
	p := Proposal{From: r.URL, Code: r.Code}
	verdict := r.Verdict
	if r.Code == check.CodeRedirectPermanent { // the user made it so severe
		verdict = check.OK
	}
	switch verdict {
	case check.OK:
		for _, w := range r.Warnings {
			switch w.Code {
			case check.CodeRedirectPermanent:
				p.To, p.Why, p.Code = w.Proposal, "moved permanently", w.Code
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

// Guess returns what a broken target was probably meant to be, if there is one suggestion that is not
// certain. A person should look at the change.
func Guess(r *result.Result) (Proposal, bool) {
	if r.Kind == result.KindPage || r.Verdict != check.Broken {
		return Proposal{}, false
	}
	if _, certain := Propose(r); certain {
		return Proposal{}, false
	}
	p := Proposal{From: r.URL, Code: r.Code}
	for _, s := range r.Suggestions {
		switch {
		case s.URL == "" || check.IsArchived(s):
			continue
		case p.To != "": // nothing tells which of them
			return Proposal{}, false
		}
		p.To, p.Why = s.URL, s.Why
		p.Doubt = s.Why + ", which is no certain sign"
		if s.Why == "closest id" || s.Why == "closest path" {
			p.Doubt = s.Why + ", but others are close, or more than a typing error differs"
		}
	}
	return p, p.To != "" && p.To != p.From
}

// Blocked returns why a reference must not be edited although its target has a proposal,
// or "" if it may be edited.
func (p Proposal) Blocked(ref *result.Reference) string {
	switch {
	case p.Literal && ref.At().Raw == "":
		return fmt.Sprintf("the finding proposes %q, but has no text that it replaces", p.To)
	case p.Literal && strings.Contains(ref.Raw, "***@"):
		return "the text contains a password"
	case p.Literal:
		return ""
	case strings.Contains(p.From, "***@"), strings.Contains(ref.Raw, "***@"):
		return "its URL contains a password"
	case ref.Element == "form" || ref.Attribute == "action" || ref.Attribute == "formaction":
		return "a form is submitted to it, and the response to a form may differ from that to a link"
	case isIdentifier(ref):
		return "it is an identifier, which must not change with the address"
	}
	return ""
}

// isIdentifier reports whether a reference is an identifier. Feed readers show an entry
// again if its identifier changes.
func isIdentifier(ref *result.Reference) bool {
	return ref.Element == "guid" || ref.Element == "id" || ref.Attribute == "@id" || ref.Attribute == "about"
}
