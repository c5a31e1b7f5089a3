package judging

import (
	"reflect"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

func TestSetLevels(t *testing.T) {
	moved := check.Warning{Code: check.CodeRedirectPermanent, Message: "moved", Proposal: "https://example.com/new"}
	temporary := check.Warning{Code: "redirect-temporary"}
	with := func(w check.Warning, l check.Level) check.Warning { w.Level = l; return w }
	for _, test := range []struct {
		name   string
		levels map[check.Code]check.Level
		in     Judgement
		want   Judgement
		gone   bool
	}{
		{"no level", nil, Judgement{Verdict: check.Broken, Code: "http-404"}, Judgement{Verdict: check.Broken, Code: "http-404"}, false},
		{"less severe", map[check.Code]check.Level{"http-404": "warning"}, Judgement{Verdict: check.Broken, Code: "http-404"},
			Judgement{Verdict: check.VerdictWarning, Code: "http-404", Level: "warning"}, false},
		{"information", map[check.Code]check.Level{"http-403": "info"}, Judgement{Verdict: check.Unverified, Code: "http-403"},
			Judgement{Verdict: check.VerdictInfo, Code: "http-403", Level: "info"}, false},
		{"the same", map[check.Code]check.Level{"http-404": "broken"}, Judgement{Verdict: check.Broken, Code: "http-404"},
			Judgement{Verdict: check.Broken, Code: "http-404", Level: "broken"}, false},
		{"off", map[check.Code]check.Level{"http-404": "off"}, Judgement{Verdict: check.Broken, Code: "http-404"}, Judgement{}, true},
		{"a skipped target", map[check.Code]check.Level{"excluded": "broken"}, Judgement{Verdict: check.Skipped, Code: "excluded"}, Judgement{Verdict: check.Skipped, Code: "excluded"}, false},
		{"a warning that turns the target red", map[check.Code]check.Level{moved.Code: "broken"}, Judgement{Code: "ok", Warnings: []check.Warning{moved, temporary}},
			Judgement{Verdict: check.Broken, Code: moved.Code, Message: "moved", Level: "broken", Warnings: []check.Warning{with(moved, "broken"), temporary}}, false},
		{"warnings off and as information", map[check.Code]check.Level{moved.Code: "off", temporary.Code: "warning"}, Judgement{Code: "ok", Warnings: []check.Warning{moved, temporary}},
			Judgement{Code: "ok", Warnings: []check.Warning{with(temporary, "warning")}}, false},
		{"a warning of a broken target", map[check.Code]check.Level{moved.Code: "unverified"}, Judgement{Verdict: check.Broken, Code: "http-404", Warnings: []check.Warning{moved}},
			Judgement{Verdict: check.Broken, Code: "http-404", Warnings: []check.Warning{with(moved, "unverified")}}, false},
		{"a warning that is worse than the verdict", map[check.Code]check.Level{moved.Code: "broken"}, Judgement{Verdict: check.Unverified, Code: "http-403", Warnings: []check.Warning{moved}},
			Judgement{Verdict: check.Broken, Code: moved.Code, Message: "moved", Level: "broken", Warnings: []check.Warning{with(moved, "broken"), {Code: "http-403"}}}, false},
	} {
		got := test.in
		reported := got.SetLevels(func(c check.Code) check.Level { return test.levels[c] })
		if reported == test.gone || reported && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.name, got, reported)
		}
	}
}
