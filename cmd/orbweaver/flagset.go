package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
)

// addFlags adds the flags of a command and returns the settings that they fill, with the
// defaults of the rows.
func addFlags(cmd *cobra.Command, on option.Commands) *settings {
	s := &settings{Values: option.AddTo(cmd, on)}
	cmd.SetFlagErrorFunc(flagError)
	return s
}

// flagError explains what is wrong with a flag, and suggests a similar flag.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usageError("--%s: %q is not allowed: %w", bad.GetFlag().Name, bad.GetValue(), bad.Unwrap())
	}
	if bare, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usageError("--%s needs a value: %s", bare.GetFlag().Name, bare.GetFlag().Value.Type())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageError("%w", err)
	}
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		return usageError("unknown flag -%s; `%s --help` lists the flags", unknown.GetSpecifiedName(), cmd.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := nearest(name, known); near != "" {
		return usageError("unknown flag --%s: did you mean --%s?", name, near)
	}
	return usageError("unknown flag --%s; `%s --help` lists the flags", name, cmd.CommandPath())
}
