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

// lycheeRow imports one option, or has the reason why it is not imported.
type lycheeRow struct {
	carry func(c *Config, option string, v any) error
	why   string
}

// readLycheeIgnore reads one pattern per line.
func readLycheeIgnore(c *Config, text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, MaxSize+1)
	for n := 1; lines.Scan(); n++ {
		pattern := strings.TrimSpace(lines.Text())
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		c.addPattern(fmt.Sprintf("line %d", n), "exclude", pattern)
	}
	return lines.Err()
}

// readLychee reads lychee.toml.
func readLychee(c *Config, text []byte) error {
	var keys map[string]any
	if _, err := toml.Decode(string(text), &keys); err != nil {
		var bad toml.ParseError
		if errors.As(err, &bad) {
			return fmt.Errorf("line %d: %s", bad.Position.Line, bad.Message)
		}
		return err
	}
	for _, option := range slices.Sorted(maps.Keys(keys)) {
		row, known := lycheeRows[option]
		switch {
		case !known:
			c.skip(option, "unknown option")
		case row.carry == nil:
			c.skip(option, row.why)
		default:
			if err := row.carry(c, option, keys[option]); err != nil {
				c.skip(option, err.Error())
			}
		}
	}
	return nil
}

// lycheeRows are the options of lychee 0.24, with their names in older versions.
var lycheeRows = map[string]lycheeRow{
	"accept":                {carry: lycheeAccept},
	"accept_timeouts":       {why: "timeouts of external targets never fail a run; timeouts of internal ones do"},
	"archive":               {carry: func(*Config, string, any) error { return nil }}, // see `suggest`
	"base":                  {carry: lycheeBase},
	"base_url":              {carry: lycheeBase},
	"basic_auth":            {carry: lycheeBasicAuth},
	"cache":                 {carry: whenTrue(func(c *Config) { c.set("cache", ".orbweaver-cache") })},
	"cache_exclude_status":  {why: "the cache never contains failures"},
	"cookie_jar":            {why: "it is JSON; --cookies reads the Netscape format, as curl does"},
	"default_extension":     {why: "documents are recognized by media type, name or first bytes; for standard input use --stdin-type"},
	"dump":                  {why: "use `orbweaver extract`"},
	"dump_inputs":           {why: "use `orbweaver extract`"},
	"exclude":               {carry: patterns("exclude")},
	"exclude_all_private":   {carry: whenTrue(func(c *Config) { c.setSwitch("deny-private", true) })},
	"exclude_link_local":    {carry: whenTrue(func(c *Config) { c.add("exclude", "", `^https?://(169\.254\.|\[fe[89ab])`) })},
	"exclude_loopback":      {carry: whenTrue(func(c *Config) { c.add("exclude", "", `^https?://(localhost|127\.|\[::1\])`) })},
	"exclude_mail":          {carry: whenTrue(func(c *Config) { c.add("exclude", "", "^mailto:") })},
	"exclude_path":          {carry: patterns("no-follow")},
	"exclude_private":       {carry: whenTrue(func(c *Config) { c.setSwitch("deny-private", true) })},
	"extensions":            {why: "in a directory, documents of all supported formats are read; --no-follow excludes some"},
	"fallback_extensions":   {why: "`page` means page.html, as on most hosts; see --host-style"},
	"files_from":            {carry: oneText("from")},
	"format":                {carry: lycheeFormat},
	"github_token":          {why: "code hosts are treated like any other host"},
	"glob_ignore_case":      {why: "globs are case-sensitive"},
	"header":                {carry: lycheeHeader},
	"headers":               {carry: lycheeHeader},
	"hidden":                {why: "hidden files are not read"},
	"host_concurrency":      {carry: oneText("per-host")},
	"host_request_interval": {carry: duration("delay")},
	"host_stats":            {why: "Orbweaver has no such table"},
	"hosts":                 {carry: lycheeHosts},
	"include":               {why: "exclusions cannot be overridden; use narrower patterns for exclude"},
	"include_fragments":     {carry: lycheeFragments},
	"include_mail":          {carry: whenFalse(func(c *Config) { c.add("exclude", "", "^mailto:") })},
	"include_verbatim":      {why: "links in code are ignored"},
	"include_wikilinks":     {why: "wiki links are not read"},
	"index_files":           {why: "the index file of a directory is index.html; see --host-style"},
	"insecure":              {carry: flagOf("insecure")},
	"max_cache_age":         {carry: duration("max-age")},
	"max_concurrency":       {carry: oneText("concurrency")},
	"max_redirects":         {carry: oneText("max-redirects")},
	"max_retries":           {carry: oneText("retries")},
	"method":                {why: "HEAD is tried first if no content is needed, and then GET"},
	"min_tls":               {why: "the minimum version is TLS 1.2"},
	"mode":                  {why: "see --color"},
	"no_ignore":             {why: "ignore files of version control are not read"},
	"no_progress":           {carry: whenTrue(func(c *Config) { c.set("progress", "never") })},
	"offline":               {carry: whenTrue(func(c *Config) { c.set("external", "skip") })},
	"output":                {carry: lycheeOutput},
	"preprocess":            {why: "documents are read without conversion, including PDF, EPUB and Office files"},
	"remap":                 {why: "URLs cannot be rewritten; see --base-url and --connect-to"},
	"require_https":         {carry: flagOf("check-https")},
	"retry_wait_time":       {why: "the time between retries grows automatically, and Retry-After is obeyed"},
	"root_dir":              {why: "name the directory as the target; links are relative to its root"},
	"scheme":                {why: "all schemes are checked or listed as skipped; use --exclude"},
	"skip_missing":          {why: "a missing target is always reported"},
	"suggest":               {carry: whenTrue(func(c *Config) { c.set("archive", "wayback") })},
	"threads":               {why: "all processors are used; see GOMAXPROCS"},
	"timeout":               {carry: duration("timeout")},
	"user_agent":            {carry: oneText("user-agent")},
	"verbose":               {why: "see --show"},
}

func oneText(key string) func(*Config, string, any) error {
	return func(c *Config, option string, v any) error {
		t, ok := text(v)
		if !ok {
			return errors.New("it is not a single value")
		}
		c.set(key, t)
		return nil
	}
}

func duration(key string) func(*Config, string, any) error {
	return func(c *Config, option string, v any) error {
		t, err := seconds(v)
		if err == nil {
			c.set(key, t)
		}
		return err
	}
}

func flagOf(key string) func(*Config, string, any) error {
	return whenTrue(func(c *Config) { c.setSwitch(key, true) })
}

func whenTrue(do func(*Config)) func(*Config, string, any) error {
	return func(c *Config, option string, v any) error {
		if isTrue(v) {
			do(c)
		}
		return nil
	}
}

func whenFalse(do func(*Config)) func(*Config, string, any) error {
	return func(c *Config, option string, v any) error {
		if !isTrue(v) {
			do(c)
		}
		return nil
	}
}

func patterns(key string) func(*Config, string, any) error {
	return func(c *Config, option string, v any) error {
		for _, p := range texts(v) {
			c.addPattern(option, key, p)
		}
		return nil
	}
}

func lycheeBase(c *Config, option string, v any) error {
	t, _ := text(v)
	if !strings.HasPrefix(t, "http://") && !strings.HasPrefix(t, "https://") {
		return errors.New("name the directory as the target; links are relative to its root")
	}
	c.set("base-url", t)
	return nil
}

func lycheeFormat(c *Config, option string, v any) error {
	t, _ := text(v)
	switch t {
	case "compact", "detailed":
		c.set("format", "text")
	case "json", "junit", "markdown":
		c.set("format", t)
	default:
		return fmt.Errorf("there is no format like %q", t)
	}
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

// lycheeFragments turns the check of fragments off if it was explicitly off.
func lycheeFragments(c *Config, option string, v any) error {
	if t, _ := text(v); t == "none" || t == "false" {
		c.add("ignore-fragment", "", ".*")
	}
	return nil
}

const headersNote = "sent only to start targets; for others use a [[rule]]"

func lycheeHeader(c *Config, option string, v any) error {
	if table, ok := v.(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if t, ok := text(table[name]); ok {
				c.add("header", headersNote, name+": "+t)
			}
		}
		return nil
	}
	for _, t := range texts(v) {
		if name, value, ok := strings.Cut(t, "="); ok && !strings.Contains(name, ":") {
			t = name + ": " + value // the syntax of older versions
		}
		c.add("header", headersNote, t)
	}
	return nil
}

func lycheeBasicAuth(c *Config, option string, v any) error {
	for _, entry := range texts(v) {
		pattern, credentials, ok := strings.Cut(strings.TrimSpace(entry), " ")
		user, password, ok2 := strings.Cut(strings.TrimSpace(credentials), ":")
		if !ok || !ok2 {
			c.skip(option, "an entry is not of the form \"PATTERN NAME:PASSWORD\"")
			continue
		}
		if c.usable(option, pattern) {
			c.Rules = append(c.Rules, Rule{MatchRE: pattern, Header: basic(user, password)})
		}
	}
	return nil
}

// lycheeHosts makes a rule for the table of each host.
func lycheeHosts(c *Config, option string, v any) error {
	hosts, ok := v.(map[string]any)
	if !ok {
		return errors.New("it is not a table of hosts")
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		table, _ := hosts[host].(map[string]any)
		rule := Rule{MatchRE: hostPattern(host)}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			where := fmt.Sprintf("hosts.%s.%s", strconv.Quote(host), key)
			switch key {
			case "accept":
				codes, err := lycheeCodes(table[key])
				if err != nil {
					c.skip(where, err.Error())
					continue
				}
				rule.Accept = codes
			case "headers":
				rule.Header = map[string]string{}
				fields, _ := table[key].(map[string]any)
				for name, value := range fields {
					rule.Header[name], _ = text(value)
				}
			case "request_interval":
				t, _ := text(table[key])
				rate, err := rateOf(t)
				if err != nil {
					c.skip(where, err.Error())
					continue
				}
				rule.Rate = rate
			default:
				c.skip(where, "rules have no such key")
			}
		}
		if rule.Accept != nil || rule.Header != nil || rule.Rate != "" {
			c.Rules = append(c.Rules, rule)
		}
	}
	return nil
}

func lycheeAccept(c *Config, option string, v any) error {
	codes, err := lycheeCodes(v)
	if err == nil && codes != nil {
		c.setNote("accept", strings.Join(codes, ","), "in addition to 2xx, which are always ok")
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
