package main

import (
	"errors"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lsp"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// editorMemory is the number of bytes from which on garbage is collected more often. Where more is in use, garbage
// is collected after editorHeadroom bytes.
const editorMemory, editorHeadroom = 160 << 20, 48 << 20

// keepHeadroom adapts the limit to what is in use, such as large texts: garbage would be collected all the time.
func keepHeadroom() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() == metrics.KindUint64 {
		debug.SetMemoryLimit(max(editorMemory, int64(live[0].Value.Uint64())+editorHeadroom))
	}
}

type editorFlags struct {
	stdio        bool
	external     string
	allowPrivate []string
}

func newLSPCommand() *cobra.Command {
	f := &editorFlags{}
	cmd := &cobra.Command{
		Use:   "lsp [flags]",
		Short: "show findings in an editor (Language Server Protocol)",
		Long: "Speaks the Language Server Protocol on standard input and output. An editor starts it, and shows the findings of `orbweaver check .` in each folder of its workspace, for the texts as they are in the editor. " +
			"The flags of check that say what is checked and how it is judged hold for every folder, and orbweaver.toml in it is read. With --external check, links to other sites are requested in the background.",
		Example: `orbweaver lsp
orbweaver lsp --level fragment-missing=warning`,
		Args: noArguments,
	}
	s := addFlags(cmd, option.Editor)
	flags := cmd.Flags()
	flags.BoolVar(&f.stdio, "stdio", false, "use standard input and output, as always")
	flags.StringVar(&f.external, "external", "cache", "`WHAT` tells about links to other sites: cache (what is known of them), check (they are requested in the background) or skip")
	flags.StringArrayVar(&f.allowPrivate, "allow-private", nil, "`CIDR` of private addresses that may be reached (repeatable)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return serveEditor(cmd, s, f) }
	return cmd
}

// serveEditor serves until the editor ends it, or a signal arrives.
func serveEditor(cmd *cobra.Command, s *settings, f *editorFlags) error {
	e, err := newEditorEngine(cmd, s, f)
	if err != nil {
		return usageError("%w", err)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), endingSignals()...)
	defer stop()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(editorMemory))
	server := lsp.New(e, lsp.Config{Version: version(), Note: e.note})
	if err := server.Serve(ctx, cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
		return &exitError{code: 1, err: err}
	}
	return nil
}

// newEditorEngine compiles the flags, so that what is wrong with them is said before anything is read.
func newEditorEngine(cmd *cobra.Command, s *settings, f *editorFlags) (*editorEngine, error) {
	e := &editorEngine{base: s, note: newConsole(cmd.ErrOrStderr(), "never").notef, maxDocuments: maxDocuments}
	var faults flagFaults
	e.external = editorExternal{word: f.external, given: cmd.Flags().Changed("external")}
	if _, known := externalWords[f.external]; !known {
		faults.refuse("external", f.external, errors.New("use cache, check or skip"))
	}
	e.external.allowPrivate = faults.networks("allow-private", f.allowPrivate)
	faults.add(applyEnv(s, os.LookupEnv))
	faults.add(settleFiles(s, option.Editor))
	var err error
	if e.external.cache = s.Text("cache"); e.external.cache == "" {
		e.external.cache, err = editorCache()
		faults.add(err)
	}
	if err := faults.join(); err != nil {
		return nil, err
	}
	o, err := compile(e.flags(), option.Check)
	if err != nil {
		return nil, err
	}
	e.external.gates = fetch.NewGates(math.MaxInt, interval(o))
	return e, nil
}
