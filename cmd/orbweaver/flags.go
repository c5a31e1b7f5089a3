package main

import (
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/report"
)

// A flag is one row of the table below. The command line, its help, the man page,
// shell completion and the keys of orbweaver.toml are all read from the rows, and
// a test holds README's table to them.
type flag struct {
	name    string
	short   string
	arg     string   // what stands for the value in help; empty for a switch
	initial string   // the default, as the user would write it; "" is none
	words   []string // the values allowed, where they can be listed
	file    bool     // the value is a file name
	doc     string   // one sentence, lower case, no full stop
	group   group
	on      commands
	many    repeat
	at      func(*settings) any // the field: *bool, *string or *[]string
}

// repeat says what giving a flag twice means.
type repeat uint8

const (
	// once: the last one counts.
	once repeat = iota
	// union: a list with commas; more of them add up, and one on the command line replaces the file's.
	union
	// list: each adds a value, to those of the file too; an empty value drops what the file gave.
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
	onResume // also has those rows of check that another session may change
)

// group is a heading of the help.
type group string

const (
	inputs     group = "Targets"
	scope      group = "Scope"
	verdicts   group = "Verdicts"
	connection group = "Connection"
	politeness group = "Politeness"
	output     group = "Output"
	lasting    group = "Between runs"
	config     group = "Configuration"
)

// groups stand in the order of the help.
var groups = []group{inputs, scope, verdicts, connection, politeness, output, lasting, config}

// flags are all flags but those of `uri`, which stand in uri.go.
func flags() []flag {
	const checks = onCheck | onExplain
	return []flag{
		{name: "from", arg: "FILE", file: true, group: inputs, on: onCheck | onExtract, many: list,
			doc: "read targets from FILE, one a line; - is standard input, # starts a comment",
			at:  func(s *settings) any { return &s.from }},
		{name: "stdin-type", arg: "TYPE", group: inputs, on: onCheck | onExtract,
			doc: "format of the document on standard input, as a file extension or media type; without it the first bytes tell, or else it is html",
			at:  func(s *settings) any { return &s.stdinType }},
		{name: "base-url", arg: "URL", group: inputs, on: checks,
			doc: "where the directory will be published; links to that address are answered from the directory",
			at:  func(s *settings) any { return &s.base }},
		{name: "sources", arg: "DIR", file: true, group: inputs, on: onCheck,
			doc: "where the pages' sources are: findings are shown there, and edited there with --fix",
			at:  func(s *settings) any { return &s.sources }},
		{name: "base", short: "b", arg: "URL", group: inputs, on: onExtract,
			doc: "base URL that relative links are resolved against",
			at:  func(s *settings) any { return &s.base }},
		{name: "host-style", arg: "STYLE", initial: "auto", words: disk.HostStyles(), group: inputs, on: onCheck,
			doc: "how the directory's host maps addresses to files",
			at:  func(s *settings) any { return &s.hostStyle }},

		{name: "scope", arg: "RULE", initial: "path", words: []string{"path", "host", "domain", "page"}, group: scope, on: checks,
			doc: "what is crawled: the start URL's directory, its host, its registered domain, or the page alone",
			at:  func(s *settings) any { return &s.scope }},
		{name: "include", arg: "RE", group: scope, on: checks, many: list,
			doc: "crawl pages whose URL matches, wherever they are",
			at:  func(s *settings) any { return &s.include }},
		{name: "no-follow", arg: "RE", group: scope, on: checks, many: list,
			doc: "check pages whose URL matches, but do not crawl them",
			at:  func(s *settings) any { return &s.noFollow }},
		{name: "exclude", arg: "RE", group: scope, on: checks, many: list,
			doc: "do not check URLs that match; patterns see the URL as it is printed",
			at:  func(s *settings) any { return &s.exclude }},
		{name: "external", arg: "WHAT", initial: "check", words: []string{"check", "skip"}, group: scope, on: checks,
			doc: "what becomes of links that leave the site",
			at:  func(s *settings) any { return &s.external }},
		{name: "depth", arg: "N", group: scope, on: onCheck,
			doc: "follow links at most N steps from the start; 0 reads only the start pages",
			at:  func(s *settings) any { return &s.depth }},
		{name: "max-pages", arg: "N", group: scope, on: onCheck,
			doc: "stop after N pages were read",
			at:  func(s *settings) any { return &s.maxPages }},
		{name: "max-time", arg: "DUR", group: scope, on: onCheck,
			doc: "stop after this time",
			at:  func(s *settings) any { return &s.maxTime }},
		{name: "robots", arg: "MODE", initial: "crawl", words: []string{"crawl", "strict", "ignore"}, group: scope, on: onCheck,
			doc: "ask robots.txt for pages that are crawled, for every request, or never",
			at:  func(s *settings) any { return &s.robots }},
		{name: "sitemaps", group: scope, on: onCheck,
			doc: "read the sitemaps that the start host's robots.txt names, and follow what they list within the scope",
			at:  func(s *settings) any { return &s.sitemaps }},
		{name: "since", arg: "REF", group: scope, on: onCheck,
			doc: "judge only the local documents that have changed since this git commit, and links to what they or removed ones no longer hold",
			at:  func(s *settings) any { return &s.since }},
		{name: "watch", group: scope, on: onCheck,
			doc: "check again whenever a file below the targets changes: at first everything, then what has changed",
			at:  func(s *settings) any { return &s.watch }},
		{name: "fingerprint-bits", arg: "N", initial: "64", words: []string{"64", "128"}, group: scope, on: onCheck,
			doc: "know URLs apart by so many bits: 128 for crawls of more than some hundred million, at 12 more bytes of memory each",
			at:  func(s *settings) any { return &s.fingerprintBits }},
		{name: "select", arg: "CSS", group: scope, on: onCheck | onExtract,
			doc: "only links inside elements this selector matches",
			at:  func(s *settings) any { return &s.selectCSS }},
		{name: "ignore-select", arg: "CSS", group: scope, on: onCheck | onExtract,
			doc: "no links inside elements this selector matches",
			at:  func(s *settings) any { return &s.ignoreSelect }},

		{name: "accept", arg: "CODES", group: verdicts, on: onCheck, many: union,
			doc: "HTTP statuses that count as ok, such as 403,500-599",
			at:  func(s *settings) any { return &s.accept }},
		{name: "soft-404", group: verdicts, on: onCheck,
			doc: "warn of pages that look like the answer to an address nobody has: one more request for each directory",
			at:  func(s *settings) any { return &s.soft404 }},
		{name: "check-https", group: verdicts, on: onCheck,
			doc: "warn of http targets that answer by https too: one more request for each",
			at:  func(s *settings) any { return &s.checkHTTPS }},
		{name: "archive", arg: "WHICH", initial: "none", words: []string{"none", "wayback"}, group: verdicts, on: onCheck,
			doc: "ask the Wayback Machine for copies of what is broken on other sites, and suggest them: one request each, at the end",
			at:  func(s *settings) any { return &s.archive }},
		{name: "tls-expiry", arg: "DUR", initial: "14d", group: verdicts, on: onCheck,
			doc: "warn of certificates that end within this time",
			at:  func(s *settings) any { return &s.tlsExpiry }},
		{name: "ignore-fragment", arg: "RE", group: verdicts, on: onCheck, many: list,
			doc: "fragments that only a script knows: taken as there",
			at:  func(s *settings) any { return &s.ignoreFragment }},
		{name: "max-redirects", arg: "N", initial: "10", group: verdicts, on: onCheck,
			doc: "longest chain of redirects",
			at:  func(s *settings) any { return &s.maxRedirects }},
		{name: "fail-on", arg: "LEVEL", initial: "broken", group: verdicts, on: onCheck | onReport, many: union,
			doc: "what fails the run: broken, unverified, warning or none, also per side as in internal:warning,external:broken",
			at:  func(s *settings) any { return &s.failOn }},

		{name: "timeout", arg: "DUR", initial: "20s", group: connection, on: onCheck | onExtract,
			doc: "longest silence while connecting, greeting, awaiting headers or reading; a whole exchange gets five times that",
			at:  func(s *settings) any { return &s.timeout }},
		{name: "user-agent", short: "A", arg: "TEXT", group: connection, on: onCheck | onExtract,
			doc: "User-Agent header; the usual one names Orbweaver and its version",
			at:  func(s *settings) any { return &s.userAgent }},
		{name: "header", short: "H", arg: "'NAME: VALUE'", group: connection, on: onCheck | onExtract, many: list,
			doc: "header field to send to the internal hosts, and to no other",
			at:  func(s *settings) any { return &s.header }},
		{name: "user", short: "u", arg: "NAME:PASSWORD", group: connection, on: onCheck | onExtract,
			doc: "credentials for the internal hosts, by Basic or Digest",
			at:  func(s *settings) any { return &s.user }},
		{name: "netrc", short: "n", group: connection, on: onCheck | onExtract,
			doc: "take credentials from the netrc file",
			at:  func(s *settings) any { return &s.netrc }},
		{name: "cookies", arg: "FILE", file: true, group: connection, on: onCheck | onExtract,
			doc: "send the cookies of a file in Netscape format to their hosts",
			at:  func(s *settings) any { return &s.cookies }},
		{name: "proxy", short: "x", arg: "URL", group: connection, on: onCheck | onExtract,
			doc: "http or https proxy, for http, https, ws, wss and ftp, or socks5 proxy, for all connections; without it the environment's proxy is used",
			at:  func(s *settings) any { return &s.proxy }},
		{name: "ca-file", arg: "FILE", file: true, group: connection, on: onCheck | onExtract,
			doc: "trust the certificates of this PEM file too",
			at:  func(s *settings) any { return &s.caFile }},
		{name: "insecure", short: "k", group: connection, on: onCheck | onExtract,
			doc: "accept any certificate",
			at:  func(s *settings) any { return &s.insecure }},
		{name: "client-cert", arg: "FILE", file: true, group: connection, on: onCheck | onExtract,
			doc: "PEM file of the certificate that we show",
			at:  func(s *settings) any { return &s.clientCert }},
		{name: "client-key", arg: "FILE", file: true, group: connection, on: onCheck | onExtract,
			doc: "PEM file of its key, when that is not in the same file",
			at:  func(s *settings) any { return &s.clientKey }},
		{name: "max-body", arg: "SIZE", initial: "10MiB", group: connection, on: onCheck | onExtract,
			doc: "most that is read of a page; files that are named are read whole without it",
			at:  func(s *settings) any { return &s.maxBody }},
		{name: "dns-server", arg: "ADDR:PORT", group: connection, on: onCheck | onExtract,
			doc: "resolver to ask in place of the system's",
			at:  func(s *settings) any { return &s.dnsServer }},
		{name: "connect-to", arg: "HOST:PORT:ADDR:PORT", group: connection, on: onCheck | onExtract, many: list,
			doc: "send requests for the first pair to the second; URL, Host and TLS name stay",
			at:  func(s *settings) any { return &s.connectTo }},
		{name: "deny-private", group: connection, on: onCheck | onExtract,
			doc: "connect to public addresses alone; targets at others are skipped",
			at:  func(s *settings) any { return &s.denyPrivate }},
		{name: "allow-port", arg: "PORT", group: connection, on: onCheck | onExplain | onExtract, many: union,
			doc: "connect to this port although browsers refuse it or it belongs to another service",
			at:  func(s *settings) any { return &s.allowPort }},
		{name: "nntp-server", arg: "HOST[:PORT]", group: connection, on: onCheck,
			doc: "news server for news: addresses that name none; without it $NNTP_SERVER",
			at:  func(s *settings) any { return &s.newsServer }},
		{name: "mail-probe", group: connection, on: onCheck,
			doc: "ask mail servers whether they know an address, up to RCPT; nothing is ever sent",
			at:  func(s *settings) any { return &s.mailProbe }},

		{name: "concurrency", arg: "N", initial: "64", group: politeness, on: onCheck,
			doc: "requests in flight",
			at:  func(s *settings) any { return &s.concurrency }},
		{name: "per-host", arg: "N", initial: "8", group: politeness, on: onCheck,
			doc: "requests in flight to one host; a loopback host may have all",
			at:  func(s *settings) any { return &s.perHost }},
		{name: "rate", arg: "N/s", group: politeness, on: onCheck,
			doc: "most requests to one host, such as 5/s or 30/m",
			at:  func(s *settings) any { return &s.rate }},
		{name: "delay", arg: "DUR", group: politeness, on: onCheck,
			doc: "least time between two requests to one host",
			at:  func(s *settings) any { return &s.delay }},
		{name: "retries", arg: "N", initial: "2", group: politeness, on: onCheck,
			doc: "further tries of what may mend: timeouts, resets, 429 and 5xx",
			at:  func(s *settings) any { return &s.retries }},
		{name: "second-pass-after", arg: "DUR", initial: "10s", group: politeness, on: onCheck,
			doc: "what still failed at the end is tried once more, this long after its last try; not on loopback hosts or without retries unless given",
			at:  func(s *settings) any { return &s.secondPassAfter }},
		{name: "max-wait", arg: "DUR", initial: "60s", group: politeness, on: onCheck,
			doc: "longest Retry-After that is obeyed; beyond it the target is given up",
			at:  func(s *settings) any { return &s.maxWait }},

		{name: "format", short: "f", arg: "FORMAT", initial: "text", words: report.Names(), group: output, on: onCheck | onReport,
			doc: "format of the report on standard output",
			at:  func(s *settings) any { return &s.format }},
		{name: "format", short: "f", arg: "FORMAT", initial: "text", words: []string{"text", "json", "csv"}, group: output, on: onExtract,
			doc: "one link a line, or all that is known of each",
			at:  func(s *settings) any { return &s.format }},
		{name: "format", short: "f", arg: "FORMAT", initial: "text", words: []string{"text", "json"}, group: output, on: onCompare,
			doc: "format of the comparison",
			at:  func(s *settings) any { return &s.format }},
		{name: "format", short: "f", arg: "FORMAT", initial: "text", words: []string{"text", "json"}, group: output, on: onHistory,
			doc: "format of the list",
			at:  func(s *settings) any { return &s.format }},
		{name: "output", short: "o", arg: "[FORMAT:]FILE", file: true, group: output, on: onCheck | onReport, many: list,
			doc: "write a report to FILE too, in the format of its extension",
			at:  func(s *settings) any { return &s.output }},
		{name: "write-clean", arg: "FILE", file: true, group: output, on: onCheck,
			doc: "copy the bookmark file (HTML) that is the only target to FILE, without the broken bookmarks",
			at:  func(s *settings) any { return &s.writeClean }},
		{name: "show", arg: "LIST", initial: "broken,unverified,warning", group: output, on: onCheck | onReport, many: union,
			doc: "which results are listed: broken, unverified, warning, ok, skipped, known (to the baseline) or all",
			at:  func(s *settings) any { return &s.show }},
		{name: "ci", arg: "SYSTEM", initial: "auto", words: ciSystems, group: output, on: onCheck,
			doc: "tell the CI system too: github gets annotations and a job summary, gitlab a code quality report; auto: the one that runs us",
			at:  func(s *settings) any { return &s.ci }},
		{name: "ci", arg: "SYSTEM", initial: "none", words: ciSystems, group: output, on: onReport,
			doc: "tell the CI system too: github gets annotations and a job summary, gitlab a code quality report; auto: the one that runs us",
			at:  func(s *settings) any { return &s.ci }},
		{name: "markdown-size", arg: "SIZE", initial: "65kB", group: output, on: onCheck | onReport,
			doc: "longest Markdown report; what does not fit is counted, the worst comes first (GitHub takes 64 KiB a comment and 1 MiB a job summary)",
			at:  func(s *settings) any { return &s.markdownSize }},
		{name: "fix", group: output, on: onCheck,
			doc: "print proposed edits of local files as a patch; the report then goes to standard error",
			at:  func(s *settings) any { return &s.fix }},
		{name: "write", group: output, on: onCheck | onFix,
			doc: "make the edits in the files themselves; with check together with --fix",
			at:  func(s *settings) any { return &s.write }},
		{name: "unique", group: output, on: onExtract,
			doc: "drop repeats of a link, by normalized key",
			at:  func(s *settings) any { return &s.unique }},
		{name: "schema", group: output, on: onReport,
			doc: "print the JSON Schema of the JSON report",
			at:  func(s *settings) any { return &s.schema }},
		{name: "progress", arg: "WHEN", initial: "auto", words: whens, group: output, on: onCheck,
			doc: "progress line on standard error; auto: on a terminal",
			at:  func(s *settings) any { return &s.progress }},
		{name: "color", arg: "WHEN", initial: "auto", words: whens, group: output, on: onCheck | onReport | onCompare,
			doc: "colours; auto: on a terminal, by NO_COLOR and CLICOLOR_FORCE",
			at:  func(s *settings) any { return &s.color }},

		{name: "cache", arg: "FILE", file: true, group: lasting, on: onCheck | onHistory,
			doc: "keep in FILE what targets answered, and which were broken, for the next run to ask less",
			at:  func(s *settings) any { return &s.cache }},
		{name: "max-age", arg: "DUR", initial: "1d", group: lasting, on: onCheck,
			doc: "with --cache or --state: external targets that were there no longer ago are not asked again",
			at:  func(s *settings) any { return &s.maxAge }},
		{name: "history", arg: "FILE", file: true, group: lasting, on: onCheck | onHistory,
			doc: "keep in FILE which targets were broken, and for how long; without it the file of --cache, or that in --state",
			at:  func(s *settings) any { return &s.history }},
		{name: "fail-after", arg: "N", group: lasting, on: onCheck | onHistory,
			doc: "a broken target fails the run when it was broken in N runs in a row, by the history; what history calls dead, 3 without it",
			at:  func(s *settings) any { return &s.failAfter }},
		{name: "baseline", arg: "REPORT.json", file: true, group: lasting, on: onCheck | onReport,
			doc: "fail only on what is not in this JSON report: matched by page, target and code, wherever on the page",
			at:  func(s *settings) any { return &s.baseline }},
		{name: "state", arg: "DIR", file: true, group: lasting, on: onCheck | onResume | onHistory,
			doc: "keep the crawl in this directory, so that it can go on after whatever ends it: by the same command, or resume; and what --cache keeps, for the next crawl to ask less",
			at:  func(s *settings) any { return &s.state }},

		{name: "config", short: "c", arg: "FILE", file: true, group: config, on: checks,
			doc: "configuration file; without it orbweaver.toml of the working directory, if there is one",
			at:  func(s *settings) any { return &s.config }},
		{name: "no-config", group: config, on: checks,
			doc: "read no configuration file",
			at:  func(s *settings) any { return &s.noConfig }},
	}
}

var whens = []string{"auto", "always", "never"}
