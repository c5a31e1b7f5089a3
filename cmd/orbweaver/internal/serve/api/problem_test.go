package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestInvalidIsShort(t *testing.T) {
	long := strings.Repeat("<", 2000)
	for name, row := range map[string]struct {
		count  int
		fault  Fault
		errors int
	}{
		"as many as allowed":     {100, Fault{"options.x", `unknown option "x"`}, 100},
		"one more":               {101, Fault{"options.x", `unknown option "x"`}, 100},
		"many":                   {10_000, Fault{"options.x", `unknown option "x"`}, 100},
		"of long names":          {10_000, Fault{"options." + long, fmt.Sprintf("unknown option %q", long)}, 20},
		"of long plain messages": {10_000, Fault{"targets.0", long}, 8},
	} {
		faults := make([]Fault, row.count)
		for i := range faults {
			faults[i] = row.fault
		}
		p := Invalid(faults...)
		if len(p.Errors) != row.errors || len(p.Errors)+p.More != row.count {
			t.Errorf("%s: %d errors and %d more, want %d of %d", name, len(p.Errors), p.More, row.errors, row.count)
		}
		if text, err := json.Marshal(p); err != nil || len(text) > 64_000 {
			t.Errorf("%s: %d bytes, want at most 64 kB (%v)", name, len(text), err)
		}
	}
}

func TestShort(t *testing.T) {
	x := func(n int) string { return strings.Repeat("é", n) }
	for message, want := range map[string]string{
		`unknown option "` + x(200) + `": did you mean "depth"?`: `unknown option "` + x(200) + `": did you mean "depth"?`,
		`unknown option "` + x(201) + `": did you mean "depth"?`: `unknown option "` + x(200) + `…": did you mean "depth"?`,
		`"` + x(300) + `" and "` + x(300) + `"`:                  `"` + x(200) + `…" and "` + x(200) + `…"`,
		`"` + x(150) + `\"` + x(150) + `" is not allowed`:        `"` + x(150) + `\"` + x(48) + `…" is not allowed`,
		`"` + x(300):             `"` + x(200) + "…",
		x(1001):                  x(1000) + "…",
		`it ends with "` + x(50): `it ends with "` + x(50),
	} {
		if got := short(message); got != want {
			t.Errorf("%s\nis cut to %s", message, got)
		}
	}
}
