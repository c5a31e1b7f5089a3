package main

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
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("parseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1s", "-1", "1y", "s", "1e300", "NaN", "Inf", "xd", "20 s"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("parseDuration(%q) = %v, want an error", text, got)
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
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("parseSize(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "MiB", "1TBit", "1e30", "NaN", "ten"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("parseSize(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{"2/s": 2, "30/m": 0.5, "360/h": 0.1, "5": 5, "0.5/s": 0.5, "0": 0} {
		if got, err := parseRate(text); err != nil || got != want {
			t.Errorf("parseRate(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/s", "2/d", "2/", "-1/s", "2/s/s", "NaN", "1e9/s"} {
		if got, err := parseRate(text); err == nil {
			t.Errorf("parseRate(%q) = %v, want an error", text, got)
		}
	}
}

func TestParseStatuses(t *testing.T) {
	got, err := parseStatuses("403, 500-599")
	if err != nil || !got.Has(403) || !got.Has(500) || !got.Has(599) || got.Has(404) || got.Has(499) {
		t.Errorf("parseStatuses = %v, %v", got, err)
	}
	for _, text := range []string{"", "99", "1000", "599-500", "4xx", "403,", "-", "200-"} {
		if got, err := parseStatuses(text); err == nil {
			t.Errorf("parseStatuses(%q) = %v, want an error", text, got)
		}
	}
}

func TestParsePattern(t *testing.T) {
	if re, err := parsePattern(`^https://a/`); err != nil || !re.MatchString("https://a/b") {
		t.Errorf("parsePattern: %v, %v", re, err)
	}
	_, err := parsePattern(`a(b`)
	if want := "use a regular expression: missing closing )"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestParseBase(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.com":       "https://example.com/",
		"https://example.com/docs":  "https://example.com/docs",
		"https://example.com/docs/": "https://example.com/docs/",
		"HTTP://Example.com:80/A":   "http://example.com/A",
	} {
		if got, err := parseBase(text); err != nil || got.String() != want {
			t.Errorf("parseBase(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "docs/", "/docs", "ftp://a/", "https://a/?q", "https://a/#f", "https://u:p@a/"} {
		if got, err := parseBase(text); err == nil {
			t.Errorf("parseBase(%q) = %v, want an error", text, got)
		}
	}
}
