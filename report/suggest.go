package report

import (
	"strings"

	"github.com/agext/levenshtein"
)

// oneOf says what is allowed, and which of it may have been meant.
func oneOf(got string, allowed []string) string {
	all := "use " + allowed[0]
	if last := len(allowed) - 1; last > 0 {
		all = "use " + strings.Join(allowed[:last], ", ") + " or " + allowed[last]
	}
	if near := nearest(got, allowed); near != "" {
		return "did you mean " + near + "? " + all
	}
	return all
}

// nearest returns the name that a typing mistake may have been meant for, or "".
func nearest(got string, names []string) string {
	const longest = 40 // no name of ours is longer, and the distance costs the product of both lengths
	if got == "" || len(got) > longest {
		return ""
	}
	got = strings.ToLower(got)
	best, least := "", 3
	for _, name := range names {
		d := levenshtein.Distance(got, name, nil)
		// Two letters changed places cost two, and few mistake the first letter.
		likely := d < 2 && len(name) > 2 || d == 2 && len(name) > 3 && got[0] == name[0]
		if likely && d < least {
			best, least = name, d
		}
	}
	return best
}
