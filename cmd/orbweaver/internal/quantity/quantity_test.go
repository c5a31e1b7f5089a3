package quantity

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond,
		"20s":   20 * time.Second,
		"1m30s": 90 * time.Second,
		"2h":    2 * time.Hour,
		"1.5d":  36 * time.Hour,
		"20":    20 * time.Second,
		"0.5":   500 * time.Millisecond,
		"0":     0,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1s", "-1", "1y", "s", "1e300", "NaN", "Inf", "xd", "20 s"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1":       1,
		"1048576": 1 << 20,
		"10MiB":   10 << 20,
		"10 mib":  10 << 20,
		"500kB":   500_000,
		"1.5GB":   1_500_000_000,
		"64K":     64 << 10,
		"2g":      2 << 30,
		"7b":      7,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "MiB", "1TBit", "1e30", "NaN", "ten"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{"2/s": 2, "30/m": 0.5, "360/h": 0.1, "5": 5, "0.5/s": 0.5, "0": 0} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/s", "2/d", "2/", "-1/s", "2/s/s", "NaN", "1e9/s"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q) = %v, want an error", text, got)
		}
	}
}
