package main

import (
	"io"

	"github.com/spf13/cobra"
)

var shells = []struct {
	name  string
	write func(root *cobra.Command, w io.Writer) error
}{
	{"bash", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"zsh", func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) }},
	{"fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) }},
}

func newCompletionCommand() *cobra.Command {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a completion script for a shell",
		Example: `source <(orbweaver completion bash)
orbweaver completion zsh > "${fpath[1]}/_orbweaver"
orbweaver completion fish > ~/.config/fish/completions/orbweaver.fish`,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("completion: name one shell: bash, zsh, fish or powershell")
			}
			for _, s := range shells {
				if s.name == args[0] {
					return s.write(newRoot(), cmd.OutOrStdout())
				}
			}
			return usageError("completion: %q is not allowed: %w", args[0], oneOf(args[0], names))
		},
	}
}
