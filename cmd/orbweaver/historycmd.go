package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// historySchema is the value of "schema" in a history as JSON.
const historySchema = "orbweaver.history/1"

// deadAfter is the default of --fail-after: the number of consecutive runs after which a
// broken target is dead.
const deadAfter = 3

func newHistoryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history [flags]",
		Short: "list the targets that were broken in earlier runs, and for how long",
		Long: "Reads what `check` records with --cache, --history or --state. A target is dead if it was broken in N consecutive runs (--fail-after), flaky if it was fixed and then broken again, " +
			"fixed if it is ok now, and new otherwise. Fixed targets are forgotten after 90 days.",
		Example: `orbweaver check public/ --history links.db --fail-after 3
orbweaver history --history links.db
orbweaver history --state crawl`,
	}
	s := addFlags(cmd, option.History)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := noArguments(cmd, args); err != nil {
			return err
		}
		c := &compiler{settings: s}
		c.checkWords(option.History)
		after := deadAfter
		if s.Given("fail-after") {
			after = read(c, "fail-after", atLeast(1))
		}
		if err := errors.Join(c.faults...); err != nil {
			return usageError("%w", err)
		}
		file := cmp.Or(s.Text("history"), s.Text("cache"))
		if file == "" && s.Text("state") != "" {
			file = filepath.Join(s.Text("state"), cacheFile)
		}
		if file == "" {
			return usageError("history: name the file with --history or --cache, or the directory with --state")
		}
		list, err := readHistory(file, after, newConsole(cmd.ErrOrStderr(), "never").notef)
		if err != nil {
			return usageError("%w", err)
		}
		if s.Text("format") == "json" {
			err = list.writeJSON(cmd.OutOrStdout())
		} else {
			err = list.writeText(cmd.OutOrStdout())
		}
		if err != nil {
			return unsound(err)
		}
		return nil
	}
	return cmd
}

// history is the list of targets, worst first.
type history struct {
	Schema  string       `json:"schema"`
	Runs    int          `json:"runs"`
	Targets []historyRow `json:"targets"`
}

type historyRow struct {
	URL     string      `json:"url"`
	State   store.State `json:"state"`
	Code    check.Code  `json:"code"`
	Runs    int         `json:"broken_runs"` // consecutive
	Broken  int         `json:"runs_broken"` // of runs_told
	Told    int         `json:"runs_told"`
	Returns int         `json:"returns"`
	First   time.Time   `json:"first_seen"`
	Last    time.Time   `json:"last_seen"`
	Since   time.Time   `json:"broken_since,omitzero"`
	OK      time.Time   `json:"last_ok,omitzero"`
}

// stateOrder is the order in which states are listed.
var stateOrder = []store.State{store.StateDead, store.StateFlaky, store.StateNew, store.StateFixed}

func readHistory(file string, after int, note func(string, ...any)) (*history, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("read the history in %s: %w", file, withoutPath(err))
	}
	c, err := store.OpenCache(file, store.CacheOptions{Refuse: true})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for _, remark := range c.Notes() {
		note("%s", remark)
	}
	pasts, runs, err := c.Histories()
	if err != nil {
		return nil, err
	}
	h := &history{Schema: historySchema, Runs: runs, Targets: []historyRow{}}
	for _, p := range pasts {
		row := historyRow{URL: p.URL, State: p.State(after), Code: p.Code, Runs: p.Runs, Broken: p.Broken, Told: p.Checked, Returns: p.Returns,
			First: p.First, Last: p.Last, OK: p.OK}
		if p.Runs > 0 {
			row.Since = p.Since
		}
		h.Targets = append(h.Targets, row)
	}
	slices.SortFunc(h.Targets, func(a, b historyRow) int {
		return cmp.Or(cmp.Compare(slices.Index(stateOrder, a.State), slices.Index(stateOrder, b.State)), cmp.Compare(a.URL, b.URL))
	})
	return h, nil
}

func (h *history) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(h)
}

// writeText lists targets as text:
//
//	state  code      in a row  broken in  first seen  last seen   target
//	dead   http-404  5         5 of 5     2026-01-02  2026-01-06  https://example.com/gone
func (h *history) writeText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	counts := map[store.State]int{}
	if len(h.Targets) > 0 {
		fmt.Fprintln(w, "state\tcode\tin a row\tbroken in\tfirst seen\tlast seen\ttarget")
	}
	for _, t := range h.Targets {
		counts[t.State]++
		fmt.Fprintf(w, "%s\t%s\t%d\t%d of %d\t%s\t%s\t%s\n", t.State, printable(string(t.Code)), t.Runs, t.Broken, t.Told,
			t.First.Local().Format(time.DateOnly), t.Last.Local().Format(time.DateOnly), printable(t.URL))
	}
	var parts []string
	for _, state := range stateOrder {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	if parts == nil {
		parts = []string{"nothing broken"}
	} else {
		fmt.Fprintln(w)
	}
	runs := "runs"
	if h.Runs == 1 {
		runs = "run"
	}
	fmt.Fprintf(w, "%s · %d %s\n", strings.Join(parts, ", "), h.Runs, runs)
	return w.Flush()
}
