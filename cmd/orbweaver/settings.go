package main

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/content"
	"github.com/orbweaver/orbweaver/crawler/inspect/plugin"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// settings are flags and configuration as text, before they are interpreted. A flag and
// its key in the configuration file fill the same field. compile turns the fields into
// values, in one place that can report mistakes.
type settings struct {
	// targets
	from      []string
	stdinType string
	base      string
	hostStyle string
	noIgnore  bool
	sources   string

	// reading documents
	types              []string
	indexFiles         []string
	fallbackExtensions []string
	dumpInputs         bool
	wikiLinks          bool
	includeVerbatim    bool
	mailInText         bool
	linkAttributes     []string
	preprocess         []string

	// scope
	scope        string
	include      []string
	noFollow     []string
	exclude      []string
	except       []string
	remap        []string
	skipReserved bool
	external     string
	depth        string
	maxPages     string
	maxTime      string
	robots       string
	robotsAgent  string
	sitemaps     bool
	selectCSS    string
	since        string
	watch        bool
	ignoreSelect string
	// fingerprintBits is "64" or "128".
	fingerprintBits string

	// verdicts
	accept         []string
	ignoreFragment []string
	maxRedirects   string
	level          []string
	soft404        bool
	checkHTTPS     bool
	requireHTTPS   bool
	textFragments  bool
	archive        string
	tlsExpiry      string
	failOn         []string

	// connection
	timeout      string
	userAgent    string
	header       []string
	user         string
	netrc        bool
	netrcAnyPort bool
	cookies      string
	proxy        string
	caFile       string
	insecure     bool
	clientCert   string
	clientKey    string
	maxBody      string
	dnsServer    string
	denyPrivate  bool
	allowPort    []string
	newsServer   string
	mailProbe    bool
	connectTo    []string

	// content checks
	check        []string
	content      *content.Set // the [[content]] blocks, nil without one
	syntaxMax    string
	validator    string
	tidy         bool
	imageMax     string
	clamd        string
	virusScope   string
	virusMax     string
	virusTimeout string

	// rendered pages
	render        string
	renderBrowser string
	renderTabs    string
	renderTimeout string
	renderQuiet   string
	renderWait    string
	renderSandbox string

	// login
	login             string
	loginUser         string
	loginPasswordFile string
	loginField        []string
	loginForm         string
	loginCheck        string
	loginCheckText    string
	loginFresh        string
	loginRetries      string
	loginRender       bool
	loginAllowUnsafe  bool

	// politeness
	concurrency     string
	perHost         string
	rate            string
	delay           string
	retries         string
	secondPassAfter string
	maxWait         string

	// output
	format       string
	output       []string
	writeClean   string
	overwrite    bool
	dryRun       bool
	fix          bool
	write        bool
	markdownSize string
	ci           string
	show         []string
	quiet        bool
	verbose      bool
	progress     string
	color        string
	unique       bool
	schema       bool

	// between runs
	cache     string
	maxAge    string
	history   string
	failAfter string
	baseline  string

	// state
	state string

	// several machines
	frontier             string
	workersHere          string
	frontierLease        string
	frontierLog          string
	frontierDelete       bool
	frontierPatience     string
	frontierPasswordFile string
	frontierCAFile       string
	frontierInsecure     bool
	frontierClientCert   string
	frontierClientKey    string
	workerName           string
	force                bool
	// server
	server    string
	tokenFile string

	// configuration
	config   []string
	noConfig bool
	allowEnv []string
	// foundConfig is set if the configuration file was found and not named.
	foundConfig bool
	// found has the number of values that such a file gave, by the names of their keys. They
	// are the first values of a list.
	found map[string]int

	// rules are the [[rule]] blocks of the configuration file.
	rules []ruleBlock
	// plugins are its [[plugin]] blocks, and expanded are the environment variables that it
	// reads.
	plugins  []plugin.Config
	expanded []string
	// logins are its [[login]] blocks.
	logins []loginBlock
	// blocks are its blocks as written, by name.
	blocks map[string][]map[string]any
	// origin tells where each setting was given, by flag name: "--depth", or "depth in
	// orbweaver.toml". Settings that are not in it have their default.
	origin map[string]string
	// line lists the flags on the command line in order, with their values. A switch that
	// is turned off has the prefix "no-".
	line []givenFlag
}

// givenFlag is a flag on the command line.
type givenFlag struct {
	Name string `json:"name"`
	Text string `json:"value"`
}

// parseLevel parses a level. Plugins of the configuration have codes of their own.
func (s *settings) parseLevel(text string) (check.LevelRule, error) {
	names := make([]string, len(s.plugins))
	for i := range s.plugins {
		names[i] = s.plugins[i].Name
	}
	return check.ParseLevel(text, names...)
}

// credentials reports whether requests to the internal hosts are authenticated, or carry
// cookies or headers of the user.
func (s *settings) credentials() bool {
	return s.user != "" || s.netrc || len(s.header) > 0 || s.cookies != "" || s.signsIn()
}

// signsIn reports whether the run signs in with a form.
func (s *settings) signsIn() bool { return s.login != "" || len(s.logins) > 0 }

// given reports whether the user set the flag, on the command line, in the environment or
// in the file.
func (s *settings) given(name string) bool { return s.origin[name] != "" }

// named returns the name of a setting for messages, as the user wrote it.
func (s *settings) named(name string) string {
	if o := s.origin[name]; o != "" {
		return o
	}
	return "--" + name
}

// hides returns which settings of a run come from a configuration that was found, or nil if there
// is none.
func (s *settings) hides() *rules.Hides {
	if !s.foundConfig {
		return nil
	}
	// An empty value of a list only drops others.
	given := func(name string, values []string) (n int) {
		for _, value := range values[:min(s.found[name], len(values))] {
			if value != "" {
				n++
			}
		}
		return n
	}
	return &rules.Hides{Exclude: given("exclude", s.exclude), IgnoreFragment: given("ignore-fragment", s.ignoreFragment), Levels: given("level", s.level),
		SkipReserved: s.found["skip-reserved"] > 0, Accept: s.found["accept"] > 0, Rules: len(s.rules) > 0}
}
