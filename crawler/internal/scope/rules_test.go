package scope

import "testing"

func TestDepthLimit(t *testing.T) {
	for _, c := range []struct {
		depth          int
		limits         bool
		at0, at1, at99 bool
	}{
		{0, false, true, true, true},
		{-1, true, true, false, false},
		{1, true, true, true, false},
		{98, true, true, true, false},
		{99, true, true, true, true},
	} {
		cfg := &Rules{Depth: c.depth}
		if cfg.LimitsDepth() != c.limits || cfg.WithinDepth(0) != c.at0 || cfg.WithinDepth(1) != c.at1 || cfg.WithinDepth(99) != c.at99 {
			t.Errorf("Depth %d: limited %v, pages at depth 0, 1, 99 are read: %v, %v, %v", c.depth,
				cfg.LimitsDepth(), cfg.WithinDepth(0), cfg.WithinDepth(1), cfg.WithinDepth(99))
		}
	}
}
