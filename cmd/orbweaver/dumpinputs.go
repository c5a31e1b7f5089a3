package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/crawler/rules"
)

// dumpInputs prints what a run would read first, one per line: start pages by their URLs, and
// documents as reports print them. It sends no request.
func dumpInputs(cmd *cobra.Command, o *options, args []string) error {
	reader := &targetReader{stdin: cmd.InOrStdin(), note: newConsole(cmd.ErrOrStderr(), "never").notef, types: o.crawl.Reading.Types, preprocess: o.preprocess, commands: commandNames(cmd)}
	p, err := planRun(cmd.Context(), o, args, reader)
	if err != nil {
		return err
	}
	defer p.close()
	w := bufio.NewWriter(cmd.OutOrStdout())
	printer := rules.NewPrinter(p.sites, p.workingDir)
	o.crawl.Sites = p.sites
	scope := rules.NewScope(o.crawl.WithDefaults(), p.seeds, printer)
	for i := range p.seeds {
		if u := rules.HrefOf(p.seeds[i].URL); scope.Excluded(u) != nil || !p.seeds[i].Named && scope.Unfollowed(u) {
			continue
		}
		name := printer.URL(p.seeds[i].URL)
		if p.seeds[i].Raw == "-" {
			name = "-"
		}
		fmt.Fprintln(w, printable(name))
	}
	if err := w.Flush(); err != nil {
		return unsound(fmt.Errorf("write standard output: %w", withoutPath(err)))
	}
	return nil
}
