package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release this source is, or leads to; reports carry it.
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

// versionText is one line: version, commit where the build knows it, and Go.
func versionText() string {
	built := commit()
	if built != "" {
		built = "commit " + built + ", "
	}
	return fmt.Sprintf("orbweaver %s (%s%s %s/%s)\n", version, built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commit is the commit this was built from, where the build knows it.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return commitOf(info.Settings)
	}
	return ""
}

// commitOf reads the commit that the go command stamped on the build.
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

// noArguments refuses arguments, naming the first.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
