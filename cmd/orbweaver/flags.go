package main

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/inspect/clamd"
	"github.com/orbweaver/orbweaver/report"
)

// A flag is one row of the table below. The command line, its help, the manual page,
// shell completion, the keys of orbweaver.toml and the tables of docs/commands.md all come
// from the rows.
type flag struct {
	name    string
	short   string
	arg     string   // placeholder for the value in help; empty for a switch
	initial string   // the default as a user would write it; "" for none
	words   []string // the allowed values, if they can be listed
	file    bool     // the value is a file name
	doc     string   // one sentence in lower case, without a full stop
	group   group
	on      commands
	many    repeat
	field   func(*settings) any // the field: *bool, *string or *[]string
}

// repeat determines what giving a flag twice means.
type repeat uint8

const (
	// once: the last value applies.
	once repeat = iota
	// union: a list with commas. Values are combined, and the command line replaces the
	// file's list.
	union
	// list: each flag adds one value, also to those of the file. An empty value drops
	// those of the file.
	list
)

// commands is a set of commands that take a flag.
type commands uint8

const (
	onCheck commands = 1 << iota
	onExplain
	onExtract
	onReport
	onCompare
	onHistory
	onFix
	onResume // also has the flags of check that another session may change
)

// group is a heading of the help.
type group string

const (
	inputs           group = "Targets"
	scope            group = "Scope"
	verdicts         group = "Verdicts"
	contentChecks    group = "Content checks"
	connection       group = "Connection"
	signingIn        group = "Login"
	politeness       group = "Politeness"
	output           group = "Output"
	betweenRunsGroup group = "Between runs"
	config           group = "Configuration"
)

// groups are in the order of the help.
var groups = []group{inputs, scope, verdicts, contentChecks, connection, signingIn, politeness, output, betweenRunsGroup, config}

// flags returns all flags except those of `uri`, which are in uri.go.
func flags() []flag {
	const checks = onCheck | onExplain
	return []flag{
		{name: "from", arg: "FILE", file: true, group: inputs, on: onCheck | onExtract, many: list,
			doc:   "read targets from FILE, one per line; - reads standard input, # starts a comment",
			field: func(s *settings) any { return &s.from }},
		{name: "stdin-type", arg: "TYPE", group: inputs, on: onCheck | onExtract,
			doc:   "format of the document on standard input, as a file extension or media type; by default it is detected from the first bytes, and is html if that fails",
			field: func(s *settings) any { return &s.stdinType }},
		{name: "base-url", arg: "URL", group: inputs, on: checks,
			doc:   "where the directory will be published; links to that URL are checked against the directory",
			field: func(s *settings) any { return &s.base }},
		{name: "sources", arg: "DIR", file: true, group: inputs, on: onCheck,
			doc:   "directory of the sources that the pages are built from; findings are reported there, and --fix edits the sources",
			field: func(s *settings) any { return &s.sources }},
		{name: "base", short: "b", arg: "URL", group: inputs, on: onExtract,
			doc:   "base URL for relative links",
			field: func(s *settings) any { return &s.base }},
		{name: "host-style", arg: "STYLE", initial: "auto", words: disk.HostStyles(), group: inputs, on: onCheck,
			doc:   "how the directory's host maps URLs to files",
			field: func(s *settings) any { return &s.hostStyle }},
		{name: "no-ignore", group: inputs, on: onCheck | onExtract,
			doc:   "in a git work tree, also read the files of a directory that git ignores; a directory that git ignores as a whole is read if it is named",
			field: func(s *settings) any { return &s.noIgnore }},

		{name: "scope", arg: "RULE", initial: "path", words: []string{"path", "host", "domain", "page"}, group: scope, on: checks,
			doc:   "pages to crawl: those below the start URL's directory, on its host, on its registered domain, or the start page alone",
			field: func(s *settings) any { return &s.scope }},
		{name: "include", arg: "RE", group: scope, on: checks, many: list,
			doc:   "also crawl pages whose URL matches, wherever they are",
			field: func(s *settings) any { return &s.include }},
		{name: "no-follow", arg: "RE", group: scope, on: checks, many: list,
			doc:   "check pages whose URL matches, but do not crawl them",
			field: func(s *settings) any { return &s.noFollow }},
		{name: "exclude", arg: "RE", group: scope, on: checks, many: list,
			doc:   "do not check URLs that match; patterns are matched against the URL as it is printed",
			field: func(s *settings) any { return &s.exclude }},
		{name: "external", arg: "WHAT", initial: "check", words: []string{"check", "skip"}, group: scope, on: checks,
			doc:   "whether to check or skip links that leave the site",
			field: func(s *settings) any { return &s.external }},
		{name: "depth", arg: "N", group: scope, on: onCheck,
			doc:   "follow links at most N steps from the start pages; 0 reads only the start pages",
			field: func(s *settings) any { return &s.depth }},
		{name: "max-pages", arg: "N", group: scope, on: onCheck,
			doc:   "stop after reading N pages",
			field: func(s *settings) any { return &s.maxPages }},
		{name: "max-time", arg: "DUR", group: scope, on: onCheck,
			doc:   "stop after this time",
			field: func(s *settings) any { return &s.maxTime }},
		{name: "robots", arg: "MODE", initial: "crawl", words: []string{"crawl", "strict", "ignore"}, group: scope, on: onCheck,
			doc:   "obey robots.txt for pages that are crawled, for every request, or never",
			field: func(s *settings) any { return &s.robots }},
		{name: "robots-agent", arg: "TOKEN", group: scope, on: onCheck,
			doc:   "product token whose groups of robots.txt apply; the default is that of --user-agent, else orbweaver",
			field: func(s *settings) any { return &s.robotsAgent }},
		{name: "sitemaps", group: scope, on: onCheck,
			doc:   "read the sitemaps that the start host's robots.txt lists, and crawl the pages in them that are in scope",
			field: func(s *settings) any { return &s.sitemaps }},
		{name: "since", arg: "REF", group: scope, on: onCheck,
			doc:   "report only on local documents that changed since this git commit, and on links to changed or removed files",
			field: func(s *settings) any { return &s.since }},
		{name: "watch", group: scope, on: onCheck,
			doc:   "check again whenever a file below the targets changes: first everything, then only what has changed",
			field: func(s *settings) any { return &s.watch }},
		{name: "fingerprint-bits", arg: "N", initial: "64", words: []string{"64", "128"}, group: scope, on: onCheck,
			doc:   "size of the fingerprint that identifies a URL; use 128 for crawls of more than a few hundred million URLs, at a cost of 12 more bytes of memory per URL",
			field: func(s *settings) any { return &s.fingerprintBits }},
		{name: "select", arg: "CSS", group: scope, on: onCheck | onExtract,
			doc:   "use only links inside elements that match this selector",
			field: func(s *settings) any { return &s.selectCSS }},
		{name: "ignore-select", arg: "CSS", group: scope, on: onCheck | onExtract,
			doc:   "ignore links inside elements that match this selector",
			field: func(s *settings) any { return &s.ignoreSelect }},

		{name: "accept", arg: "CODES", group: verdicts, on: onCheck, many: union,
			doc:   "HTTP statuses that count as ok, such as 403,500-599",
			field: func(s *settings) any { return &s.accept }},
		{name: "soft-404", group: verdicts, on: onCheck,
			doc:   "warn about pages that look like the site's answer to a nonexistent URL; sends one more request per directory",
			field: func(s *settings) any { return &s.soft404 }},
		{name: "check-https", group: verdicts, on: onCheck,
			doc:   "warn about http targets that also answer over https; sends one more request per target",
			field: func(s *settings) any { return &s.checkHTTPS }},
		{name: "archive", arg: "WHICH", initial: "none", words: []string{"none", "wayback"}, group: verdicts, on: onCheck,
			doc:   "for broken links to other sites, ask the Wayback Machine for copies and suggest them; sends one request per link at the end of the run",
			field: func(s *settings) any { return &s.archive }},
		{name: "tls-expiry", arg: "DUR", initial: "14d", group: verdicts, on: onCheck,
			doc:   "warn about certificates that expire within this time",
			field: func(s *settings) any { return &s.tlsExpiry }},
		{name: "ignore-fragment", arg: "RE", group: verdicts, on: onCheck, many: list,
			doc:   "treat matching fragments as present, such as those that only a script handles",
			field: func(s *settings) any { return &s.ignoreFragment }},
		{name: "level", arg: "CODE=LEVEL", group: verdicts, on: onCheck, many: list,
			doc:   "report findings with this code as broken, unverified, warning or info, or not at all (off); internal: or external: before the code limits it to one side",
			field: func(s *settings) any { return &s.level }},
		{name: "max-redirects", arg: "N", initial: "10", group: verdicts, on: onCheck,
			doc:   "maximum number of redirects to follow",
			field: func(s *settings) any { return &s.maxRedirects }},
		{name: "fail-on", arg: "LEVEL", initial: "broken", group: verdicts, on: onCheck | onReport, many: union,
			doc:   "what fails the run: broken, unverified, warning or none; internal and external links can differ, as in internal:warning,external:broken",
			field: func(s *settings) any { return &s.failOn }},

		{name: "check", arg: "GROUP", group: contentChecks, on: onCheck, many: union,
			doc:   "also check the content of the site's pages: " + strings.Join(inspect.GroupNames(), ", ") + "; all is every group but virus",
			field: func(s *settings) any { return &s.check }},
		{name: "syntax-max", arg: "N", initial: "20", group: contentChecks, on: onCheck,
			doc:   "maximum number of findings of html-syntax, and of css-syntax, for each page; the rest are counted",
			field: func(s *settings) any { return &s.syntaxMax }},
		{name: "validator", arg: "URL", group: contentChecks, on: onCheck,
			doc:   "check HTML and CSS with this Nu HTML Checker in place of the built-in checks; auto starts one with java and $VNU_JAR, or the vnu-jar package in node_modules",
			field: func(s *settings) any { return &s.validator }},
		{name: "tidy", group: contentChecks, on: onCheck,
			doc:   "also check HTML with the program tidy",
			field: func(s *settings) any { return &s.tidy }},
		{name: "image-max", arg: "SIZE", initial: "500KiB", group: contentChecks, on: onCheck,
			doc:   "size from which an image is large",
			field: func(s *settings) any { return &s.imageMax }},
		{name: "clamd", arg: "ADDRESS", initial: clamd.DefaultAddress, group: contentChecks, on: onCheck,
			doc:   "clamd that scans for viruses: unix:PATH or tcp:HOST:PORT",
			field: func(s *settings) any { return &s.clamd }},
		{name: "virus-scope", arg: "WHICH", initial: "internal", words: []string{"internal", "all"}, group: contentChecks, on: onCheck,
			doc:   "which targets are scanned for viruses: those of the site, or also those that links to other sites lead to",
			field: func(s *settings) any { return &s.virusScope }},
		{name: "virus-max", arg: "SIZE", initial: "25MiB", group: contentChecks, on: onCheck,
			doc:   "size of the largest body that is scanned for viruses; StreamMaxLength in clamd.conf must allow it",
			field: func(s *settings) any { return &s.virusMax }},
		{name: "virus-timeout", arg: "DUR", initial: "30s", group: contentChecks, on: onCheck,
			doc:   "maximum time of one exchange with clamd",
			field: func(s *settings) any { return &s.virusTimeout }},

		{name: "timeout", arg: "DUR", initial: "20s", group: connection, on: onCheck | onExtract,
			doc:   "maximum time without activity while connecting, in a handshake, waiting for headers or reading; a whole exchange may take five times as long",
			field: func(s *settings) any { return &s.timeout }},
		{name: "user-agent", short: "A", arg: "TEXT", group: connection, on: onCheck | onExtract,
			doc:   "User-Agent header; the default names Orbweaver and its version",
			field: func(s *settings) any { return &s.userAgent }},
		{name: "header", short: "H", arg: "'NAME: VALUE'", group: connection, on: onCheck | onExtract, many: list,
			doc:   "header field to send to the start targets' scheme, host and port only",
			field: func(s *settings) any { return &s.header }},
		{name: "user", short: "u", arg: "NAME:PASSWORD", group: connection, on: onCheck | onExtract,
			doc:   "credentials for the start targets' scheme, host and port, sent by Basic or Digest authentication",
			field: func(s *settings) any { return &s.user }},
		{name: "netrc", short: "n", group: connection, on: onCheck | onExtract,
			doc:   "read credentials from the netrc file, for the default port of the scheme and the start targets",
			field: func(s *settings) any { return &s.netrc }},
		{name: "netrc-any-port", group: connection, on: onCheck | onExtract,
			doc:   "with --netrc, also send credentials to other ports of their hosts",
			field: func(s *settings) any { return &s.netrcAnyPort }},
		{name: "cookies", arg: "FILE", file: true, group: connection, on: onCheck | onExtract,
			doc:   "send the cookies in a Netscape-format file to their hosts, at the default port of the scheme and the start targets",
			field: func(s *settings) any { return &s.cookies }},
		{name: "proxy", short: "x", arg: "URL", group: connection, on: onCheck | onExtract,
			doc:   "proxy to use: an http or https proxy serves http, https, ws, wss and ftp, a socks5 proxy serves all connections; the default is the proxy that the environment names",
			field: func(s *settings) any { return &s.proxy }},
		{name: "ca-file", arg: "FILE", file: true, group: connection, on: onCheck | onExtract,
			doc:   "also trust the certificates in this PEM file",
			field: func(s *settings) any { return &s.caFile }},
		{name: "insecure", short: "k", group: connection, on: onCheck | onExtract,
			doc:   "accept any certificate",
			field: func(s *settings) any { return &s.insecure }},
		{name: "client-cert", arg: "FILE", file: true, group: connection, on: onCheck | onExtract,
			doc:   "PEM file of the client certificate, for the start targets only",
			field: func(s *settings) any { return &s.clientCert }},
		{name: "client-key", arg: "FILE", file: true, group: connection, on: onCheck | onExtract,
			doc:   "PEM file of the private key, if it is not in the file of the client certificate",
			field: func(s *settings) any { return &s.clientKey }},
		{name: "max-body", arg: "SIZE", initial: "10MiB", group: connection, on: onCheck | onExtract,
			doc:   "maximum size to read of each page; without this flag, files that are named as targets are read in full",
			field: func(s *settings) any { return &s.maxBody }},
		{name: "dns-server", arg: "ADDR:PORT", group: connection, on: onCheck | onExtract,
			doc:   "name server to use instead of the system's",
			field: func(s *settings) any { return &s.dnsServer }},
		{name: "connect-to", arg: "HOST:PORT:ADDR:PORT", group: connection, on: onCheck | onExtract, many: list,
			doc:   "connect to the second host and port for requests to the first; the URL, the Host header and the TLS server name stay the same",
			field: func(s *settings) any { return &s.connectTo }},
		{name: "deny-private", group: connection, on: onCheck | onExtract,
			doc:   "connect only to public addresses; targets at other addresses are skipped",
			field: func(s *settings) any { return &s.denyPrivate }},
		{name: "allow-port", arg: "PORT", group: connection, on: onCheck | onExplain | onExtract, many: union,
			doc:   "connect to this port even though browsers block it or it belongs to another service",
			field: func(s *settings) any { return &s.allowPort }},
		{name: "nntp-server", arg: "HOST[:PORT]", group: connection, on: onCheck,
			doc:   "server for news: URLs that do not name one; the default is $NNTP_SERVER",
			field: func(s *settings) any { return &s.newsServer }},
		{name: "mail-probe", group: connection, on: onCheck,
			doc:   "ask mail servers whether an address exists, up to RCPT; no mail is ever sent",
			field: func(s *settings) any { return &s.mailProbe }},

		{name: "login", arg: "URL", group: signingIn, on: onCheck,
			doc:   "sign in with the form on this page; its host must be that of a target",
			field: func(s *settings) any { return &s.login }},
		{name: "login-user", arg: "NAME", group: signingIn, on: onCheck,
			doc:   "user name; without it, it is asked for on a terminal",
			field: func(s *settings) any { return &s.loginUser }},
		{name: "login-password-file", arg: "FILE", file: true, group: signingIn, on: onCheck,
			doc:   "file that contains the password; otherwise it is taken from $ORBWEAVER_LOGIN_PASSWORD, or asked for on a terminal",
			field: func(s *settings) any { return &s.loginPasswordFile }},
		{name: "login-field", arg: "NAME=VALUE", group: signingIn, on: onCheck, many: list,
			doc:   "set a field of the form, or add one",
			field: func(s *settings) any { return &s.loginField }},
		{name: "login-form", arg: "CSS", group: signingIn, on: onCheck,
			doc:   "selector of the form; the default is the one with a visible password field",
			field: func(s *settings) any { return &s.loginForm }},
		{name: "login-check", arg: "URL[=TEXT]", group: signingIn, on: onCheck,
			doc:   "page that only members see, and a text on it, to prove that signing in worked; the default compares the start page with and without the session",
			field: func(s *settings) any { return &s.loginCheck }},
		{name: "login-check-text", arg: "TEXT", group: signingIn, on: onCheck,
			doc:   "text on the page of --login-check, for a URL that contains ?",
			field: func(s *settings) any { return &s.loginCheckText }},
		{name: "login-fresh", arg: "DUR", initial: "30m", group: signingIn, on: onCheck,
			doc:   "sign in again after this time; 0 never does",
			field: func(s *settings) any { return &s.loginFresh }},
		{name: "login-retries", arg: "N", initial: "2", group: signingIn, on: onCheck,
			doc:   "maximum number of sign-ins in a row when the session is lost",
			field: func(s *settings) any { return &s.loginRetries }},
		{name: "login-allow-unsafe", group: signingIn, on: onCheck,
			doc:   "with credentials, also request links that may sign out or delete something",
			field: func(s *settings) any { return &s.loginAllowUnsafe }},

		{name: "concurrency", arg: "N", initial: "64", group: politeness, on: onCheck,
			doc:   "maximum number of requests in flight",
			field: func(s *settings) any { return &s.concurrency }},
		{name: "per-host", arg: "N", initial: "8", group: politeness, on: onCheck,
			doc:   "maximum number of requests in flight to one host; for loopback hosts the default is no limit",
			field: func(s *settings) any { return &s.perHost }},
		{name: "rate", arg: "N/s", group: politeness, on: onCheck,
			doc:   "maximum request rate per host, such as 5/s or 30/m",
			field: func(s *settings) any { return &s.rate }},
		{name: "delay", arg: "DUR", group: politeness, on: onCheck,
			doc:   "minimum time between two requests to the same host",
			field: func(s *settings) any { return &s.delay }},
		{name: "retries", arg: "N", initial: "2", group: politeness, on: onCheck,
			doc:   "number of retries after failures that may be temporary: timeouts, resets, 429 and 5xx",
			field: func(s *settings) any { return &s.retries }},
		{name: "second-pass-after", arg: "DUR", initial: "10s", group: politeness, on: onCheck,
			doc:   "at the end, retry what still failed once more, this long after its last attempt; unless this flag is given, not for loopback hosts and not with --retries 0",
			field: func(s *settings) any { return &s.secondPassAfter }},
		{name: "max-wait", arg: "DUR", initial: "60s", group: politeness, on: onCheck,
			doc:   "longest Retry-After to obey; a target that asks for more is given up",
			field: func(s *settings) any { return &s.maxWait }},

		{name: "format", short: "f", arg: "FORMAT", initial: "text", words: report.Names(), group: output, on: onCheck | onReport,
			doc:   "format of the report on standard output",
			field: func(s *settings) any { return &s.format }},
		{name: "format", short: "f", arg: "FORMAT", initial: "text", words: []string{"text", "json", "csv"}, group: output, on: onExtract,
			doc:   "print one link per line, or everything known about each link",
			field: func(s *settings) any { return &s.format }},
		{name: "format", short: "f", arg: "FORMAT", initial: "text", words: []string{"text", "json"}, group: output, on: onCompare,
			doc:   "format of the comparison",
			field: func(s *settings) any { return &s.format }},
		{name: "format", short: "f", arg: "FORMAT", initial: "text", words: []string{"text", "json"}, group: output, on: onHistory,
			doc:   "format of the list",
			field: func(s *settings) any { return &s.format }},
		{name: "output", short: "o", arg: "[FORMAT:]FILE", file: true, group: output, on: onCheck | onReport, many: list,
			doc:   "also write a report to FILE, in the format of its extension",
			field: func(s *settings) any { return &s.output }},
		{name: "write-clean", arg: "FILE", file: true, group: output, on: onCheck,
			doc:   "copy the only target, a bookmark file in HTML, to FILE without the broken bookmarks; those that only lack the fragment on their page stay",
			field: func(s *settings) any { return &s.writeClean }},
		{name: "overwrite", group: output, on: onCheck,
			doc:   "let --write-clean replace FILE if it exists",
			field: func(s *settings) any { return &s.overwrite }},
		{name: "dry-run", group: output, on: onCheck,
			doc:   "with --write-clean, write no file and list the bookmarks that it would leave out, with their folders and titles",
			field: func(s *settings) any { return &s.dryRun }},
		{name: "show", arg: "LIST", initial: "broken,unverified,warning", group: output, on: onCheck | onReport, many: union,
			doc:   "results to list: broken, unverified, warning, ok, skipped, known (in the baseline) or all",
			field: func(s *settings) any { return &s.show }},
		{name: "ci", arg: "SYSTEM", initial: "auto", words: ciSystems, group: output, on: onCheck,
			doc:   "also report to the CI system: annotations and a job summary for github, a code quality report for gitlab; auto detects the system",
			field: func(s *settings) any { return &s.ci }},
		{name: "ci", arg: "SYSTEM", initial: "none", words: ciSystems, group: output, on: onReport,
			doc:   "also report to the CI system: annotations and a job summary for github, a code quality report for gitlab; auto detects the system",
			field: func(s *settings) any { return &s.ci }},
		{name: "markdown-size", arg: "SIZE", initial: "65kB", group: output, on: onCheck | onReport,
			doc:   "maximum size of a Markdown report; the worst findings come first, and those that do not fit are counted (GitHub accepts 64 KiB per comment and 1 MiB per job summary)",
			field: func(s *settings) any { return &s.markdownSize }},
		{name: "fix", group: output, on: onCheck,
			doc:   "print proposed edits of local files as a patch; the report then goes to standard error",
			field: func(s *settings) any { return &s.fix }},
		{name: "write", group: output, on: onCheck | onFix,
			doc:   "make the edits in the files; check also needs --fix",
			field: func(s *settings) any { return &s.write }},
		{name: "unique", group: output, on: onExtract,
			doc:   "print each link only once, by its normalized URL",
			field: func(s *settings) any { return &s.unique }},
		{name: "schema", group: output, on: onReport,
			doc:   "print the JSON Schema of the JSON report",
			field: func(s *settings) any { return &s.schema }},
		{name: "quiet", short: "q", group: output, on: onCheck | onReport,
			doc:   "list broken links only: no summary, no notes and no progress",
			field: func(s *settings) any { return &s.quiet }},
		{name: "verbose", short: "v", group: output, on: onCheck | onReport,
			doc:   "list every place of each finding in the text report, and print each request with its status and time to standard error",
			field: func(s *settings) any { return &s.verbose }},
		{name: "progress", arg: "WHEN", initial: "auto", words: showTimes, group: output, on: onCheck,
			doc:   "show a progress line on standard error; auto: if it is a terminal",
			field: func(s *settings) any { return &s.progress }},
		{name: "color", arg: "WHEN", initial: "auto", words: showTimes, group: output, on: onCheck | onReport | onCompare,
			doc:   "use colors; auto: on a terminal, unless NO_COLOR or CLICOLOR_FORCE says otherwise",
			field: func(s *settings) any { return &s.color }},

		{name: "cache", arg: "FILE", file: true, group: betweenRunsGroup, on: onCheck | onHistory,
			doc:   "keep responses and broken targets in FILE, so that the next run sends fewer requests",
			field: func(s *settings) any { return &s.cache }},
		{name: "max-age", arg: "DUR", initial: "1d", group: betweenRunsGroup, on: onCheck,
			doc:   "with --cache or --state, do not request external targets that were ok within this time",
			field: func(s *settings) any { return &s.maxAge }},
		{name: "history", arg: "FILE", file: true, group: betweenRunsGroup, on: onCheck | onHistory,
			doc:   "record in FILE which targets were broken and for how long; the default is the file of --cache, or the one in the --state directory",
			field: func(s *settings) any { return &s.history }},
		{name: "fail-after", arg: "N", group: betweenRunsGroup, on: onCheck | onHistory,
			doc:   "fail only on targets that were broken in N consecutive runs; history calls such targets dead (default 3)",
			field: func(s *settings) any { return &s.failAfter }},
		{name: "baseline", arg: "REPORT.json", file: true, group: betweenRunsGroup, on: onCheck | onReport,
			doc:   "fail only on findings that are not in this JSON report; they are matched by page, target and code, wherever they are on the page",
			field: func(s *settings) any { return &s.baseline }},
		{name: "state", arg: "DIR", file: true, group: betweenRunsGroup, on: onCheck | onResume | onHistory,
			doc:   "keep the crawl in this directory, so that the same command or resume can resume it after any interruption; also keeps what --cache keeps for the next crawl",
			field: func(s *settings) any { return &s.state }},

		{name: "config", short: "c", arg: "FILE", file: true, group: config, on: checks,
			doc:   "configuration file; the default is orbweaver.toml in the working directory, if it exists, which may not set what a stranger could misuse",
			field: func(s *settings) any { return &s.config }},
		{name: "no-config", group: config, on: checks,
			doc:   "do not read a configuration file",
			field: func(s *settings) any { return &s.noConfig }},
		{name: "allow-env", arg: "NAME", group: config, on: checks, many: list,
			doc:   "let a configuration file that was found, and not named by --config, read this environment variable",
			field: func(s *settings) any { return &s.allowEnv }},
	}
}

var showTimes = []string{"auto", "always", "never"}
