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
)

// envPrefix begins the environment variables that are settings: ORBWEAVER_MAX_TIME
// is --max-time.
const envPrefix = "ORBWEAVER_"

// envName is the variable of a flag.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// loadSettings adds to the command line what the environment says, and to both
// what the configuration file does. The first of them wins; values of flags that
// may be repeated add up.
func loadSettings(s *settings) error {
	if err := applyEnv(s, os.LookupEnv); err != nil {
		return usageError("%w", err)
	}
	return loadConfig(s)
}

// applyEnv reads the variables of all settings that the file may hold. Flags that
// may be repeated take one value a line. An empty variable is none: that is how
// CI systems pass on what was not set.
func applyEnv(s *settings, env func(string) (string, bool)) error {
	var faults []error
	rows := configRows()
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		row := rows[key]
		name := envName(row.name)
		text, ok := env(name)
		if !ok || text == "" {
			continue
		}
		if row.expands() {
			text = strings.ReplaceAll(text, "${", "$${") // a variable is not looked up in another
		}
		var value any = text
		switch {
		case row.isSwitch():
			on, err := strconv.ParseBool(text)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: use true or false", name))
				continue
			}
			value = on
		case row.many == list:
			var values []any
			for l := range strings.Lines(text) {
				if l = strings.TrimRight(l, "\r\n"); l != "" {
					values = append(values, l)
				}
			}
			value = values
		}
		if err := applyKey(s, &row, "the environment as "+name, value, env); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// misspelt says of variables that are nearly settings which ones were likely meant.
// Others of our prefix may be somebody's own.
func misspelt(environ []string) (messages []string) {
	rows := configRows()
	var known []string
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		known = append(known, envName(rows[key].name))
	}
	const slips = 2
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix) || value == "" || slices.Contains(known, name) {
			continue
		}
		if near := nearest(name, known); near != "" && levenshtein.Distance(name, near, nil) <= slips {
			messages = append(messages, name+" in the environment is not a setting: did you mean "+near+"?")
		}
	}
	slices.Sort(messages)
	return messages
}
