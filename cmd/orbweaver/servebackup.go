package main

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/backup"
)

func newServeBackupCommand() *cobra.Command {
	var data string
	var o backup.Options
	cmd := &cobra.Command{Use: "backup FILE [--without-runs] [--force]", Short: "write the data of a server to one file, also while the server works", Args: cobra.ExactArgs(1)}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&o.WithoutRuns, "without-runs", false, "leave out the states and findings of runs")
	cmd.Flags().BoolVar(&o.Force, "force", false, "replace FILE")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir, err := dataDir(data)
		if err != nil {
			return err
		}
		err = backup.Write(cmd.Context(), dir, args[0], o)
		if errors.Is(err, fs.ErrExist) {
			return usageError("%s exists: --force replaces it", args[0])
		}
		if err != nil {
			return usageError("%w", err)
		}
		return withAccounts(cmd, data, "backup", args[0], nil, func(*auth.Store) error { return nil })
	}
	return cmd
}

func newServeRestoreCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{Use: "restore FILE", Short: "unpack a backup into an empty or new data directory", Args: cobra.ExactArgs(1)}
	dataFlag(cmd, &data)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir, err := dataDir(data)
		if err != nil {
			return err
		}
		if err := backup.Restore(args[0], dir); err != nil {
			return usageError("%w", err)
		}
		return nil
	}
	return cmd
}
