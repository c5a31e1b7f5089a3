package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/render"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// options are the compiled settings. All mistakes in flags have been found; later errors
// come from outside, such as the file system.
type options struct {
	crawl      crawler.Config // except Fetch, Sites, Store and Stop, which wire sets
	net        fetch.HTTPConfig
	base       urinorm.URL // zero for none
	baseFound  bool        // base is from a configuration file that was found and not named
	hostStyle  disk.HostStyle
	indexes    []string // files that answer for a directory; nil for those of the style
	fallbacks  []string // extensions with a dot; nil for that of the style
	noIgnore   bool
	root       string // "" for none
	stdinType  string // a media type
	preprocess disk.Preprocessors
	dump       bool // only list what would be read
	login      loginOptions
	checks     inspect.Config
	render     renderOptions
	from       []string
	sources    string // "" for none

	format        *report.Format
	outputs       []report.Output
	newsServer    string // "" for $NNTP_SERVER
	mailProbe     bool
	writeClean    string // "" for no copy
	overwrite     bool   // the copy may replace a file
	overwriteMany bool   // the copy may lack more than half of the bookmarks
	unique        bool   // the copy has no bookmark twice
	dryRun        bool   // list what the copy would leave out
	since         string // a git commit, or ""
	between       betweenRuns
	evidence      evidenceOptions
	archive       *archiveOptions // nil except for the command archive
	watching      bool            // a round of --watch
	ci            string
	ciToken       string    // the name of a variable; "" for none
	thread        *ciThread // nil for none
	filesOnly     bool      // print no report
	fileExcludes  int       // number of the exclusions, the first ones, that a configuration file gave
	fixLevel      fix.Level
	fix, write    bool // edits as a patch, or in the files
	show          report.Show
	failOn        report.Policy
	// markdownSize bounds Markdown reports in bytes; 0 is the default.
	markdownSize int
	quiet        bool
	printed      report.Show // on standard output, if not the same as show; 0 for the same
	verbose      bool
	given        *command // what was given on the command line and in the configuration
	runDir       string   // working directory of the run; "" if it is not known
	sorted       bool     // results arrive sorted by URL
	progress     string
	color        string
	frontier     *frontierOptions // nil for a crawl of one process
	state        string           // directory that keeps the crawl; "" for none

	// The following are set for runs of a server.

	listing      runs.Listing
	maxDocuments int      // of a directory; 0 for no limit
	directory    string   // the working directory of the run; "" for that of the process
	schemes      []string // that may be requested; nil for all
	roots        []string // directories, whose documents belong to them and not to the working directory

	texts *disk.Texts // of documents that are open in an editor; nil elsewhere
}

// compile turns the settings of check and explain into options. Its error joins all
// mistakes.
func compile(s *settings, on option.Commands) (*options, error) {
	c := &compiler{settings: s}
	c.checkWords(on)
	o := &options{from: s.List("from")}
	if on == option.Archive {
		o.archive = &archiveOptions{found: map[string]bool{}}
	}
	o.state = read(c, "state", func(dir string) (string, error) { return dir, nil })

	o.since = read(c, "since", func(ref string) (string, error) { return ref, nil })
	o.base = read(c, "base-url", parseBase)
	o.baseFound = s.foundConfig && s.Origin("base-url") == "base-url in "+configName
	o.hostStyle, _ = disk.ParseHostStyle(s.Text("host-style"))
	o.sources = read(c, "sources", func(dir string) (string, error) { return dir, nil })
	if s.Given("index-files") {
		o.indexes = append([]string{}, readAll(c, "index-files", parseFileName)...)
	}
	if s.Given("fallback-extensions") {
		o.fallbacks = append([]string{}, readAll(c, "fallback-extensions", parseExtension)...)
	}
	o.root = read(c, "root", func(dir string) (string, error) { return dir, nil })
	o.crawl.Scope.RootGiven = o.root != ""
	c.refuse(o.root != "" && !o.base.IsZero(), "root", "it cannot be used with --base-url, which makes the directory a published site")
	o.noIgnore, o.dump = s.On("no-ignore"), s.On("dump-inputs")
	o.stdinType = read(c, "stdin-type", parseFormat)

	k := &o.crawl
	k.Scope.Rule = scopeRules[s.Text("scope")]
	k.Scope.External = externals[s.Text("external")]
	k.Scope.Include = readAll(c, "include", parsePattern)
	k.Scope.NoFollow = readAll(c, "no-follow", parsePattern)
	k.Scope.Exclude = readAll(c, "exclude", parsePattern)
	o.preprocess = readPreprocessors(c)
	k.Judging.TextFragments = s.On("text-fragments")
	k.Reading.Types, k.Reading.Options = readTypes(c), readReading(c)
	k.Reading.Options.Anchors, _ = extract.ParseAnchorRule(s.Text("anchors"))
	k.Reading.Publisher = newPublisher()
	k.Scope.Remaps = readAll(c, "remap", parseRemap)
	o.fileExcludes = s.fileExcludes
	k.Scope.ExcludeExcept = readAll(c, "exclude-except", parsePattern)
	k.Scope.SkipReserved = s.On("skip-reserved")
	k.Judging.IgnoreFragment = readAll(c, "ignore-fragment", parsePattern)
	if s.Given("depth") {
		k.Scope.Depth = zeroAsNone(read(c, "depth", atLeast(0)))
	}
	k.Limits.MaxPages = read(c, "max-pages", atLeast(0))
	k.Limits.MaxTime = read(c, "max-time", quantity.ParseDuration)
	k.Limits.MaxBody = read(c, "max-body", quantity.ParseSize)
	k.Limits.MaxBodyGiven = s.Given("max-body")
	k.Scope.Robots = robotsModes[s.Text("robots")]
	k.Scope.RobotsGiven = s.Given("robots")
	k.Scope.RobotsAgent = cmp.Or(read(c, "robots-agent", parseRobotsAgent), robotsAgentOf(s.Text("user-agent")))
	k.Scope.Sitemaps = s.On("sitemaps")
	k.Keep.FingerprintBits = widths[s.Text("fingerprint-bits")]
	k.Reading.Select = read(c, "select", parseSelector)
	k.Reading.IgnoreSelect = read(c, "ignore-select", parseSelector)

	if len(s.List("accept")) > 0 {
		k.Judging.Accept = read(c, "accept", parseStatuses)
	}
	k.Judging.Levels = readAll(c, "level", s.parseLevel)
	k.Judging.SoftNotFound, k.Judging.CheckHTTPS, k.Judging.RequireHTTPS = s.On("soft-404"), s.On("check-https"), s.On("require-https")
	k.Judging.Archive = readArchive(c, on)
	k.Scope.Credentials, k.Scope.AllowUnsafe = s.credentials(), s.On("login-allow-unsafe")
	compileLogins(c, o)
	compileChecks(c, o)
	compileRendering(c, o)
	k.Judging.Hides = s.hides()
	k.Limits.MaxRedirects = zeroAsNone(read(c, "max-redirects", atLeast(0)))

	k.Politeness.Concurrency = read(c, "concurrency", atLeast(1))
	k.Politeness.PerHost = read(c, "per-host", atLeast(1))
	k.Politeness.PerHostGiven = s.Given("per-host")
	if s.Given("per-domain") {
		k.Politeness.PerDomain = zeroAsNone(read(c, "per-domain", atLeast(0)))
	}
	if s.Given("per-address") {
		k.Politeness.PerAddress = zeroAsNone(read(c, "per-address", atLeast(0)))
	}
	k.Politeness.Rate = read(c, "rate", quantity.ParseRate)
	k.Politeness.Delay = read(c, "delay", quantity.ParseDuration)
	k.Politeness.Retries = zeroAsNone(read(c, "retries", atLeast(0)))
	if len(s.List("retry-status")) > 0 {
		k.Politeness.RetryStatus = read(c, "retry-status", parseStatuses)
	}
	k.Politeness.SecondPassAfter = zeroAsShortest(read(c, "second-pass-after", quantity.ParseDuration))
	k.Politeness.SecondPassGiven = s.Given("second-pass-after")
	k.Politeness.MaxWait = zeroAsShortest(read(c, "max-wait", quantity.ParseDuration))
	for i := range s.rules {
		rule, err := s.rules[i].compile(s.parseLevel)
		if err != nil {
			c.faults = append(c.faults, err)
		}
		k.Judging.Rules = append(k.Judging.Rules, rule)
	}

	o.net = compileNetwork(c)
	o.net.Concurrency, o.net.PerHost, o.net.MaxBody = fetch.Affordable(k.Politeness.Concurrency), k.Politeness.PerHost, k.Limits.MaxBody
	if o.net.TLSExpiry = read(c, "tls-expiry", quantity.ParseDuration); o.net.TLSExpiry == 0 {
		o.net.TLSExpiry = -1
	}
	compileReport(c, o)
	compileBetween(c, o)
	compileEvidence(c, o)
	compileFrontier(c, o)
	compileArchiving(c, o)
	return o, errors.Join(c.faults...)
}

// compileReport reads the settings of output that check and report share.
func compileReport(c *compiler, o *options) {
	s := c.settings
	o.format, _ = report.ByName(s.Text("format"))
	o.outputs = readAll(c, "output", report.ParseOutput)
	o.show = read(c, "show", report.ParseShow)
	o.failOn = read(c, "fail-on", report.ParseFailOn)
	o.progress, o.color, o.ci, o.ciToken = s.Text("progress"), s.Text("color"), s.Text("ci"), s.Text("ci-token-env")
	o.quiet, o.verbose = s.On("quiet"), s.On("verbose")
	c.refuse(o.quiet && o.verbose, "quiet", "it cannot be used with --verbose")
	if o.quiet {
		o.progress = "never"
	}
	// What --show says of files, the screen does not repeat: a list of every link is long.
	switch asked := c.Given("show") && (len(o.outputs) == 0 || c.Given("format")); {
	case !asked && o.quiet:
		o.printed = report.ShowBroken
	case !asked && c.Given("show"):
		o.printed = report.ShowDefault
	}
	o.markdownSize = int(min(read(c, "markdown-size", quantity.ParseSize), 1<<30))
	o.newsServer = read(c, "nntp-server", parseNewsServer)
	o.mailProbe = s.On("mail-probe")
	compileFix(c, o)
	o.writeClean = read(c, "write-clean", func(file string) (string, error) { return file, nil })
	o.overwrite, o.overwriteMany, o.dryRun = s.On("overwrite"), s.On("overwrite-many"), s.On("dry-run")
	o.unique = s.On("unique")
	const needsFile = "it needs --write-clean"
	c.refuse(o.writeClean == "" && o.overwrite, "overwrite", needsFile)
	c.refuse(o.writeClean == "" && o.overwriteMany, "overwrite-many", needsFile)
	c.refuse(o.writeClean == "" && o.dryRun && o.archive == nil, "dry-run", needsFile)
	c.refuse(o.writeClean == "" && o.unique, "unique", needsFile)
	c.refuse(o.dryRun && o.write, "dry-run", "it cannot be used with --write: --fix alone prints the edits")
}

// compileFix reads the settings of edits. A patch must be the only output on standard
// output.
func compileFix(c *compiler, o *options) {
	o.fix, o.write = c.On("fix"), c.On("write")
	o.fixLevel = read(c, "fix-level", fix.ParseLevel)
	c.refuse(o.write && !o.fix, "write", "it needs --fix")
	c.refuse(o.fix && c.On("watch"), "fix", "it cannot be used with --watch: each edit would start another check")
	if !o.patches() {
		return
	}
	const instead = "the report would be mixed with the patch that --fix prints: write it to a file with --output, or use --write"
	c.refuse(c.Given("format"), "format", "%s", instead)
	for _, out := range o.outputs {
		c.refuse(out.File == report.Stdout, "output", "%s", instead)
	}
}

// shows returns the results that standard output or a file lists.
func (o *options) shows() report.Show {
	r := report.Options{Show: o.show, PrintedShow: o.printed}
	return r.Shows()
}

// patches reports whether a patch is printed to standard output.
func (o *options) patches() bool { return o.fix && !o.write }

// zeroAsNone converts a limit of zero for the engine, in which zero means the default.
func zeroAsNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

var scopeRules = map[string]crawler.ScopeRule{
	"path":   crawler.ScopePath,
	"host":   crawler.ScopeHost,
	"domain": crawler.ScopeDomain,
	"page":   crawler.ScopePage,
}

// readArchive reads the settings of the archive that is asked about broken targets.
func readArchive(c *compiler, on option.Commands) *crawler.Archive {
	which := c.Text("archive")
	a := &crawler.Archive{Memento: which == "memento", Max: read(c, "archive-max", atLeast(1))}
	if on != option.Archive { // there it names another service
		a.API = read(c, "archive-api", parseService)
	}
	if which == "none" {
		if on == option.Archive {
			return nil
		}
		for _, name := range []string{"archive-api", "archive-max"} {
			c.refuse(c.Given(name), name, "it needs --archive")
		}
		return nil
	}
	a.API = cmp.Or(a.API, map[bool]string{false: crawler.WaybackCDX, true: crawler.WaybackTimeMap}[a.Memento])
	return a
}

func parseService(s string) (string, error) {
	u, _, err := urinorm.ParseWeb(s)
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" || u.HasUserinfo() {
		return "", errors.New("use an http or https URL without a password")
	}
	return s, nil
}

var externals = map[string]crawler.External{
	"check": crawler.CheckExternal,
	"skip":  crawler.SkipExternal,
}

var robotsModes = map[string]crawler.RobotsMode{
	"crawl":  crawler.RobotsCrawl,
	"strict": crawler.RobotsStrict,
	"ignore": crawler.RobotsIgnore,
}

var widths = map[string]int{"64": 64, "128": 128}

// zeroAsShortest converts a duration of zero for the engine, in which zero means the default.
func zeroAsShortest(d time.Duration) time.Duration { return max(d, 1) }

// parseDocumentBase reads the URL of a document, or of a directory of documents.
func parseDocumentBase(s string) (urinorm.URL, error) {
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		return u, errors.New("use an absolute URL, such as https://example.com/docs/")
	}
	return u, nil
}

func parseSelector(s string) (extract.Selector, error) {
	selector, err := extract.CompileSelector(s)
	if cause := errors.Unwrap(err); cause != nil {
		err = fmt.Errorf("use a CSS selector: %w", cause)
	}
	return selector, err
}

func readTypes(c *compiler) fetch.Types {
	types := fetch.Types{}
	for _, pair := range readAll(c, "type", parseType) {
		types[pair[0]] = pair[1]
	}
	return types
}

// readReading reads what the user wants to be read of documents.
func readReading(c *compiler) extract.Options {
	return extract.Options{WikiLinks: c.On("wiki-links"), Verbatim: c.On("include-verbatim"), TextMail: c.On("mail-in-text"),
		Attributes: readAll(c, "link-attributes", extract.ParseAttribute)}
}

// newPublisher returns what knows the program that publishes a document by its path.
func newPublisher() func(path string) extract.AnchorRule {
	var programs disk.Publishers
	return func(path string) extract.AnchorRule {
		rule, _ := extract.ParseAnchorRule(programs.Of(path)) // all programs have one (TestPublisherRules)
		return rule
	}
}

// readPreprocessors reads the commands that convert files. They get the environment of plugins.
func readPreprocessors(c *compiler) disk.Preprocessors {
	var all disk.Preprocessors
	for _, p := range readAll(c, "preprocess", parsePreprocessor) {
		p.Env = childEnvironment(os.Environ(), c.expanded)
		all = append(all, p)
	}
	return all
}

// parsePreprocessor reads an extension and a command.
func parsePreprocessor(s string) (p disk.Preprocessor, err error) {
	name, command, _ := strings.Cut(s, "=")
	extension, err := parseExtension(name)
	if p.Command = strings.Fields(command); err != nil || len(p.Command) == 0 {
		return p, errors.New("use an extension and a command, such as pdf=pdftotext {} -")
	}
	p.Extension = strings.ToLower(extension[1:])
	return p, nil
}

// parseType reads an extension and the media type of its format.
func parseType(s string) (pair [2]string, err error) {
	name, format, ok := strings.Cut(s, "=")
	extension, err := parseExtension(name)
	if !ok || err != nil {
		return pair, errors.New("use an extension and a format, such as inc=html or go=text")
	}
	media, err := parseFormat(format)
	return [2]string{strings.ToLower(extension[1:]), media}, err
}

// parseRemap reads a pattern and its replacement. The first = that no backslash precedes
// separates them.
func parseRemap(s string) (m crawler.Remap, err error) {
	at := -1
	for i := 0; i < len(s) && at < 0; i++ {
		switch s[i] {
		case '\\':
			i++
		case '=':
			at = i
		}
	}
	if at <= 0 {
		return m, errors.New("use a regular expression and its replacement, such as ^https://example\\.com/=http://localhost:8080/")
	}
	m.Replacement = s[at+1:]
	m.Pattern, err = parsePattern(s[:at])
	return m, err
}

func parseFileName(s string) (string, error) {
	if strings.ContainsAny(s, "/\\") || s == ".." {
		return "", errors.New("use the name of a file without its directory, such as index.html")
	}
	return s, nil
}

// parseExtension reads an extension, and returns it with its dot.
func parseExtension(s string) (string, error) {
	name := strings.TrimPrefix(s, ".")
	if name == "" || strings.ContainsAny(name, "/\\ ") {
		return "", errors.New("use the extension of a file name, such as html")
	}
	return "." + name, nil
}

// parseBase reads the URL at which a directory will be published.
func parseBase(s string) (urinorm.URL, error) {
	u, _, err := urinorm.ParseWeb(s)
	wrong := errors.New("use an http or https URL without a query or fragment, such as https://example.com/docs/")
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" || u.HasUserinfo() {
		return urinorm.URL{}, wrong
	}
	_, hasQuery := u.Query()
	_, hasFragment := u.Fragment()
	if hasQuery || hasFragment {
		return urinorm.URL{}, wrong
	}
	return u, nil
}

// asDirectory returns the URL of a directory, which ends with a slash. The URL of an
// index file, as a browser shows it, means the directory.
func asDirectory(u urinorm.URL) (urinorm.URL, error) {
	address := u.String()
	for _, index := range []string{"/index.html", "/index.htm", "/"} {
		address = strings.TrimSuffix(address, index)
	}
	u, _, err := urinorm.ParseWeb(address + "/")
	return u, err
}

// robotsAgentOf returns the product token by which robots.txt knows a User-Agent value
// (RFC 9309 2.2.1): its first product, or the one that a crawler with the form of a browser
// names, as in
//
//	Mozilla/5.0 (compatible; MyBot/1.0; +https://example.com/bot)
//
// It is "" if there is none, as in the value of a browser.
func robotsAgentOf(userAgent string) string {
	token := fetch.ProductToken(userAgent)
	if !strings.EqualFold(token, "Mozilla") {
		return token
	}
	_, comment, _ := strings.Cut(userAgent, "compatible;")
	return fetch.ProductToken(comment)
}

// parseRobotsAgent reads a product token.
func parseRobotsAgent(s string) (string, error) {
	if s == "" || fetch.ProductToken(s) != s {
		return "", errors.New("use a product token, such as mybot, without a version")
	}
	return s, nil
}

type renderOptions struct {
	render.Options
	browser string // as it was named; "" if it is to be found
	sandbox string
}

func compileRendering(c *compiler, o *options) {
	s, r := c.settings, &o.render
	o.crawl.Render.Mode = renderModes[s.Text("render")]
	r.browser = s.Text("render-browser")
	r.Tabs = read(c, "render-tabs", atLeast(1))
	c.refuse(r.Tabs > 64, "render-tabs", "%d is too many; use at most 64", r.Tabs)
	r.Timeout = read(c, "render-timeout", quantity.ParseDuration)
	r.Quiet = read(c, "render-quiet", quantity.ParseDuration)
	r.Wait, r.Selector = parseRenderWait(s.Text("render-wait"))
	c.refuse(r.Wait < 0, "render-wait", "the time must not be negative")
	c.refuse(r.Wait > r.Timeout, "render-wait", "%s is longer than the limit of time, %s; raise --render-timeout", r.Wait, r.Timeout)
	r.sandbox = s.Text("render-sandbox")
}

// parseRenderWait reads a time with a unit, or a CSS selector.
func parseRenderWait(text string) (wait time.Duration, selector string) {
	if text == "" {
		return 0, ""
	}
	if runes := []rune(text); unicode.IsLetter(runes[len(runes)-1]) {
		if d, err := time.ParseDuration(text); err == nil {
			return d, ""
		}
	}
	return 0, text
}
