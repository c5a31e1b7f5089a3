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
	{report.ExitOK, "nothing at or above the fail level"},
	{report.ExitFindings, "findings at or above the fail level; for compare: something is newly broken; for fix: an edit was left out because its file changed or cannot be written; for uri compare: the URIs differ"},
	{exitUsage, "wrong usage or configuration"},
	{report.ExitUnsound, "the run itself is not sound: nothing was checked, a start target could not be read, it was interrupted, a limit cut it short, or a file changed meanwhile, so that links in it were left out. The partial report is written all the same. When a broken link was found the status is 1"},
}
