package crawlertest

import "os"

// Long reports whether tests run in their long form, as in .ci/drills: with DRILLS=long in the
// environment.
func Long() bool { return os.Getenv("DRILLS") == "long" }

// Count returns how often a test repeats something: short, or long in the long form.
func Count(short, long int) int {
	if Long() {
		return long
	}
	return short
}
