package migrate

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// A generator is a program that builds a site from sources. Its configuration says where the
// pages are published, where their sources are, and how it checks links itself. Options
// without a row concern the appearance and the content of the site.
type generator struct {
	command     string
	site        string // the option for the directory of the pages
	siteDefault string
	sources     string
	inDefault   string // the default of the sources
	rows        map[string]row
	caseless    bool // options may be in any case
}

var mkdocs = &generator{
	command: "mkdocs build", site: "site_dir", siteDefault: "site", sources: "docs_dir", inDefault: "docs",
	rows: map[string]row{
		"plugins":    {carry: mkdocsPlugins},
		"site_url":   {carry: siteURL},
		"strict":     {}, // a broken link is an error
		"validation": {carry: mkdocsValidation},
	},
}

var hugo = &generator{
	command: "hugo", site: "publishdir", siteDefault: "public", sources: "contentdir", inDefault: "content", caseless: true,
	rows: map[string]row{
		"baseurl":            {carry: siteURL},
		"reflinkserrorlevel": {why: "ref and relref are resolved by Hugo, before there are pages to check"},
		"reflinksnotfoundurl": {carry: func(c *Config, _ string, v any) error {
			return fmt.Errorf("links to %v are checked like others: see --exclude", v)
		}},
	},
}

var jekyll = &generator{
	command: "bundle exec jekyll build", site: "destination", siteDefault: "_site", sources: "source", inDefault: ".",
	rows: map[string]row{
		"url":     {carry: siteURL},
		"baseurl": {carry: belowURL},
	},
}

// docusaurus has the rows of a program of JavaScript.
var docusaurus = &generator{
	command: "npm run build", siteDefault: "build", inDefault: "docs",
	rows: map[string]row{
		"baseUrl":               {carry: belowURL},
		"onBrokenAnchors":       {carry: reaction("fragment-missing")},
		"onBrokenLinks":         {carry: reaction("file-missing")},
		"onBrokenMarkdownLinks": {carry: choice("", map[string]effects{"ignore": builtOnly, "log": builtOnly, "warn": builtOnly, "throw": ""})},
		"onDuplicateRoutes":     {why: "pages with the same address are one page after the build; see --check duplicates"},
		"trailingSlash":         {}, // --host-style auto finds both
		"url":                   {carry: siteURL},
	},
}

// builtOnly is why an option for links between sources is not imported.
const builtOnly = "!the target is the built site; to check links between its sources, name their directory"

// reaction imports what is to be done about a fault within the site.
func reaction(code string) carry {
	return choice("%q is not ignore, log, warn or throw", map[string]effects{"ignore": effects("level=internal:" + code + "=off"), "log": effects("level=internal:" + code + "=info"),
		"warn": effects("level=internal:" + code + "=warning"), "throw": ""})
}

func (g *generator) propose(c *Config, keys map[string]any) {
	known := map[string]any{}
	for option, v := range keys {
		if g.caseless {
			option = strings.ToLower(option)
		}
		if hasRow(g.rows, option) || option == g.site || option == g.sources {
			known[option] = v
		}
	}
	in := func(option, standard string) string {
		dir, _ := text(known[option])
		delete(known, option)
		if dir == "" {
			dir = standard
		}
		return path.Join(path.Dir(c.file), dir)
	}
	c.Site = Site{Dir: in(g.site, g.siteDefault), Command: g.command}
	sources := in(g.sources, g.inDefault)
	c.carryStatic(g.rows, known)
	c.set("sources", sources)
}

// decodeTagged reads YAML that may name things of Python.
func decodeTagged(text []byte, v any) error {
	return decodeYAML(pythonTag().ReplaceAll(pythonName().ReplaceAll(text, []byte("~")), nil), v)
}

// pythonName and pythonTag match what configurations of MkDocs name of Python. The parser would
// take the lines after a tag that is alone for its value.
var (
	pythonName = lazy.Regexp(`!!python/name:\S*`)
	pythonTag  = lazy.Regexp(`!!python/\S*`)
)

// readScript reads the options in a program of JavaScript: the first place of each, which begins a line
// if any does.
func (g *generator) readScript(c *Config, text []byte) error {
	variables, err := assignments(string(text), true)
	if err != nil {
		return err
	}
	keys := map[string]any{}
	for option := range g.rows {
		key := `[ \t]*['"]?` + option + `['"]?[ \t]*:`
		at := regexp.MustCompile(`(?m)^` + key).FindIndex(text)
		if at == nil {
			at = regexp.MustCompile(`[{,]` + key).FindIndex(text)
		}
		if at != nil {
			l := &literals{rest: string(text[at[1]:min(len(text), at[1]+maxCall)]), slashes: true, variables: variables}
			keys[option] = l.value()
		}
	}
	g.propose(c, keys)
	return nil
}

// siteURL imports the URL of the site, unless it is only an example or empty.
func siteURL(c *Config, _ string, v any) error {
	t, _ := text(v)
	switch {
	case t == "" || t == "/":
		return nil
	case !strings.HasPrefix(t, "http://") && !strings.HasPrefix(t, "https://"):
		return errors.New("it is not the URL of a site")
	}
	below := c.base
	c.base = t
	if below != "" {
		t = strings.TrimSuffix(t, "/") + "/" + strings.Trim(below, "/") + "/"
	}
	c.set("base-url", strings.TrimSuffix(t, "/")+"/")
	return nil
}

// belowURL imports the path of the site below its URL, which may be read later.
func belowURL(c *Config, _ string, v any) error {
	t, _ := text(v)
	t = strings.Trim(t, "/")
	if s := c.setting("base-url"); s != nil && t != "" {
		s.Values[0] += t + "/"
	} else {
		c.base = t
	}
	return nil
}

// mkdocsValidation imports how MkDocs checks links.
func mkdocsValidation(c *Config, option string, v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		return errors.New("it is not a table")
	}
	flat := map[string]any{}
	for name, v := range table {
		part, nested := v.(map[string]any)
		if !nested {
			flat["links."+name] = v
		}
		for option, v := range part {
			flat[name+"."+option] = v
		}
	}
	return subtable(map[string]row{
		"links.absolute_links":     {carry: choice("", map[string]effects{"warn": aboutAbsolute, "relative_to_docs": "", "info": "", "ignore": ""})},
		"links.anchors":            {carry: choice("", map[string]effects{"warn": "", "info": "level=internal:fragment-missing=info", "ignore": "level=internal:fragment-missing=off"})},
		"links.not_found":          {carry: choice("", map[string]effects{"warn": "", "info": "level=internal:file-missing=info", "ignore": "level=internal:file-missing=off"})},
		"links.omitted_files":      {why: aboutNav},
		"links.unrecognized_links": {why: "every link is checked as a browser reads it"},
		"nav.absolute_links":       {why: aboutNav},
		"nav.not_found":            {why: aboutNav},
		"nav.omitted_files":        {why: aboutNav},
	})(c, option, flat)
}

const (
	aboutAbsolute = "!links that begin with / are checked against the root of the directory"
	aboutNav      = "the navigation is checked as the links of the pages that are built"
)

// mkdocsPlugins imports the options of the plugin htmlproofer. Other plugins do not check
// links.
func mkdocsPlugins(c *Config, option string, v any) error {
	list, _ := v.([]any)
	if table, ok := v.(map[string]any); ok {
		list = []any{table}
	}
	for _, e := range list {
		table, _ := e.(map[string]any)
		options, _ := table["htmlproofer"].(map[string]any)
		c.within("htmlproofer.", func(one *Config) { one.carryAll(mkdocsProoferRows, options) })
	}
	return nil
}

// mkdocsProoferRows are the options of the plugin htmlproofer 1.3 of MkDocs.
var mkdocsProoferRows = map[string]row{
	"enabled":                    {},
	"ignore_pages":               {carry: each(globbed("no-follow"))},
	"ignore_urls":                {carry: each(globbed("exclude"))},
	"raise_error":                {}, // a broken link fails the run
	"raise_error_after_finish":   {},
	"raise_error_excludes":       {carry: entries(" of statuses", mkdocsExcludes)},
	"skip_downloads":             {}, // bodies that are not needed are not read
	"validate_external_urls":     {carry: off("external=skip")},
	"validate_rendered_template": {},
	"warn_on_ignored_urls":       {why: "a pattern that matched nothing is named; --show all lists what it excluded"},
}

// globbed imports a pattern of a file system, in which * is any text.
func globbed(key string) func(*Config, string) error {
	return func(c *Config, p string) error {
		p = strings.ReplaceAll(strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, ".*"), `\?`, ".")
		if key == "no-follow" {
			return pattern(key)(c, "(^|/)"+p)
		}
		return pattern(key)(c, "^"+p+"$")
	}
}

// mkdocsExcludes imports STATUS: [GLOB].
func mkdocsExcludes(c *Config, status string, v any) error {
	for _, p := range texts(v) {
		match := "^" + strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, ".*") + "$"
		if err := c.addRule(Rule{MatchRE: match, Accept: []string{status}}); err != nil {
			return err
		}
	}
	return nil
}
