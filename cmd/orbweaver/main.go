// Command orbweaver checks the links of websites, of sites built into a directory, and of
// single documents. Start reading at newRoot, which builds the command tree. Package option has
// the table of flags, options.go turns the flags into values, targets.go determines what
// the targets are, plan.go turns them into seeds, and run.go runs the crawl, which
// wire.go configures.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func main() {
	log.SetOutput(io.Discard) // net/http logs errors of servers; the results have those that matter
	os.Exit(run(os.Args[1:]))
}

// run executes one command line and returns the exit status.
func run(args []string) int {
	root := newRoot()
	if err := rejectFilesAsFlags(args); err != nil {
		return exitCode(err, root.ErrOrStderr())
	}
	root.SetArgs(args)
	return exitCode(root.ExecuteContext(context.Background()), root.ErrOrStderr())
}

// rejectFilesAsFlags returns an error if an argument may be a flag or the name of a file: a
// shell or a hook that passes all files of a directory passes what a stranger has called
// --config=x.md, too. Nobody passes files to a server for an editor or an agent, and a file in the workspace must not
// keep it from starting.
func rejectFilesAsFlags(args []string) error {
	if len(args) == 0 || slices.Contains(args, "--") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) || args[0] == "lsp" || args[0] == "mcp" {
		return nil
	}
	for _, arg := range args {
		if len(arg) < 2 || arg[0] != '-' {
			continue
		}
		if _, err := os.Lstat(arg); err == nil {
			return usageError("%q is a flag and the name of a file: write the names of files behind --, as in `orbweaver check [flags] -- FILE...`", arg)
		}
	}
	return nil
}

// exitCode returns the exit status for the error of a command, and prints the error.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	code := exitUsage // cobra's own errors are usage errors
	if exit, ok := errors.AsType[*exitError](err); ok {
		code, err = exit.code, exit.err
	}
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(stderr, "orbweaver: "+line)
		}
	}
	return code
}

// newRoot builds the command tree. The root itself acts as check, so that "check" may be
// omitted. A file named like a command is written ./name.
func newRoot() *cobra.Command {
	root := newCheckCommand()
	root.Use = "orbweaver [check] TARGET... [flags]"
	root.Short = "check the links of websites, built sites and documents"
	root.CompletionOptions.DisableDefaultCmd = true
	cobra.EnableCommandSorting = false // commands are listed in the order below
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Flags().BoolP("version", "V", false, "print the version")
	root.Version = version()
	root.SetVersionTemplate(versionText())
	root.SetHelpFunc(help)
	root.SetUsageFunc(func(cmd *cobra.Command) error { help(cmd, nil); return nil })
	root.AddCommand(
		newCheckCommand(),
		newResumeCommand(),
		newWorkerCommand(),
		newFrontierCommand(),
		newExtractCommand(),
		newLoginCommand(),
		newURICommand(),
		newExplainCommand(),
		newReportCommand(),
		newCompareCommand(),
		newHistoryCommand(),
		newFixCommand(),
		newArchiveCommand(),
		newServeCommand(),
		newLSPCommand(),
		newMCPCommand(),
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
