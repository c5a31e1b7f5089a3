package check

import "testing"

func TestVerdictText(t *testing.T) {
	for verdict, name := range map[Verdict]string{OK: "ok", Broken: "broken", Unverified: "unverified", Skipped: "skipped"} {
		text, err := verdict.MarshalText()
		if err != nil || string(text) != name {
			t.Errorf("%d is written %q, %v", verdict, text, err)
		}
		var back Verdict
		if err := back.UnmarshalText(text); err != nil || back != verdict {
			t.Errorf("%q is read %v, %v", text, back, err)
		}
	}
	if v, err := ParseVerdict("dead"); err == nil {
		t.Errorf("dead is read %v", v)
	}
}
