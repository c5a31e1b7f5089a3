package migrate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// muffetLine are the flags of muffet 2.11.
var muffetLine = &commandLine{
	program: "muffet",
	short: map[string]string{"b": "buffer-size", "c": "max-connections", "e": "exclude", "i": "include", "f": "ignore-fragments",
		"r": "max-redirections", "t": "timeout", "v": "verbose", "h": "help"},
	switches: []string{"follow-robots-txt", "follow-sitemap-xml", "ignore-fragments", "json", "experimental-verbose-json", "junit", "verbose",
		"skip-tls-verification", "one-page-only", "help", "version"},
	lists: []string{"exclude", "include", "header"},
	rows:  muffetRows,
}

var muffetRows = map[string]row{
	"accepted-status-codes":     {carry: lycheeAccept}, // the same syntax
	"buffer-size":               {why: "headers may have up to 1 MiB, and bodies need no buffer size"},
	"color":                     {carry: oneText("color")},
	"dns-resolver":              {carry: muffetResolver},
	"exclude":                   {carry: patterns("exclude")},
	"experimental-verbose-json": {carry: muffetVerboseJSON},
	"follow-robots-txt":         {carry: whenTrue(func(c *Config) { c.set("robots", "crawl") })},
	"follow-sitemap-xml":        {carry: whenTrue(muffetSitemaps)},
	"format":                    {carry: muffetFormat},
	"header":                    {carry: lycheeHeader},
	"help":                      {carry: nothing},
	"ignore-fragments":          {carry: whenTrue(func(c *Config) { c.add("ignore-fragment", "", ".*") })},
	"include":                   {why: "use --exclude . with --exclude-except for the links to check"},
	"json":                      {carry: whenTrue(func(c *Config) { c.set("format", "json") })},
	"junit":                     {carry: whenTrue(func(c *Config) { c.set("format", "junit") })},
	"max-connections":           {carry: oneText("concurrency")},
	"max-connections-per-host":  {carry: oneText("per-host")},
	"max-redirections":          {carry: oneText("max-redirects")},
	"max-response-body-size":    {carry: oneText("max-body")},
	"max-retries":               {carry: oneText("retries")},
	"one-page-only":             {carry: whenTrue(func(c *Config) { c.set("scope", "page") })},
	"proxy":                     {carry: muffetProxy},
	"rate-limit":                {carry: muffetRate},
	"skip-tls-verification":     {carry: flagOf("insecure")},
	"timeout":                   {carry: duration("timeout")},
	"verbose":                   {carry: whenTrue(showAll)},
	"version":                   {carry: nothing},
}

// nothing is for options that ask for no setting.
func nothing(*Config, string, any) error { return nil }

func muffetVerboseJSON(c *Config, _ string, v any) error {
	if isTrue(v) {
		showAll(c)
	}
	return nil
}

func muffetSitemaps(c *Config) {
	c.setSwitch("sitemaps", true)
	for i := range c.Settings {
		if c.Settings[i].Key == "sitemaps" {
			c.Settings[i].Note = "muffet reads no other pages; here the pages that they link to are read as well"
		}
	}
}

func muffetFormat(c *Config, _ string, v any) error {
	switch t, _ := text(v); t {
	case "text", "json", "junit":
		c.set("format", t)
		return nil
	default:
		return fmt.Errorf("there is no format like %q", t)
	}
}

func muffetRate(c *Config, _ string, v any) error {
	t, _ := text(v)
	if n, err := strconv.ParseUint(t, 10, 32); err != nil {
		return errors.New("it is not a number")
	} else if n > 0 {
		c.set("rate", t+"/s")
	}
	return nil
}

// muffetResolver imports HOST or HOST:PORT.
func muffetResolver(c *Config, _ string, v any) error {
	t, _ := text(v)
	if !strings.Contains(t, ":") {
		t += ":53"
	}
	c.set("dns-server", t)
	return nil
}

// muffetProxy imports HOST:PORT.
func muffetProxy(c *Config, _ string, v any) error {
	t, _ := text(v)
	if !strings.Contains(t, "://") {
		t = "http://" + t
	}
	c.set("proxy", t)
	return nil
}
