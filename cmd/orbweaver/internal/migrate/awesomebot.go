package migrate

import (
	"regexp"
	"strings"
)

// awesomeBotLine are the flags of awesome_bot 1.20, which has no file of settings.
var awesomeBotLine = &commandLine{
	program:  "awesome_bot",
	short:    map[string]string{"a": "allow", "d": "request-delay", "f": "files", "t": "set-timeout", "w": "white-list"},
	switches: []string{"allow-dupe", "allow-redirect", "allow-ssl", "allow-timeout", "skip-save-results", "help", "version"},
	take: func(c *Config, options map[string]any) {
		c.carryAll(awesomeBotRows, options)
		if _, allowed := options["allow-redirect"]; !allowed {
			c.add("level", "", "redirect-permanent=broken")
			c.setting("level").Note = "as awesome_bot does unless --allow-redirect is given"
		}
	},
}

var awesomeBotRows = map[string]row{
	"allow":             {carry: lycheeAccept},
	"allow-dupe":        {}, // link-duplicate is off
	"allow-redirect":    {}, // see awesomeBotLine
	"allow-ssl":         {carry: on("insecure")},
	"allow-timeout":     {carry: on("level=timeout=unverified")},
	"base-url":          {carry: lycheeBase},
	"files":             {carry: each(linkinatorPaths)},
	"help":              {},
	"request-delay":     {carry: duration("delay")},
	"set-timeout":       {carry: duration("timeout")},
	"skip-save-results": {},
	"version":           {},
	"white-list":        {carry: each(awesomeBotWhite)},
}

// awesomeBotWhite imports parts of URLs, separated by commas.
func awesomeBotWhite(c *Config, t string) error {
	for part := range strings.SplitSeq(t, ",") {
		if part = strings.TrimSpace(part); part != "" {
			c.add("exclude", "", regexp.QuoteMeta(part))
		}
	}
	return nil
}
