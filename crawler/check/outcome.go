package check

import (
	"slices"
	"time"
)

// Outcome is what was observed of a target, before any rule or side is applied:
// the same observation may be judged for a link from our own site and for
// others, today and, out of a cache, tomorrow.
type Outcome struct {
	// Code is "ok" when the target answered with its content or can't be told
	// from it; "redirect" when another target answers for it (Next); otherwise the
	// code of what went wrong, as in the contract: "http-404", "timeout",
	// "file-missing", "excluded".
	Code Code
	// Message is a sentence without a full stop that says what happened; it may be
	// empty where the code says all.
	Message string
	// Status is the HTTP status, 0 without one.
	Status      int
	ContentType string // media type without parameters, lower case
	Size        int64  // bytes, -1 unknown
	Modified    time.Time
	// Requests counts what was sent, retries included.
	Requests int
	Elapsed  time.Duration
	// Path is the local file that answered.
	Path string
	// Next is the absolute URL a redirect leads to, with the fragment its Location
	// names. Without one the reference keeps its own fragment (RFC 9110 10.2.2; Fetch
	// 4.4, "HTTP-redirect fetch").
	Next  string
	Title string // the page's title
	// Read is true when the body was read and its anchors are known.
	Read bool
	// Static is true when the content holds no script that could make anchors, and
	// includes no file that may have them.
	Static bool
	// Login is true when the page asks for a password.
	Login bool
	// Starved is true when limits of our own machine stopped the request, such as
	// open files or ports: it says nothing of the target, and asking again may
	// mend it. The Code is then "limit".
	Starved bool
	// Passing is true when asking again may mend a fault whose Code is one of those
	// that last: a TLS handshake that was cut short, not one that was refused.
	Passing bool
	// Cached is true when the target was not asked: an earlier run was told so.
	Cached bool
	// Anchors are the fragments the page defines.
	Anchors Anchors
	// Names are the anchors as they are written, for suggestions; empty unless
	// KeepNames was called.
	Names Names
	// Warnings were seen on the way to the answer or in the content.
	Warnings []Warning
}

// Skip returns the outcome of a target that was not requested: because a rule says
// so (excluded, external, limit, interrupted, address-denied), because a look at
// it was enough (uri-invalid, port-blocked, file-from-web), or because it must not
// be asked (robots-disallowed). The message names the rule or the fault.
func Skip(code Code, message string) Outcome {
	return Outcome{Code: code, Message: message, Size: -1}
}

// Warn adds a warning. The same warning is added once.
func (o *Outcome) Warn(w Warning) {
	if !slices.Contains(o.Warnings, w) {
		o.Warnings = append(o.Warnings, w)
	}
}

// IsRedirect reports whether another target, Next, answers for this one.
func (o *Outcome) IsRedirect() bool { return o.Code == CodeRedirect }

// incomplete reports whether part of the body was not read, so that a fragment
// that was not found may stand there.
func (o *Outcome) incomplete() bool {
	return o.Code == CodeBodyTruncated || slices.ContainsFunc(o.Warnings, func(w Warning) bool {
		return w.Code == CodeBodyTruncated
	})
}

// Overloaded reports whether an answer says that the host has too much to do.
func (o *Outcome) Overloaded() bool { return o.Status == 429 || o.Status == 503 }
