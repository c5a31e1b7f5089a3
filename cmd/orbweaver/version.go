package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release of this source, or the next one. Reports contain it.
const version = "0.1.0"

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print version, commit and Go version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionText())
			return err
		},
	}
}

// versionText returns one line with the version, the commit if it is known, and the Go
// version.
func versionText() string {
	built := commit()
	if built != "" {
		built = "commit " + built + ", "
	}
	return fmt.Sprintf("orbweaver %s (%s%s %s/%s)\n", version, built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commit returns the commit that this program was built from, or "" if it is not known.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return commitOf(info.Settings)
	}
	return ""
}

// commitOf returns the commit that the go command recorded in the build.
func commitOf(settings []debug.BuildSetting) string {
	var commit, modified string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+modified"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + modified
}

// noArguments returns an error if there are arguments.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
