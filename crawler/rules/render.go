package rules

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/render"
)

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

// Renderer renders pages. *render.Renderer is one.
type Renderer interface {
	Render(ctx context.Context, req *render.Request) (*render.Rendered, error)
}

// Renders reports whether any page may be rendered.
func (c *Config) Renders() bool {
	for i := range c.Judging.Rules {
		if c.Judging.Rules[i].Render > RenderNever {
			return true
		}
	}
	return c.Render.Mode > RenderNever
}

// RenderModeOf returns the mode for a printed URL.
func (s *Settings) RenderModeOf(printed string) RenderMode {
	if len(s.Judging.Rules) > 0 {
		if r := s.Judging.MatchingRule(printed); r != nil && r.Render != RenderUnset {
			return r.Render
		}
	}
	return s.Render
}
