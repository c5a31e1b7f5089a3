package migrate

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// readHTMLTest reads .htmltest.yml.
func readHTMLTest(c *Config, text []byte) error {
	var keys map[string]any
	if err := decodeYAML(text, &keys); err != nil {
		return err
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
	if _, set := keys["IgnoreTagAttribute"]; !set {
		given.ignore("[data-proofer-ignore], .data-proofer-ignore") // the default
	}
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
	ignored   string // the selector of --ignore-select
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
		if _, known := htmlTestLeft[key]; known || htmlTestRows[key] != nil {
			return true
		}
	}
	return false
}

// htmlTestLeft are the options that are not imported, with the reasons. The reason is empty if
// nothing is lost.
var htmlTestLeft = map[string]string{
	"CacheExpires":                        "see --cache and --max-age",
	"CheckDoctype":                        "see --check html, which reports a missing doctype",
	"CheckFavicon":                        "see --check images, which reports a missing icon",
	"DocumentConcurrencyLimit":            "documents are read concurrently, as many as there are processors",
	"EnableCache":                         "see --cache",
	"EnableLog":                           "see --output",
	"EnforceHTML5":                        "--check html reports a missing doctype, but not those of older HTML",
	"FileExtension":                       "documents are recognized by name and first bytes",
	"IgnoreAltEmpty":                      "an empty alt is not reported",
	"IgnoreAltMissing":                    "images without alt are reported only with --check images",
	"IgnoreCanonicalBrokenLinks":          "with --base-url, canonical links to built pages are checked against the directory",
	"IgnoreDirectoryMissingTrailingSlash": "a link to a directory without a slash is ok, because hosts redirect it",
	"IgnoreEmptyHref":                     "an empty href means the page itself (RFC 3986 section 4.4)",
	"IgnoreInternalEmptyHash":             "`#` means the top of the page",
	"LogFileName":                         "see --output",
	"LogSort":                             "reports are grouped by page",
	"OutputDir":                           "see --output",
	"OutputCacheFile":                     "see --cache",
	"OutputLogFile":                       "see --output",
	"StripQueryString":                    "queries are part of the URL",
	"StripQueryExcludes":                  "queries are part of the URL",
	"TestFilesConcurrently":               "documents are always read concurrently",
	"NoRun":                               "", // for htmltest's own tests
	"VCREnable":                           "",
	"Version":                             "",
}

// htmlTestTags are the options for kinds of elements, with their selectors.
var htmlTestTags = map[string]string{
	"CheckAnchors":     "a",
	"CheckLinks":       "link",
	"CheckImages":      "img",
	"CheckScripts":     "script",
	"CheckMeta":        "meta",
	"CheckMetaRefresh": "meta[http-equiv=refresh i]",
	"CheckGeneric":     "area, audio, blockquote, del, embed, iframe, input, ins, object, q, source, track, video",
}

// htmlTestRows import the other options.
var htmlTestRows = map[string]func(h *htmlTest, option string, v any) error{
	"DirectoryPath": func(*htmlTest, string, any) error { return nil }, // the target
	"FilePath":      func(*htmlTest, string, any) error { return nil },
	"BaseURL": func(h *htmlTest, _ string, _ any) error {
		if h.base != "" {
			h.c.set("base-url", h.base)
		}
		return nil
	},
	"CheckAnchors":     (*htmlTest).tag,
	"CheckLinks":       (*htmlTest).tag,
	"CheckImages":      (*htmlTest).tag,
	"CheckScripts":     (*htmlTest).tag,
	"CheckMeta":        (*htmlTest).tag,
	"CheckMetaRefresh": (*htmlTest).tag,
	"CheckGeneric":     (*htmlTest).tag,
	"CheckExternal":    carried(whenFalse(func(c *Config) { c.set("external", "skip") })),
	"CheckInternal":    carried(whenFalseSkip("links within the site are always checked: use --exclude")),
	"CheckInternalHash": carried(whenFalse(func(c *Config) {
		c.add("ignore-fragment", "", ".*")
	})),
	"CheckMailto":               carried(whenFalse(func(c *Config) { c.add("exclude", "", "^mailto:") })),
	"CheckTel":                  carried(whenFalse(func(c *Config) { c.add("exclude", "", "^tel:") })),
	"DirectoryIndex":            carried(oneText("index-files")),
	"EnforceHTTPS":              (*htmlTest).https,
	"ExternalTimeout":           carried(duration("timeout")),
	"HTTPConcurrencyLimit":      carried(oneText("concurrency")),
	"HTTPHeaders":               (*htmlTest).headers,
	"IgnoreDirs":                patternsFor("no-follow"),
	"IgnoreExternalBrokenLinks": carried(whenTrue(func(c *Config) { c.set("fail-on", "internal:broken") })),
	"IgnoreHTTPS":               (*htmlTest).httpAllowed,
	"IgnoreInternalURLs": func(h *htmlTest, option string, v any) error {
		for _, p := range texts(v) {
			h.pattern(option, "exclude", "^"+regexp.QuoteMeta(p)+"$")
		}
		return nil
	},
	"IgnoreSSLVerify": carried(flagOf("insecure")),
	"IgnoreTagAttribute": func(h *htmlTest, option string, v any) error {
		name, ok := text(v)
		if !ok || !selectorName.MatchString(name) {
			return errors.New("it is not the name of an attribute")
		}
		h.ignore("[" + name + "], ." + name)
		return nil
	},
	"IgnoreURLs": patternsFor("exclude"),
	"LogLevel": func(h *htmlTest, _ string, v any) error {
		switch t, _ := text(v); t {
		case "0", "1":
			showAll(h.c)
		case "3":
			h.c.set("show", "broken")
		}
		return nil
	},
	"RedirectLimit": func(h *htmlTest, option string, v any) error {
		if t, _ := text(v); !strings.HasPrefix(t, "-") {
			return oneText("max-redirects")(h.c, option, v)
		}
		return nil
	},
}

var selectorName = regexp.MustCompile(`^[A-Za-z_][\w-]*$`)

// carried imports an option that needs only its value.
func carried(carry func(*Config, string, any) error) func(*htmlTest, string, any) error {
	return func(h *htmlTest, option string, v any) error { return carry(h.c, option, v) }
}

func patternsFor(key string) func(*htmlTest, string, any) error {
	return func(h *htmlTest, option string, v any) error {
		for _, p := range texts(v) {
			h.pattern(option, key, p)
		}
		return nil
	}
}

func (h *htmlTest) read(option string, v any) {
	if row := htmlTestRows[option]; row != nil {
		if err := row(h, option, v); err != nil {
			h.c.skip(option, err.Error())
		}
		return
	}
	why, known := htmlTestLeft[option]
	if !known {
		why = "unknown option"
	}
	if why != "" {
		h.c.skip(option, why)
	}
}

// ignore adds to the selector of elements whose links are ignored.
func (h *htmlTest) ignore(selector string) {
	if h.ignored != "" {
		selector = h.ignored + ", " + selector
	}
	h.ignored = selector
	h.c.set("ignore-select", selector)
}

// tag imports whether a kind of element is checked.
func (h *htmlTest) tag(option string, v any) error {
	if !isTrue(v) {
		h.ignore(htmlTestTags[option])
	}
	return nil
}

// https makes http URLs errors, but for those that IgnoreHTTPS matches.
func (h *htmlTest) https(_ string, v any) error {
	if isTrue(v) {
		h.c.setSwitch("require-https", true)
		h.c.add("level", "", "insecure-http=broken")
	}
	return nil
}

func (h *htmlTest) httpAllowed(option string, v any) error {
	for _, p := range texts(v) {
		if h.c.usable(option, p) {
			h.c.Rules = append(h.c.Rules, Rule{MatchRE: p, Level: []string{"insecure-http=off"}, Note: "htmltest's IgnoreHTTPS"})
		}
	}
	return nil
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

func (h *htmlTest) headers(_ string, v any) error {
	fields, ok := v.(map[string]any)
	if !ok {
		return errors.New("it is not a table of names and values")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t, _ := text(fields[name])
		if strings.EqualFold(name, "Range") || strings.EqualFold(name, "Accept") {
			h.c.skip("HTTPHeaders", fmt.Sprintf("%s is set automatically", name))
			continue
		}
		h.c.add("header", headersNote, name+": "+t)
	}
	return nil
}
