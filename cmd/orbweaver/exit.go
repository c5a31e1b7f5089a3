package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/orbweaver/orbweaver/report"
)

// Exit statuses. Package report defines those of a run.
const (
	exitOK    = report.ExitOK
	exitUsage = 2 // wrong usage or configuration
)

// exitTable is documented in README, the help and the manual page; scripts rely on it.
var exitTable = []struct {
	code    int
	meaning string
}{
	{report.ExitOK, "no findings at or above the fail level"},
	{report.ExitFindings, "findings at or above the fail level; for compare: a link is newly broken; for fix: an edit was left out because its file changed or cannot be written; for archive: a copy was refused; for uri compare: the URIs are not known to be equivalent"},
	{exitUsage, "wrong usage or configuration"},
	{report.ExitUnsound, "the result is not reliable: nothing was checked, no link could be verified, a start target or a document that was named could not be read, the run was interrupted or reached a limit, a file changed during the run, so that links in it were left out, or the cache or history could not be written. Also if archive could not use its service. The partial report is still written. If a broken link was found, the status is 1, unless no start target could be read: an only start target whose server cannot be reached, or that does not exist, gives 3"},
}

// exitError ends a command with an exit status. Without err, only the status is returned,
// because the findings have been printed.
type exitError struct {
	code int
	err  error
}

// Error returns the cause, or the status if there is none.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError returns an error for wrong usage or configuration: exit status 2.
func usageError(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// unsound returns an error that ended a run, whose report is then not reliable: exit
// status 3.
func unsound(err error) error { return &exitError{code: report.ExitUnsound, err: err} }

// withoutPath removes the operation and the file name from an error whose context already
// names them.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
