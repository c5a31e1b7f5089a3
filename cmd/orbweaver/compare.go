package main

import (
	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/report"
)

func newCompareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare OLD NEW [flags]",
		Short: "list new, fixed and still broken links",
		Long:  "Compares the broken links of two JSON reports, or of the crawls in two --state directories. Links are the same if page, target and code are the same, whatever their lines. The exit status is 1 if there is a newly broken link.",
		Example: `orbweaver check public/ -o new.json
orbweaver compare old.json new.json
orbweaver compare crawl/previous.sqlite crawl`,
	}
	s := addFlags(cmd, option.Compare)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usageError("compare: name two JSON reports or state directories, the older one first")
		}
		c := &compiler{settings: s}
		c.checkWords(option.Compare)
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
		out := cmd.OutOrStdout()
		if s.Text("format") == "json" {
			err = diff.WriteJSON(out)
		} else {
			err = diff.WriteText(out, reportOptions(&options{color: s.Text("color")}, out))
		}
		if err != nil {
			return unsound(err)
		}
		if code := diff.Exit(); code != exitOK {
			return &exitError{code: code}
		}
		return nil
	}
	return cmd
}
