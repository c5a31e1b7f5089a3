package migrate

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// takeHTMLProofer imports html-proofer's options in YAML.
func takeHTMLProofer(c *Config, keys map[string]any) {
	c.carryAll(htmlProoferRows, symbols(keys).(map[string]any))
}

// symbols drops the colons before names and words, which those are symbols of Ruby.
func symbols(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimPrefix(v, ":")
	case map[string]any:
		all := map[string]any{}
		for name, v := range v {
			all[strings.TrimPrefix(name, ":")] = symbols(v)
		}
		return all
	}
	return v
}

// htmlProoferLine are the flags of html-proofer, which are its options with hyphens.
var htmlProoferLine = &commandLine{
	program: "htmlproofer",
	switches: []string{"allow-hash-href", "allow-missing-href", "as-links", "check-external-hash", "check-internal-hash", "check-sri", "disable-external",
		"enforce-https", "ignore-empty-alt", "ignore-empty-mailto", "ignore-missing-alt", "only-4xx", "help", "version", "check-html", "check-favicon",
		"check-opengraph", "check-img-http", "empty-alt-ignore", "external_only", "external-only"},
	short: map[string]string{},
	take:  take(htmlProoferRows),
	name:  func(flag string) string { return strings.ReplaceAll(flag, "-", "_") },
}

// htmlProoferRows are the options of html-proofer 5, with their names in version 3.
var htmlProoferRows = map[string]row{
	"allow_hash_href":       {carry: off("check=accessibility level=link-placeholder=broken")},
	"allow_missing_href":    {carry: off("check=accessibility level=href-missing=broken")},
	"alt_ignore":            {why: "images without alt are reported only with --check images; mark those to ignore with data-orbweaver-ignore"},
	"as_links":              {}, // a URL is a target as well
	"assume_extension":      {why: "see --fallback-extensions; by default, page.html answers for page"},
	"cache":                 {why: "see --cache and --max-age"},
	"check_external_hash":   {carry: off("level=external:fragment-missing=off level=external:fragment-unverified=off")},
	"check_favicon":         {carry: checks("images", "favicon-missing")},
	"check_html":            {carry: checks("html", "html-syntax")},
	"check_img_http":        {carry: on("require-https level=insecure-http=broken")},
	"check_internal_hash":   {carry: off("level=internal:fragment-missing=off")},
	"check_opengraph":       {carry: checks("seo", "og-empty")},
	"check_sri":             {carry: checks("security", "sri-missing")},
	"checks":                {carry: hpChecks},
	"directory_index_file":  {carry: oneText("index-files")},
	"directory_index_files": {carry: joined("index-files")},
	"disable_external":      {carry: on("external=skip")},
	"empty_alt_ignore":      {why: "an empty alt is not reported"},
	"enforce_https":         {carry: on("require-https level=insecure-http=broken")},
	"ext":                   {why: hpExtensions},
	"extension":             {why: hpExtensions},
	"extensions":            {why: hpExtensions},
	"external_only":         {carry: on("level=internal:file-missing=off level=internal:fragment-missing=off")},
	"file_ignore":           {carry: hpPatterns("no-follow")},
	"help":                  {},
	"http_status_ignore":    {carry: lycheeAccept},
	"hydra":                 {carry: subtable(map[string]row{"max_concurrency": {carry: oneText("concurrency")}})},
	"ignore_empty_alt":      {why: "an empty alt is not reported"},
	"ignore_empty_mailto":   {carry: on("exclude=^mailto:$")},
	"ignore_files":          {carry: hpPatterns("no-follow")},
	"ignore_missing_alt":    {carry: switched("level=alt-missing=off", "check=images level=alt-missing=broken")},
	"ignore_status_codes":   {carry: hpStatuses},
	"ignore_urls":           {carry: hpPatterns("exclude")},
	"internal_domains":      {why: "see --include, which widens what is crawled, and --base-url"},
	"log_level":             {carry: choice("", map[string]effects{"debug": "show=all", "info": "", "error": "show=broken", "fatal": "show=broken"})},
	"only_4xx":              {carry: on("!accept other statuses: --accept 500-599")},
	"only_status_codes":     {why: "accept other statuses: --accept 500-599, or set their --level"},
	"parallel":              {why: "documents are always read concurrently"},
	"root_dir":              {why: "name the directory as the target; links are relative to its root"},
	"swap_attributes":       {why: "attributes are read as the HTML standard defines them"},
	"swap_urls":             {carry: hpSwap},
	"typhoeus":              {carry: subtable(typhoeusRows)},
	"typhoeus_config":       {why: "its options have equals: --timeout, --insecure, --header, --user-agent"},
	"url_ignore":            {carry: hpPatterns("exclude")},
	"url_swap":              {carry: hpSwap},
	"validation":            {why: "see --check html"},
	"verbose":               {carry: on("show=all")},
	"version":               {},
}

const hpExtensions = "documents are recognized by name and first bytes"

// typhoeusRows are the options of html-proofer's requests.
var typhoeusRows = map[string]row{
	"connecttimeout":  {why: "see --timeout, which is the limit of a request"},
	"followlocation":  {}, // redirects are followed
	"headers":         {carry: headers},
	"http_version":    {why: "the version of HTTP is negotiated"},
	"maxredirs":       {carry: oneText("max-redirects")},
	"proxy":           {carry: oneText("proxy")},
	"ssl_verifyhost":  {carry: off("insecure")},
	"ssl_verifypeer":  {carry: off("insecure")},
	"timeout":         {carry: duration("timeout")},
	"useragent":       {carry: oneText("user-agent")},
	"userpwd":         {carry: oneText("user")},
	"verbose":         {},
	"accept_encoding": {why: "it is set automatically"},
	"cookiefile":      {why: "--cookies reads the Netscape format, as curl does"},
	"cookiejar":       {why: "--cookies reads the Netscape format, as curl does"},
}

// hpChecks imports names of groups of checks. Links and scripts are always checked.
func hpChecks(c *Config, option string, v any) error {
	for _, name := range texts(v) {
		for name := range strings.SplitSeq(name, ",") {
			switch name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), "check"); name {
			case "links", "link", "scripts", "script", "":
			case "images", "image":
				checkGroup(c, "images", "alt-missing")
			case "favicon":
				checkGroup(c, "images", "favicon-missing")
			case "opengraph":
				checkGroup(c, "seo", "og-empty")
			case "html":
				checkGroup(c, "html", "html-syntax")
			default:
				c.skip(option, fmt.Sprintf("%q is a check of your own: see [[content]] and [[plugin]]", name))
			}
		}
	}
	return nil
}

// checks imports a switch for a check that a group of content checks has.
func checks(group, code string) carry {
	return func(c *Config, _ string, v any) error {
		if isTrue(v) {
			checkGroup(c, group, code)
		}
		return nil
	}
}

func checkGroup(c *Config, group, code string) {
	c.addCheck(group)
	c.setting("check").Note = "a group has more codes than the other program checked; --level CODE=off turns one off"
	if level := code + "=broken"; c.setting("level") == nil || !slices.Contains(c.setting("level").Values, level) {
		c.add("level", "", level)
	}
}

// hpPatterns imports patterns, and texts that must be equal. In a command or in YAML, a
// pattern is written /RE/.
func hpPatterns(key string) carry {
	return func(c *Config, option string, v any) error {
		list, ok := v.([]any)
		if t, isText := v.(string); isText {
			for part := range strings.SplitSeq(t, ",") {
				list = append(list, part)
			}
		} else if !ok {
			list = []any{v}
		}
		for _, e := range list {
			p, _ := text(e)
			p = strings.TrimSpace(p)
			if inner, isPattern := slashed(p); isPattern {
				p = inner
			} else if _, isPattern := e.(aPattern); !isPattern {
				p = equalTo(p)
			}
			if err := rooted(key)(c, p); err != nil {
				c.skip(option, err.Error())
			}
		}
		return nil
	}
}

// equalTo returns a pattern for a link as it is written. One within the site is matched by its
// end, because the printed URL begins with that of the site.
func equalTo(t string) string {
	if strings.Contains(t, ":") {
		return "^" + regexp.QuoteMeta(t) + "$"
	}
	return regexp.QuoteMeta(strings.TrimPrefix(t, "./")) + "$"
}

// slashed returns what is between two slashes.
func slashed(p string) (string, bool) {
	if len(p) > 2 && p[0] == '/' && p[len(p)-1] == '/' {
		return strings.ReplaceAll(p[1:len(p)-1], `\/`, "/"), true
	}
	return "", false
}

// hpSwap imports {RE => REPLACEMENT}, or RE:REPLACEMENT in a command.
func hpSwap(c *Config, option string, v any) error {
	table, ok := v.(map[string]any)
	if t, isText := v.(string); isText {
		table, ok = map[string]any{}, true
		for pair := range strings.SplitSeq(t, ",") {
			p, replacement, _ := strings.Cut(strings.ReplaceAll(pair, `\:`, "\x00"), ":")
			table[strings.ReplaceAll(p, "\x00", ":")] = strings.ReplaceAll(replacement, "\x00", ":")
		}
	}
	if !ok {
		return errors.New("it is not a table of patterns and replacements")
	}
	for _, p := range slices.Sorted(maps.Keys(table)) {
		replacement, _ := text(table[p])
		if inner, isPattern := slashed(p); isPattern {
			p = inner
		}
		if err := c.addWrittenRemap(p, rubyGroup().ReplaceAllString(replacement, "$${$1}")); err != nil {
			c.skip(option, err.Error())
		}
	}
	return nil
}

// rubyGroup matches \1 in a replacement.
var rubyGroup = lazy.Regexp(`\\(\d)`)

// hpStatuses imports statuses that are ignored. 0 stands for no answer.
func hpStatuses(c *Config, option string, v any) error {
	given := texts(v)
	statuses := slices.DeleteFunc(slices.Clone(given), func(t string) bool { return t == "0" })
	if err := lycheeAccept(c, option, strings.Join(statuses, ",")); err != nil {
		return err
	}
	if len(statuses) < len(given) {
		return errors.New("0: a host that gives no answer has the code timeout, dns-not-found, connect-refused or another one: set their --level")
	}
	return nil
}
