package option

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var allCommands = []Commands{Check, Explain, Extract, Report, Compare, Fix, History, Archive}

func TestFlagRows(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, on := range allCommands {
		seen := map[string]bool{}
		for _, f := range Of(on) {
			switch {
			case !name.MatchString(f.Name):
				t.Errorf("--%s: no flag name", f.Name)
			case seen[f.Name], f.Short != "" && seen[f.Short]:
				t.Errorf("--%s: the name or its shorthand is used twice", f.Name)
			case f.Doc == "" || strings.HasSuffix(f.Doc, ".") || strings.ToUpper(f.Doc[:1]) == f.Doc[:1] && !regexp.MustCompile("^(HTTP|PEM|User-Agent)").MatchString(f.Doc):
				t.Errorf("--%s: the doc %q does not start in lower case or ends with a full stop", f.Name, f.Doc)
			case !slices.Contains(Groups, f.Group):
				t.Errorf("--%s: its group %q is not in the help", f.Name, f.Group)
			case f.Initial != "" && len(f.Words) > 0 && !slices.Contains(f.Words, f.Initial):
				t.Errorf("--%s: the default %q is not among its words", f.Name, f.Initial)
			}
			seen[f.Name], seen[f.Short] = true, true
		}
	}
}

// A flag's shorthand means the same on every command.
func TestShorthandsAgree(t *testing.T) {
	long := map[string]string{}
	for _, f := range All() {
		if other := long[f.Short]; f.Short != "" && other != "" && other != f.Name {
			t.Errorf("-%s is --%s and --%s", f.Short, other, f.Name)
		}
		long[f.Short] = f.Name
	}
}
