// Command orbweaver checks the links of websites, of sites built into a
// directory, and of single documents.
//
// The code reads from here: main builds the command tree, flags.go is the table
// of flags, options.go turns them into values, targets.go finds out what the user
// pointed at, wire.go puts engine and reports together, and run.go runs them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

func main() {
	log.SetOutput(io.Discard) // net/http reports servers' slips there; what matters of them is in the results
	os.Exit(run(os.Args[1:]))
}

// run executes one command line and returns the exit status.
func run(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return exitOK
	}
	code := exitUsage // what cobra itself objects to is wrong usage
	var exit *exitError
	if errors.As(err, &exit) {
		code, err = exit.code, exit.err
	}
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(root.ErrOrStderr(), "orbweaver: "+line)
		}
	}
	return code
}

// newRoot builds the command tree. The root itself behaves as check, so that
// "check" may be left out; a file named like a command is written ./name.
func newRoot() *cobra.Command {
	root := newCheckCommand()
	root.Use = "orbweaver [check] TARGET... [flags]"
	root.Short = "check the links of websites, built sites and documents"
	root.CompletionOptions.DisableDefaultCmd = true
	cobra.EnableCommandSorting = false // the order below is by use
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Flags().BoolP("version", "V", false, "print the version")
	root.Version = version
	root.SetVersionTemplate(versionText())
	root.SetHelpFunc(help)
	root.SetUsageFunc(func(cmd *cobra.Command) error { help(cmd, nil); return nil })
	root.AddCommand(
		newCheckCommand(),
		newResumeCommand(),
		newExtractCommand(),
		newURICommand(),
		newExplainCommand(),
		newReportCommand(),
		newCompareCommand(),
		newHistoryCommand(),
		newFixCommand(),
		newInitCommand(),
		newCompletionCommand(),
		newManCommand(),
		newVersionCommand(),
	)
	root.SetHelpCommand(newHelpCommand())
	for _, cmd := range root.Commands() {
		cmd.DisableFlagsInUseLine = true
	}
	return root
}
