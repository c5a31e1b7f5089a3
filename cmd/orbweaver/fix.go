package main

import (
	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/report"
)

func newFixCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fix REPORT.json [flags]",
		Short: "write proposed edits as a patch, or make them with --write",
		Long:  "Reads a JSON report and prints a patch for git apply. The patch edits the local files that the report names: it replaces links that were permanently redirected by their new address, and broken links by their only close suggestion, if it is certain; --fix-level likely also takes one that may be wrong. Edits of text that has changed since the run are left out and reported, and the exit status is then 1. Run the command in the directory in which the report was made: paths in the report are relative to it.",
		Example: `orbweaver check docs/ -o report.json
orbweaver fix report.json | git apply
orbweaver fix report.json --write
orbweaver fix report.json --fix-level likely
orbweaver fix report.json --robust-links --write`,
	}
	s := addFlags(cmd, option.Fix)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError("fix: name one JSON report")
		}
		saved, err := readReport(cmd, args[0])
		if err != nil {
			return err
		}
		c := &compiler{settings: s}
		level := read(c, "fix-level", fix.ParseLevel)
		if len(c.faults) > 0 {
			return usageError("%w", c.faults[0])
		}
		note := newConsole(cmd.ErrOrStderr(), "never").notef
		copies, err := readCopies(c, note)
		if err != nil {
			return usageError("%w", err)
		}
		e := &fixer{copies: copies, level: level, write: s.On("write"), list: true, note: note}
		for _, r := range saved.Results {
			e.add(r)
		}
		plan, err := e.apply(cmd.OutOrStdout())
		if err != nil {
			return unsound(err)
		}
		if plan.Incomplete() {
			return &exitError{code: report.ExitFindings}
		}
		return nil
	}
	return cmd
}
