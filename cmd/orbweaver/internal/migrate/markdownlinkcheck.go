package migrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// isMarkdownLinkCheck reports whether a JSON file has an option that only markdown-link-check
// has, or its name. Users give the file any name.
func isMarkdownLinkCheck(base string, text []byte) bool {
	if !strings.HasSuffix(base, ".json") || strings.Contains(base, "linkinator") {
		return false
	}
	var keys map[string]any
	if json.Unmarshal(text, &keys) != nil {
		return false
	}
	for key := range keys {
		if _, known := mlcRows[key]; known && !hasRow(linkinatorRows, key) {
			return true
		}
	}
	return strings.Contains(base, "markdown") || strings.Contains(base, "mlc")
}

const fromRoot = "name the directory as the target, or use --root: links that begin with / start there"

// mlcRows are the options of markdown-link-check 3.14, and its flags.
var mlcRows = map[string]row{
	"alive":               {carry: lycheeAccept},
	"aliveStatusCodes":    {carry: lycheeAccept},
	"config":              {carry: otherFile},
	"fallbackHttpStatus":  {why: "anything but a 2xx to HEAD is asked again with GET"},
	"fallbackRetryDelay":  {why: "the time between retries grows automatically, and Retry-After is obeyed"},
	"help":                {},
	"httpHeaders":         {carry: items(mlcHeaders)},
	"ignore":              {carry: patterns("exclude")},
	"ignoreDisable":       {why: "the marks of Orbweaver to ignore links always apply"},
	"ignorePatterns":      {carry: tables("pattern", func(c *Config, e map[string]any, p string) error { return pattern("exclude")(c, p) })},
	"progress":            {carry: on("progress=always")},
	"projectBaseUrl":      {why: fromRoot},
	"quiet":               {carry: on("show=broken")},
	"replacementPatterns": {carry: tables("pattern", mlcReplacement)},
	"reporters":           {why: "see --format and --output"},
	"retry":               {}, // 429 is always retried
	"retryCount":          {carry: oneText("retries")},
	"retryOn429":          {carry: off("!429 is always retried; see --retries")},
	"showProgressBar":     {carry: on("progress=always")},
	"timeout":             {carry: mlcTimeout},
	"verbose":             {carry: on("show=all")},
	"version":             {},
}

var markdownLinkCheckLine = &commandLine{
	program:  "markdown-link-check",
	short:    map[string]string{"p": "progress", "c": "config", "q": "quiet", "v": "verbose", "i": "ignore", "a": "alive", "r": "retry", "h": "help", "V": "version"},
	switches: []string{"progress", "quiet", "verbose", "retry", "help", "version"},
	lists:    []string{"ignore"},
	take:     take(mlcRows),
}

// mlcActionRows are the inputs of the action for markdown-link-check.
var mlcActionRows = map[string]row{
	"base-branch":               {why: "see --since, for example --since origin/main"},
	"check-modified-files-only": {carry: on("!see --since, for example --since origin/main")},
	"config-file":               {carry: otherFile},
	"file-extension":            {why: "in a directory, documents of all supported formats are read; --no-follow excludes some"},
	"file-path":                 {carry: each(linkinatorPaths)},
	"folder-path":               {carry: each(linkinatorPaths)},
	"max-depth":                 {why: "directories are read with all that is in them; --no-follow excludes some"},
	"use-quiet-mode":            {carry: on("show=broken")},
	"use-verbose-mode":          {carry: on("show=all")},
}

// mlcReplacement imports the replacement of a part of links.
func mlcReplacement(c *Config, entry map[string]any, p string) error {
	replacement, _ := text(entry["replacement"])
	if strings.Contains(replacement, "{{BASEURL}}") {
		return fmt.Errorf("%q to %q: %s", p, replacement, fromRoot)
	}
	return c.addWrittenRemap(p, replacement)
}

// mlcHeaders imports {"urls": [URL], "headers": {NAME: VALUE}}.
func mlcHeaders(c *Config, item any) error {
	entry, _ := item.(map[string]any)
	fields, _ := entry["headers"].(map[string]any)
	urls := texts(entry["urls"])
	if len(urls) == 0 || len(fields) == 0 {
		return errors.New("an entry has no urls or no headers")
	}
	for _, u := range urls {
		if err := c.headerRule("^"+regexp.QuoteMeta(u), fields); err != nil {
			return err
		}
	}
	return nil
}

// mlcTimeout imports a duration, in milliseconds if it has no unit.
func mlcTimeout(c *Config, option string, v any) error {
	t, _ := text(v)
	if t != "" && !slices.ContainsFunc([]rune(t), func(r rune) bool { return r < '0' || r > '9' }) {
		return linkinatorTimeout(c, option, v)
	}
	return duration("timeout")(c, option, v)
}
