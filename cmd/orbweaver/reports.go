package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/report"
)

// openReports makes the writers of all reports: on standard output, in files, and for the
// CI system.
func openReports(cmd *cobra.Command, o *options, note func(string, ...any)) (*report.Multi, error) {
	stdout := cmd.OutOrStdout()
	if o.patches() || o.archive != nil {
		stdout = cmd.ErrOrStderr()
	}
	outputs := append([]report.Output{{Format: o.format, File: report.Stdout}}, o.outputs...)
	if o.filesOnly {
		outputs = outputs[1:]
	}
	system := &ci{env: os.Getenv, stdout: stdout, stderr: cmd.ErrOrStderr(), note: note}
	outputs = append(outputs, system.outputs(o.ci, outputs)...)
	outputs = append(outputs, o.thread.output()...)
	return report.Open(outputs, stdout, reportOptions(o, stdout))
}

func reportOptions(o *options, stdout io.Writer) report.Options {
	wd, err := os.Getwd()
	if err != nil {
		wd = ""
	}
	return report.Options{
		Show: o.show, PrintedShow: o.printed, FailOn: o.failOn, MarkdownSize: o.markdownSize, Prefix: repositoryPrefix(wd, os.Getenv),
		Baseline:   o.between.baseline != "",
		EveryPlace: o.verbose, FindingsOnly: o.quiet, RunDir: o.runDir, Sorted: o.sorted,
		Color: colored(o.color, stdout, os.Getenv), Width: terminalWidth(stdout),
	}
}
