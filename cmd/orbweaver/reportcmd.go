package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/report"
)

func newReportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report REPORT.json|DIR [flags]",
		Short: "render a saved JSON report in another format",
		Long:  "A saved report contains only the results that it was saved with; save it with --show all to choose later. A --state directory contains all results, even while the crawl is running; they are judged again each time. The exit status is that of the run according to --fail-on.",
		Example: `orbweaver check public/ --show all -o all.json
orbweaver report all.json -f csv --show broken
orbweaver report crawl -f html
orbweaver report --schema > orbweaver.schema.json`,
	}
	s := addFlags(cmd, option.Report)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if s.On("schema") {
			if len(args) > 0 {
				return usageError("--schema takes no argument")
			}
			_, err := cmd.OutOrStdout().Write(report.Schema())
			return err
		}
		if len(args) != 1 {
			return usageError("report: name one JSON report, or a state directory")
		}
		nameFormats(s)
		c := &compiler{settings: s}
		c.checkWords(option.Report)
		o := &options{}
		compileReport(c, o)
		o.filesOnly = c.Given("format") && slices.ContainsFunc(o.outputs, func(out report.Output) bool { return out.Format == o.format })
		o.between.baseline = read(c, "baseline", parseBaseline)
		if err := errors.Join(c.faults...); err != nil {
			return usageError("%w", err)
		}
		if file, ok := stateOf(args[0]); ok {
			return renderState(cmd, o, file)
		}
		return renderReport(cmd, o, args[0])
	}
	return cmd
}

// nameFormats gives files whose names select no format that of --format.
func nameFormats(s *settings) {
	if !s.Given("format") {
		return
	}
	files := slices.Clone(s.List("output"))
	for i, file := range files {
		if _, err := report.ParseOutput(file); err != nil && file != "" && file != report.Stdout && !strings.Contains(file, ":") {
			files[i] = s.Text("format") + ":" + file
		}
	}
	if len(files) > 0 {
		s.Set("output", s.Origin("output"), files...)
	}
}

func renderReport(cmd *cobra.Command, o *options, file string) error {
	saved, err := readReport(cmd, file)
	if err != nil {
		return err
	}
	out, err := openReports(cmd, o, newConsole(cmd.ErrOrStderr(), "never").notef)
	if err != nil {
		return usageError("%w", err)
	}
	defer out.Close()
	if o.between.baseline != "" {
		known, err := readReport(cmd, o.between.baseline)
		if err != nil {
			return err
		}
		applyBaseline(report.NewBaseline(known), saved)
	}
	if err := saved.Write(out); err != nil {
		return unsound(err)
	}
	if code := o.failOn.Exit(&saved.Summary); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

func renderState(cmd *cobra.Command, own *options, file string) error {
	if own.between.baseline != "" {
		return renderReport(cmd, own, file)
	}
	out, err := openReports(cmd, own, newConsole(cmd.ErrOrStderr(), "never").notef)
	if err != nil {
		return usageError("%w", err)
	}
	defer out.Close()
	sum, err := judgeState(cmd, file, own.shows().String(), out)
	if err != nil {
		return err
	}
	if code := own.failOn.Exit(sum); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// readReport reads a JSON report from a file, or from standard input for "-". Its errors
// are usage errors.
func readReport(cmd *cobra.Command, file string) (*report.Report, error) {
	if state, ok := stateOf(file); ok {
		return readState(cmd, state)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, usageError("read report %s: it is a directory without a crawl", file)
	}
	var saved *report.Report
	var err error
	if file == "-" {
		saved, err = report.Read(cmd.InOrStdin())
	} else {
		saved, err = report.ReadFile(file)
	}
	if err != nil {
		return nil, usageError("%w", err)
	}
	return saved, nil
}
