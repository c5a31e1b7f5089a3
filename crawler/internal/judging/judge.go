package judging

import (
	"regexp"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Question is what Judge answers about an Outcome: does this target, with this fragment,
// work for links from this site?
type Question struct {
	// URL is the target's URL, after redirects the final one. Observe resolves a
	// Location against it; Judge uses only its host and path, to recognize fragments
	// that the scripts of well-known hosts handle. The zero value disables that.
	URL urinorm.URL
	// Conditional is true if the request was conditional, so that 304 is a regular
	// answer. Only Observe uses it.
	Conditional bool
	// Internal is true if the target is on the user's own site. After a redirect that
	// leaves the site, it is false.
	Internal bool
	// Local is true if the target is a file, which is judged as part of the user's own
	// site.
	Local bool
	// Fragment is the reference's fragment without '#', as in the resolved URL; the
	// printed URL may have other escapes.
	Fragment    string
	HasFragment bool
	// Accept holds further statuses that count as ok; nil holds no status.
	Accept *check.Statuses
	// ExactCase is set if a fragment must have the letter case of a heading's anchor in Markdown.
	ExactCase bool
	// IgnoreFragment matches the fragments that are not judged, as written or percent-decoded.
	IgnoreFragment []*regexp.Regexp
	AnyFragment    bool // no fragment is judged
}

// ours reports whether the target is judged as part of the user's own site.
func (q *Question) ours() bool { return q.Internal || q.Local }

// Judge returns the verdict on an outcome for one question, according to the table of
// codes. The warnings are shared with the outcome and must not be changed. Only an ok
// target has warnings, or one that is skipped because of its scheme: a certificate that
// expires soon does not matter if the target is broken.
func (o *Outcome) Judge(q Question) Judgement { return judge(o, &q, o.Anchors) }

// JudgeIn is Judge for an outcome whose anchors are still encoded (see DecodeHead).
func (o *Outcome) JudgeIn(q Question, anchors EncodedAnchors) Judgement {
	return judge(o, &q, anchors)
}

func judge[S anchorSet](o *Outcome, q *Question, anchors S) Judgement {
	verdict, code := o.evidence(q)
	if verdict != check.OK {
		message := o.Message
		if o.Code == check.CodeRedirect {
			message = "the redirect to " + urinorm.Redact(o.Next) + " was not followed"
		}
		if o.Status == 404 && hidesPrivate(q.URL) {
			message += "; the server also answers 404 for private content"
		}
		return Judgement{Verdict: verdict, Code: code, Message: message, Warnings: o.spelling()}
	}
	j := Judgement{Verdict: check.OK, Code: check.CodeOK, Warnings: o.Warnings[:len(o.Warnings):len(o.Warnings)]}
	if o.Code == check.CodeBodyTruncated {
		j.Warnings = append(j.Warnings, check.Warning{Code: check.CodeBodyTruncated, Message: o.Message})
	}
	if q.HasFragment {
		if verdict, code, message := judgeFragment(o, q, anchors); verdict != check.OK {
			return Judgement{Verdict: verdict, Code: code, Message: message}
		}
	}
	return j
}

// spelling returns the warnings of a target that is not checked because of its scheme, which
// are about its spelling.
func (o *Outcome) spelling() []check.Warning {
	if o.Code != check.CodeSchemeUnchecked {
		return nil
	}
	return o.Warnings[:len(o.Warnings):len(o.Warnings)]
}

// evidence returns the verdict and the code of an outcome, without its fragment.
func (o *Outcome) evidence(q *Question) (check.Verdict, check.Code) {
	if o.accepted(q.Accept) {
		return check.OK, check.CodeOK
	}
	switch o.Code {
	case check.CodeRedirect:
		return check.Unverified, check.HTTPCode(o.Status)
	case check.CodeSoft404: // a rule says so
		return check.Broken, check.CodeSoft404
	}
	return o.Code.Verdict(q.ours()), o.Code
}

// accepted reports whether the outcome is ok because the user accepts its status. That
// applies only if the status is the problem: an incomplete body and the page of a bot
// wall are not ok because they have the status 200.
func (o *Outcome) accepted(accept *check.Statuses) bool {
	if !accept.Has(o.Status) {
		return false
	}
	switch o.Code {
	case check.CodeRateLimited, check.CodeRedirectInvalid, check.CodeRedirect:
		return true
	case CodeBotWall:
		return o.Status < 200 || o.Status > 299
	}
	_, status := o.Code.Status()
	return status
}
