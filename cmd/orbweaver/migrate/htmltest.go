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

// htmlTest is one file on its way: where the site lies decides what a pattern for
// the paths of its links has to match.
type htmlTest struct {
	c         *Config
	dir, base string
}

const contentOnly = "only links are checked, not the rest of a page"

// htmlTestLeft are options without a counterpart.
var htmlTestLeft = map[string]string{
	"CacheExpires":                        "see --max-age",
	"CheckDoctype":                        contentOnly,
	"CheckFavicon":                        contentOnly,
	"DirectoryIndex":                      "a directory is answered by its index.html; see --host-style",
	"DocumentConcurrencyLimit":            "see --concurrency",
	"EnableCache":                         "see --cache",
	"EnableLog":                           "see --output",
	"EnforceHTML5":                        contentOnly,
	"FileExtension":                       "what is read follows from a document's name and first bytes",
	"IgnoreAltEmpty":                      contentOnly,
	"IgnoreAltMissing":                    contentOnly,
	"IgnoreCanonicalBrokenLinks":          "with --base-url a canonical link to a page that is built is answered from the directory",
	"IgnoreDirectoryMissingTrailingSlash": "a link to a directory without its slash is ok: hosts redirect it",
	"IgnoreEmptyHref":                     "an empty reference is the page itself (RFC 3986 section 4.4)",
	"IgnoreHTTPS":                         "see [[rule]]",
	"IgnoreInternalEmptyHash":             "`#` is the top of a page",
	"IgnoreTagAttribute":                  "elements are left out by data-orbweaver-ignore, or by --ignore-select",
	"LogFileName":                         "see --output",
	"LogLevel":                            "see --show",
	"LogSort":                             "reports are grouped by page",
	"OutputDir":                           "see --output",
	"OutputCacheFile":                     "see --cache",
	"OutputLogFile":                       "see --output",
	"RedirectLimit":                       "see --max-redirects",
	"StripQueryString":                    "a query is part of what is asked for",
	"StripQueryExcludes":                  "a query is part of what is asked for",
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
			c.skip(option, "every kind of link is checked; see --ignore-select")
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
			why = "it is not known here"
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

// pattern carries a pattern over. One for a path from the site's root has to match
// what is printed: the published address, or the path of the file.
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
		h.c.skip("HTTPHeaders", "it is no table of names and values")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t, _ := text(fields[name])
		if strings.EqualFold(name, "Range") || strings.EqualFold(name, "Accept") {
			h.c.skip("HTTPHeaders", fmt.Sprintf("%s is set by every request itself", name))
			continue
		}
		h.c.add("header", headersNote, name+": "+t)
	}
}
