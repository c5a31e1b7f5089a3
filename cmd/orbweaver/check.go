package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
)

// checkHelp explains targets. Help and the manual page share it.
const checkHelp = `A TARGET is

  https://example.com/   a website, crawled below the start page's directory
  public/                a directory, checked as a site without a server; every document in it is read
  guide/page.html        a document; its links are checked, nothing is crawled
  'docs/**/*.html'       a quoted glob; every document that matches is checked
  -                      a document on standard input

www.example.com means https://www.example.com if no file of that name exists. Write ./name for a file named like a command. Findings are grouped by page, and the last line is a summary.`

const checkExamples = `orbweaver https://example.com/
orbweaver public/ --base-url https://example.com/docs/
orbweaver https://example.com/ --external skip -o report.json -o report.csv
orbweaver page.html --show all -f json
orbweaver bookmarks.html --write-clean clean.html`

func newCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "check TARGET... [flags]",
		Short:   "check the links of websites, built sites and documents",
		Long:    checkHelp,
		Example: checkExamples,
		Args:    cobra.ArbitraryArgs,
	}
	s := addFlags(cmd, option.Check)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o, args, err := readRun(cmd, s, args, option.Check)
		if err != nil {
			return err
		}
		listed := ""
		if strings.HasPrefix(s.Origin("frontier"), "--") {
			listed = frontierText(s)
		}
		if s.Text("server") != "" {
			return checkOnServer(cmd, s, o, args)
		}
		if s.Text("token-file") != "" {
			return usageError("--token-file: it needs --server")
		}
		if s.On("watch") && o.state != "" {
			return usageError("--watch and --state cannot be used together: --watch starts a new run after each change")
		}
		if s.On("watch") && o.ciToken != "" {
			return usageError("--watch and --ci-token-env cannot be used together: an issue is about a run in CI")
		}
		o.given = newCommand(s, args)
		if o.dump {
			return dumpInputs(cmd, o, args)
		}
		if s.On("watch") {
			return watchLinks(cmd, o, args)
		}
		if o.frontier != nil {
			if err := sharedTargets(cmd, o, args); err != nil {
				return err
			}
		}
		asked, note := o.given, newConsole(cmd.ErrOrStderr(), o.progress).notef
		notePassword(listed, note)
		shared, err := newCoordinator(o.frontier, s, asked, note)
		if err != nil {
			return err
		}
		defer shared.close()
		st, err := stateFor(o.state, asked, note)
		if err != nil {
			return err
		}
		defer st.close()
		if shared != nil {
			st.shared = shared
		}
		return checkLinks(cmd, o, args, st)
	}
	return cmd
}

func readRun(cmd *cobra.Command, s *settings, args []string, on option.Commands) (*options, []string, error) {
	if err := loadSettings(s); err != nil {
		return nil, nil, err
	}
	if len(args) == 0 && len(s.List("from")) == 0 && len(s.List("replay")) == 0 { // the configuration can name targets, too
		return nil, nil, usageError("name a target: a URL, a directory, a file, a glob or - for standard input; see `orbweaver --help`")
	}
	if s.Text("frontier") == "env" {
		if s.Set("frontier", frontierVariable, frontierAddress("")); s.Text("frontier") == "" {
			return nil, nil, usageError("--frontier env: %s is not set", frontierVariable)
		}
	}
	for _, message := range misspelledVariables(os.Environ()) {
		fmt.Fprintln(cmd.ErrOrStderr(), "orbweaver: "+printable(message))
	}
	o, err := compile(s, on)
	if err != nil {
		return nil, nil, usageError("%w", err)
	}
	if args, err = openReplay(o, args); err != nil {
		return nil, nil, err
	}
	if o.thread, err = openThread(o, newConsole(cmd.ErrOrStderr(), o.progress).notef); err != nil {
		return nil, nil, usageError("%w", err)
	}
	return o, args, nil
}
