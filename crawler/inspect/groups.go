package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/pagerules"
)

// Groups is a set of groups of checks.
type Groups uint16

// The groups. [ParseGroups] knows all; callers need the exported ones to ask for them.
const (
	Virus Groups = 1 << iota
	HTML
	CSS
	seo
	Images
	Security
	i18n
	duplicates
	accessibility
	// Unused looks for files of a directory that nothing refers to.
	Unused

	// all is every group that needs no other program and looks at pages.
	all = HTML | CSS | seo | Images | Security | i18n | duplicates | accessibility
)

// groupNames are the names of the groups, in the order of their bits, which is that of help
// and reports.
var groupNames = [...]string{"virus", "html", "css", "seo", "images", "security", "i18n", "duplicates", "accessibility", "unused"}

// GroupNames returns the names of all groups.
func GroupNames() []string { return slices.Clone(groupNames[:]) }

// ParseGroups parses names of groups separated by commas. "all" is every group but virus and unused.
func ParseGroups(s string) (Groups, error) {
	var g Groups
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(groupNames[:], name)
		switch {
		case name == "all":
			g |= all
		case i >= 0:
			g |= 1 << i
		default:
			return 0, fmt.Errorf("unknown group %q of checks%s", name, hint(name))
		}
	}
	return g, nil
}

// pageRules returns the groups that look at one page by the rules of package pagerules.
func (g Groups) pageRules() (rules pagerules.Groups) {
	for _, row := range [...]struct {
		group Groups
		rules pagerules.Groups
	}{{seo, pagerules.SEO}, {Images, pagerules.Images}, {Security, pagerules.Security}, {i18n, pagerules.I18n},
		{duplicates, pagerules.Duplicates}, {accessibility, pagerules.Accessibility}} {
		if g.Has(row.group) {
			rules |= row.rules
		}
	}
	return rules
}

// Has reports whether one of the groups is in the set.
func (g Groups) Has(groups Groups) bool { return g&groups != 0 }

// String returns the names of the groups, separated by commas.
func (g Groups) String() string {
	var names []string
	for i, name := range groupNames {
		if g.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// hint says which group was probably meant, or which there are.
func hint(name string) string {
	near, distance := "", max(1, len(name)/3)+1
	for _, known := range append(GroupNames(), "all") {
		if d := levenshtein.Distance(name, known, nil); d < distance {
			near, distance = known, d
		}
	}
	if near != "" {
		return ": did you mean " + near + "?"
	}
	return ": use all, or some of " + strings.Join(groupNames[:], ", ")
}
