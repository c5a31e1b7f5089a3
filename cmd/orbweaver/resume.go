package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/report"
)

func newResumeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume --state DIR [flags]",
		Short: "resume an interrupted crawl",
		Long: "Resumes the crawl that `orbweaver check TARGET... --state DIR` started, however it ended, and ends with the report that an uninterrupted run would give. " +
			"Finished targets are not requested again. The crawl keeps the targets and flags that it was started with; the flags below may be given new values. Passwords and headers are never stored: give --user and --header again.",
		Example: `orbweaver check https://example.com/ --state crawl
orbweaver resume --state crawl
orbweaver resume --state crawl --rate 2/s -o report.json`,
		Args: cobra.MaximumNArgs(1),
	}
	s := addFlags(cmd, option.Resume)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && s.Text("state") == "" {
			s.Set("state", "", args[0])
			s.Line = append(s.Line, option.Given{Name: "state", Text: args[0]})
		} else if len(args) == 1 || s.Text("state") == "" {
			return usageError("resume: name the directory of the crawl: orbweaver resume --state DIR")
		}
		return resume(cmd, s)
	}
	return cmd
}

// resume runs check with the command that the crawl was started with.
func resume(cmd *cobra.Command, session *settings) error {
	if _, ok := stateOf(session.Text("state")); !ok {
		return errNoCrawl(session.Text("state"))
	}
	note := newConsole(cmd.ErrOrStderr(), session.Text("progress")).notef
	st, err := lockState(session.Text("state"))
	if err != nil {
		return err
	}
	defer st.close()
	err = st.open()
	switch {
	case err != nil && unusable(err):
		return usageError("%w\n%s", err, unusableHint(err, session.Text("state")))
	case err != nil:
		return unsound(err)
	case st.command == nil:
		return errNoCrawl(session.Text("state"))
	case st.standing.Finished:
		return errFinished(session.Text("state"))
	}
	if address := os.Getenv(frontierVariable); address != "" && !session.Given("frontier") && st.command.shared() {
		session.Line = append(session.Line, option.Given{Name: "frontier", Text: address})
	}
	notePassword(frontierText(session), note)
	line, err := absoluteFiles(session.Line)
	if err != nil {
		return err
	}
	return st.command.inDirectory(func() error {
		o, asked, err := st.command.options(line)
		if err != nil {
			return err
		}
		settings, err := st.command.settings(line)
		if err != nil {
			return err
		}
		shared, err := newCoordinator(o.frontier, settings, asked, note)
		if err != nil {
			return err
		}
		defer shared.close()
		if shared != nil {
			st.shared = shared
		}
		st.asked = asked
		if err := st.prepare(note); err != nil {
			return err
		}
		return checkLinks(cmd, o, st.command.Targets, st)
	})
}

// absoluteFiles makes file names in flags absolute, because the command runs in the directory
// in which the crawl was started.
func absoluteFiles(line []option.Given) ([]option.Given, error) {
	files := map[string]bool{}
	for _, f := range option.Of(option.Resume) {
		files[f.Name] = f.File
	}
	out := make([]option.Given, len(line))
	for i, f := range line {
		if out[i] = f; !files[f.Name] || f.Text == "" || f.Text == report.Stdout {
			continue
		}
		prefix, name := "", f.Text
		if f.Name == "output" {
			if format, rest, found := strings.Cut(f.Text, ":"); found {
				if _, err := report.ByName(format); err == nil {
					prefix, name = format+":", rest
				}
			}
		}
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, usageError("--%s: %w", f.Name, err)
		}
		out[i].Text = prefix + abs
	}
	return out, nil
}
