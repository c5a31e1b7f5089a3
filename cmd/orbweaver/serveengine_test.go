package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/runs"
)

// The similar names of unknown options are sought for those alone that an answer lists.
func TestManyUnknownOptions(t *testing.T) {
	allocations := func(n int) float64 {
		job := &runs.Job{Options: map[string]any{}}
		var order []string
		for i := range n {
			name := fmt.Sprintf("optio%d", i)
			job.Options[name] = "1"
			order = append(order, name)
		}
		return testing.AllocsPerRun(1, func() {
			if faults := (&serveEngine{}).Check(t.Context(), job, order); len(faults) != n {
				t.Errorf("%d faults of %d unknown options", len(faults), n)
			}
		})
	}
	if few, many := allocations(100), allocations(10_000); many-few > 10*9_900 {
		t.Errorf("%.0f allocations for 100 unknown options, and %.0f for 10,000: more than 10 for each of the others", few, many)
	}
}

func TestOptionsEndWithTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if faults := (&serveEngine{}).Check(ctx, &runs.Job{Options: map[string]any{"x": "1"}}, []string{"x"}); len(faults) != 0 {
		t.Errorf("options are checked after the end of the request: %v", faults)
	}
}
