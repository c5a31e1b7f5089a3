package migrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// importLinkinator imports the options of a file, a command or a step of a workflow.
func importLinkinator(c *Config, keys map[string]any) {
	c.carryAll(linkinatorRows, keys)
	search, searches := text(keys["urlRewriteSearch"])
	replace, replaces := text(keys["urlRewriteReplace"])
	if searches && replaces && search != "" {
		if err := c.addRemap(search, replace); err != nil {
			c.skip("urlRewriteSearch", err.Error())
		}
	} else if searches != replaces {
		c.skip("urlRewriteSearch", "urlRewriteSearch and urlRewriteReplace need each other")
	}
	if !isTrue(keys["recurse"]) {
		c.set("depth", "0").Note = "as linkinator does unless recurse is set"
	}
}

// linkinatorLine are the flags of linkinator, which are the options of its file with hyphens.
var linkinatorLine = &commandLine{
	program: "linkinator",
	short:   map[string]string{"r": "recurse", "s": "skip", "f": "format", "h": "header"},
	switches: []string{"recurse", "silent", "markdown", "check-css", "check-fragments", "directory-listing", "clean-urls", "allow-insecure-certs", "retry",
		"retry-errors", "help", "version"},
	lists: []string{"skip", "skip-fragment", "status-code", "header"},
	name:  camel,
	take:  importLinkinator,
}

// camel returns a name with hyphens in the spelling of linkinator's file.
func camel(name string) string {
	var b strings.Builder
	for i, part := range strings.Split(name, "-") {
		if i > 0 && part != "" {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String()
}

// linkinatorRows are the options of linkinator 8, with the inputs of its action.
var linkinatorRows = map[string]row{
	"allowInsecureCerts": {carry: on("insecure")},
	"checkCss":           {carry: off("!URLs in style sheets are always checked")},
	"checkFragments":     {carry: off("ignore-fragment=.*")},
	"cleanUrls":          {}, // --host-style auto finds page.html for page
	"concurrency":        {carry: oneText("concurrency")},
	"config":             {carry: otherFile},
	"directoryListing":   {carry: on("!a directory without an index file has no page; --host-style says how the host maps URLs to files")},
	"format":             {carry: lower(choice(noFormat, map[string]effects{"text": "format=text", "csv": "format=csv", "json": "format=json"}))},
	"header":             {carry: headers},
	"help":               {},
	"linksToSkip":        {carry: linkinatorSkip},
	"markdown":           {carry: off("!Markdown files are always read")},
	"paths":              {carry: each(linkinatorPaths)},
	"recurse":            {}, // see importLinkinator
	"redirects": {carry: choice("%q is not allow, warn or error", map[string]effects{"allow": "", "warn": "level=redirect-temporary=warning", // the others are warnings
		"error": "level=redirect-permanent=broken level=redirect-temporary=broken level=redirect-to-root=broken level=redirect-to-login=broken level=redirect-to-other-site=broken"})},
	"requireHttps": {carry: choice("%q is not off, warn or error", map[string]effects{"off": "", "false": "", "warn": "require-https",
		"error": "require-https level=insecure-http=broken", "true": "require-https level=insecure-http=broken"})},
	"retry":                 {carry: off("!Retry-After is obeyed up to --max-wait")},
	"retryErrors":           {carry: off("retries=0")},
	"retryErrorsCount":      {carry: oneText("retries")},
	"retryErrorsJitter":     {why: "the time between retries grows automatically, with jitter"},
	"serverRoot":            {why: "name the directory as the target; links are relative to its root"},
	"silent":                {carry: on("quiet")},
	"skip":                  {carry: linkinatorSkip},
	"skipFragment":          {carry: patterns("ignore-fragment")},
	"statusCode":            {carry: linkinatorStatus},
	"statusCodes":           {carry: linkinatorStatuses},
	"timeout":               {carry: linkinatorTimeout},
	"urlReWriteReplace":     {}, // see importLinkinator
	"urlRewriteExpressions": {carry: tables("pattern", linkinatorRewrite)},
	"urlRewriteReplace":     {},
	"urlRewriteSearch":      {},
	"userAgent":             {carry: oneText("user-agent")},
	"verbosity": {carry: lower(choice("%q is not debug, info, warning, error or none", map[string]effects{"debug": "show=all", "info": "show=all", "warning": "",
		"error": "quiet", "none": alwaysReport}))},
	"version": {},
}

// linkinatorSkip imports patterns. In the action they are separated by blanks.
func linkinatorSkip(c *Config, option string, v any) error {
	for _, t := range texts(v) {
		for p := range strings.FieldsSeq(t) {
			_ = patterns("exclude")(c, option, strings.TrimSuffix(p, ",")) // which it reports itself
		}
	}
	return nil
}

func linkinatorPaths(c *Config, t string) error {
	for path := range strings.FieldsFuncSeq(t, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
		c.addTarget(path)
	}
	return nil
}

// linkinatorTimeout imports milliseconds; 0 is no limit.
func linkinatorTimeout(c *Config, option string, v any) error {
	t, _ := text(v)
	n, err := strconv.ParseFloat(t, 64)
	switch {
	case err != nil || n < 0 || n > 1e9:
		return errors.New("it is not a number of milliseconds")
	case n == 0:
		return errors.New("requests without a time limit are not supported")
	}
	c.set("timeout", strconv.FormatFloat(n, 'f', -1, 64)+"ms")
	return nil
}

// linkinatorRewrite imports {"pattern": RE, "replacement": TEXT}.
func linkinatorRewrite(c *Config, entry map[string]any, pattern string) error {
	replacement, _ := text(entry["replacement"])
	return c.addRemap(pattern, replacement)
}

// linkinatorStatus imports flags of the form CODE:ACTION.
func linkinatorStatus(c *Config, option string, v any) error {
	actions := map[string]any{}
	for _, t := range texts(v) {
		code, action, _ := strings.Cut(t, ":")
		actions[strings.TrimSpace(code)] = strings.TrimSpace(action)
	}
	return linkinatorStatuses(c, option, actions)
}

// linkinatorStatuses imports what is to happen for statuses. The action takes JSON.
func linkinatorStatuses(c *Config, option string, v any) error {
	if t, ok := v.(string); ok {
		var actions map[string]any
		if err := json.Unmarshal([]byte(t), &actions); err != nil {
			return errors.New("it is not an object in JSON")
		}
		v = actions
	}
	actions, ok := v.(map[string]any)
	if !ok {
		return errors.New("it is not a table of statuses")
	}
	var accept []string
	codes := slices.SortedFunc(maps.Keys(actions), func(a, b string) int {
		// 4xx comes before 404, because the last level applies.
		return strings.Compare(strings.ReplaceAll(a, "x", " "), strings.ReplaceAll(b, "x", " "))
	})
	for _, code := range codes {
		statuses := statusesOf(code)
		level := map[any]string{"ok": "", "warn": "warning", "skip": "off", "error": "broken"}
		word, known := level[actions[code]]
		switch {
		case statuses == nil || !known:
			c.skip(option, fmt.Sprintf("%s:%v is not of the form CODE:ok|warn|skip|error", code, actions[code]))
		case word == "" && statuses[0] >= 300:
			accept = append(accept, rangeOf(statuses))
		case word == "": // 2xx are always ok
		case statuses[0] < 400:
			c.skip(option, fmt.Sprintf("%s is not an error, so it has no level: see --level redirect-permanent=broken", code))
		default:
			for _, status := range statuses {
				c.add("level", "", fmt.Sprintf("http-%d=%s", status, word))
			}
		}
	}
	if accept != nil {
		c.set("accept", strings.Join(accept, ","))
	}
	return nil
}

// statusesOf returns the statuses that "404" or "4xx" stands for.
func statusesOf(code string) (all []int) {
	if len(code) == 3 && strings.EqualFold(code[1:], "xx") && code[0] >= '1' && code[0] <= '5' {
		from := int(code[0]-'0') * 100
		for status := from; status < from+100; status++ {
			if http.StatusText(status) != "" {
				all = append(all, status)
			}
		}
		return all
	}
	if n, err := strconv.Atoi(code); err == nil && n >= 100 && n <= 999 {
		all = []int{n}
	}
	return all
}

// rangeOf returns statuses in the syntax of --accept.
func rangeOf(statuses []int) string {
	if len(statuses) == 1 {
		return strconv.Itoa(statuses[0])
	}
	from := statuses[0] / 100 * 100
	return fmt.Sprintf("%d-%d", from, from+99)
}
