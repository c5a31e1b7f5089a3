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
	"path"
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
	root := newRoot(args...)
	if err := rejectFilesAsFlags(args); err != nil {
		return exitCode(err, root.ErrOrStderr())
	}
	root.SetArgs(args)
	return exitCode(root.ExecuteContext(context.Background()), root.ErrOrStderr())
}

// completes reports whether a shell asks for completions.
func completes(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// rejectFilesAsFlags returns an error if an argument may be a flag or the name of a file: a
// shell or a hook that passes all files of a directory passes what a stranger has called
// --config=x.md, too. Nobody passes files to a server for an editor or an agent, and a file in the workspace must not
// keep it from starting.
func rejectFilesAsFlags(args []string) error {
	if len(args) == 0 || slices.Contains(args, "--") || completes(args) || args[0] == "lsp" || args[0] == "mcp" {
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

// subcommand is a command that is built when it is called: the flags of all take a while.
type subcommand struct {
	name  string
	build func() *cobra.Command
}

// commands returns all commands but help, in the order in which they are listed.
func commands() []subcommand {
	return []subcommand{
		{"check", newCheckCommand},
		{"resume", newResumeCommand},
		{"worker", newWorkerCommand},
		{"frontier", newFrontierCommand},
		{"extract", newExtractCommand},
		{"login", newLoginCommand},
		{"uri", newURICommand},
		{"explain", newExplainCommand},
		{"report", newReportCommand},
		{"compare", newCompareCommand},
		{"history", newHistoryCommand},
		{"fix", newFixCommand},
		{"archive", newArchiveCommand},
		{"serve", newServeCommand},
		{"lsp", newLSPCommand},
		{"mcp", newMCPCommand},
		{"init", newInitCommand},
		{"completion", newCompletionCommand},
		{"man", newManCommand},
		{"version", newVersionCommand},
	}
}

// newRoot builds the command tree. With arguments, unless a shell asks for completions, commands
// that are not among them are names alone. The root itself acts as check, so that "check" may be omitted.
// A file named like a command is written ./name.
func newRoot(args ...string) *cobra.Command {
	root := newCheckCommand()
	root.Use = "orbweaver [check] TARGET... [flags]"
	root.Short = "check the links of websites, built sites and documents"
	root.CompletionOptions.DisableDefaultCmd = true
	cobra.EnableCommandSorting = false
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Flags().BoolP("version", "V", false, "print the version")
	root.Version = version()
	root.SetVersionTemplate(versionText())
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		if cmd == root {
			cmd = newRoot() // with what it says of each command
		}
		help(cmd, out)
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error { return cmd.Help() })
	all := len(args) == 0 || completes(args)
	for _, c := range commands() {
		if all || slices.Contains(args, c.name) {
			root.AddCommand(c.build())
		} else {
			root.AddCommand(&cobra.Command{Use: c.name})
		}
	}
	root.SetHelpCommand(newHelpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultHelpFlag()
	for _, cmd := range root.Commands() {
		cmd.DisableFlagsInUseLine = true
	}
	return root
}

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "help [COMMAND|TOPIC]",
		Short:     "help on a command, or a guide",
		Long:      "Guides: " + strings.Join(topics(), ", ") + ".",
		ValidArgs: topics(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(topics(), args[0]) {
				text, err := guides.ReadFile(path.Join("docs", args[0]+".md"))
				fmt.Fprint(cmd.OutOrStdout(), string(text))
				return err
			}
			named, rest, err := newRoot().Find(args)
			if err != nil || len(rest) > 0 {
				hint := "`orbweaver --help` lists both"
				if near := nearest(strings.Join(args, " "), slices.Concat(topics(), commandNames(cmd))); near != "" {
					hint = "did you mean " + near + "? " + hint
				}
				return usageError("no command or guide named %q; %s", strings.Join(args, " "), hint)
			}
			named.InitDefaultHelpFlag()
			help(named, cmd.OutOrStdout())
			return nil
		},
	}
}
