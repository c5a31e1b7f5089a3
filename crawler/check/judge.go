package check

import (
	"fmt"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Question is what is asked of an Outcome: is this target, with this fragment,
// from this side, all right?
type Question struct {
	// URL is the target's URL, behind redirects the final one. Observe resolves a
	// Location against it; Judge looks only at its host and path, for fragments
	// that a known host's scripts make. The zero value switches that off.
	URL urinorm.URL
	// Conditional is true when the request asked for changes only, so that 304 is
	// the answer to it. Only Observe uses it.
	Conditional bool
	// Internal is true when the target is one of our own pages; a redirect that
	// leaves the site is external from there on.
	Internal bool
	// Local is true when a file answers. Files are ours, whatever the scope says.
	Local bool
	// Fragment is the reference's fragment without '#', as it stands in the
	// resolved URL (not as printed, which may spell its escapes otherwise).
	Fragment    string
	HasFragment bool
	// Accept holds further statuses that count as ok; nil is none.
	Accept *Statuses
	// IgnoreFragment says which fragments are not looked for. It is asked with the
	// fragment as written and percent-decoded; nil ignores none.
	IgnoreFragment func(string) bool
}

// ours reports whether the target is judged as one of our own.
func (q *Question) ours() bool { return q.Internal || q.Local }

// Judge gives the verdict on an outcome for one question, by the contract's table
// of evidence. Warnings are those of the outcome and shared with it: they must not
// be changed. They go with ok only; of a broken target nobody needs to hear that
// its certificate ends soon.
func (o *Outcome) Judge(q Question) Judgement { return judge(o, &q, o.Anchors) }

// JudgeIn is Judge with the anchors still encoded, for an outcome whose Anchors
// were not decoded (see DecodeHead).
func (o *Outcome) JudgeIn(q Question, anchors EncodedAnchors) Judgement {
	return judge(o, &q, anchors)
}

func judge[S anchorSet](o *Outcome, q *Question, anchors S) Judgement {
	verdict, code := o.evidence(q)
	if verdict != OK {
		message := o.Message
		if o.Code == CodeRedirect {
			message = "the redirect to " + urinorm.Redact(o.Next) + " was not followed"
		}
		if o.Status == 404 && hidesPrivate(q.URL) {
			message += "; the server also answers 404 for private content"
		}
		return Judgement{Verdict: verdict, Code: code, Message: message}
	}
	j := Judgement{Verdict: OK, Code: CodeOK, Warnings: o.Warnings[:len(o.Warnings):len(o.Warnings)]}
	if o.Code == CodeBodyTruncated {
		j.Warnings = append(j.Warnings, Warning{Code: CodeBodyTruncated, Message: o.Message})
	}
	if q.HasFragment {
		if verdict, code, message := judgeFragment(o, q, anchors); verdict != OK {
			return Judgement{Verdict: verdict, Code: code, Message: message}
		}
	}
	return j
}

// evidence gives the verdict and the code of an outcome, fragments aside.
func (o *Outcome) evidence(q *Question) (Verdict, Code) {
	if o.accepted(q.Accept) {
		return OK, CodeOK
	}
	if o.Code == CodeRedirect {
		return Unverified, HTTPCode(o.Status)
	}
	if status, ok := o.Code.Status(); ok {
		return judgeStatus(status, q.ours()), o.Code
	}
	e := entryByCode[o.Code]
	switch {
	case e == nil || e.Internal == OK && e.Code != CodeOK: // proves nothing
		return Unverified, o.Code
	case q.ours():
		return e.Internal, o.Code
	default:
		return e.External, o.Code
	}
}

// accepted reports whether the user said that the status counts as ok. That
// settles only what the status itself was held against: a body that ends early is
// no better for its 200, and a bot wall behind a 200 would have passed for the page
// if that were enough.
func (o *Outcome) accepted(accept *Statuses) bool {
	if !accept.Has(o.Status) {
		return false
	}
	switch o.Code {
	case CodeRateLimited, CodeRedirectInvalid, CodeRedirect:
		return true
	case CodeBotWall:
		return o.Status < 200 || o.Status > 299
	}
	_, status := o.Code.Status()
	return status
}

// judgeStatus gives the verdict on a status that was held against the target,
// after the retries.
func judgeStatus(status int, ours bool) Verdict {
	side := func(internal, external Verdict) Verdict {
		if ours {
			return internal
		}
		return external
	}
	switch status {
	case 401, 403, 407, 418, 451, 999:
		return side(Broken, Unverified) // refusals: robots meet them where readers do not
	case 408, 425, 429:
		return Unverified
	case 502, 503, 504:
		return side(Broken, Unverified)
	}
	switch {
	case status >= 200 && status <= 299:
		return OK
	case status >= 520 && status <= 529: // a CDN could not reach the site for now
		return side(Broken, Unverified)
	default: // other 4xx; 500, 501, 505 and other 5xx; what is no status at all
		return Broken
	}
}

// Statuses is a set of HTTP statuses. The zero value and nil are empty.
type Statuses struct{ bits [highestStatus/64 + 1]uint64 }

// Add adds all statuses from one to another, both included.
func (s *Statuses) Add(from, to int) error {
	if from < lowestStatus || to > highestStatus || from > to {
		return fmt.Errorf("accept %d-%d: a range of statuses must be within %d to %d, the lower status first", from, to, lowestStatus, highestStatus)
	}
	for status := from; status <= to; status++ {
		s.bits[status/64] |= 1 << (status % 64)
	}
	return nil
}

// Has reports whether a status is in the set.
func (s *Statuses) Has(status int) bool {
	return s != nil && status >= lowestStatus && status <= highestStatus && s.bits[status/64]&(1<<(status%64)) != 0
}
