package judging

import (
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/urinorm"
)

// anchoredFormats are the formats in which a fragment is the name of an element. In
// other formats the media type defines fragments, and they are not judged, unless the
// reader found anchors.
var anchoredFormats = map[string]bool{"html": true, "xhtml": true, "svg": true, "markdown": true,
	"restructuredtext": true, "asciidoc": true, "org": true, "notebook": true}

// DocumentFacts returns what was read from the body: anchors, title, and whether the page has
// scripts or a form to sign in.
func DocumentFacts(d *extract.Document) Facts {
	anchors, more := anchorsOf(d)
	f := Facts{Content: Content{Anchors: anchors, Title: d.Title, Static: d.Static, Login: d.LoginForm, Read: anchoredFormats[d.Format] || len(anchors) > 0}}
	if len(d.Duplicates) > 0 {
		f.Warnings = append(f.Warnings, duplicateWarning(d.Duplicates))
	}
	switch {
	case d.Unreadable():
		f.Warnings = append(f.Warnings, check.Warning{Code: check.CodeBodyTruncated, Message: nothingRead + d.Faults[0]})
	case len(d.Faults) > 0:
		f.Warnings = append(f.Warnings, check.Warning{Code: check.CodeBodyTruncated, Message: "the page was not read completely: " + d.Faults[0]})
	case more:
		f.Warnings = append(f.Warnings, check.Warning{Code: check.CodeBodyTruncated, Message: fmt.Sprintf("the page has more than %d ids; later ones are not known", MaxAnchors)})
	}
	return f
}

// AsksForAccount reports whether a page at a URL asks for an account alone, as the first step of
// signing in. Other forms ask for a mail address as well, so its URL must be that of a
// sign-in page.
func AsksForAccount(u urinorm.URL, d *extract.Document) bool { return d.AccountForm && IsLoginURL(u) }

// nothingRead begins the message about a document of which nothing could be read. It is
// followed by the cause.
const nothingRead = "nothing of the document could be read: "

// Unreadable returns why nothing of a document could be read, "" if something was read.
func (o *Outcome) Unreadable() string {
	for _, w := range o.Warnings {
		if cause, ok := strings.CutPrefix(w.Message, nothingRead); ok && w.Code == check.CodeBodyTruncated {
			return cause
		}
	}
	return ""
}

// Truncated returns that reading stopped at the run's own limit, in bytes.
func Truncated(limit int64) Facts {
	return warned(check.Warning{Code: check.CodeBodyTruncated, Message: fmt.Sprintf("the body is longer than %d bytes; the rest was not read", limit)})
}

// BodyError returns that reading the body failed. A target that is not a page still
// exists, and gets a warning. A page could not be read completely, so its code becomes
// body-truncated, or that of a more specific *fetch.Fault: a timeout, bad chunks, a
// limit of this machine.
func BodyError(err error, page bool) Facts {
	const message = "the body ended before it was complete"
	if !page {
		return warned(check.Warning{Code: check.CodeBodyTruncated, Message: message})
	}
	if _, ok := asFault(err); ok || isCancelled(err) {
		switch failed := ObserveFault(err); failed.Code {
		case check.CodeInterrupted, CodeProtocolError, check.CodeTimeout, check.CodeLimit:
			return Facts{Code: failed.Code, Message: failed.Message, localLimit: failed.LocalLimit, gap: failed.Gap}
		}
	}
	return Facts{Code: check.CodeBodyTruncated, Message: message}
}

// duplicateWarning lists the first few ids that appear more than once.
func duplicateWarning(duplicates []extract.AnchorPlace) check.Warning {
	const named = 3
	message := "the id "
	if len(duplicates) > 1 {
		message = "the ids "
	}
	for i, d := range duplicates[:min(named, len(duplicates))] {
		if i > 0 {
			message += ", "
		}
		message += fmt.Sprintf("%s (line %d)", quoteName(d.Name), d.Line)
	}
	if rest := len(duplicates) - named; rest > 0 {
		message += fmt.Sprintf(" and %d more", rest)
	}
	if len(duplicates) > 1 {
		return check.Warning{Code: check.CodeFragmentDuplicate, Message: message + " appear more than once"}
	}
	return check.Warning{Code: check.CodeFragmentDuplicate, Message: message + " appears more than once"}
}
