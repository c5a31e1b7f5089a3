package main

import (
	"errors"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/mcp"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// mcpMemory is the number of bytes from which on garbage is collected more often.
const mcpMemory = 200 << 20

type agentFlags struct {
	roots, allowPrivate []string
	budget, callBudget  string
	write               bool
}

func newMCPCommand() *cobra.Command {
	f := &agentFlags{}
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "offer checks as tools to an agent (Model Context Protocol)",
		Long: "Speaks the Model Context Protocol on standard input and output, one JSON message a line. The tools check sites and files, list and explain findings, verify URLs, and propose edits. " +
			"Files are opened only below --root. Private addresses are denied unless --allow-private names them. " +
			"The flags of check that say what is checked and how it is judged hold for every run. The end of standard input ends the program.",
		Example: `orbweaver mcp
orbweaver mcp --root docs --write
orbweaver mcp --allow-private 127.0.0.0/8 --budget 5000`,
		Args: noArguments,
	}
	s := addFlags(cmd, option.Agent)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.roots, "root", nil, "`DIR` below which files may be read; relative paths are those in the first one (repeatable)")
	flags.BoolVar(&f.write, "write", false, "offer to make edits in files below a root")
	flags.StringArrayVar(&f.allowPrivate, "allow-private", nil, "`CIDR` of private addresses that runs may reach (repeatable)")
	flags.StringVar(&f.budget, "budget", "1000", "number `N` of requests that the process may send")
	flags.StringVar(&f.callBudget, "call-budget", "200", "number `N` of requests that one call may send")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return serveAgent(cmd, s, f) }
	return cmd
}

// serveAgent serves until the input ends or a signal arrives.
func serveAgent(cmd *cobra.Command, s *settings, f *agentFlags) error {
	config := mcp.Config{Version: version(), Write: f.write}
	e, err := newAgentEngine(cmd, s, f, &config)
	if err != nil {
		return usageError("%w", err)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), endingSignals()...)
	defer stop()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(mcpMemory))
	if err := mcp.New(e, config).Serve(ctx, cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
		return unsound(err)
	}
	return nil
}

// newAgentEngine compiles the flags, so that what is wrong with them is said before anything is read.
// The first root becomes the working directory: a run below it is one of `orbweaver check` there.
func newAgentEngine(cmd *cobra.Command, s *settings, f *agentFlags, config *mcp.Config) (*agentEngine, error) {
	e := &agentEngine{base: s, note: newConsole(cmd.ErrOrStderr(), "never").notef}
	var faults flagFaults
	e.allowPrivate = faults.networks("allow-private", f.allowPrivate)
	budget, err := parseCount(f.budget, 1)
	faults.refuse("budget", f.budget, err)
	config.CallBudget, err = parseCount(f.callBudget, 1)
	faults.refuse("call-budget", f.callBudget, err)
	for _, dir := range f.roots {
		root, err := openedDirectory(dir)
		faults.refuse("root", dir, withoutPath(err))
		e.roots = append(e.roots, root)
	}
	faults.add(applyEnv(s, os.LookupEnv))
	faults.add(e.settle())
	if err := faults.join(); err != nil {
		return nil, err
	}
	o, err := e.options(&agentAsked{})
	if err != nil {
		return nil, err
	}
	e.gates = fetch.NewGates(budget, interval(o))
	if len(e.roots) > 0 {
		err = os.Chdir(e.roots[0])
	}
	return e, err
}

// openedDirectory returns the absolute name of a directory, without symbolic links.
func openedDirectory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", errors.Join(err, errors.New("it is not a directory"))
	}
	return abs, nil
}

// settle makes the names of files in the flags absolute, since the working directory changes, and
// notes the bounds of the options.
func (e *agentEngine) settle() error {
	s := e.base
	if err := settleFiles(s, option.Agent); err != nil {
		return err
	}
	e.maxPages, e.maxTime = agentPages, agentTime
	if s.Given("max-pages") {
		if n, err := parseCount(s.Text("max-pages"), 0); err == nil { // compile reports the error
			if e.maxPages = n; n == 0 {
				e.maxPages = math.MaxInt
			}
		}
	}
	if s.Given("max-time") {
		if d, err := quantity.ParseDuration(s.Text("max-time")); err == nil {
			e.maxTime = d
		}
	}
	return nil
}

// settleFiles makes the names of files in the flags of a command absolute, because its working
// directory changes.
func settleFiles(s *settings, on option.Commands) error {
	for _, flag := range option.Of(on) {
		if !flag.File || !s.Given(flag.Name) {
			continue
		}
		names := append([]string{}, s.List(flag.Name)...)
		for i, name := range names {
			if name == "" || name == "-" {
				continue
			}
			abs, err := filepath.Abs(name)
			if err != nil {
				return err
			}
			names[i] = abs
		}
		s.Set(flag.Name, s.Origin(flag.Name), names...)
	}
	return nil
}
