package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/rules"
)

// A configuration that was found in the working directory, and not named by the user, may
// come from a stranger: a checkout, a pull request, an unpacked archive. The table below
// decides which of its keys are obeyed. It may weaken the check of its own documents, which
// the stranger could change as well. It may not reach the user's files, secrets, accounts
// or network. A file that --config or ORBWEAVER_CONFIG names may set every key.

// foundUse is what a found configuration may do with a key.
type foundUse uint8

const (
	foundAllowed foundUse = iota + 1
	foundReads            // its value is a path in the working directory
	foundWrites           // the same, and the path is written
	foundRefused
)

// foundKeys has one row for each key; the names of a row are separated by spaces. A key
// without a row is refused.
var foundKeys = []struct {
	names string
	use   foundUse
	why   string            // the reason; for a key that is refused: what the key does, for messages
	but   func(string) bool // the values that are allowed although the key is refused; nil for none
}{
	{names: "base-url host-style index-files fallback-extensions stdin-type scope include no-follow type exclude exclude-except skip-reserved remap external depth " +
		"max-pages max-time robots robots-agent sitemaps fingerprint-bits select ignore-select no-ignore wiki-links " +
		"include-verbatim mail-in-text link-attributes", use: foundAllowed, why: "they choose what is read, starting from the targets that the user names"},
	{names: "accept soft-404 check-https require-https text-fragments archive tls-expiry ignore-fragment max-redirects level fail-on fail-after max-age", use: foundAllowed,
		why: "they judge what was read; the documents themselves could be changed as well, and what they hide is counted"},
	{names: "rule header user", use: foundAllowed, why: "what they send is written in the file; ${NAME} needs --allow-env NAME"},
	{names: "check content syntax-max image-max virus-scope", use: foundAllowed, why: "they look at what was read; clamd is only asked if it is there"},
	{names: "render-tabs render-wait", use: foundAllowed, why: "they change nothing unless the user asks for rendering"},
	{names: "user-agent deny-private nntp-server", use: foundAllowed, why: "a link can do no less; --deny-private of the user takes precedence"},
	{names: "concurrency per-host rate retries", use: foundAllowed, why: "the pace still adapts to each host"},
	{names: "format show ci markdown-size fix dry-run progress verbose color", use: foundAllowed, why: "they print; the CI system names its own files"},

	{names: "baseline", use: foundReads, why: "it is a report in the working directory, and the findings that it makes known are counted as hidden"},
	{names: "sources", use: foundReads, why: "--fix --write of the user edits files in it"},
	{names: "output write-clean cache history state", use: foundWrites, why: "they are written to new files, and to those that this program wrote"},

	{names: "timeout delay second-pass-after max-wait render-timeout render-quiet virus-timeout", use: foundRefused, but: isShortWait, why: "more than 10 minutes keep a run from ending"},
	{names: "max-body virus-max", use: foundRefused, but: isUsualBody, why: "more than 25 MiB need too much memory"},
	{names: "quiet", use: foundRefused, why: "it leaves out the summary, which counts what the file hides"},
	{names: "dump-inputs", use: foundRefused, why: "it checks nothing"},
	{names: "watch", use: foundRefused, why: "it never ends"},
	{names: "since", use: foundRefused, why: "it starts git, and leaves out what did not change"},
	{names: "from", use: foundRefused, why: "it names targets, to which the user's credentials are sent"},
	{names: "render", use: foundRefused, but: func(mode string) bool { return mode == "never" }, why: "it opens pages in a browser"},
	{names: "render-browser", use: foundRefused, why: "it runs a program"},
	{names: "render-sandbox", use: foundRefused, why: "it takes the browser's protection away"},
	{names: "plugin", use: foundRefused, why: "it runs a program"},
	{names: "preprocess", use: foundRefused, why: "it runs a program"},
	{names: "tidy", use: foundRefused, why: "it runs a program"},
	{names: "validator", use: foundRefused, why: "it runs a program, or sends the pages to one"},
	{names: "clamd", use: foundRefused, why: "it sends the pages to another program"},
	{names: "write", use: foundRefused, why: "it changes files"},
	{names: "overwrite", use: foundRefused, why: "it replaces files"},
	{names: "proxy", use: foundRefused, why: "it redirects all requests"},
	{names: "connect-to", use: foundRefused, why: "it redirects requests, with the credentials in them"},
	{names: "dns-server", use: foundRefused, why: "it redirects all requests"},
	{names: "ca-file", use: foundRefused, why: "it changes which servers are trusted"},
	{names: "insecure", use: foundRefused, why: "it changes which servers are trusted"},
	{names: "netrc", use: foundRefused, why: "it sends passwords of the user"},
	{names: "netrc-any-port", use: foundRefused, why: "it sends passwords of the user"},
	{names: "cookies", use: foundRefused, why: "it sends cookies of the user"},
	{names: "login login-user login-password-file login-field login-form login-check login-check-text login-fresh login-retries login-render login-allow-unsafe",
		use: foundRefused, why: "it signs in with a password of the user"},
	{names: "client-cert", use: foundRefused, why: "it identifies the user to servers"},
	{names: "client-key", use: foundRefused, why: "it identifies the user to servers"},
	{names: "server", use: foundRefused, why: "it sends a token of the user"},
	{names: "token-file", use: foundRefused, why: "it sends a token of the user"},
	{names: "allow-port", use: foundRefused, why: "it reaches services that browsers protect from web pages"},
	{names: "frontier workers-here frontier-lease frontier-log frontier-delete frontier-patience frontier-password-file frontier-ca-file frontier-insecure frontier-client-cert frontier-client-key",
		use: foundRefused, why: "it sends what is read to another machine"},
	{names: "mail-probe", use: foundRefused, why: "it can bring the address of this machine onto blocklists of mail servers"},
}

// isShortWait reports whether a duration is at most 10 minutes. The compiler reports those
// that cannot be read.
func isShortWait(text string) bool {
	d, err := parseDuration(text)
	return err != nil || d <= 10*time.Minute
}

// isUsualBody reports whether a size is at most 25 MiB.
func isUsualBody(text string) bool {
	size, err := parseSize(text)
	return err != nil || size <= 25<<20
}

// mayNotSet returns why a found configuration cannot set a key to these values, "" if it can,
// and what it may do with the key.
func mayNotSet(key string, values []string) (why string, use foundUse) {
	for _, row := range foundKeys {
		if !slices.Contains(strings.Fields(row.names), key) {
			continue
		}
		refused := func(value string) bool { return !row.but(value) }
		if row.use != foundRefused || row.but != nil && len(values) > 0 && !slices.ContainsFunc(values, refused) {
			return "", row.use
		}
		return row.why, row.use
	}
	return "it is not among those that are safe", foundRefused
}

// configFile is a source of settings: a configuration file, or the environment.
type configFile struct {
	name     string
	found    bool     // it was found in the working directory, and not named by the user
	allowEnv []string // environment variables that a found file may read
	env      func(string) (string, bool)
	expanded []string // environment variables that were read
	patterns int64    // size of the compiled patterns, in bytes
}

// permit returns an error if the file was found, and a found file may not set a key to these
// values.
func (f *configFile) permit(key string, values []string) error {
	if !f.found {
		return nil
	}
	why, use := mayNotSet(key, values)
	if why != "" {
		return f.refuse("%s: a configuration that was not named cannot set it, because %s", key, why)
	}
	if use != foundReads && use != foundWrites {
		return nil
	}
	for _, path := range values {
		if err := mayUse(key, path, use); err != nil {
			return f.refuse("%s: a configuration that was not named cannot use %s: %w", key, path, err)
		}
	}
	return nil
}

// variable returns the value of an environment variable that the file names.
func (f *configFile) variable(name string) (string, error) {
	if f.found && !slices.Contains(f.allowEnv, name) {
		return "", f.refuse("a configuration that was not named cannot read the environment variable %s; --allow-env %s allows it", name, name)
	}
	f.expanded = append(f.expanded, name)
	value, ok := f.env(name)
	if !ok {
		return "", fmt.Errorf("the environment variable %s is not set", name)
	}
	return value, nil
}

// refuse returns an error that ends with how to trust the file.
func (f *configFile) refuse(format string, args ...any) error {
	return fmt.Errorf(format+"; if you trust %s, name it: --config %s", append(args, f.name, f.name)...)
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
