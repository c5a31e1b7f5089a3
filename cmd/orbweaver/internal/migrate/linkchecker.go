package migrate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/ini.v1"
)

// linkCheckerRow imports one option of a section, or has the reason why it is not
// imported.
type linkCheckerRow struct {
	carry func(c *Config, option, value string) error
	why   string
}

// readLinkChecker reads linkcheckerrc, an INI file in which indented lines continue a
// value.
func readLinkChecker(c *Config, text []byte) error {
	file, err := ini.LoadSources(ini.LoadOptions{
		AllowPythonMultilineValues: true,
		AllowBooleanKeys:           true,
		IgnoreInlineComment:        true,
		SkipUnrecognizableLines:    false,
		PreserveSurroundedQuote:    true,
		Insensitive:                false,
	}, text)
	if err != nil {
		return errors.New(strings.TrimSpace(err.Error())) // it may end with a line break
	}
	external := false
	names := fileNames(file)
	for _, section := range file.Sections() {
		name := section.Name()
		if why, plugin := linkCheckerPlugins[name]; plugin {
			readPlugin(c, section, why)
			continue
		}
		if group, checked := linkCheckerChecks[name]; checked {
			c.addCheck(group) // the section turns the plugin on
		}
		if linkCheckerLooks[name] {
			for _, key := range section.Keys() {
				if key.Name() != "filename" || names[name] == "" {
					c.skip(name+"."+key.Name(), linkCheckerLook(name, key.Name()))
				}
			}
			continue
		}
		for _, key := range section.Keys() {
			option := name + "." + key.Name()
			if option == "filtering.checkextern" {
				external = isTrue(key.Value())
			}
			if option == "output.fileoutput" {
				lcFiles(c, option, key.Value(), names)
				continue
			}
			row, known := linkCheckerRows[option]
			switch {
			case !known:
				c.skip(option, "unknown option")
			case row.carry == nil:
				c.skip(option, row.why)
			default:
				if err := row.carry(c, option, key.Value()); err != nil {
					c.skip(option, err.Error())
				}
			}
		}
	}
	if login := file.Section("authentication").Key("loginurl").String(); login != "" {
		loginUser(c, login, file.Section("authentication").Key("entry").String())
	}
	if !external {
		c.setNote("external", "skip", "as LinkChecker does unless checkextern is set")
	}
	return nil
}

// linkCheckerLooks are the sections for output types.
var linkCheckerLooks = map[string]bool{"text": true, "gml": true, "dot": true, "csv": true, "sql": true, "html": true,
	"failures": true, "blacklist": true, "xml": true, "gxml": true, "sitemap": true, "none": true}

// linkCheckerLook returns why an option of an output type is not imported.
func linkCheckerLook(section, key string) string {
	switch {
	case section == "failures" || section == "blacklist":
		return "use --history, which records how often targets were broken"
	case key == "filename":
		return "fileoutput in [output] does not write this type"
	case key == "encoding":
		return "reports are in UTF-8"
	case key == "parts":
		return "reports have all parts; --show selects which results they list"
	}
	return "the appearance of reports cannot be set"
}

// fileNames returns the names of output files that the sections of output types set, for the
// types in fileoutput.
func fileNames(file *ini.File) map[string]string {
	names := map[string]string{}
	for part := range strings.SplitSeq(file.Section("output").Key("fileoutput").String(), ",") {
		kind, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), "/")
		if lcFormats[kind] != "" && file.HasSection(kind) {
			names[kind] = file.Section(kind).Key("filename").String()
		}
	}
	return names
}

// linkCheckerPlugins are the sections for plugins, with the reasons why they are not
// imported. The reason is empty if Orbweaver does the same without a plugin.
var linkCheckerPlugins = map[string]string{
	"AnchorCheck":         "",
	"PdfParser":           "",
	"WordParser":          "",
	"MarkdownCheck":       "",
	"SslCertificateCheck": "",
	"LocationInfo":        "the location of hosts is not determined",
	"HttpHeaderInfo":      "header fields are not reported",
}

// linkCheckerChecks are the sections for plugins that are groups of content checks here.
var linkCheckerChecks = map[string]string{"HtmlSyntaxCheck": "html", "CssSyntaxCheck": "css", "VirusCheck": "virus"}

func readPlugin(c *Config, section *ini.Section, why string) {
	if why != "" {
		c.skip(section.Name(), why)
	}
	for _, key := range section.Keys() {
		option := section.Name() + "." + key.Name()
		if option != "SslCertificateCheck.sslcertwarndays" {
			if why == "" {
				why = "documents are recognized by type and name"
			}
			c.skip(option, why)
			continue
		}
		if _, err := strconv.ParseUint(key.Value(), 10, 16); err != nil {
			c.skip(option, "it is not a number of days")
			continue
		}
		c.set("tls-expiry", key.Value()+"d")
	}
}

const ownFields = "the fields for the name and the password are found without it; --login-field sets another field"

// linkCheckerRows are the options of linkcheckerrc in LinkChecker 10.
var linkCheckerRows = map[string]linkCheckerRow{
	"checking.aborttimeout":         {why: "the first interrupt waits for the requests in flight, the second stops at once"},
	"checking.allowedschemes":       {carry: lcSchemes},
	"checking.cookiefile":           {why: "--cookies reads the Netscape format, as curl does"},
	"checking.debugmemory":          {why: "Orbweaver has no such report"},
	"checking.localwebroot":         {why: "name the directory as the target; links are relative to its root"},
	"checking.maxfilesizedownload":  {carry: lcMaxBody},
	"checking.maxfilesizeparse":     {carry: lcMaxBody},
	"checking.maxnumurls":           {why: "see --max-pages, which limits the pages that are read"},
	"checking.maxrequestspersecond": {carry: func(c *Config, _, v string) error { c.set("rate", v+"/s"); return nil }},
	"checking.maxrunseconds":        {carry: lcSeconds("max-time")},
	"checking.nntpserver":           {carry: lcPlain("nntp-server")},
	"checking.recursionlevel":       {carry: lcDepth},
	"checking.resultcachesize":      {why: "results are kept until the run ends"},
	"checking.robotstxt":            {carry: lcRobots},
	"checking.sslverify":            {carry: lcVerify},
	"checking.threads":              {carry: lcThreads},
	"checking.timeout":              {carry: lcSeconds("timeout")},
	"checking.useragent":            {carry: lcPlain("user-agent")},
	"checking.warningregex":         {carry: lcWarningRegex}, // before LinkChecker 9

	"filtering.checkextern":           {carry: func(*Config, string, string) error { return nil }}, // handled by readLinkChecker
	"filtering.ignore":                {carry: lcPatterns("exclude")},
	"filtering.ignorewarnings":        {carry: lcIgnoreWarnings},
	"filtering.ignoreerrors":          {carry: lcIgnoreErrors}, // belongs in output, but many write it here
	"filtering.ignorewarningsforurls": {carry: lcIgnoreWarningsFor},
	"filtering.internlinks":           {carry: lcPatterns("include")},
	"filtering.nofollow":              {carry: lcPatterns("no-follow")},

	"authentication.entry":              {carry: lcEntries},
	"authentication.loginextrafields":   {carry: lcLoginFields},
	"authentication.loginpasswordfield": {why: ownFields},
	"authentication.loginurl":           {carry: lcPlain("login")},
	"authentication.loginuserfield":     {why: ownFields},

	"RegexCheck.warningregex": {carry: lcWarningRegex},
	"VirusCheck.clamavconf":   {carry: lcClamd},

	"output.debug":        {why: "Orbweaver has no such output"},
	"output.ignoreerrors": {carry: lcIgnoreErrors},
	"output.log":          {carry: lcLog},
	"output.quiet":        {carry: lcQuiet},
	"output.status":       {carry: func(c *Config, _, v string) error { return whenFalse(noProgress)(c, "", v) }},
	"output.verbose":      {carry: func(c *Config, _, v string) error { return whenTrue(showAll)(c, "", v) }},
	"output.warnings":     {carry: func(c *Config, _, v string) error { return whenFalse(noWarnings)(c, "", v) }},
}

func noProgress(c *Config) { c.set("progress", "never") }
func showAll(c *Config)    { c.set("show", "all") }
func noWarnings(c *Config) { c.set("show", "broken,unverified") }

func lcPlain(key string) func(*Config, string, string) error {
	return func(c *Config, _, v string) error { c.set(key, v); return nil }
}

func lcSeconds(key string) func(*Config, string, string) error {
	return func(c *Config, _, v string) error {
		t, err := seconds(v)
		if err == nil {
			c.set(key, t)
		}
		return err
	}
}

// lines returns the values of a multi-line option, without comments.
func lines(v string) []string {
	var all []string
	for l := range strings.SplitSeq(v, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, ";") {
			all = append(all, l)
		}
	}
	return all
}

func lcPatterns(key string) func(*Config, string, string) error {
	return func(c *Config, option, v string) error {
		for _, p := range lines(v) {
			if strings.HasPrefix(p, "!") {
				c.skip(option, fmt.Sprintf("the pattern %q is negated, which is not supported", p))
				continue
			}
			c.addPattern(option, key, p)
		}
		return nil
	}
}

func lcSchemes(c *Config, option, v string) error {
	var schemes []any
	for scheme := range strings.SplitSeq(strings.ToLower(v), ",") {
		schemes = append(schemes, strings.TrimSpace(scheme))
	}
	return lycheeScheme(c, option, schemes)
}

// lcMaxBody imports the two limits of sizes. We have one, so the larger applies.
func lcMaxBody(c *Config, option, v string) error {
	n, err := strconv.ParseUint(v, 10, 63)
	if err != nil {
		return errors.New("it is not a number of bytes")
	}
	for _, s := range c.Settings {
		if had, err := strconv.ParseUint(s.Values[0], 10, 63); s.Key == "max-body" && err == nil && had >= n {
			if had > n {
				c.skip(option, "there is one limit, and the other option sets a larger one")
			}
			return nil
		} else if s.Key == "max-body" {
			c.skip("max-body = "+s.Values[0], "there is one limit, and "+option+" sets a larger one")
		}
	}
	c.set("max-body", v)
	return nil
}

func lcDepth(c *Config, _, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil {
		return errors.New("it is not a number")
	}
	if n >= 0 {
		c.set("depth", v)
	}
	return nil
}

func lcThreads(c *Config, _, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil {
		return errors.New("it is not a number")
	}
	c.set("concurrency", strconv.Itoa(max(n, 1)))
	return nil
}

// lcRobots imports robotstxt. LinkChecker obeys robots.txt for every URL, including links
// to other sites.
func lcRobots(c *Config, _, v string) error {
	if isTrue(v) {
		c.set("robots", "strict")
	} else {
		c.set("robots", "ignore")
	}
	return nil
}

func lcVerify(c *Config, _, v string) error {
	switch {
	case v == "1":
	case v == "0":
		c.setSwitch("insecure", true)
	default:
		c.set("ca-file", v)
	}
	return nil
}

// lcEntries makes a rule for each "PATTERN USER [PASSWORD]".
func lcEntries(c *Config, option, v string) error {
	for _, l := range lines(v) {
		fields := strings.Fields(l)
		if len(fields) != 3 {
			c.skip(option, "an entry needs a password, because Orbweaver does not prompt for one: write a [[rule]] with header = {Authorization = \"Basic ${TOKEN}\"}")
			continue
		}
		if c.usable(option, fields[0]) {
			c.Rules = append(c.Rules, Rule{MatchRE: fields[0], Header: basic(fields[1], fields[2])})
		}
	}
	return nil
}

// lcLoginFields imports fields of the login form, written NAME:VALUE.
func lcLoginFields(c *Config, option, v string) error {
	for _, l := range lines(v) {
		name, value, found := strings.Cut(l, ":")
		if !found {
			c.skip(option, "a line is not written NAME:VALUE")
			continue
		}
		c.add("login-field", "", strings.TrimSpace(name)+"="+strings.TrimSpace(value))
	}
	return nil
}

// loginUser sets the user name of a login: LinkChecker takes it from the entry that matches
// the page with the form.
func loginUser(c *Config, loginURL, entries string) {
	for _, l := range lines(entries) {
		fields := strings.Fields(l)
		if len(fields) < 2 {
			continue
		}
		if pattern, err := regexp.Compile(fields[0]); err == nil && pattern.MatchString(loginURL) {
			c.set("login-user", fields[1])
			c.Rules = slices.DeleteFunc(c.Rules, func(r Rule) bool { return r.MatchRE == fields[0] })
			if len(fields) == 3 {
				c.LoginPassword = fields[2]
			}
			return
		}
	}
}

// lcFormats are the formats that correspond to LinkChecker's output types.
var lcFormats = map[string]string{"text": "text", "html": "html", "sitemap": "sitemap", "csv": "linkchecker-csv", "xml": "linkchecker-xml",
	"gml": "linkchecker-gml", "dot": "linkchecker-dot", "gxml": "linkchecker-gxml", "sql": "linkchecker-sql"}

func lcFormat(v string) (string, error) {
	name, _, _ := strings.Cut(strings.TrimSpace(v), "/")
	if f, ok := lcFormats[name]; ok {
		return f, nil
	}
	if name == "failures" {
		return "", errors.New("use --history, which records how often targets were broken")
	}
	return "", fmt.Errorf("there is no format like %q", name)
}

// lcFiles imports the files that are written besides standard output; names are those that
// other sections set.
func lcFiles(c *Config, option, v string, names map[string]string) {
	for part := range strings.SplitSeq(v, ",") {
		kind, file, named := strings.Cut(strings.TrimSpace(part), "/")
		if kind == "none" || kind == "" {
			continue
		}
		f, err := lcFormat(kind)
		if err != nil {
			c.skip(option, err.Error())
			continue
		}
		switch {
		case names[kind] != "":
			file = names[kind]
		case !named || strings.EqualFold(file, "utf-8") || strings.EqualFold(file, "utf8"):
			file = "linkchecker-out." + kind
		}
		c.add("output", "", f+":"+file)
	}
}

func lcLog(c *Config, option, v string) error {
	if v == "none" {
		return errors.New("standard output always gets a report")
	}
	f, err := lcFormat(v)
	if err == nil {
		c.set("format", f)
	}
	return err
}

func lcQuiet(c *Config, option, v string) error {
	if isTrue(v) {
		return errors.New("standard output always gets a report")
	}
	return nil
}
