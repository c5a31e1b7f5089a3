package migrate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/ini.v1"
)

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
	c.outputs = fileNames(file)
	for _, section := range file.Sections() {
		name := section.Name()
		if why := linkCheckerPlugins[name]; why != "" {
			c.skip(name, why)
		}
		if group, checked := linkCheckerChecks[name]; checked {
			c.addCheck(group) // the section turns the plugin on
		}
		for _, key := range section.Keys() {
			option := name + "." + key.Name()
			row, known := linkCheckerRows[option]
			if !known {
				row.why = c.unknownIn(name, key.Name())
			}
			c.carry(row, option, key.Value())
		}
	}
	if login := file.Section("authentication").Key("loginurl").String(); login != "" {
		loginUser(c, login, file.Section("authentication").Key("entry").String())
	}
	if !isTrue(file.Section("filtering").Key("checkextern").String()) {
		c.set("external", "skip").Note = "as LinkChecker does unless checkextern is set"
	}
	return nil
}

// unknownIn returns why an option of a section that has no row is not imported, "" if it is
// imported elsewhere.
func (c *Config) unknownIn(section, key string) string {
	why, plugin := linkCheckerPlugins[section]
	switch {
	case plugin && why == "":
		return "documents are recognized by type and name"
	case plugin:
		return why
	case !linkCheckerLooks[section]:
		return "unknown option"
	case key == "filename" && c.outputs[section] != "":
		return ""
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

// linkCheckerLooks are the sections for output types.
var linkCheckerLooks = map[string]bool{"text": true, "gml": true, "dot": true, "csv": true, "sql": true, "html": true,
	"failures": true, "blacklist": true, "xml": true, "gxml": true, "sitemap": true, "none": true}

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

const ownFields = "the fields for the name and the password are found without it; --login-field sets another field"

// linkCheckerRows are the options of linkcheckerrc in LinkChecker 10.
var linkCheckerRows = map[string]row{
	"checking.aborttimeout":         {why: "the first interrupt waits for the requests in flight, the second stops at once"},
	"checking.allowedschemes":       {carry: lcSchemes},
	"checking.cookiefile":           {why: "--cookies reads the Netscape format, as curl does"},
	"checking.debugmemory":          {why: "Orbweaver has no such report"},
	"checking.localwebroot":         {why: "name the directory as the target; links are relative to its root"},
	"checking.maxfilesizedownload":  {carry: lcMaxBody},
	"checking.maxfilesizeparse":     {carry: lcMaxBody},
	"checking.maxnumurls":           {why: "see --max-pages, which limits the pages that are read"},
	"checking.maxrequestspersecond": {carry: lcRate},
	"checking.maxrunseconds":        {carry: duration("max-time")},
	"checking.nntpserver":           {carry: oneText("nntp-server")},
	"checking.recursionlevel":       {carry: lcDepth},
	"checking.resultcachesize":      {why: "results are kept until the run ends"},
	"checking.robotstxt":            {carry: switched("robots=strict", "robots=ignore")}, // which it obeys for every URL, including links to other sites
	"checking.sslverify":            {carry: lcVerify},
	"checking.threads":              {carry: lcThreads},
	"checking.timeout":              {carry: duration("timeout")},
	"checking.useragent":            {carry: oneText("user-agent")},
	"checking.warningregex":         {carry: lcWarningRegex}, // before LinkChecker 9

	"filtering.checkextern":           {}, // see readLinkChecker
	"filtering.ignore":                {carry: lcPatterns("exclude")},
	"filtering.ignorewarnings":        {carry: lcIgnoreWarnings},
	"filtering.ignoreerrors":          {carry: lines(lcIgnoreError)}, // belongs in output, but many write it here
	"filtering.ignorewarningsforurls": {carry: lines(lcIgnoreWarningsFor)},
	"filtering.internlinks":           {carry: lcPatterns("include")},
	"filtering.nofollow":              {carry: lcPatterns("no-follow")},

	"authentication.entry":              {carry: lines(lcEntry)},
	"authentication.loginextrafields":   {carry: lines(lcLoginField)},
	"authentication.loginpasswordfield": {why: ownFields},
	"authentication.loginurl":           {carry: oneText("login")},
	"authentication.loginuserfield":     {why: ownFields},

	"RegexCheck.warningregex":             {carry: lcWarningRegex},
	"SslCertificateCheck.sslcertwarndays": {carry: lcDays},
	"VirusCheck.clamavconf":               {carry: lcClamd},

	"output.fileoutput":   {carry: lcFiles},
	"output.debug":        {why: "Orbweaver has no such output"},
	"output.ignoreerrors": {carry: lines(lcIgnoreError)},
	"output.log":          {carry: lcLog},
	"output.quiet":        {carry: on(alwaysReport)},
	"output.status":       {carry: off("progress=never")},
	"output.verbose":      {carry: on("show=all")},
	"output.warnings":     {carry: off("show=broken,unverified")},
}

// linkCheckerLine are the flags of LinkChecker, which are options of its file.
var linkCheckerLine = &commandLine{
	program: "linkchecker",
	short: map[string]string{"f": "config", "t": "threads", "V": "version", "h": "help", "D": "debug", "F": "file-output", "o": "output", "q": "quiet", "v": "verbose",
		"r": "recursion-level", "p": "password", "u": "user"},
	switches: []string{"check-extern", "list-plugins", "help", "version", "no-status", "no-warnings", "quiet", "verbose", "no-robots", "stdin", "password", "ignore-warnings"},
	lists:    []string{"ignore-url", "no-follow-url", "file-output"},
	name:     func(flag string) string { return cmp.Or(linkCheckerFlags[flag], flag) },
	take:     takeLinkChecker,
}

var linkCheckerFlags = map[string]string{"check-extern": "filtering.checkextern", "cookiefile": "checking.cookiefile", "debug": "output.debug",
	"file-output": "output.fileoutput", "ignore-url": "filtering.ignore", "no-follow-url": "filtering.nofollow", "output": "output.log",
	"quiet": "output.quiet", "recursion-level": "checking.recursionlevel", "threads": "checking.threads", "timeout": "checking.timeout",
	"user-agent": "checking.useragent", "verbose": "output.verbose"}

// linkCheckerFlagRows are the flags that are not options of the file.
var linkCheckerFlagRows = map[string]row{
	"config":       {carry: otherFile},
	"help":         {},
	"list-plugins": {},
	"no-robots":    {carry: on("robots=ignore")},
	"no-status":    {carry: on("progress=never")},
	"no-warnings":  {carry: on("show=broken,unverified")},
	"password":     {why: "write a [[rule]] with header = {Authorization = \"Basic ${TOKEN}\"}"},
	"stdin":        {carry: on("from=-")},
	"user":         {why: "write a [[rule]] with header = {Authorization = \"Basic ${TOKEN}\"}"},
	"version":      {},
}

// takeLinkChecker imports flags. Values of a repeated one are lines.
func takeLinkChecker(c *Config, options map[string]any) {
	for option, v := range options {
		if list, ok := v.([]any); ok {
			separator := "\n"
			if option == "output.fileoutput" {
				separator = ","
			}
			options[option] = strings.Join(texts(list), separator)
		}
	}
	rows := maps.Clone(linkCheckerRows)
	maps.Copy(rows, linkCheckerFlagRows)
	c.carryAll(rows, options)
	if options["filtering.checkextern"] == nil {
		c.set("external", "skip").Note = "as LinkChecker does unless checkextern is set"
	}
}

// lines imports the lines of a value. An error concerns one of them.
func lines(one func(c *Config, line string) error) carry {
	return func(c *Config, option string, v any) error {
		t, _ := text(v)
		for _, l := range linesOf(t) {
			if err := one(c, l); err != nil {
				c.skip(option, err.Error())
			}
		}
		return nil
	}
}

// linesOf returns the lines of a value, without comments.
func linesOf(t string) []string {
	var all []string
	for l := range strings.SplitSeq(t, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, ";") {
			all = append(all, l)
		}
	}
	return all
}

func lcPatterns(key string) carry {
	return lines(func(c *Config, p string) error {
		if strings.HasPrefix(p, "!") {
			return fmt.Errorf("the pattern %q is negated, which is not supported", p)
		}
		return pattern(key)(c, p)
	})
}

// lcRate imports requests a second.
func lcRate(c *Config, _ string, v any) error {
	t, _ := text(v)
	c.set("rate", t+"/s")
	return nil
}

// lcDays imports how many days before its end a certificate is reported.
func lcDays(c *Config, _ string, v any) error {
	t, _ := text(v)
	if _, err := strconv.ParseUint(t, 10, 16); err != nil {
		return errors.New("it is not a number of days")
	}
	c.set("tls-expiry", t+"d")
	return nil
}

func lcSchemes(c *Config, option string, v any) error {
	var schemes []any
	t, _ := text(v)
	for scheme := range strings.SplitSeq(strings.ToLower(t), ",") {
		schemes = append(schemes, strings.TrimSpace(scheme))
	}
	return lycheeScheme(c, option, schemes)
}

// lcMaxBody imports the two limits of sizes. We have one, so the larger applies.
func lcMaxBody(c *Config, option string, v any) error {
	t, _ := text(v)
	n, err := strconv.ParseUint(t, 10, 63)
	if err != nil {
		return errors.New("it is not a number of bytes")
	}
	if s := c.setting("max-body"); s != nil {
		had, _ := strconv.ParseUint(s.Values[0], 10, 63)
		switch {
		case had > n:
			return errors.New("there is one limit, and the other option sets a larger one")
		case had == n:
			return nil
		}
		c.skip("max-body = "+s.Values[0], "there is one limit, and "+option+" sets a larger one")
	}
	c.set("max-body", t)
	return nil
}

func lcDepth(c *Config, _ string, v any) error {
	t, _ := text(v)
	n, err := strconv.Atoi(t)
	if err != nil {
		return errors.New("it is not a number")
	}
	if n >= 0 {
		c.set("depth", t)
	}
	return nil
}

func lcThreads(c *Config, _ string, v any) error {
	t, _ := text(v)
	n, err := strconv.Atoi(t)
	if err != nil {
		return errors.New("it is not a number")
	}
	c.set("concurrency", strconv.Itoa(max(n, 1)))
	return nil
}

// lcVerify imports a switch or the name of a file.
func lcVerify(c *Config, _ string, v any) error {
	switch t, _ := text(v); t {
	case "1":
	case "0":
		c.set("insecure", "true").Switch = true
	default:
		c.set("ca-file", t)
	}
	return nil
}

// lcEntry makes a rule for "PATTERN USER [PASSWORD]".
func lcEntry(c *Config, line string) error {
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return errors.New("an entry needs a password, because Orbweaver does not prompt for one: write a [[rule]] with header = {Authorization = \"Basic ${TOKEN}\"}")
	}
	return c.addRule(Rule{MatchRE: fields[0], Header: basic(fields[1], fields[2])})
}

// lcLoginField imports a field of the login form, written NAME:VALUE.
func lcLoginField(c *Config, line string) error {
	name, value, found := strings.Cut(line, ":")
	if !found {
		return errors.New("a line is not written NAME:VALUE")
	}
	c.add("login-field", "", strings.TrimSpace(name)+"="+strings.TrimSpace(value))
	return nil
}

// loginUser sets the user name of a login: LinkChecker takes it from the entry that matches
// the page with the form.
func loginUser(c *Config, loginURL, entries string) {
	for _, l := range linesOf(entries) {
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

// lcFiles imports the files that are written besides standard output.
func lcFiles(c *Config, option string, v any) error {
	t, _ := text(v)
	for part := range strings.SplitSeq(t, ",") {
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
		case c.outputs[kind] != "":
			file = c.outputs[kind]
		case !named || strings.EqualFold(file, "utf-8") || strings.EqualFold(file, "utf8"):
			file = "linkchecker-out." + kind
		}
		c.add("output", "", f+":"+file)
	}
	return nil
}

func lcLog(c *Config, _ string, v any) error {
	t, _ := text(v)
	if t == "none" {
		return effects(alwaysReport).apply(c)
	}
	f, err := lcFormat(t)
	if err == nil {
		c.set("format", f)
	}
	return err
}
