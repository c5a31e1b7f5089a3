package scope

import (
	"fmt"
	"strings"
)

// Decides returns a text that is the same for all runs that decide in the same way about the
// links of a page: which they are, what they lead to, and what is requested. A run takes over
// the decisions of an earlier one (references.TakeOver) if the scopes decide in the same
// way. Verdicts are not among these decisions: they are given anew in each run.
func (s *Scope) Decides() string {
	j, r := &s.Judging, s.Rules
	var b strings.Builder
	add := func(name string, value any) { fmt.Fprintf(&b, "%s %+v\n", name, value) }
	add("roots", s.roots)
	for _, site := range s.Sites {
		add("site", []any{site.Base(), site.Dir(), site.Synthetic(), site.IsSource(), s.Rules.WorkingDir})
		if around := site.Around; around != nil {
			add("around", around.Dir())
		}
	}
	add("scope", r.Rule)
	add("external", r.External)
	add("include", r.Include)
	add("nofollow", r.NoFollow)
	add("exclude", r.Exclude)
	add("exclude-except", r.ExcludeExcept)
	for _, m := range r.Remaps {
		add("remap", []string{m.Pattern.String(), m.Replacement})
	}
	for i := range j.Rules { // the first one that matches applies
		add("rule", []any{j.Rules[i].Name, j.Rules[i].Verdict, len(j.Rules[i].Header) > 0})
	}
	add("reserved", r.SkipReserved)
	add("depth", r.Depth)
	add("robots", []any{r.Robots, r.RobotsGiven, r.RobotsAgent})
	add("text fragments", j.TextFragments)
	add("sign-out", []any{r.Credentials, r.AllowUnsafe, r.LeaveAlone, r.SessionOrigins, s.SecretHosts})
	add("mail", j.SkipMail)
	add("inspected", j.Inspector != nil)
	add("rendered", s.Render)
	add("schemes", s.Schemes)
	b.WriteString(s.Reading)
	return b.String()
}
