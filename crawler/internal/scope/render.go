package scope

// RenderMode says which pages a browser renders, so that the links and anchors count that
// only scripts make.
type RenderMode uint8

const (
	// RenderUnset renders no page. For a rule, it stands for the mode of the Config.
	RenderUnset RenderMode = iota
	// RenderNever renders no page.
	RenderNever
	// RenderAuto renders pages that show little without scripts, and pages to which a link
	// with a fragment leads that their HTML lacks.
	RenderAuto
	// RenderAlways renders every page.
	RenderAlways
)

// RenderModeOf returns the mode for a printed URL.
func (s *Settings) RenderModeOf(printed string) RenderMode {
	if len(s.Judging.Rules) > 0 {
		if r := s.Judging.MatchingRule(printed); r != nil && r.Render != RenderUnset {
			return r.Render
		}
	}
	return s.Render
}
