package migrate

import (
	"errors"
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
	take:  take(muffetRows),
}

var muffetRows = map[string]row{
	"accepted-status-codes":     {carry: lycheeAccept}, // the same syntax
	"buffer-size":               {why: "headers may have up to 1 MiB, and bodies need no buffer size"},
	"color":                     {carry: oneText("color")},
	"dns-resolver":              {carry: muffetResolver},
	"exclude":                   {carry: patterns("exclude")},
	"experimental-verbose-json": {carry: on("show=all")},
	"follow-robots-txt":         {carry: on("robots=crawl")},
	"follow-sitemap-xml":        {carry: muffetSitemaps},
	"format":                    {carry: choice(noFormat, map[string]effects{"text": "format=text", "json": "format=json", "junit": "format=junit"})},
	"header":                    {carry: headers},
	"help":                      {},
	"ignore-fragments":          {carry: on("ignore-fragment=.*")},
	"include":                   {why: "use --exclude . with --exclude-except for the links to check"},
	"json":                      {carry: on("format=json")},
	"junit":                     {carry: on("format=junit")},
	"max-connections":           {carry: oneText("concurrency")},
	"max-connections-per-host":  {carry: oneText("per-host")},
	"max-redirections":          {carry: oneText("max-redirects")},
	"max-response-body-size":    {carry: oneText("max-body")},
	"max-retries":               {carry: oneText("retries")},
	"one-page-only":             {carry: on("scope=page")},
	"proxy":                     {carry: muffetProxy},
	"rate-limit":                {carry: muffetRate},
	"skip-tls-verification":     {carry: on("insecure")},
	"timeout":                   {carry: duration("timeout")},
	"verbose":                   {carry: on("show=all")},
	"version":                   {},
}

func muffetSitemaps(c *Config, _ string, v any) error {
	if isTrue(v) {
		s := c.set("sitemaps", "true")
		s.Switch, s.Note = true, "muffet reads no other pages; here the pages that they link to are read as well"
	}
	return nil
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
