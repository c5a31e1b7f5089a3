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
	add("edition", c.Edition)
	add("roots", s.roots)
	for _, site := range s.sites {
		add("site", []string{site.Base().String(), site.Dir()})
	}
	add("scope", c.Scope)
	add("external", c.External)
	add("include", c.Include)
	add("nofollow", c.NoFollow)
	add("exclude", c.Exclude)
	add("exclude-except", c.ExcludeExcept)
	for _, r := range c.Remaps {
		add("remap", []string{r.Pattern.String(), r.Replacement})
	}
	for i := range c.Rules { // the first one that matches applies
		add("rule", []string{c.Rules[i].Name, c.Rules[i].Verdict})
	}
	add("types", c.Types)
	add("reserved", c.SkipReserved)
	add("depth", c.Depth)
	add("robots", []any{c.Robots, c.RobotsGiven, c.RobotsAgent})
	add("select", []string{c.Select.String(), c.IgnoreSelect.String()})
	add("reading", c.Reading)
	add("text fragments", c.TextFragments)
	add("sign-out", []any{c.Credentials, c.AllowUnsafe, c.LeaveAlone, c.SessionOrigins})
	add("mail", c.SkipMail)
	add("inspected", c.Inspector != nil)
	add("rendered", []any{c.Renderer != nil, c.Render})
	if m, ok := c.Fetch.(interface{ Schemes() []string }); ok {
		add("schemes", m.Schemes())
	}
	return b.String()
}
