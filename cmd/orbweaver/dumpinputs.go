package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"
)

// dumpInputs prints what a run would read first, one per line: start pages by their URLs, and
// documents as reports print them. It sends no request.
func dumpInputs(cmd *cobra.Command, o *options, args []string) error {
	reader := &targetReader{stdin: cmd.InOrStdin(), note: newConsole(cmd.ErrOrStderr(), "never").notef, types: o.crawl.Reading.Types, preprocess: o.preprocess, noIgnore: o.noIgnore, commands: commandNames(cmd)}
	p, err := planRun(cmd.Context(), o, args, reader)
	if err != nil {
		return err
	}
	defer p.close()
	w := bufio.NewWriter(cmd.OutOrStdout())
	p.place(&o.crawl)
	for _, name := range o.crawl.Inputs(p.seeds) {
		fmt.Fprintln(w, printable(name))
	}
	if err := w.Flush(); err != nil {
		return unsound(fmt.Errorf("write standard output: %w", withoutPath(err)))
	}
	return nil
}
