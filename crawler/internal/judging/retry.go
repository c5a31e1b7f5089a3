package judging

import (
	"context"
	"errors"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Retryable reports whether another request may have a better outcome: what its code says, and
// what the code leaves open.
func (o *Outcome) Retryable() bool {
	switch o.Code {
	case CodeTLSError:
		return o.Temporary
	case check.CodeLimit: // of this machine or its proxy; without a request the outcome is final
		return o.LocalLimit || o.Requests > 0
	}
	return o.Code.Retryable()
}

// RetryableBy reports whether the outcome is Retryable, or an error status that the user wants
// repeated. nil holds no status.
func (o *Outcome) RetryableBy(statuses *check.Statuses) bool {
	_, failed := o.Code.Status()
	return o.Retryable() || failed && statuses.Has(o.Status)
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
