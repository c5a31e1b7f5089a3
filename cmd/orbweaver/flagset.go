package main

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler/fetch"
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

// flagFaults are what is wrong with the flags of a command that have no row in the table.
type flagFaults []error

// add adds an error, unless it is nil.
func (f *flagFaults) add(err error) { *f = append(*f, err) }

// refuse adds what is wrong with the value of a flag, unless that is nil.
func (f *flagFaults) refuse(flag, text string, err error) {
	if err != nil {
		f.add(fmt.Errorf("--%s: %q is not allowed: %w", flag, text, err))
	}
}

// networks parses the values of a flag.
func (f *flagFaults) networks(flag string, texts []string) (all []netip.Prefix) {
	for _, text := range texts {
		network, err := fetch.ParseNetwork(text)
		f.refuse(flag, text, err)
		all = append(all, network)
	}
	return all
}

func (f *flagFaults) join() error { return errors.Join(*f...) }
