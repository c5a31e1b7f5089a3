package judging

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
)

// Outcome is what was observed of a target. It does not depend on rules or on the site
// of the link, so one Outcome serves all links to the target, and later runs from a
// cache.
type Outcome struct {
	// Code is "ok" if the target answered with its content, "redirect" if it redirects
	// to another target (Next), otherwise the code of what went wrong, such as
	// "http-404", "timeout", "file-missing" or "excluded".
	Code check.Code
	// Message says what happened, without a full stop. It may be empty if the code says
	// everything.
	Message string
	// Status is the HTTP status, or 0 if there is none.
	Status      int
	ContentType string // media type without parameters, lower case
	Size        int64  // bytes, -1 unknown
	Modified    time.Time
	// Requests is the number of requests, including retries.
	Requests int
	Elapsed  time.Duration
	// Path is the local file that answered.
	Path string
	// Next is the absolute URL that a redirect leads to, with the fragment of its
	// Location. If the Location has none, the reference keeps its own fragment (RFC 9110
	// 10.2.2; Fetch 4.4, "HTTP-redirect fetch").
	Next string
	Content
	// localLimit is true if a limit of this machine, such as the number of open files
	// or ports, stopped the request. That says nothing about the target, and a retry may
	// succeed. The Code is "limit".
	LocalLimit bool
	// gap says that a limit of the run left the target out, or of this machine: see LeftOut. The
	// store keeps it as a tally of the run, not with the outcome.
	Gap gap.Kind
	// Temporary is true if a retry may succeed although the Code is usually permanent:
	// for a TLS handshake that was cut short, not for one that was refused.
	Temporary bool
	// Cached is true if the outcome is from an earlier run and no request was sent.
	Cached bool
	// Warnings are about the connection, the answer or the content.
	Warnings []check.Warning
}

// Content is what was found in the body of a target.
type Content struct {
	Title string // the page's title
	// Read is true if the body was read and its anchors are known.
	Read bool
	// Static is true if the content has no script that could create anchors, and
	// includes no file that could have them.
	Static bool
	// Login is true if the page asks for a password, or for an account as the first step of
	// signing in.
	Login bool
	// Anchors are the fragments the page defines.
	Anchors Anchors
	// Names are the anchors as written, for suggestions that are made without reading the page again.
	// They are empty unless KeepNames was called.
	Names Names
	// Inspection is what content checks brought, by Inspection.Encode; nil if the document was
	// not inspected.
	Inspection []byte
	// Sketch is what the text of the page is compared by in later runs, as package drift encodes
	// it; nil if it is not compared.
	Sketch []byte
}

// add adds what else was found.
func (c *Content) add(more *Content) {
	c.Title = cmp.Or(more.Title, c.Title)
	c.Read, c.Static, c.Login = c.Read || more.Read, c.Static || more.Static, c.Login || more.Login
	if more.Anchors != nil {
		c.Anchors = more.Anchors
	}
	c.Names = cmp.Or(more.Names, c.Names)
	if more.Inspection != nil {
		c.Inspection = more.Inspection
	}
	if more.Sketch != nil {
		c.Sketch = more.Sketch
	}
}

// Skip returns the outcome of a target that was not requested: because of a rule
// (excluded, external, limit, interrupted, address-denied), because its URL decides
// (uri-invalid, port-blocked, file-from-web), or because its site forbids it
// (robots-disallowed). The message says which rule or fault it was.
func Skip(code check.Code, message string) Outcome {
	return Outcome{Code: code, Message: message, Size: -1}
}

// LeftOut returns the outcome of a target that a run leaves out because of a limit. The
// gap becomes part of the run's soundness when the target is settled; the message says
// which limit it was. No other function makes such an outcome.
func LeftOut(g gap.Kind, format string, args ...any) *Outcome {
	return &Outcome{Code: check.CodeLimit, Message: fmt.Sprintf(format, args...), Size: -1, Gap: g}
}

// Warn adds a warning. The same warning is added once.
func (o *Outcome) Warn(w check.Warning) {
	if !slices.Contains(o.Warnings, w) {
		o.Warnings = append(o.Warnings, w)
	}
}

// IsRedirect reports whether the target redirects to another one, Next.
func (o *Outcome) IsRedirect() bool { return o.Code == check.CodeRedirect }

// Incomplete reports whether part of the body was not read. A missing fragment may be
// there.
func (o *Outcome) Incomplete() bool {
	return o.Code == check.CodeBodyTruncated || slices.ContainsFunc(o.Warnings, func(w check.Warning) bool {
		return w.Code == check.CodeBodyTruncated
	})
}

// RenderFailed reports whether a browser was to render the page and could not. A missing
// fragment may be one that its scripts make.
func (o *Outcome) RenderFailed() bool {
	return slices.ContainsFunc(o.Warnings, func(w check.Warning) bool { return w.Code == CodeRenderFailed })
}

// Overloaded reports whether an answer says that the host has too much to do.
func (o *Outcome) Overloaded() bool { return o.Status == 429 || o.Status == 503 }

// Facts are what is found out about a target beyond the status and the header of its answer: in
// its body, by content checks, or in a browser. The zero value is nothing.
type Facts struct {
	// Code, if it is not empty, replaces that of the Outcome, together with Message, LocalLimit
	// and Gap.
	Code       check.Code
	Message    string
	localLimit bool
	gap        gap.Kind

	Next  string // where the document redirects to
	Size  int64  // of the body, in bytes, if Sized is true
	Sized bool
	Content
	Warnings []check.Warning
}

// With returns an Outcome to which facts are added.
func (o Outcome) With(f Facts) Outcome {
	if f.Code != "" {
		o.Code, o.Message, o.LocalLimit, o.Gap = f.Code, f.Message, f.localLimit, f.gap
	}
	if f.Sized {
		o.Size = f.Size
	}
	o.Next = cmp.Or(f.Next, o.Next)
	o.add(&f.Content)
	for _, w := range f.Warnings {
		o.Warn(w)
	}
	return o
}

// After returns an Outcome that took a number of requests.
func (o Outcome) After(requests int) Outcome {
	o.Requests = requests
	return o
}

// warned returns a warning.
func warned(w check.Warning) Facts { return Facts{Warnings: []check.Warning{w}} }
