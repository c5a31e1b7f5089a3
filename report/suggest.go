package report

import (
	"strings"

	"github.com/agext/levenshtein"
)

// allowedValues lists the allowed values, after the one that was probably meant.
func allowedValues(got string, allowed []string) string {
	all := "use " + allowed[0]
	if last := len(allowed) - 1; last > 0 {
		all = "use " + strings.Join(allowed[:last], ", ") + " or " + allowed[last]
	}
	if near := nearestName(got, allowed); near != "" {
		return "did you mean " + near + "? " + all
	}
	return all
}

// nearestName returns the name that was probably meant by a mistyped one, or "".
func nearestName(got string, names []string) string {
	const longest = 40 // longer than any name; the cost of the distance is the product of both lengths
	if got == "" || len(got) > longest {
		return ""
	}
	got = strings.ToLower(got)
	best, least := "", 3
	for _, name := range names {
		d := levenshtein.Distance(got, name, nil)
		// Two swapped letters have distance 2, and the first letter is rarely wrong.
		likely := d < 2 && len(name) > 2 || d == 2 && len(name) > 3 && got[0] == name[0]
		if likely && d < least {
			best, least = name, d
		}
	}
	return best
}
