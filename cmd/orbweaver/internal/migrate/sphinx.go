package migrate

import (
	"errors"
	"path"
	"regexp"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
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

func isSphinx(base string, text []byte) bool {
	return base == "conf.py" && sphinxMark().Match(text)
}

var sphinxMark = lazy.Regexp(`(?m)^(linkcheck_\w+|extensions|html_theme|master_doc|root_doc|project)[ \t]*=`)

// sphinxRows are the options of the builder linkcheck in Sphinx 8.
var sphinxRows = map[string]row{
	"html_baseurl":                        {carry: siteURL},
	"linkcheck_allow_unauthorized":        {carry: on("accept=401")},
	"linkcheck_allowed_redirects":         {carry: entries(" of patterns", sphinxRedirect)},
	"linkcheck_anchors":                   {carry: off("ignore-fragment=.*")},
	"linkcheck_anchors_ignore":            {carry: each(atStart("ignore-fragment"))},
	"linkcheck_anchors_ignore_for_url":    {carry: each(sphinxAnchors)},
	"linkcheck_auth":                      {carry: items(sphinxAuth)},
	"linkcheck_case_insensitive_urls":     {why: "letter case counts in URLs"},
	"linkcheck_exclude_documents":         {carry: each(sphinxDocuments)},
	"linkcheck_ignore":                    {carry: each(atStart("exclude"))},
	"linkcheck_rate_limit_timeout":        {carry: duration("max-wait")},
	"linkcheck_report_timeouts_as_broken": {carry: on("level=timeout=broken")},
	"linkcheck_request_headers":           {carry: entries(" of URLs", sphinxHeaders)},
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

// sphinxRedirect imports FROM of {FROM: TO}. A redirect that is allowed is not reported.
func sphinxRedirect(c *Config, p string, _ any) error {
	return c.addRule(Rule{MatchRE: fromStart(p), Level: []string{"redirect-permanent=off", "redirect-temporary=off"}, Note: "linkcheck_allowed_redirects, wherever they lead"})
}

// sphinxHeaders imports the fields for a URL; * is any URL.
func sphinxHeaders(c *Config, u string, v any) error {
	fields, _ := v.(map[string]any)
	if u == "*" {
		return headers(c, "", fields)
	}
	return c.headerRule("^"+regexp.QuoteMeta(u), fields)
}

// sphinxAuth imports (RE, (NAME, PASSWORD)).
func sphinxAuth(c *Config, item any) error {
	entry, _ := item.([]any)
	if len(entry) != 2 || len(texts(entry[1])) != 2 {
		return errors.New("an entry is not a pattern with a name and a password")
	}
	p, _ := text(entry[0])
	who := texts(entry[1])
	return c.addRule(Rule{MatchRE: fromStart(p), Header: basic(who[0], who[1])})
}
