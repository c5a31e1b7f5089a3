package option

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// Values are flags and keys of the configuration as text, before they are interpreted.
type Values struct {
	// Line lists the flags on the command line in order, with their values. A switch that
	// is turned off has the prefix "no-".
	Line []Given

	texts  map[string][]string
	origin map[string]string // where each value was given: "--depth", or "depth in orbweaver.toml"; those with a default are not in it
}

// Given is a flag on the command line.
type Given struct {
	Name string `json:"name"`
	Text string `json:"value"`
}

// AddTo adds the flags of a command to it, and returns the values that they set.
func AddTo(cmd *cobra.Command, on Commands) *Values {
	v := &Values{texts: map[string][]string{}, origin: map[string]string{}}
	for _, f := range Of(on) {
		if f.Initial != "" {
			v.texts[f.Name] = f.split(f.Initial)
		}
		pf := cmd.Flags().VarPF(&value{flag: f, of: v}, f.Name, f.Short, f.Doc)
		if f.IsSwitch() {
			pf.NoOptDefVal = "true"
			off := cmd.Flags().VarPF(&value{flag: f, of: v, negated: true}, "no-"+f.Name, "", "switch --"+f.Name+" off")
			off.NoOptDefVal, off.Hidden = "true", true
		}
		completeFlag(cmd, f)
	}
	return v
}

// On reports whether a switch is on.
func (v *Values) On(name string) bool { return v.Text(name) == "true" }

// Text returns the value of a flag, "" for none; several are joined with commas.
func (v *Values) Text(name string) string { return strings.Join(v.List(name), ",") }

// List returns the values of a flag, which must not be changed. It is nil if the command has no
// such flag.
func (v *Values) List(name string) []string {
	if v.texts[name] == nil && !known(name) {
		panic("there is no flag --" + name)
	}
	return v.texts[name]
}

// Texts returns the values of a flag, which is "false" or "true" for a switch and one text, which
// may be empty, for a flag that is given once.
func (v *Values) Texts(f *Flag) []string {
	texts := v.List(f.Name)
	switch {
	case texts != nil || f.Many != Once:
		return texts
	case f.IsSwitch():
		return []string{"false"}
	}
	return []string{""}
}

// Typed returns the value of a flag as configurations and options of projects have it: a bool, a
// string or a []string.
func (v *Values) Typed(f *Flag) any {
	switch {
	case f.IsSwitch():
		return v.On(f.Name)
	case f.Many == Once:
		return v.Text(f.Name)
	}
	return slices.Clone(v.List(f.Name))
}

// Given reports whether the user set a flag, on the command line, in the environment or in a
// file.
func (v *Values) Given(name string) bool { return v.origin[name] != "" }

// Origin returns where a flag was set, "" if it has its default.
func (v *Values) Origin(name string) string { return v.origin[name] }

// Named returns the name of a flag for messages, as the user wrote it.
func (v *Values) Named(name string) string {
	if o := v.origin[name]; o != "" {
		return o
	}
	return "--" + name
}

// Set sets a flag. Where is "" if that does not count as given.
func (v *Values) Set(name, where string, texts ...string) {
	v.texts[name] = texts
	if where != "" {
		v.origin[name] = where
	}
}

// Default returns the values of a flag that nobody gives.
func (f *Flag) Default() []string {
	if f.Initial != "" {
		return f.split(f.Initial)
	}
	return (&Values{}).Texts(f)
}

func (f *Flag) split(text string) []string {
	if f.Many == Union {
		return SplitList(text)
	}
	return []string{text}
}

// SplitList splits a list at its commas and drops empty parts.
func SplitList(text string) []string {
	parts := strings.Split(text, ",")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return slices.DeleteFunc(parts, func(p string) bool { return p == "" })
}

// value implements pflag.Value for a flag.
type value struct {
	flag    *Flag
	of      *Values
	negated bool // this is --no-x for the switch x
	set     bool // a value was given on the command line
}

// Set takes a value from the command line.
func (v *value) Set(text string) error {
	name, texts := v.flag.Name, v.flag.split(text)
	if v.flag.IsSwitch() {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("use true or false")
		}
		texts = []string{strconv.FormatBool(on != v.negated)}
		if v.negated {
			name = "no-" + name
		}
	}
	if v.set && v.flag.Many != Once {
		texts = append(v.of.texts[v.flag.Name], texts...)
	}
	v.set = true
	v.of.Set(v.flag.Name, "--"+name, texts...)
	v.of.Line = append(v.of.Line, Given{name, text})
	return nil
}

// String returns the default, for messages of pflag. The help is written from the rows.
func (v *value) String() string { return v.flag.Initial }

// Type returns the placeholder for the value.
func (v *value) Type() string { return v.flag.Arg }

// IsBoolFlag tells pflag that the flag needs no value.
func (v *value) IsBoolFlag() bool { return v.flag.IsSwitch() }

func completeFlag(cmd *cobra.Command, f *Flag) {
	if f.File || f.IsSwitch() {
		return // shells complete file names by default
	}
	words := make([]cobra.Completion, len(f.Words))
	copy(words, f.Words)
	// The only possible error is an unknown flag, but it was just added.
	_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// known reports whether any command has a flag.
func known(name string) bool {
	return slices.ContainsFunc(All(), func(f *Flag) bool { return f.Name == name })
}
