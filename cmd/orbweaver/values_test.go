package main

import "testing"

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

func TestRobotsAgent(t *testing.T) {
	for agent, want := range map[string]string{
		"MyBot/1.0":         "MyBot",
		"MyBot":             "MyBot",
		" my-bot_2 (x) y/1": "my-bot_2",
		"":                  "",
		"(comment) MyBot/1": "",
		"Mozilla/5.0 (compatible; MyBot/1.0; +https://example.com/bot)":                                "MyBot",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0) Chrome/1":         "bingbot",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141 Safari/537": "",
	} {
		if got := robotsAgentOf(agent); got != want {
			t.Errorf("the robots.txt agent of %q: got %q, want %q", agent, got, want)
		}
	}
	for s, want := range map[string]bool{"MyBot": true, "my-bot_2.x": true, "": false, "MyBot/1.0": false, " x": false, "ü": false} {
		if got, err := parseRobotsAgent(s); (err == nil) != want || want && got != s {
			t.Errorf("--robots-agent %q: got %q, %v; valid: %t", s, got, err, want)
		}
	}
}
