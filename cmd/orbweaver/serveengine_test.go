package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
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

// The patterns of all options together have a limit, and none is compiled before it is known to be kept.
func TestPatternsOfOptions(t *testing.T) {
	list := func(pattern string, n int) any { return slices.Repeat([]any{pattern}, n) }
	const refused = "the compiled patterns of the options need more than 16 MiB: use fewer or smaller patterns"
	for _, row := range []struct {
		name    string
		options map[string]any
		want    []api.Fault
	}{
		{"one option", map[string]any{"exclude": list(`\pL{999}`, 300)}, []api.Fault{{Field: "options.exclude", Message: refused}}},
		{"one pattern", map[string]any{"select": "a:matches(" + strings.Repeat(`\pL{990}`, 1000) + ")"}, []api.Fault{{Field: "options.select", Message: refused}}},
		{"options together", map[string]any{"exclude": list(`\pL{999}`, 60), "include": list(`\pL{999}`, 60)}, []api.Fault{{Field: "options.include", Message: refused}}},
		{"half of them", map[string]any{"exclude": list(`a{999}`, 60), "header": list("A: b", 3)}, nil},
		{"ordinary patterns", map[string]any{"exclude": list(`^https://(www\.)?example\.com/some/path/[a-z0-9-]+$`, 1000)}, nil},
	} {
		job, order := &runs.Job{Options: row.options}, slices.Sorted(maps.Keys(row.options))
		var faults []api.Fault
		allocations := testing.AllocsPerRun(1, func() { faults = (&serveEngine{}).Check(t.Context(), job, order) })
		if !slices.Equal(faults, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, faults, row.want)
		}
		// A pattern that is measured needs about 20 allocations; one that is compiled needs many more.
		if row.want != nil && allocations > 5_000 {
			t.Errorf("%s: %.0f allocations to refuse them: were they compiled?", row.name, allocations)
		}
	}
}

func TestOptionsEndWithTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if faults := (&serveEngine{}).Check(ctx, &runs.Job{Options: map[string]any{"x": "1"}}, []string{"x"}); len(faults) != 0 {
		t.Errorf("options are checked after the end of the request: %v", faults)
	}
}
