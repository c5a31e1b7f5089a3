package check

import (
	"strings"
	"testing"
)

func TestParseLevel(t *testing.T) {
	for text, want := range map[string]LevelRule{
		"redirect-permanent=broken":           {CodeRedirectPermanent, true, true, LevelBroken},
		"internal:http-403=off":               {"http-403", true, false, LevelOff},
		"external:redirect-temporary=warning": {"redirect-temporary", false, true, LevelWarning},
	} {
		if got, err := ParseLevel(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"redirect-permanent":     "use CODE=LEVEL",
		"redirect-permanant=off": "did you mean redirect-permanent?",
		"nonsense-entirely=off":  "`orbweaver explain` lists the codes",
		"http-NNN=off":           "unknown code",
		"http-404=error":         `unknown level "error": use broken, unverified, warning, info or off`,
		"both:http-404=off":      `unknown side "both"`,
		"ok=broken":              "ok is not a finding",
		"excluded=broken":        "excluded is not a finding",
	} {
		if _, err := ParseLevel(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestLevelsLastOneApplies(t *testing.T) {
	var levels Levels
	for _, text := range []string{"http-403=broken", "external:http-403=info", "http-404=off"} {
		rule, err := ParseLevel(text)
		if err != nil {
			t.Fatal(err)
		}
		levels = append(levels, rule)
	}
	if in, out, other := levels.Of("http-403", true), levels.Of("http-403", false), levels.Of("http-500", true); in != LevelBroken || out != LevelInfo || other != "" {
		t.Errorf("internal %q, external %q, other %q", in, out, other)
	}
}
