package main

// settings are flags and configuration as they were given: text that nothing has
// interpreted yet. A flag and its key in the file fill the same field; compile
// turns all of it into values once, at one place that can say what is wrong.
type settings struct {
	// targets
	from      []string
	stdinType string
	base      string
	hostStyle string
	sources   string

	// scope
	scope        string
	include      []string
	noFollow     []string
	exclude      []string
	external     string
	depth        string
	maxPages     string
	maxTime      string
	robots       string
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
	soft404        bool
	checkHTTPS     bool
	archive        string
	tlsExpiry      string
	failOn         []string

	// connection
	timeout     string
	userAgent   string
	header      []string
	user        string
	netrc       bool
	cookies     string
	proxy       string
	caFile      string
	insecure    bool
	clientCert  string
	clientKey   string
	maxBody     string
	dnsServer   string
	denyPrivate bool
	allowPort   []string
	newsServer  string
	mailProbe   bool
	connectTo   []string

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
	fix          bool
	write        bool
	markdownSize string
	ci           string
	show         []string
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

	// configuration
	config   string
	noConfig bool

	// rules are the [[rule]] blocks of the configuration file.
	rules []ruleBlock
	// origin says how the user wrote each setting that was given, by flag name:
	// "--depth", or "depth in orbweaver.toml". What is absent has its default.
	origin map[string]string
	// line is the part of it that stands on the command line, in order: the flags'
	// names with "no-" where they are switched off, and their values.
	line []lineFlag
}

// lineFlag is a flag as it was given on the command line.
type lineFlag struct {
	Name string `json:"name"`
	Text string `json:"value"`
}

// given reports whether the user set the flag, on the command line or in the file.
func (s *settings) given(name string) bool { return s.origin[name] != "" }

// named is how errors call the setting: as the user wrote it.
func (s *settings) named(name string) string {
	if o := s.origin[name]; o != "" {
		return o
	}
	return "--" + name
}
