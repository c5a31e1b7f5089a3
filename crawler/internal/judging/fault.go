package judging

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
)

// ObserveFault returns the Outcome of a request without an answer. The error is a
// *fetch.Fault, or the context's if the run was cancelled.
//
// A failure of this machine (Fault.Local, or an error that no Fetcher should return)
// does not count against the link: the Outcome has the code limit, and LocalLimit is
// true.
func ObserveFault(err error) Outcome {
	fault, ok := asFault(err)
	switch {
	case !ok && isCancelled(err):
		return Skip(check.CodeInterrupted, "the run ended before the answer arrived")
	case !ok:
		o := Skip(check.CodeLimit, "the request could not be sent from this machine")
		o.LocalLimit, o.Gap = true, gap.Machine
		return o
	case errors.Is(fault, fetch.ErrSpent):
		return *LeftOut(gap.Requests, "not requested: %v", fetch.ErrSpent)
	case fault.Local:
		o := Skip(check.CodeLimit, "a limit of this machine stopped the request")
		if fault.Err != nil {
			o.Message += ": " + fault.Err.Error()
		}
		o.Requests, o.LocalLimit, o.Gap = fault.Requests, true, gap.Machine
		return o
	}
	o := Skip(check.Code(fault.Kind), faultMessage(fault))
	if fault.Kind == fetch.EvidenceMissing {
		o.Gap = gap.Evidence
	}
	o.Requests, o.Temporary = fault.Requests, fault.Retry && o.Code == CodeTLSError
	return o
}

// faultMessage returns the host, port or file of the request, then the cause as the
// Fetcher describes it. A whole URL is left out, because the report shows it next to the
// message.
func faultMessage(fault *fetch.Fault) string {
	if fault.Kind == string(check.CodeFileCase) && fault.Hint != "" {
		return "the file is named " + quoteName(fault.Hint) + ", in different letter case"
	}
	message := ""
	if fault.Err != nil {
		message = fault.Err.Error()
	} else if entry, ok := check.Lookup(check.Code(fault.Kind)); ok {
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
