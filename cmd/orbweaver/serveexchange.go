package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
)

// withExchange calls fn with what exports and imports the projects of a data directory.
func withExchange(cmd *cobra.Command, data string, fn func(*service.Exchange, func(url.Values) error) error) error {
	dir, err := dataDir(data)
	if err != nil {
		return err
	}
	note := newConsole(cmd.ErrOrStderr(), "never").notef
	if err := serve.OpenData(dir, note); err != nil {
		return usageError("%w", err)
	}
	if err := serve.WithExchange(dir, version(), &serveEngine{note: note}, note, fn); err != nil {
		return usageError("%w", plainProblem(err))
	}
	return nil
}

// plainProblem returns an error that tells every fault of a problem on a line of its own. Other errors
// stay as they are.
func plainProblem(err error) error {
	var problem *api.Problem
	if !errors.As(err, &problem) || len(problem.Errors) == 0 {
		return err
	}
	var faults strings.Builder
	for _, f := range problem.Errors {
		fmt.Fprintf(&faults, "\n  %s: %s", f.Field, f.Message)
	}
	if problem.More > 0 {
		fmt.Fprintf(&faults, "\n  and %d more", problem.More)
	}
	return fmt.Errorf("%s:%s", api.Plural(len(problem.Errors)+problem.More, "fault"), faults.String())
}

func newServeExportCommand() *cobra.Command {
	var data, format, project string
	cmd := &cobra.Command{Use: "export [--format json|toml] [--project ID]", Short: "print the projects of a server with their marks and views, without secrets", Args: noArguments}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&format, "format", service.ExchangeFormats[0], "`FORMAT`: json or toml")
	cmd.Flags().StringVar(&project, "project", "", "`ID` of the only project")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !slices.Contains(service.ExchangeFormats, format) {
			return usageError("--format: %q is not allowed: use %s", format, strings.Join(service.ExchangeFormats, ", "))
		}
		return withExchange(cmd, data, func(x *service.Exchange, _ func(url.Values) error) error {
			text, err := x.Export(cmd.Context(), project, format)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		})
	}
	return cmd
}

func newServeImportCommand() *cobra.Command {
	var data string
	var try bool
	cmd := &cobra.Command{Use: "import FILE [--try]", Short: "add or change projects by a file that was exported; - reads standard input", Args: cobra.ExactArgs(1)}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&try, "try", false, "only tell what would be done")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in := cmd.InOrStdin()
		if args[0] != "-" {
			file, err := os.Open(args[0])
			if err != nil {
				return usageError("read %s: %w", args[0], withoutPath(err))
			}
			defer file.Close()
			in = file
		}
		text, err := io.ReadAll(io.LimitReader(in, service.MaxImport+1))
		if err != nil {
			return usageError("read %s: %w", args[0], withoutPath(err))
		}
		if len(text) > service.MaxImport {
			return usageError("read %s: it is larger than %d MiB", args[0], service.MaxImport>>20)
		}
		return withExchange(cmd, data, func(x *service.Exchange, checkView func(url.Values) error) error {
			document, err := service.ReadExchange(text)
			var done *api.Imported
			if err == nil {
				done, err = x.Import(audit.With(cmd.Context(), audit.Command), audit.Command.Who, document, try, checkView)
			}
			if err != nil {
				return fmt.Errorf("import %s: nothing was changed: %w", args[0], plainProblem(err))
			}
			for _, one := range []struct {
				what  string
				names []string
			}{{"added", done.Added}, {"changed", done.Changed}, {"same", done.Same}} {
				for _, name := range one.names {
					fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\n", one.what, name)
				}
			}
			return nil
		})
	}
	return cmd
}
