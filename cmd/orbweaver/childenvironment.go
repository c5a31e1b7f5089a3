package main

import (
	"runtime"
	"strings"
)

// childEnvironment returns the part of our environment that plugins and preprocessors get: without the settings of
// Orbweaver (ORBWEAVER_*), and without the variables that the configuration expands, because
// they may be secrets.
func childEnvironment(environ, expanded []string) []string {
	fold := func(s string) string { return s }
	if runtime.GOOS == "windows" { // names of variables ignore case there
		fold = strings.ToUpper
	}
	drop := map[string]bool{}
	for _, name := range expanded {
		drop[fold(name)] = true
	}
	kept := []string{}
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if name = fold(name); !strings.HasPrefix(name, "ORBWEAVER_") && !drop[name] {
			kept = append(kept, variable)
		}
	}
	return kept
}
