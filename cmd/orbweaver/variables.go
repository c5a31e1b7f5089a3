package main

import (
	"slices"
	"strings"
)

// variablePrefix is the prefix of environment variables for settings: ORBWEAVER_MAX_TIME sets
// --max-time.
const variablePrefix = "ORBWEAVER_"

// frontierVariable is the environment variable with the address of a shared crawl.
const frontierVariable = variablePrefix + "FRONTIER"

// withoutOwnVariables returns the environment without the variables of this program: another
// one has no use for passwords.
func withoutOwnVariables(environ []string) []string {
	return slices.DeleteFunc(environ, func(v string) bool { return strings.HasPrefix(v, variablePrefix) })
}
