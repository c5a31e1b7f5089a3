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

// readLinkinator reads linkinator.config.json.
func readLinkinator(c *Config, text []byte) error {
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		return err
	}
	importLinkinator(c, keys)
	return nil
}

// importLinkinator imports the options of a file, a command or a step of a workflow.
func importLinkinator(c *Config, keys map[string]any) {
	c.carryAll(linkinatorRows, keys)
	search, searches := text(keys["urlRewriteSearch"])
	replace, replaces := text(keys["urlRewriteReplace"])
	if searches && replaces && search != "" {
		c.addRemap("urlRewriteSearch", search, replace)
	} else if searches != replaces {
		c.skip("urlRewriteSearch", "urlRewriteSearch and urlRewriteReplace need each other")
	}
	if !isTrue(keys["recurse"]) {
		c.setNote("depth", "0", "as linkinator does unless recurse is set")
	}
}

// linkinatorLine are the flags of linkinator, which are the options of its file with hyphens.
var linkinatorLine = &commandLine{
	program: "linkinator",
	short:   map[string]string{"r": "recurse", "s": "skip", "f": "format", "h": "header"},
	switches: []string{"recurse", "silent", "markdown", "check-css", "check-fragments", "directory-listing", "clean-urls", "allow-insecure-certs", "retry",
		"retry-errors", "help", "version"},
	lists: []string{"skip", "skip-fragment", "status-code", "header"},
	rows:  linkinatorRows,
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
	"allowInsecureCerts":    {carry: flagOf("insecure")},
	"checkCss":              {carry: whenFalseSkip("URLs in style sheets are always checked")},
	"checkFragments":        {carry: whenFalse(func(c *Config) { c.add("ignore-fragment", "", ".*") })},
	"cleanUrls":             {carry: nothing}, // --host-style auto finds page.html for page
	"concurrency":           {carry: oneText("concurrency")},
	"config":                {carry: otherFile},
	"directoryListing":      {carry: whenTrueSkip("a directory without an index file has no page; --host-style says how the host maps URLs to files")},
	"format":                {carry: linkinatorFormat},
	"header":                {carry: lycheeHeader},
	"help":                  {carry: nothing},
	"linksToSkip":           {carry: linkinatorSkip},
	"markdown":              {carry: whenFalseSkip("Markdown files are always read")},
	"paths":                 {carry: linkinatorPaths},
	"recurse":               {carry: nothing}, // see importLinkinator
	"redirects":             {carry: linkinatorRedirects},
	"requireHttps":          {carry: linkinatorHTTPS},
	"retry":                 {carry: whenFalseSkip("Retry-After is obeyed up to --max-wait")},
	"retryErrors":           {carry: whenFalse(func(c *Config) { c.set("retries", "0") })},
	"retryErrorsCount":      {carry: oneText("retries")},
	"retryErrorsJitter":     {why: "the time between retries grows automatically, with jitter"},
	"serverRoot":            {why: "name the directory as the target; links are relative to its root"},
	"silent":                {carry: flagOf("quiet")},
	"skip":                  {carry: linkinatorSkip},
	"skipFragment":          {carry: patterns("ignore-fragment")},
	"statusCode":            {carry: linkinatorStatus},
	"statusCodes":           {carry: linkinatorStatuses},
	"timeout":               {carry: linkinatorTimeout},
	"urlReWriteReplace":     {carry: nothing}, // see importLinkinator
	"urlRewriteExpressions": {carry: linkinatorRewrites},
	"urlRewriteReplace":     {carry: nothing},
	"urlRewriteSearch":      {carry: nothing},
	"userAgent":             {carry: oneText("user-agent")},
	"verbosity":             {carry: linkinatorVerbosity},
	"version":               {carry: nothing},
}

func whenTrueSkip(why string) func(*Config, string, any) error {
	return func(_ *Config, _ string, v any) error {
		if isTrue(v) {
			return errors.New(why)
		}
		return nil
	}
}

func whenFalseSkip(why string) func(*Config, string, any) error {
	return func(_ *Config, _ string, v any) error {
		if !isTrue(v) {
			return errors.New(why)
		}
		return nil
	}
}

// otherFile is for options that name another file of settings.
func otherFile(c *Config, option string, v any) error {
	t, ok := text(v)
	if !ok || t == "" {
		return errors.New("it does not name a file")
	}
	return fmt.Errorf("import that file as well: --from %s", readable(t))
}

func linkinatorFormat(c *Config, option string, v any) error {
	t, _ := text(v)
	switch t = strings.ToLower(t); t {
	case "text", "csv", "json":
		c.set("format", t)
		return nil
	}
	return fmt.Errorf("there is no format like %q", t)
}

// linkinatorSkip imports patterns. In the action they are separated by blanks.
func linkinatorSkip(c *Config, option string, v any) error {
	for _, t := range texts(v) {
		for pattern := range strings.FieldsSeq(t) {
			c.addPattern(option, "exclude", strings.TrimSuffix(pattern, ","))
		}
	}
	return nil
}

func linkinatorPaths(c *Config, _ string, v any) error {
	for _, t := range texts(v) {
		for path := range strings.FieldsFuncSeq(t, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
			c.addTarget(path)
		}
	}
	return nil
}

var redirectCodes = []string{"redirect-permanent", "redirect-temporary", "redirect-to-root", "redirect-to-login", "redirect-to-other-site"}

func linkinatorRedirects(c *Config, option string, v any) error {
	switch t, _ := text(v); t {
	case "allow":
	case "warn":
		c.add("level", "", "redirect-temporary=warning") // the others are warnings
	case "error":
		for _, code := range redirectCodes {
			c.add("level", "", code+"=broken")
		}
	default:
		return fmt.Errorf("%q is not allow, warn or error", t)
	}
	return nil
}

func linkinatorHTTPS(c *Config, option string, v any) error {
	switch t, _ := text(v); t {
	case "off", "false":
	case "warn":
		c.setSwitch("require-https", true)
	case "error", "true":
		c.setSwitch("require-https", true)
		c.add("level", "", "insecure-http=broken")
	default:
		return fmt.Errorf("%q is not off, warn or error", t)
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

func linkinatorVerbosity(c *Config, option string, v any) error {
	t, _ := text(v)
	switch strings.ToLower(t) {
	case "debug", "info":
		showAll(c)
	case "warning":
	case "error":
		c.setSwitch("quiet", true)
	case "none":
		return errors.New("standard output always gets a report")
	default:
		return fmt.Errorf("%q is not debug, info, warning, error or none", t)
	}
	return nil
}

// linkinatorRewrites imports [{"pattern": RE, "replacement": TEXT}].
func linkinatorRewrites(c *Config, option string, v any) error {
	all, ok := v.([]any)
	if !ok {
		return errors.New("it is not a list")
	}
	for _, e := range all {
		row, _ := e.(map[string]any)
		pattern, ok := text(row["pattern"])
		if !ok {
			c.skip(option, "an entry has no pattern")
			continue
		}
		replacement, _ := text(row["replacement"])
		c.addRemap(option, pattern, replacement)
	}
	return nil
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
