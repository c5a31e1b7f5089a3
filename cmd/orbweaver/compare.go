package main

import (
	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/report"
)

func newCompareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare OLD NEW [flags]",
		Short: "list new, fixed and still broken links, and warnings",
		Long:  "Compares the broken links and warnings of two JSON reports, or of the crawls in two --state directories. Links are the same if page, target and code are the same, whatever their lines. Text lists only the beginning of what has not changed, unless --show asks for it. The exit status is 1 if there is a newly broken link.",
		Example: `orbweaver check public/ -o new.json
orbweaver compare old.json new.json
orbweaver compare old.json new.json --show new,fixed -f markdown
orbweaver compare crawl/previous.sqlite crawl`,
	}
	s := addFlags(cmd, option.Compare)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usageError("compare: name two JSON reports or state directories, the older one first")
		}
		c := &compiler{settings: s}
		c.checkWords(option.Compare)
		var show report.Parts
		if c.Given("show") {
			show = read(c, "show", report.ParseParts)
		}
		if len(c.faults) > 0 {
			return usageError("%w", c.faults[0])
		}
		before, err := readReport(cmd, args[0])
		if err != nil {
			return err
		}
		after, err := readReport(cmd, args[1])
		if err != nil {
			return err
		}
		diff := report.Compare(before, after)
		if err := writeComparison(cmd, s, diff, show); err != nil {
			return unsound(err)
		}
		if code := diff.Exit(); code != exitOK {
			return &exitError{code: code}
		}
		return nil
	}
	return cmd
}

func writeComparison(cmd *cobra.Command, s *settings, diff report.Diff, show report.Parts) error {
	out := cmd.OutOrStdout()
	o := reportOptions(&options{color: s.Text("color")}, out)
	switch s.Text("format") {
	case "json":
		return diff.WriteJSON(out, show)
	case "text":
		return diff.WriteText(out, show, o)
	}
	format, err := report.ByName(s.Text("format"))
	if err != nil {
		return err
	}
	o.Baseline = true
	if o.Show = report.ShowAll; show == 0 && format.NewOnly {
		o.Show &^= report.ShowKnown
	}
	m, err := report.Open([]report.Output{{Format: format, File: report.Stdout}}, out, o)
	if err != nil {
		return err
	}
	defer m.Close()
	return diff.Report(show).Write(m)
}
