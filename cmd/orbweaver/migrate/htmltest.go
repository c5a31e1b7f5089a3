package migrate

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// readHTMLTest reads .htmltest.yml.
func readHTMLTest(c *Config, text []byte) error {
	var keys map[string]any
	if err := yaml.UnmarshalWithOptions(text, &keys); err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(message)
	}
	given := htmlTest{c: c}
	if dir, _ := keys["DirectoryPath"].(string); dir != "" {
		given.dir = strings.TrimSuffix(strings.TrimPrefix(dir, "./"), "/")
		target := given.dir
		if file, _ := keys["FilePath"].(string); file != "" {
			target += "/" + file
		}
		c.Targets = append(c.Targets, target)
	}
	given.base, _ = keys["BaseURL"].(string)
	for _, option := range slices.Sorted(maps.Keys(keys)) {
		given.read(option, keys[option])
	}
	return nil
}

// htmlTest is the import of one file. The directory and URL of the site determine what
// patterns for paths are matched against.
type htmlTest struct {
	c         *Config
	dir, base string
}

const contentOnly = "Orbweaver checks only the links of a page"

// htmlTestLeft are the options that are not imported, with the reasons.
var htmlTestLeft = map[string]string{
	"CacheExpires":                        "see --max-age",
	"CheckDoctype":                        contentOnly,
	"CheckFavicon":                        contentOnly,
	"DirectoryIndex":                      "the index file of a directory is index.html; see --host-style",
	"DocumentConcurrencyLimit":            "see --concurrency",
	"EnableCache":                         "see --cache",
	"EnableLog":                           "see --output",
	"EnforceHTML5":                        contentOnly,
	"FileExtension":                       "documents are recognized by name and first bytes",
	"IgnoreAltEmpty":                      contentOnly,
	"IgnoreAltMissing":                    contentOnly,
	"IgnoreCanonicalBrokenLinks":          "with --base-url, canonical links to built pages are checked against the directory",
	"IgnoreDirectoryMissingTrailingSlash": "a link to a directory without a slash is ok, because hosts redirect it",
	"IgnoreEmptyHref":                     "an empty reference means the page itself (RFC 3986 section 4.4)",
	"IgnoreHTTPS":                         "see [[rule]]",
	"IgnoreInternalEmptyHash":             "`#` means the top of the page",
	"IgnoreTagAttribute":                  "use the attribute data-orbweaver-ignore, or --ignore-select",
	"LogFileName":                         "see --output",
	"LogLevel":                            "see --show",
	"LogSort":                             "reports are grouped by page",
	"OutputDir":                           "see --output",
	"OutputCacheFile":                     "see --cache",
	"OutputLogFile":                       "see --output",
	"RedirectLimit":                       "see --max-redirects",
	"StripQueryString":                    "queries are part of the URL",
	"StripQueryExcludes":                  "queries are part of the URL",
	"TestFilesConcurrently":               "documents are always read concurrently",
	"NoRun":                               "",
	"VCREnable":                           "",
}

func (h *htmlTest) read(option string, v any) {
	c := h.c
	on := isTrue(v)
	switch option {
	case "DirectoryPath", "FilePath": // the target
	case "BaseURL":
		if h.base != "" {
			c.set("base-url", h.base)
		}
	case "CheckExternal":
		if !on {
			c.set("external", "skip")
		}
	case "CheckInternal", "CheckAnchors", "CheckLinks", "CheckImages", "CheckScripts", "CheckMeta", "CheckGeneric", "CheckMetaRefresh":
		if !on {
			c.skip(option, "all kinds of links are checked; see --ignore-select")
		}
	case "CheckInternalHash":
		if !on {
			c.add("ignore-fragment", "", ".*")
		}
	case "CheckMailto":
		if !on {
			c.add("exclude", "", "^mailto:")
		}
	case "CheckTel":
		if !on {
			c.add("exclude", "", "^tel:")
		}
	case "EnforceHTTPS":
		if on {
			c.setSwitch("check-https", true)
		}
	case "ExternalTimeout":
		h.skipOnError(option, duration("timeout")(c, option, v))
	case "HTTPConcurrencyLimit":
		h.skipOnError(option, oneText("concurrency")(c, option, v))
	case "HTTPHeaders":
		h.headers(v)
	case "IgnoreDirs":
		for _, p := range texts(v) {
			h.pattern(option, "no-follow", p)
		}
	case "IgnoreExternalBrokenLinks":
		if on {
			c.set("fail-on", "internal:broken")
		}
	case "IgnoreInternalURLs":
		for _, p := range texts(v) {
			h.pattern(option, "exclude", "^"+regexp.QuoteMeta(p)+"$")
		}
	case "IgnoreSSLVerify":
		if on {
			c.setSwitch("insecure", true)
		}
	case "IgnoreURLs":
		for _, p := range texts(v) {
			h.pattern(option, "exclude", p)
		}
	default:
		why, known := htmlTestLeft[option]
		if !known {
			why = "unknown option"
		}
		if why != "" {
			c.skip(option, why)
		}
	}
}

func (h *htmlTest) skipOnError(option string, err error) {
	if err != nil {
		h.c.skip(option, err.Error())
	}
}

// pattern imports a pattern. A pattern for paths from the root of the site must match the
// printed form, which is the published URL or the path of the file.
func (h *htmlTest) pattern(option, key, p string) {
	if rest, rooted := strings.CutPrefix(p, "^/"); rooted {
		switch {
		case h.base != "":
			p = "^" + regexp.QuoteMeta(strings.TrimSuffix(h.base, "/")) + "/" + rest
		case h.dir != "" && !strings.HasPrefix(h.dir, "/"):
			p = "^" + regexp.QuoteMeta(h.dir) + "/" + rest
		}
	}
	h.c.addPattern(option, key, p)
}

func (h *htmlTest) headers(v any) {
	fields, ok := v.(map[string]any)
	if !ok {
		h.c.skip("HTTPHeaders", "it is not a table of names and values")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t, _ := text(fields[name])
		if strings.EqualFold(name, "Range") || strings.EqualFold(name, "Accept") {
			h.c.skip("HTTPHeaders", fmt.Sprintf("%s is set automatically", name))
			continue
		}
		h.c.add("header", headersNote, name+": "+t)
	}
}
