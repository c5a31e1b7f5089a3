package migrate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// takeHTMLTest imports the options in .htmltest.yml. The directory and the URL of the site
// determine what patterns for paths are matched against.
func takeHTMLTest(c *Config, keys map[string]any) {
	if dir, _ := keys["DirectoryPath"].(string); dir != "" {
		c.dir = strings.TrimSuffix(strings.TrimPrefix(dir, "./"), "/")
		target := c.dir
		if file, _ := keys["FilePath"].(string); file != "" {
			target += "/" + file
		}
		c.Targets = append(c.Targets, target)
	}
	c.base, _ = keys["BaseURL"].(string)
	if _, set := keys["IgnoreTagAttribute"]; !set {
		c.ignoreElements("[data-proofer-ignore], .data-proofer-ignore") // the default
	}
	c.carryAll(htmlTestRows, keys)
}

var htmlTestLine = &commandLine{
	program:  "htmltest",
	short:    map[string]string{"c": "conf", "s": "skip-external", "l": "log-level", "h": "help", "v": "version"},
	switches: []string{"skip-external", "help", "version"},
	take: take(map[string]row{
		"conf":          {carry: otherFile},
		"help":          {},
		"log-level":     {carry: htmlTestRows["LogLevel"].carry},
		"skip-external": {carry: on("external=skip")},
		"version":       {},
	}),
}

// isHTMLTest reports whether a YAML file has an option of htmltest. Others are workflows.
func isHTMLTest(base string, text []byte) bool {
	if !strings.HasSuffix(base, ".yml") && !strings.HasSuffix(base, ".yaml") {
		return false
	}
	if strings.Contains(base, "htmltest") {
		return true
	}
	var keys map[string]any
	if decodeYAML(text, &keys) != nil {
		return false
	}
	for key := range keys {
		if _, known := htmlTestRows[key]; known {
			return true
		}
	}
	return false
}

// htmlTestRows are the options of htmltest 0.17.
var htmlTestRows = map[string]row{
	"BaseURL":                             {carry: htmlTestBase},
	"CacheExpires":                        {why: "see --cache and --max-age"},
	"CheckAnchors":                        {carry: elements("a")},
	"CheckDoctype":                        {carry: checks("seo", "doctype-missing")},
	"CheckExternal":                       {carry: off("external=skip")},
	"CheckFavicon":                        {carry: checks("images", "favicon-missing")},
	"CheckGeneric":                        {carry: elements("area, audio, blockquote, del, embed, iframe, input, ins, object, q, source, track, video")},
	"CheckImages":                         {carry: elements("img")},
	"CheckInternal":                       {carry: off("!links within the site are always checked: use --exclude")},
	"CheckInternalHash":                   {carry: off("ignore-fragment=.*")},
	"CheckLinks":                          {carry: elements("link")},
	"CheckMailto":                         {carry: off("exclude=^mailto:")},
	"CheckMeta":                           {carry: elements("meta")},
	"CheckMetaRefresh":                    {carry: elements("meta[http-equiv=refresh i]")},
	"CheckScripts":                        {carry: elements("script")},
	"CheckTel":                            {carry: off("exclude=^tel:")},
	"DirectoryIndex":                      {carry: oneText("index-files")},
	"DirectoryPath":                       {}, // the target
	"DocumentConcurrencyLimit":            {why: "documents are read concurrently, as many as there are processors"},
	"EnableCache":                         {why: "see --cache"},
	"EnableLog":                           {why: "see --output"},
	"EnforceHTML5":                        {why: "--check html reports a missing doctype, but not those of older HTML"},
	"EnforceHTTPS":                        {carry: on("require-https level=insecure-http=broken")}, // but for IgnoreHTTPS
	"ExternalTimeout":                     {carry: duration("timeout")},
	"FileExtension":                       {why: "documents are recognized by name and first bytes"},
	"FilePath":                            {},
	"HTTPConcurrencyLimit":                {carry: oneText("concurrency")},
	"HTTPHeaders":                         {carry: entries(" of names and values", htmlTestHeader)},
	"IgnoreAltEmpty":                      {why: "an empty alt is not reported"},
	"IgnoreAltMissing":                    {carry: switched("level=alt-missing=off", "check=images level=alt-missing=broken")},
	"IgnoreCanonicalBrokenLinks":          {why: "with --base-url, canonical links to built pages are checked against the directory"},
	"IgnoreDirectoryMissingTrailingSlash": {why: "a link to a directory without a slash is ok, because hosts redirect it"},
	"IgnoreDirs":                          {carry: each(rooted("no-follow"))},
	"IgnoreEmptyHref":                     {carry: off("!an empty href of a means the page itself (RFC 3986 section 4.4); one of link is reference-empty")},
	"IgnoreExternalBrokenLinks":           {carry: on("fail-on=internal:broken")},
	"IgnoreHTTPS":                         {carry: each(htmlTestHTTP)},
	"IgnoreInternalEmptyHash":             {carry: off("check=accessibility level=link-placeholder=broken")},
	"IgnoreInternalURLs":                  {carry: each(htmlTestURLs)},
	"IgnoreSSLVerify":                     {carry: on("insecure")},
	"IgnoreTagAttribute":                  {carry: htmlTestAttribute},
	"IgnoreURLs":                          {carry: each(rooted("exclude"))},
	"LogFileName":                         {why: "see --output"},
	"LogLevel":                            {carry: choice("", map[string]effects{"0": "show=all", "1": "show=all", "3": "show=broken"})},
	"LogSort":                             {why: "reports are grouped by page"},
	"NoRun":                               {}, // for htmltest's own tests
	"OutputCacheFile":                     {why: "see --cache"},
	"OutputDir":                           {why: "see --output"},
	"OutputLogFile":                       {why: "see --output"},
	"RedirectLimit":                       {carry: htmlTestRedirects},
	"StripQueryExcludes":                  {why: "queries are part of the URL"},
	"StripQueryString":                    {why: "queries are part of the URL"},
	"TestFilesConcurrently":               {why: "documents are always read concurrently"},
	"VCREnable":                           {},
	"Version":                             {},
}

func htmlTestBase(c *Config, _ string, _ any) error {
	if c.base != "" {
		c.set("base-url", c.base)
	}
	return nil
}

func htmlTestURLs(c *Config, t string) error {
	return rooted("exclude")(c, "^"+regexp.QuoteMeta(t)+"$")
}

func htmlTestRedirects(c *Config, option string, v any) error {
	if t, _ := text(v); !strings.HasPrefix(t, "-") {
		return oneText("max-redirects")(c, option, v)
	}
	return nil
}

var selectorName = lazy.Regexp(`^[A-Za-z_][\w-]*$`)

func htmlTestAttribute(c *Config, _ string, v any) error {
	name, ok := text(v)
	if !ok || !selectorName().MatchString(name) {
		return errors.New("it is not the name of an attribute")
	}
	c.ignoreElements("[" + name + "], ." + name)
	return nil
}

// elements imports whether a kind of element is checked.
func elements(selector string) carry {
	return func(c *Config, _ string, v any) error {
		if !isTrue(v) {
			c.ignoreElements(selector)
		}
		return nil
	}
}

// ignoreElements adds to the selector of elements whose links are ignored.
func (c *Config) ignoreElements(selector string) {
	if s := c.setting("ignore-select"); s != nil {
		selector = s.Values[0] + ", " + selector
	}
	c.set("ignore-select", selector)
}

func htmlTestHTTP(c *Config, t string) error {
	return c.addRule(Rule{MatchRE: t, Level: []string{"insecure-http=off"}, Note: "htmltest's IgnoreHTTPS"})
}

// rooted imports a pattern. A pattern for paths from the root of the site must match the
// printed form, which is the published URL or the path of the file.
func rooted(key string) func(*Config, string) error {
	return func(c *Config, p string) error {
		if rest, isRooted := strings.CutPrefix(p, "^/"); isRooted {
			switch {
			case c.base != "":
				p = "^" + regexp.QuoteMeta(strings.TrimSuffix(c.base, "/")) + "/" + rest
			case c.dir != "" && !strings.HasPrefix(c.dir, "/"):
				p = "^" + regexp.QuoteMeta(c.dir) + "/" + rest
			}
		}
		return pattern(key)(c, p)
	}
}

func htmlTestHeader(c *Config, name string, v any) error {
	if strings.EqualFold(name, "Range") || strings.EqualFold(name, "Accept") {
		return fmt.Errorf("%s is set automatically", name)
	}
	t, _ := text(v)
	c.add("header", headersNote, name+": "+t)
	return nil
}
