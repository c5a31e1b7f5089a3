package migrate

import (
	"errors"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// readSphinx reads the options of the builder linkcheck in conf.py, a program of Python, and
// proposes how to check what Sphinx builds.
func readSphinx(c *Config, text []byte) error {
	variables, err := assignments(string(text), false)
	if err != nil {
		return err
	}
	for name := range variables {
		if !strings.HasPrefix(name, "linkcheck_") && !hasRow(sphinxRows, name) {
			delete(variables, name)
		}
	}
	c.carryStatic(sphinxRows, variables)
	dir := path.Dir(c.file)
	c.set("sources", dir)
	c.Site = Site{Dir: path.Join(dir, "_build/html"), Command: "make html"}
	if path.Base(dir) == "source" {
		c.Site.Dir = path.Join(path.Dir(dir), "build/html")
	}
	if at := path.Dir(strings.TrimSuffix(strings.TrimSuffix(c.Site.Dir, "/html"), "/")); at != "." {
		c.Site.Command = "make -C " + at + " html"
	}
	return nil
}

// isSphinx reports whether a conf.py is one of Sphinx.
func isSphinx(base string, text []byte) bool {
	return base == "conf.py" && sphinxMark.Match(text)
}

var sphinxMark = regexp.MustCompile(`(?m)^(linkcheck_\w+|extensions|html_theme|master_doc|root_doc|project)[ \t]*=`)

// sphinxRows are the options of the builder linkcheck in Sphinx 8.
var sphinxRows = map[string]row{
	"html_baseurl":                        {carry: siteURL},
	"linkcheck_allow_unauthorized":        {carry: on("accept=401")},
	"linkcheck_allowed_redirects":         {carry: sphinxRedirects},
	"linkcheck_anchors":                   {carry: off("ignore-fragment=.*")},
	"linkcheck_anchors_ignore":            {carry: each(atStart("ignore-fragment"))},
	"linkcheck_anchors_ignore_for_url":    {carry: each(sphinxAnchors)},
	"linkcheck_auth":                      {carry: sphinxAuth},
	"linkcheck_case_insensitive_urls":     {why: "letter case counts in URLs"},
	"linkcheck_exclude_documents":         {carry: each(sphinxDocuments)},
	"linkcheck_ignore":                    {carry: each(atStart("exclude"))},
	"linkcheck_rate_limit_timeout":        {carry: duration("max-wait")},
	"linkcheck_report_timeouts_as_broken": {carry: on("level=timeout=broken")},
	"linkcheck_request_headers":           {carry: sphinxHeaders},
	"linkcheck_retries":                   {carry: oneText("retries")},
	"linkcheck_timeout":                   {carry: duration("timeout")},
	"linkcheck_workers":                   {carry: oneText("concurrency")},
	"tls_cacerts":                         {carry: oneText("ca-file")},
	"tls_verify":                          {carry: off("insecure")},
	"user_agent":                          {carry: oneText("user-agent")},
}

// atStart imports a pattern that must match at the beginning, as Python's re.match does.
func atStart(key string) func(*Config, string) error {
	return func(c *Config, p string) error { return pattern(key)(c, fromStart(p)) }
}

func fromStart(p string) string {
	switch {
	case strings.HasPrefix(p, "^") && !strings.Contains(p, "|"), strings.HasPrefix(p, ".*"):
		return p
	case strings.Contains(p, "|"):
		return "^(?:" + p + ")"
	}
	return "^" + p
}

// sphinxDocuments imports a pattern for the names of documents, which are the paths of their
// pages without extension.
func sphinxDocuments(c *Config, p string) error {
	return pattern("no-follow")(c, "(^|/)(?:"+strings.TrimPrefix(p, "^")+")")
}

func sphinxAnchors(c *Config, p string) error {
	return c.addRule(Rule{MatchRE: fromStart(p), Level: []string{"fragment-missing=off", "fragment-unverified=off"}, Note: "linkcheck_anchors_ignore_for_url"})
}

// sphinxRedirects imports {FROM: TO}. A redirect that is allowed is not reported.
func sphinxRedirects(c *Config, option string, v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		return errors.New("it is not a table of patterns")
	}
	for _, p := range slices.Sorted(maps.Keys(table)) {
		rule := Rule{MatchRE: fromStart(p), Level: []string{"redirect-permanent=off", "redirect-temporary=off"}, Note: "linkcheck_allowed_redirects, wherever they lead"}
		if err := c.addRule(rule); err != nil {
			c.skip(option, err.Error())
		}
	}
	return nil
}

// sphinxHeaders imports {URL: {NAME: VALUE}}; * is any URL.
func sphinxHeaders(c *Config, option string, v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		return errors.New("it is not a table of URLs")
	}
	for _, u := range slices.Sorted(maps.Keys(table)) {
		fields, _ := table[u].(map[string]any)
		var err error
		if u == "*" {
			err = headers(c, option, fields)
		} else {
			err = c.headerRule("^"+regexp.QuoteMeta(u), fields)
		}
		if err != nil {
			c.skip(option, err.Error())
		}
	}
	return nil
}

// sphinxAuth imports [(RE, (NAME, PASSWORD))].
func sphinxAuth(c *Config, option string, v any) error {
	list, ok := v.([]any)
	if !ok {
		return errors.New("it is not a list")
	}
	for _, e := range list {
		entry, _ := e.([]any)
		if len(entry) != 2 || len(texts(entry[1])) != 2 {
			c.skip(option, "an entry is not a pattern with a name and a password")
			continue
		}
		p, _ := text(entry[0])
		who := texts(entry[1])
		if err := c.addRule(Rule{MatchRE: fromStart(p), Header: basic(who[0], who[1])}); err != nil {
			c.skip(option, err.Error())
		}
	}
	return nil
}
