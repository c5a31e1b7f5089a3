package crawler

import (
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestConfigDefaults(t *testing.T) {
	c := (&Config{Fetch: fetch.Mux{}}).withDefaults()
	for _, v := range []struct {
		field     string
		got, want any
	}{
		{"Show", c.Deliver.Show, result.Show{Broken: true, Unverified: true, Warning: true}},
		{"Scope", c.Scope.Rule, ScopePath},
		{"External", c.Scope.External, CheckExternal},
		{"Robots", c.Scope.Robots, RobotsCrawl},
		{"RobotsAgent", c.Scope.RobotsAgent, "orbweaver"},
		{"Depth", c.Scope.Depth, 0},
		{"MaxPages", c.Limits.MaxPages, 0},
		{"MaxBody", c.Limits.MaxBody, int64(10 << 20)},
		{"MaxRedirects", c.Limits.MaxRedirects, 10},
		{"Concurrency", c.Politeness.Concurrency, 64},
		{"PerHost", c.Politeness.PerHost, 8},
		{"Retries", c.Politeness.Retries, 2},
		{"Backoff", c.Politeness.Backoff, 500 * time.Millisecond},
		{"SecondPassAfter", c.Politeness.SecondPassAfter, 10 * time.Second},
		{"Grace", c.Limits.Grace, 1500 * time.Millisecond},
		{"MaxWait", c.Politeness.MaxWait, time.Minute},
	} {
		if v.got != v.want {
			t.Errorf("%s is %v, want %v", v.field, v.got, v.want)
		}
	}
	if c.Keep.Store == nil {
		t.Error("there is no Store")
	}
}

func TestShowDefault(t *testing.T) {
	usual := result.Show{Broken: true, Unverified: true, Warning: true}
	usualPages := usual
	usualPages.SkipPageReferences = true
	for _, c := range []struct{ show, want result.Show }{
		{result.Show{}, usual},
		{result.Show{SkipPageReferences: true}, usualPages},
		{result.Show{None: true}, result.Show{None: true}},
		{result.Show{OK: true}, result.Show{OK: true}},
		{result.Show{Broken: true}, result.Show{Broken: true}},
		{result.Show{Info: true}, result.Show{Info: true}},
	} {
		if got := (&Config{Deliver: Deliver{Show: c.show}}).withDefaults().Deliver.Show; got != c.want {
			t.Errorf("%+v stands for %+v, want %+v", c.show, got, c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"":                    func(*Config) {},
		"Fetch and Sites":     func(c *Config) { c.Fetch = nil },
		"fingerprint has":     func(c *Config) { c.Keep.FingerprintBits = 7 },
		"Concurrency is -1":   func(c *Config) { c.Politeness.Concurrency = -1 },
		"PerHost is -1":       func(c *Config) { c.Politeness.PerHost = -1 },
		"Rate and Delay":      func(c *Config) { c.Politeness.Rate = -1 },
		"MaxRedirects is 101": func(c *Config) { c.Limits.MaxRedirects = 101 },
		"Retries is -2":       func(c *Config) { c.Politeness.Retries = -2 },
		"Depth is -2":         func(c *Config) { c.Scope.Depth = -2 },
		"is negative":         func(c *Config) { c.Limits.MaxPages = -1 },
	} {
		c := &Config{Fetch: fetch.Mux{}}
		change(c)
		if err := c.Validate(); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
