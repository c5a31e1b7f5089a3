package inspect

import (
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Each code of content checks belongs to a group of --check, or to the rules or the plugins
// of the configuration, and each group has a code.
func TestGroupsOfCodes(t *testing.T) {
	names := append(GroupNames(), check.GroupContent, check.GroupPlugins)
	var met []string
	for _, e := range check.All() {
		if !check.OfContent(e.Code) {
			continue
		}
		if !slices.Contains(names, e.Group) {
			t.Errorf("%s is of the group %q", e.Code, e.Group)
		}
		met = append(met, e.Group)
	}
	for _, name := range names {
		if !slices.Contains(met, name) {
			t.Errorf("the group %s has no code", name)
		}
	}
}
