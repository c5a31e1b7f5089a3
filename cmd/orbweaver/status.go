package main

import "github.com/orbweaver/orbweaver/report"

// Exit statuses beside those of a run, which report names.
const (
	exitOK    = report.ExitOK
	exitUsage = 2 // wrong usage or configuration
)

// exitTable is what scripts may rely on; README, help and the man page tell it.
var exitTable = []struct {
	code    int
	meaning string
}{
	{report.ExitOK, "no findings at or above the fail level"},
	{report.ExitFindings, "findings at or above the fail level; for compare: a link is newly broken; for fix: an edit was left out because its file changed or cannot be written; for uri compare: the URIs are not known to be equivalent"},
	{exitUsage, "wrong usage or configuration"},
	{report.ExitUnsound, "the result is not reliable: nothing was checked, a start target could not be read, the run was interrupted or reached a limit, or a file changed during the run, so that links in it were left out. The partial report is still written. If a broken link was found, the status is 1"},
}
