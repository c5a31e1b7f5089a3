package check

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// anchoredFormats are the readers' formats in which a fragment names an element.
// In any other a fragment is the media type's own business and is not judged,
// unless the reader found anchors all the same.
var anchoredFormats = map[string]bool{"html": true, "xhtml": true, "svg": true, "markdown": true,
	"restructuredtext": true, "asciidoc": true, "org": true, "notebook": true}

// ReadDocument adds what was read of the body: anchors, title, and whether a
// script or a sign-in may be in play.
func (o *Outcome) ReadDocument(d *extract.Document) {
	anchors, more := anchorsOf(d)
	o.Anchors = anchors
	o.Title = d.Title
	o.Static = d.Static
	o.Login = d.LoginForm
	o.Read = anchoredFormats[d.Format] || len(anchors) > 0
	if len(d.Duplicates) > 0 {
		o.Warn(duplicateWarning(d.Duplicates))
	}
	if len(d.Faults) > 0 {
		o.Warn(Warning{Code: CodeBodyTruncated, Message: "the page was not read completely: " + d.Faults[0]})
	} else if more {
		o.Warn(Warning{Code: CodeBodyTruncated, Message: fmt.Sprintf("the page has more than %d ids; later ones are not known", MaxAnchors)})
	}
}

// KeepNames keeps the anchors as they are written, so that suggestions can be
// made without reading the page again.
func (o *Outcome) KeepNames(d *extract.Document) { o.Names = PackNames(d.Anchors) }

// Truncate notes that reading stopped at the run's own limit of so many bytes.
func (o *Outcome) Truncate(limit int64) {
	o.Warn(Warning{Code: CodeBodyTruncated, Message: fmt.Sprintf("the body is longer than %d bytes; the rest was not read", limit)})
}

// Cut notes that the body broke off with an error. Of a leaf we know that it is
// there, which is all that was asked. A page that was to be read is in doubt: a
// *fetch.Fault that says more than "it ended early" decides, such as a timeout,
// bad chunks or our own limits.
func (o *Outcome) Cut(err error, page bool) {
	const message = "the body ended before it was complete"
	if !page {
		o.Warn(Warning{Code: CodeBodyTruncated, Message: message})
		return
	}
	o.Code, o.Message = CodeBodyTruncated, message
	if _, ok := asFault(err); !ok && !isCancelled(err) {
		return
	}
	switch failed := ObserveFault(err); failed.Code {
	case CodeInterrupted, CodeProtocolError, CodeTimeout, CodeLimit:
		o.Code, o.Message, o.Starved = failed.Code, failed.Message, failed.Starved
	}
}

// duplicateWarning says which ids appear more than once, the first few by name.
func duplicateWarning(duplicates []extract.Duplicate) Warning {
	const named = 3
	message := "the id "
	if len(duplicates) > 1 {
		message = "the ids "
	}
	for i, d := range duplicates[:min(named, len(duplicates))] {
		if i > 0 {
			message += ", "
		}
		message += fmt.Sprintf("%s (line %d)", quoteName(d.ID), d.Line)
	}
	if rest := len(duplicates) - named; rest > 0 {
		message += fmt.Sprintf(" and %d more", rest)
	}
	if len(duplicates) > 1 {
		return Warning{Code: CodeFragmentDuplicate, Message: message + " appear more than once"}
	}
	return Warning{Code: CodeFragmentDuplicate, Message: message + " appears more than once"}
}
