package main

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// guides are the chapters of the documentation, one file each; `help TOPIC` prints them
// unchanged.
//
//go:embed docs/*.md
var guides embed.FS

// topics returns the names of the guides.
func topics() []string {
	files, err := guides.ReadDir("docs")
	if err != nil {
		return nil // cannot happen: the directory is embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".md"))
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "README" })
}

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "help [COMMAND|TOPIC]",
		Short:     "help on a command, or a guide",
		Long:      "Guides: " + strings.Join(topics(), ", ") + ".",
		ValidArgs: topics(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(topics(), args[0]) {
				text, err := guides.ReadFile(path.Join("docs", args[0]+".md"))
				fmt.Fprint(cmd.OutOrStdout(), string(text))
				return err
			}
			named, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				hint := "`orbweaver --help` lists both"
				if near := nearest(strings.Join(args, " "), slices.Concat(topics(), commandNames(cmd))); near != "" {
					hint = "did you mean " + near + "? " + hint
				}
				return usageError("no command or guide named %q; %s", strings.Join(args, " "), hint)
			}
			named.InitDefaultHelpFlag()
			return named.Help()
		},
	}
}
