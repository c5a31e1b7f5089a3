package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/archiving"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/filelock"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/report"
)

func newArchiveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "archive TARGET... [flags]",
		Short: "check links, and have working pages of other sites archived",
		Long: "Checks like check, and then submits the URL of each external http or https target that is ok to an archive, once, in the order of the URLs. " +
			"URLs without a public host name, and those with a user name, are not submitted. Prints one line for each URL: archived, failed or pending, the URL, and its copy or the reason, separated by tabs; the report of the check is printed to standard error. " +
			"--archived FILE keeps what was submitted, so that the next run asks for copies that were pending, and submits nothing twice. " +
			"Exit status: 0 all URLs are archived or pending, 1 one failed, 2 wrong usage, 3 the archive could not be used, or the check is not reliable.",
		Example: `orbweaver archive https://example.com/ --dry-run
orbweaver archive docs/ --archive-key-file key
orbweaver fix report.json --robust-links --write`,
		Args: cobra.ArbitraryArgs,
	}
	s := addFlags(cmd, option.Archive)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o, args, err := readRun(cmd, s, args, option.Archive)
		if err != nil {
			return err
		}
		o.given = newCommand(s, args)
		return archiveLinks(cmd, o, args)
	}
	return cmd
}

// archiveLinks checks links, and submits those that are ok.
func archiveLinks(cmd *cobra.Command, o *options, args []string) error {
	a, note := o.archive, newConsole(cmd.ErrOrStderr(), o.progress).notef
	known, err := openArchived(a, note)
	if err != nil {
		return usageError("--archived: %w", err)
	}
	if known.File != nil {
		defer known.Close()
	}
	err = checkLinks(cmd, o, args, nil)
	exit, _ := errors.AsType[*exitError](err)
	switch {
	case err != nil && (exit == nil || exit.code == exitUsage || exit.err != nil), a.ended:
		return err
	}
	status := exitOK
	if exit != nil && exit.code == report.ExitUnsound {
		status = report.ExitUnsound
	}
	urls := chooseURLs(a, known, note)
	if a.dryRun {
		for _, u := range urls {
			if _, recent := a.service.Recent(&known.Entries, u); !recent {
				fmt.Fprintln(cmd.OutOrStdout(), printable(u))
			}
		}
	} else {
		code, err := submit(cmd, o, urls, known, note)
		if err != nil {
			return err
		}
		status = max(status, code)
	}
	if status == exitOK {
		return nil
	}
	return &exitError{code: status}
}

// openArchived opens the log, which a dry run only reads.
func openArchived(a *archiveOptions, note func(string, ...any)) (*archiving.Log, error) {
	l := &archiving.Log{}
	if a.dryRun {
		known, err := archiving.ReadLog(a.log)
		if errors.Is(err, os.ErrNotExist) {
			return l, nil
		}
		if err != nil {
			return nil, err
		}
		l.Entries = *known
	} else {
		var err error
		if l, err = archiving.OpenLog(a.log); err != nil {
			return nil, err
		}
		if held, err := filelock.Try(l.File); err != nil || !held {
			l.Close()
			return nil, fmt.Errorf("lock %s: %w", a.log, errors.Join(err, filelock.ErrLocked))
		}
	}
	noteCut(a.log, &l.Entries, note)
	return l, nil
}

func chooseURLs(a *archiveOptions, known *archiving.Log, note func(string, ...any)) []string {
	urls := slices.Sorted(maps.Keys(a.found))
	var wanted []string
	due := 0
	for _, u := range urls {
		if _, recent := a.service.Recent(&known.Entries, u); !recent {
			if due++; due > a.max {
				continue
			}
		}
		wanted = append(wanted, u)
	}
	if due > a.max {
		note("%d URLs are submitted; %d more were left out, because of --archive-max", a.max, due-a.max)
	}
	return wanted
}

// submit submits URLs, prints what becomes of them, and returns the exit status.
func submit(cmd *cobra.Command, o *options, urls []string, log *archiving.Log, note func(string, ...any)) (int, error) {
	a, net := o.archive, o.net
	net.Secrets = fetch.Secrets{} // they stay with the crawl
	web, err := fetch.NewHTTP(net)
	if err != nil {
		return 0, usageError("%w", err)
	}
	defer web.Close()
	a.service.Fetch = web
	stop, ctx, done := interrupts(cmd.Context(), note)
	defer done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	defer func() { cancel(); <-stopped }()
	status, total := exitOK, 0
	run := a.service.Begin(urls, log)
	for r, more := run.Next(ctx); more; r, more = run.Next(ctx) {
		total++
		if r.State == archiving.Failed {
			status = report.ExitFindings
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s\n", r.State, printable(r.URL), printable(r.Text)); err != nil {
			return 0, unsound(fmt.Errorf("write standard output: %w", withoutPath(err)))
		}
	}
	if err := run.Err(); err != nil {
		note("the archive gave no answer about %d of %d URLs: %v", run.Unanswered(), total, err)
		status = report.ExitUnsound
	}
	return status, nil
}
