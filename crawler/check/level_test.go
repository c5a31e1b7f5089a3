package check

import (
	"reflect"
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

func TestSetLevels(t *testing.T) {
	moved := Warning{Code: CodeRedirectPermanent, Message: "moved", Proposal: "https://example.com/new"}
	temporary := Warning{Code: "redirect-temporary"}
	with := func(w Warning, l Level) Warning { w.Level = l; return w }
	for _, test := range []struct {
		name   string
		levels map[Code]Level
		in     Judgement
		want   Judgement
		gone   bool
	}{
		{"no level", nil, Judgement{Verdict: Broken, Code: "http-404"}, Judgement{Verdict: Broken, Code: "http-404"}, false},
		{"less severe", map[Code]Level{"http-404": "warning"}, Judgement{Verdict: Broken, Code: "http-404"},
			Judgement{Verdict: VerdictWarning, Code: "http-404", Level: "warning"}, false},
		{"information", map[Code]Level{"http-403": "info"}, Judgement{Verdict: Unverified, Code: "http-403"},
			Judgement{Verdict: VerdictInfo, Code: "http-403", Level: "info"}, false},
		{"the same", map[Code]Level{"http-404": "broken"}, Judgement{Verdict: Broken, Code: "http-404"},
			Judgement{Verdict: Broken, Code: "http-404", Level: "broken"}, false},
		{"off", map[Code]Level{"http-404": "off"}, Judgement{Verdict: Broken, Code: "http-404"}, Judgement{}, true},
		{"a skipped target", map[Code]Level{"excluded": "broken"}, Judgement{Verdict: Skipped, Code: "excluded"}, Judgement{Verdict: Skipped, Code: "excluded"}, false},
		{"a warning that turns the target red", map[Code]Level{moved.Code: "broken"}, Judgement{Code: "ok", Warnings: []Warning{moved, temporary}},
			Judgement{Verdict: Broken, Code: moved.Code, Message: "moved", Level: "broken", Warnings: []Warning{with(moved, "broken"), temporary}}, false},
		{"warnings off and as information", map[Code]Level{moved.Code: "off", temporary.Code: "warning"}, Judgement{Code: "ok", Warnings: []Warning{moved, temporary}},
			Judgement{Code: "ok", Warnings: []Warning{with(temporary, "warning")}}, false},
		{"a warning of a broken target", map[Code]Level{moved.Code: "unverified"}, Judgement{Verdict: Broken, Code: "http-404", Warnings: []Warning{moved}},
			Judgement{Verdict: Broken, Code: "http-404", Warnings: []Warning{with(moved, "unverified")}}, false},
		{"a warning that is worse than the verdict", map[Code]Level{moved.Code: "broken"}, Judgement{Verdict: Unverified, Code: "http-403", Warnings: []Warning{moved}},
			Judgement{Verdict: Broken, Code: moved.Code, Message: "moved", Level: "broken", Warnings: []Warning{with(moved, "broken"), {Code: "http-403"}}}, false},
	} {
		got := test.in
		reported := got.SetLevels(func(c Code) Level { return test.levels[c] })
		if reported == test.gone || reported && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.name, got, reported)
		}
	}
}
