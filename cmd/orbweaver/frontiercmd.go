package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/store"
)

var frontierCommands = []struct {
	name, short, long string
}{
	{"status", "show the progress of a shared crawl and its workers", "Reads the crawl from the server. It changes nothing."},
	{"pause", "give out no more targets, until resume", "What is in flight is finished. The coordinator and the workers wait, also across restarts. --max-time goes on counting."},
	{"resume", "end a pause, or take back a drain that is not over", "Targets are given out again."},
	{"drain", "let the workers finish what they hold and exit", "No target is given out any more. The coordinator writes the partial report. `orbweaver resume --state DIR` continues the crawl later."},
	{"delete", "delete the crawl from the server", "Deletes all keys of the crawl and nothing else. State directories are not touched. While a coordinator or a worker is at work, --force is needed; those processes then exit with 3."},
}

func newFrontierCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "frontier status|pause|resume|drain|delete",
		Short: "look at a crawl of several machines, pause it, end it or delete it",
		Long:  "The address is that of `orbweaver check --frontier`; without one, ORBWEAVER_FRONTIER is used. Quote it: some shells expand the question mark. Exit status: 0 done, 2 wrong usage, a refused server or no such crawl, 3 the server cannot be reached.",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			help(cmd, cmd.OutOrStdout())
			if len(args) > 0 {
				return usageError("frontier: there is no command %q: use status, pause, resume, drain or delete", args[0])
			}
			return usageError("frontier: use status, pause, resume, drain or delete")
		},
	}
	for _, c := range frontierCommands {
		sub := &cobra.Command{
			Use:     c.name + " ADDRESS... [flags]",
			Short:   c.short,
			Long:    c.long,
			Example: fmt.Sprintf("orbweaver frontier %s 'redis://localhost:6379/0?crawl=docs'", c.name),
			Args:    cobra.ArbitraryArgs,
		}
		s := addFlags(sub, option.Frontier)
		sub.RunE = func(cmd *cobra.Command, args []string) error { return controlFrontier(cmd, s, c.name, args) }
		cmd.AddCommand(sub)
	}
	return cmd
}

// frontierAddress returns the address of a command: the one that is given, or that of the
// environment.
func frontierAddress(given string) string {
	if given != "" {
		return given
	}
	return os.Getenv(frontierVariable)
}

// controlFrontier runs a command about a shared crawl.
func controlFrontier(cmd *cobra.Command, s *settings, what string, args []string) error {
	given := strings.Join(args, " ")
	if s.Set("frontier", "the address", frontierAddress(given)); s.Text("frontier") == "" {
		return usageError("frontier %s: name the crawl: orbweaver frontier %s 'redis://HOST:6379/0?crawl=NAME', or set %s", what, what, frontierVariable)
	}
	if s.On("force") && what != "delete" {
		return usageError("frontier %s: --force is for delete", what)
	}
	c := &compiler{settings: s}
	c.checkWords(option.Frontier)
	o := &frontierOptions{}
	o.read(c)
	if err := errors.Join(c.faults...); err != nil {
		return usageError("%w", err)
	}
	note := newConsole(cmd.ErrOrStderr(), "never").notef
	notePassword(given, note)
	f := o.open(nil)
	defer f.Close()
	if _, err := checkServer(f, func(string, ...any) {}); err != nil {
		return frontierError(err)
	}
	if what == "delete" {
		return deleteFrontier(cmd, s, f, note)
	}
	if what != "status" {
		before, exists, err := f.Change(noContext, what)
		if err != nil {
			return frontierError(err)
		}
		if !exists {
			return errNoSharedCrawl(f)
		}
		if text := stateText(what, before, f.Address().Crawl); s.Text("format") == "text" {
			fmt.Fprintln(cmd.OutOrStdout(), text)
			return nil
		}
	}
	status, err := f.Status(noContext)
	if err != nil {
		return frontierError(err)
	}
	if status == nil {
		return errNoSharedCrawl(f)
	}
	if s.Text("format") == "text" {
		fmt.Fprint(cmd.OutOrStdout(), status.Text())
		return nil
	}
	text, err := status.JSON()
	if err != nil {
		return unsound(err)
	}
	_, err = cmd.OutOrStdout().Write(text)
	return err
}

func errNoSharedCrawl(f *store.Shared) error {
	return usageError("%s: there is no crawl %s", f, f.Address().Crawl)
}

// stateText says what a command has changed. before is the state before it.
func stateText(what, before, crawl string) string {
	text := map[string]string{"pause": "paused: no target is given out until `orbweaver frontier resume`", "resume": "running", "drain": "draining: workers finish what they hold and exit"}[what]
	switch {
	case before == "done":
		text = "done: there is nothing to change"
	case what == "resume" && before == "drained":
		text = "drained: `orbweaver resume --state DIR` continues it"
	case what == "drain" && before == "drained":
		text = "drained already"
	case what == "pause" && before == "drained":
		text = "drained: no target is given out in any case"
	}
	return "crawl " + crawl + ": " + text
}

func deleteFrontier(cmd *cobra.Command, s *settings, f *store.Shared, note func(string, ...any)) error {
	removed, alive, err := f.Delete(noContext, s.On("force"))
	if err != nil {
		return frontierError(err)
	}
	if len(alive) > 0 {
		return usageError("the crawl %s is at work: %s; --force deletes it nevertheless", f.Address().Crawl, strings.Join(alive, ", "))
	}
	if removed == 0 {
		note("%s: there is no crawl %s", f, f.Address().Crawl)
	}
	if s.Text("format") == "json" {
		text, err := json.Marshal(struct {
			Crawl   string `json:"crawl"`
			Deleted int64  `json:"deleted"`
		}{f.Address().Crawl, removed})
		if err != nil {
			return unsound(err)
		}
		fmt.Fprintln(cmd.OutOrStdout(), string(text))
		return nil
	}
	if removed > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "crawl %s: deleted %d keys\n", f.Address().Crawl, removed)
	}
	return nil
}
