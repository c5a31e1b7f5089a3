package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// release is the version of a release, without the "v" of its tag. The linker sets it:
// go build -ldflags "-X main.release=1.2.3".
var release string

// version returns the version of this program, such as 1.2.3. Reports contain it.
var version = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(release, info)
})

// versionOf returns the version of a build: that of its release; else that of the module,
// which go install gets from the tag, and go build from the commit; else "devel".
func versionOf(release string, info *debug.BuildInfo) string {
	switch {
	case release != "":
		return release
	case info == nil || info.Main.Version == "" || info.Main.Version == "(devel)":
		return "devel"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

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
	return fmt.Sprintf("orbweaver %s (%s%s %s/%s)\n", version(), built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
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

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// edition identifies this build, because another one may read pages differently.
func edition() string { return version() + " " + commit() }
