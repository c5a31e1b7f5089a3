package servetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Bodies that cost much to read or to answer are refused.
func TestBodyLimits(t *testing.T) {
	s := open(t, t.TempDir())
	options := func(n int, name string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"%s%d": 1`, name, i))
		}
		return `{"name": "x", "targets": ["https://example.com/"], "options": {` + strings.Join(all, ",") + "}}"
	}
	for name, body := range map[string]string{
		"1 MiB of [":             strings.Repeat("[", 1<<20),
		"65 levels":              `{"name":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`,
		"60,000 unknown options": options(60_000, "o"),
		"a list of 200,000":      `{"targets": [` + strings.Repeat("0,", 200_000) + `0]}`,
	} {
		if a := s.send("POST", "api/v1/projects", body); a.status != 400 || len(a.body) > 1000 {
			t.Errorf("%s: status %d and %d bytes, want 400 and few: %.200s", name, a.status, len(a.body), a.body)
		}
	}
	for name, body := range map[string]string{
		"9,900 unknown options":           options(9_900, "optio"),
		"1,000 unknown options, long":     options(1_000, strings.Repeat("<", 1000)),
		"a value of 1,000,000 characters": `{"name": "x", "targets": ["https://example.com/"], "options": {"depth": "` + strings.Repeat("x", 1_000_000) + `"}}`,
	} {
		a := s.send("POST", "api/v1/projects", body)
		var p struct {
			Errors []struct{ Field, Message string }
			More   int
		}
		if err := json.Unmarshal(a.body, &p); err != nil || a.status != 422 || len(a.body) > 64_000 || len(p.Errors) > 100 {
			t.Errorf("%s: status %d, %d bytes, %d errors, %v", name, a.status, len(a.body), len(p.Errors), err)
		}
		if strings.HasPrefix(name, "9,900") && len(p.Errors)+p.More != 9_900 {
			t.Errorf("%s: %d errors and %d more", name, len(p.Errors), p.More)
		}
	}
}
