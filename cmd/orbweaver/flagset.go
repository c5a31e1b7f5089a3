package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagsOn returns the rows of one command, in the order of the table.
func flagsOn(on commands) []flag {
	return slices.DeleteFunc(flags(), func(f flag) bool {
		return f.on&on == 0 && (on != onResume || f.on&onCheck == 0 || !f.mayChange())
	})
}

// addFlags adds the flags of a command and returns the settings that they fill, with the
// defaults of the rows.
func addFlags(cmd *cobra.Command, on commands) *settings {
	s := &settings{origin: map[string]string{}}
	for _, f := range flagsOn(on) {
		value := &flagValue{row: f, into: s}
		if f.initial != "" {
			value.fill(f.initial)
		}
		pf := cmd.Flags().VarPF(value, f.name, f.short, f.doc)
		if f.isSwitch() {
			pf.NoOptDefVal = "true"
			off := cmd.Flags().VarPF(&flagValue{row: f, into: s, negated: true}, "no-"+f.name, "", "switch --"+f.name+" off")
			off.NoOptDefVal, off.Hidden = "true", true
		}
		completeFlag(cmd, f)
	}
	cmd.SetFlagErrorFunc(flagError)
	return s
}

func (f *flag) isSwitch() bool {
	_, ok := f.field(&noSettings).(*bool)
	return ok
}

// noSettings is for the types of the fields that flags set. It is never changed.
var noSettings settings

// flagValue implements pflag.Value for a row.
type flagValue struct {
	row     flag
	into    *settings
	negated bool // this is --no-x for the switch x
	set     bool // a value was given on the command line
}

// Set takes a value from the command line.
func (v *flagValue) Set(text string) error {
	name := "--" + v.row.name
	if field, ok := v.row.field(v.into).(*bool); ok {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("use true or false")
		}
		*field = on != v.negated
		if v.negated {
			name = "--no-" + v.row.name
		}
	} else {
		if field, ok := v.row.field(v.into).(*[]string); ok && !v.set {
			*field = nil // replace the default
		}
		v.fill(text)
	}
	v.set = true
	v.into.origin[v.row.name] = name
	v.into.line = append(v.into.line, givenFlag{name[len("--"):], text})
	return nil
}

// fill stores text in the field of a row that takes a value.
func (v *flagValue) fill(text string) {
	switch field := v.row.field(v.into).(type) {
	case *string:
		*field = text
	case *[]string:
		if v.row.many == union {
			*field = append(*field, splitList(text)...)
		} else {
			*field = append(*field, text)
		}
	}
}

// String returns the default, for messages of pflag. The help is written from the rows.
func (v *flagValue) String() string { return v.row.initial }

// Type returns the placeholder for the value.
func (v *flagValue) Type() string { return v.row.arg }

// IsBoolFlag tells pflag that the flag needs no value.
func (v *flagValue) IsBoolFlag() bool { return v.row.arg == "" }

// splitList splits a list at its commas and drops empty parts.
func splitList(text string) []string {
	parts := strings.Split(text, ",")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return slices.DeleteFunc(parts, func(p string) bool { return p == "" })
}

// flagError explains what is wrong with a flag, and suggests a similar flag.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return usageError("--%s: %q is not allowed: %w", bad.GetFlag().Name, bad.GetValue(), bad.Unwrap())
	}
	var bare *pflag.ValueRequiredError
	if errors.As(err, &bare) {
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

// mayChange reports whether another session of a crawl may use another value. It may if
// the flag does not determine which targets there are and what is learned about them.
func (f *flag) mayChange() bool {
	switch f.group {
	case output, politeness, betweenRunsGroup, machines, config, signingIn:
		return true
	}
	return slices.Contains([]string{"max-time", "timeout", "fail-on", "accept", "level", "ignore-fragment", "write-clean",
		"user", "header", "netrc", "netrc-any-port", "cookies", "proxy", "client-cert", "client-key", "ca-file"}, f.name)
}

// completeFlag tells shells how to complete the value of a flag.
func completeFlag(cmd *cobra.Command, f flag) {
	if f.file || f.isSwitch() {
		return // shells complete file names by default
	}
	words := make([]cobra.Completion, len(f.words))
	copy(words, f.words)
	// The only possible error is an unknown flag, but it was just added.
	_ = cmd.RegisterFlagCompletionFunc(f.name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
