package migrate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// readLycheeIgnore reads one pattern per line.
func readLycheeIgnore(c *Config, text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, MaxSize+1)
	for n := 1; lines.Scan(); n++ {
		pattern := strings.TrimSpace(lines.Text())
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		_ = patterns("exclude")(c, fmt.Sprintf("line %d", n), pattern) // which it reports itself
	}
	return lines.Err()
}

// takeLycheeIn imports a table of lychee in a TOML file of another program. The first table that
// exists applies.
func takeLycheeIn(paths ...string) func(*Config, map[string]any) {
	return func(c *Config, file map[string]any) {
		for _, path := range paths {
			if keys := tableAt(file, path); keys != nil {
				c.carryAll(lycheeRows, keys)
				return
			}
		}
	}
}

// tableAt returns the table at a path with dots, nil if there is none.
func tableAt(v map[string]any, path string) map[string]any {
	for name := range strings.SplitSeq(path, ".") {
		v, _ = v[name].(map[string]any)
	}
	return v
}

func decodeTOML(text []byte, v any) error {
	_, err := toml.Decode(string(text), v)
	if bad, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Errorf("line %d: %s", bad.Position.Line, bad.Message)
	}
	return err
}

// lycheeRows are the options of lychee 0.24, with their names in older versions.
var lycheeRows = map[string]row{
	"accept":               {carry: lycheeAccept},
	"accept_timeouts":      {carry: on("level=timeout=unverified")},
	"archive":              {carry: choice("there is no archive %q", map[string]effects{"wayback": ""})},
	"base":                 {carry: lycheeBase},
	"base_url":             {carry: lycheeBase},
	"basic_auth":           {carry: each(lycheeBasicAuth)},
	"cache":                {carry: on("cache=.orbweaver-cache")},
	"cache_exclude_status": {why: "the cache never contains failures"},
	"cookie_jar":           {why: "it is JSON; --cookies reads the Netscape format, as curl does"},
	"default_extension":    {why: "documents are recognized by media type, name or first bytes; see --type and --stdin-type"},
	"config":               {carry: otherFile},
	"dump":                 {why: "use `orbweaver extract`"},
	"dump_inputs":          {why: "use --dump-inputs"},
	"exclude":              {carry: patterns("exclude")},
	"exclude_all_private":  {carry: on("deny-private")},
	"exclude_link_local":   {carry: on(`exclude=^https?://(169\.254\.|\[fe[89ab])`)},
	"exclude_loopback":     {carry: on(`exclude=^https?://(localhost|127\.|\[::1\])`)},
	"exclude_mail":         {carry: on("exclude=^mailto:")},
	"exclude_path":         {carry: patterns("no-follow")},
	"exclude_private":      {carry: on("deny-private")},
	"extensions":           {why: "in a directory, documents of all supported formats are read; --no-follow excludes some"},
	"fallback_extensions":  {carry: joined("fallback-extensions")},
	"files_from":           {carry: oneText("from")},
	"format": {carry: choice(noFormat, map[string]effects{"compact": "format=text", "detailed": "format=text",
		"json": "format=json", "junit": "format=junit", "markdown": "format=markdown"})},
	"generate":              {why: "use `orbweaver man` or `orbweaver completion`"},
	"github_token":          {why: "code hosts are treated like any other host, and pages are requested instead of an API"},
	"glob_ignore_case":      {why: "globs are case-sensitive"},
	"header":                {carry: headers},
	"headers":               {carry: headers},
	"help":                  {},
	"hidden":                {why: "hidden files are not read"},
	"host_concurrency":      {carry: oneText("per-host")},
	"host_request_interval": {carry: duration("delay")},
	"host_stats":            {why: "Orbweaver has no such table"},
	"hosts":                 {carry: entries(" of hosts", lycheeHost)},
	"include":               {carry: patterns("exclude-except")},
	"include_fragments": {carry: choice("", map[string]effects{"none": "ignore-fragment=.*", "false": "ignore-fragment=.*", "text": textOnly,
		"text-only": textOnly, "full": "text-fragments"})},
	"include_mail":      {carry: off("exclude=^mailto:")},
	"include_verbatim":  {carry: on("include-verbatim")},
	"include_wikilinks": {carry: on("wiki-links")},
	"index_files":       {carry: joined("index-files")},
	"insecure":          {carry: on("insecure")},
	"max_cache_age":     {carry: duration("max-age")},
	"max_concurrency":   {carry: oneText("concurrency")},
	"max_redirects":     {carry: oneText("max-redirects")},
	"max_retries":       {carry: oneText("retries")},
	"method":            {why: "HEAD is tried first if no content is needed, and then GET"},
	"min_tls":           {why: "the minimum version is TLS 1.2"},
	"mode":              {why: "see --color"},
	"no_ignore":         {carry: on("no-ignore")},
	"no_progress":       {carry: on("progress=never")},
	"offline":           {carry: on("external=skip")},
	"output":            {carry: lycheeOutput},
	"preprocess":        {why: "name the extensions of the files: --preprocess EXT=COMMAND"},
	"quiet":             {carry: on("quiet")},
	"remap":             {carry: each(lycheeRemap)},
	"require_https":     {carry: on("check-https level=insecure-http=broken")},
	"retry_wait_time":   {why: "the time between retries grows automatically, and Retry-After is obeyed"},
	"root_dir":          {why: "name the directory as the target; links are relative to its root"},
	"scheme":            {carry: lycheeScheme},
	"skip_missing":      {why: "a missing target is always reported"},
	"suggest":           {carry: on("archive=wayback")},
	"threads":           {why: "all processors are used; see GOMAXPROCS"},
	"timeout":           {carry: duration("timeout")},
	"user_agent":        {carry: oneText("user-agent")},
	"version":           {},
	"verbose": {carry: choice("", map[string]effects{"info": "verbose", "debug": "verbose", "trace": "verbose", "true": "verbose",
		"1": "verbose", "2": "verbose", "3": "verbose", "error": "quiet"})},
}

// textOnly compares text fragments (#:~:text=) with the pages, and ignores all others.
const textOnly = "text-fragments ignore-fragment=^([^:]|:[^~])*$"

// lycheeLine are the flags of lychee, which are the options of its file with hyphens.
var lycheeLine = &commandLine{
	program: "lychee",
	short: map[string]string{"c": "config", "v": "verbose", "q": "quiet", "n": "no-progress", "m": "max-redirects", "T": "threads", "u": "user-agent",
		"i": "insecure", "s": "scheme", "E": "exclude-all-private", "H": "header", "a": "accept", "t": "timeout", "r": "retry-wait-time", "X": "method",
		"b": "base-url", "o": "output", "f": "format", "p": "preprocess", "h": "help", "V": "version"},
	switches: []string{"verbose", "quiet", "no-progress", "host-stats", "cache", "dump", "dump-inputs", "suggest", "insecure", "offline", "exclude-all-private",
		"exclude-private", "exclude-link-local", "exclude-loopback", "exclude-mail", "include-mail", "accept-timeouts", "include-fragments", "skip-missing",
		"no-ignore", "hidden", "include-verbatim", "glob-ignore-case", "require-https", "include-wikilinks", "help", "version"},
	lists: []string{"scheme", "include", "exclude", "exclude-path", "remap", "header", "basic-auth", "config"},
	take:  take(lycheeRows),
	name:  func(flag string) string { return strings.ReplaceAll(flag, "-", "_") },
}

// lycheeRemap imports "PATTERN REPLACEMENT".
func lycheeRemap(c *Config, t string) error {
	pattern, replacement, ok := strings.Cut(strings.TrimSpace(t), " ")
	if !ok {
		return fmt.Errorf("%q is not of the form \"PATTERN REPLACEMENT\"", t)
	}
	return c.addRemap(pattern, strings.TrimSpace(replacement))
}

// lycheeScheme excludes the other schemes that would be checked.
func lycheeScheme(c *Config, option string, v any) error {
	var others []string
	wanted := texts(v)
	if len(wanted) == 0 {
		return nil
	}
	for _, scheme := range []string{"http", "https", "file", "mailto", "ftp", "ftps"} {
		if !slices.Contains(wanted, scheme) {
			others = append(others, scheme)
		}
	}
	if len(others) > 0 {
		c.add("exclude", "", "^("+strings.Join(others, "|")+"):")
	}
	return nil
}

func lycheeBase(c *Config, option string, v any) error {
	t, _ := text(v)
	if !strings.HasPrefix(t, "http://") && !strings.HasPrefix(t, "https://") {
		return errors.New("name the directory as the target; links are relative to its root")
	}
	c.set("base-url", t)
	return nil
}

// lycheeOutput imports an output file. lychee writes it in the selected format, Orbweaver
// in the format of its extension.
func lycheeOutput(c *Config, option string, v any) error {
	t, ok := text(v)
	if !ok || t == "" {
		return errors.New("it does not name a file")
	}
	c.add("output", "", t)
	return nil
}

func lycheeBasicAuth(c *Config, entry string) error {
	pattern, credentials, ok := strings.Cut(strings.TrimSpace(entry), " ")
	user, password, ok2 := strings.Cut(strings.TrimSpace(credentials), ":")
	if !ok || !ok2 {
		return errors.New("an entry is not of the form \"PATTERN NAME:PASSWORD\"")
	}
	return c.addRule(Rule{MatchRE: pattern, Header: basic(user, password)})
}

// lycheeHost makes a rule for the table of a host.
func lycheeHost(c *Config, host string, v any) error {
	table, _ := v.(map[string]any)
	rule := Rule{MatchRE: hostPattern(host)}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		var err error
		switch key {
		case "accept":
			rule.Accept, err = lycheeCodes(table[key])
		case "headers":
			fields, _ := table[key].(map[string]any)
			rule.Header = fieldTexts(fields)
		case "request_interval":
			t, _ := text(table[key])
			rule.Rate, err = rateOf(t)
		default:
			err = errors.New("rules have no such key")
		}
		if err != nil {
			c.skip(fmt.Sprintf("hosts.%s.%s", strconv.Quote(host), key), err.Error())
		}
	}
	if !rule.empty() {
		c.Rules = append(c.Rules, rule)
	}
	return nil
}

func lycheeAccept(c *Config, option string, v any) error {
	codes, err := lycheeCodes(v)
	if err == nil && codes != nil {
		c.set("accept", strings.Join(codes, ",")).Note = "in addition to 2xx, which are always ok"
	}
	return err
}

// lycheeCodes parses statuses and ranges of them: 200, "200..=204", "200..300", "..=299",
// "500..". It drops those between 200 and 299, which are always ok.
func lycheeCodes(v any) ([]string, error) {
	var codes []string
	for _, t := range texts(v) {
		for part := range strings.SplitSeq(t, ",") {
			code, err := lycheeRange(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			if code != "" {
				codes = append(codes, code)
			}
		}
	}
	return codes, nil
}

func lycheeRange(t string) (string, error) {
	wrong := fmt.Errorf("%q is not a status or a range of statuses", t)
	from, to, isRange := strings.Cut(t, "..")
	if !isRange {
		n, err := strconv.Atoi(t)
		switch {
		case err != nil || n < 100 || n > 999:
			return "", wrong
		case n < 300:
			return "", nil
		}
		return t, nil
	}
	least, most := 100, 999
	if from != "" {
		n, err := strconv.Atoi(from)
		if err != nil {
			return "", wrong
		}
		least = n
	}
	last, inclusive := strings.CutPrefix(to, "=")
	if last != "" {
		n, err := strconv.Atoi(last)
		if err != nil {
			return "", wrong
		}
		most = n
		if !inclusive {
			most--
		}
	}
	least = max(least, 300)
	if most < least {
		return "", nil
	}
	return fmt.Sprintf("%d-%d", least, most), nil
}
