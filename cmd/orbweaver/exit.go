package main

import "fmt"

// exitError ends a command with an exit status. Without an err there is nothing
// to say but the status: the findings have been printed.
type exitError struct {
	code int
	err  error
}

// Error says the cause, or the status where there is none.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e *exitError) Unwrap() error { return e.err }
