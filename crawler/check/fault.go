package check

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// ObserveFault makes an Outcome of a request that brought no answer. The error is
// a *fetch.Fault, or the context's when the run was cancelled.
//
// What our own machine is to blame for (Fault.Local, or an error that no Fetcher
// should return) is never held against the link: the Outcome is Starved.
func ObserveFault(err error) Outcome {
	fault, ok := asFault(err)
	switch {
	case !ok && isCancelled(err):
		return Skip(CodeInterrupted, "the run ended before the answer arrived")
	case !ok:
		o := Skip(CodeLimit, "the request could not be sent from this machine")
		o.Starved = true
		return o
	case fault.Local:
		o := Skip(CodeLimit, "a limit of this machine stopped the request")
		if fault.Err != nil {
			o.Message += ": " + fault.Err.Error()
		}
		o.Requests, o.Starved = fault.Requests, true
		return o
	}
	o := Skip(Code(fault.Kind), faultMessage(fault))
	o.Requests, o.Passing = fault.Requests, fault.Retry && o.Code == CodeTLSError
	return o
}

// faultMessage says the thing first, then what happened to it: the host, port or
// file that was attempted, and the cause as the Fetcher words it for readers. A
// whole URL is left out, as the report shows it beside the message.
func faultMessage(fault *fetch.Fault) string {
	if fault.Kind == string(CodeFileCase) && fault.Hint != "" {
		return "the file is named " + quoteName(fault.Hint) + ", in different letter case"
	}
	message := ""
	if fault.Err != nil {
		message = fault.Err.Error()
	} else if entry, ok := Lookup(Code(fault.Kind)); ok {
		message = entry.Title
	}
	if fault.Target != "" && !strings.Contains(fault.Target, "://") {
		message = filepath.ToSlash(fault.Target) + ": " + message // as reports write paths
	}
	if fault.Hint != "" {
		message += "; " + fault.Hint
	}
	return message
}

// asFault finds the Fault in an error.
func asFault(err error) (*fetch.Fault, bool) {
	var fault *fetch.Fault
	ok := errors.As(err, &fault)
	return fault, ok
}
