package rules

import (
	"fmt"
	"strings"
)

// Decides returns a text that is the same for all runs that decide in the same way about the
// links of a page: which they are, what they lead to, and what is requested. A run takes over
// the decisions of an earlier one (references.TakeOver) if the scopes decide in the same
// way. Verdicts are not among these decisions: they are given anew in each run.
func (s *Scope) Decides() string {
	c := s.cfg
	var b strings.Builder
	add := func(name string, value any) { fmt.Fprintf(&b, "%s %+v\n", name, value) }
	add("edition", c.Keep.Edition)
	add("roots", s.roots)
	for _, site := range s.sites {
		add("site", []string{site.Base().String(), site.Dir()})
		if around := site.Around; around != nil {
			add("around", around.Dir())
		}
	}
	add("scope", c.Scope.Rule)
	add("external", c.Scope.External)
	add("include", c.Scope.Include)
	add("nofollow", c.Scope.NoFollow)
	add("exclude", c.Scope.Exclude)
	add("exclude-except", c.Scope.ExcludeExcept)
	for _, r := range c.Scope.Remaps {
		add("remap", []string{r.Pattern.String(), r.Replacement})
	}
	for i := range c.Judging.Rules { // the first one that matches applies
		add("rule", []string{c.Judging.Rules[i].Name, c.Judging.Rules[i].Verdict})
	}
	add("types", c.Reading.Types)
	add("reserved", c.Scope.SkipReserved)
	add("depth", c.Scope.Depth)
	add("robots", []any{c.Scope.Robots, c.Scope.RobotsGiven, c.Scope.RobotsAgent})
	add("select", []string{c.Reading.Select.String(), c.Reading.IgnoreSelect.String()})
	add("reading", c.Reading.Options)
	add("text fragments", c.Judging.TextFragments)
	add("sign-out", []any{c.Scope.Credentials, c.Scope.AllowUnsafe, c.Scope.LeaveAlone, c.Scope.SessionOrigins})
	add("mail", c.Judging.SkipMail)
	add("inspected", c.Judging.Inspector != nil)
	add("rendered", []any{c.Render.Renderer != nil, c.Render.Mode})
	if m, ok := c.Fetch.(interface{ Schemes() []string }); ok {
		add("schemes", m.Schemes())
	}
	return b.String()
}
