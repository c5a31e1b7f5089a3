package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
)

func variableName(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// loadSettings adds the environment and the configuration file to the settings of the
// command line. The command line takes precedence over the environment, and the
// environment over the file; the values of repeatable flags are combined.
func loadSettings(s *settings) error {
	if err := applyEnv(s, os.LookupEnv); err != nil {
		return usageError("%w", err)
	}
	return loadConfig(s, "")
}

// environmentRows are the flags that can be given in the environment: those of check.
func environmentRows() map[string]*option.Flag {
	rows := map[string]*option.Flag{}
	for _, f := range option.Of(option.Check) {
		if f.Name != "frontier" { // it must not turn an ordinary run into a shared one
			rows[f.Name] = f
		}
	}
	return rows
}

// applyEnv reads the variables for all flags of check. Repeatable flags take one value per
// line. Empty variables are ignored, because CI systems set them for inputs that are not
// given.
func applyEnv(s *settings, env func(string) (string, bool)) error {
	var faults []error
	rows := environmentRows()
	if s.Given("config") || s.Given("no-config") { // the command line says which file to read
		delete(rows, "config")
		delete(rows, "no-config")
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		row := rows[key]
		name := variableName(row.Name)
		text, ok := env(name)
		if !ok || text == "" {
			continue
		}
		if row.Expands {
			text = strings.ReplaceAll(text, "${", "$${") // the value is not expanded again
		}
		var value any = text
		switch {
		case row.IsSwitch():
			on, err := strconv.ParseBool(text)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: use true or false", name))
				continue
			}
			value = on
		case row.Many == option.List:
			var values []any
			for l := range strings.Lines(text) {
				if l = strings.TrimRight(l, "\r\n"); l != "" {
					values = append(values, l)
				}
			}
			value = values
		}
		if err := applyKey(s, row, &configFile{name: "the environment as " + name, env: env}, value); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// misspelledVariables returns messages about variables that are probably misspelled settings. Other
// variables with the prefix are ignored, because the user may have defined them.
func misspelledVariables(environ []string) (messages []string) {
	rows := environmentRows()
	var known []string
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		known = append(known, variableName(rows[key].Name))
	}
	const slips = 2
	known = append(known, passwordVariable, frontierVariable, archiveKeyVariable)
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, variablePrefix) || value == "" || slices.Contains(known, name) {
			continue
		}
		if near := nearest(name, known); near != "" && levenshtein.Distance(name, near, nil) <= slips {
			messages = append(messages, name+" in the environment is not a setting: did you mean "+near+"?")
		}
	}
	slices.Sort(messages)
	return messages
}
