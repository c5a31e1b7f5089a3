package urinorm

import "strings"

// stripReference removes leading and trailing spaces and control characters, and
// all tabs and line breaks.
func stripReference(ref string) (in string, repairs Repairs) {
	in = ref
	for in != "" && in[0] <= ' ' {
		in = in[1:]
	}
	for in != "" && in[len(in)-1] <= ' ' {
		in = in[:len(in)-1]
	}
	if len(in) != len(ref) {
		repairs = repairTrimmed
	}
	for i := range len(in) {
		if c := in[i]; c == '\t' || c == '\n' || c == '\r' {
			return tabsAndNewlines.Replace(in), repairs | repairTabOrNewline
		}
	}
	return in, repairs
}

var tabsAndNewlines = strings.NewReplacer("\t", "", "\n", "", "\r", "")
