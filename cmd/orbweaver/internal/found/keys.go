// Package found decides which keys of a configuration are obeyed that was found in the working
// directory, and not named by the user. It may come from a stranger: a checkout, a pull request, an
// unpacked archive. It may weaken the check of its own documents, which the stranger could change as
// well. It may not reach the user's files, secrets, accounts or network. A file that --config or
// ORBWEAVER_CONFIG names may set every key.
package found

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
)

// use is what a found configuration may do with a key.
type use uint8

const (
	allowed use = iota + 1
	reads       // its value is a path in the working directory
	writes      // the same, and the path is written
	refused
)

// keys has one row for each key; the names of a row are separated by spaces. A key
// without a row is refused.
var keys = []struct {
	names string
	use   use
	why   string            // the reason; for a key that is refused: what the key does, for messages
	but   func(string) bool // the values that are allowed although the key is refused; nil for none
}{
	{names: "base-url host-style index-files fallback-extensions stdin-type scope include no-follow type exclude exclude-except skip-reserved remap external depth " +
		"max-pages max-time robots robots-agent sitemaps fingerprint-bits select ignore-select no-ignore wiki-links " +
		"include-verbatim mail-in-text link-attributes", use: allowed, why: "they choose what is read, starting from the targets that the user names"},
	{names: "accept soft-404 check-https require-https text-fragments archive tls-expiry ignore-fragment max-redirects level fail-on fail-after max-age", use: allowed,
		why: "they judge what was read; the documents themselves could be changed as well, and what they hide is counted"},
	{names: "rule header user", use: allowed, why: "what they send is written in the file; ${NAME} needs --allow-env NAME"},
	{names: "check content syntax-max image-max virus-scope", use: allowed, why: "they look at what was read; clamd is only asked if it is there"},
	{names: "render-tabs render-wait", use: allowed, why: "they change nothing unless the user asks for rendering"},
	{names: "user-agent deny-private nntp-server", use: allowed, why: "a link can do no less; --deny-private of the user takes precedence"},
	{names: "concurrency per-host rate retries", use: allowed, why: "the pace still adapts to each host"},
	{names: "format show ci markdown-size fix dry-run progress verbose color", use: allowed, why: "they print; the CI system names its own files"},

	{names: "baseline", use: reads, why: "it is a report in the working directory, and the findings that it makes known are counted as hidden"},
	{names: "sources", use: reads, why: "--fix --write of the user edits files in it"},
	{names: "output write-clean cache history state", use: writes, why: "they are written to new files, and to those that this program wrote"},

	{names: "timeout delay second-pass-after max-wait render-timeout render-quiet virus-timeout", use: refused, but: isShortWait, why: "more than 10 minutes keep a run from ending"},
	{names: "max-body virus-max", use: refused, but: isUsualBody, why: "more than 25 MiB need too much memory"},
	{names: "quiet", use: refused, why: "it leaves out the summary, which counts what the file hides"},
	{names: "dump-inputs", use: refused, why: "it checks nothing"},
	{names: "watch", use: refused, why: "it never ends"},
	{names: "since", use: refused, why: "it starts git, and leaves out what did not change"},
	{names: "from", use: refused, why: "it names targets, to which the user's credentials are sent"},
	{names: "render", use: refused, but: func(mode string) bool { return mode == "never" }, why: "it opens pages in a browser"},
	{names: "render-browser", use: refused, why: "it runs a program"},
	{names: "render-sandbox", use: refused, why: "it takes the browser's protection away"},
	{names: "plugin", use: refused, why: "it runs a program"},
	{names: "preprocess", use: refused, why: "it runs a program"},
	{names: "tidy", use: refused, why: "it runs a program"},
	{names: "validator", use: refused, why: "it runs a program, or sends the pages to one"},
	{names: "clamd", use: refused, why: "it sends the pages to another program"},
	{names: "write", use: refused, why: "it changes files"},
	{names: "overwrite", use: refused, why: "it replaces files"},
	{names: "proxy", use: refused, why: "it redirects all requests"},
	{names: "connect-to", use: refused, why: "it redirects requests, with the credentials in them"},
	{names: "dns-server", use: refused, why: "it redirects all requests"},
	{names: "ca-file", use: refused, why: "it changes which servers are trusted"},
	{names: "insecure", use: refused, why: "it changes which servers are trusted"},
	{names: "netrc", use: refused, why: "it sends passwords of the user"},
	{names: "netrc-any-port", use: refused, why: "it sends passwords of the user"},
	{names: "cookies", use: refused, why: "it sends cookies of the user"},
	{names: "login login-user login-password-file login-field login-form login-check login-check-text login-fresh login-retries login-render login-allow-unsafe",
		use: refused, why: "it signs in with a password of the user"},
	{names: "client-cert", use: refused, why: "it identifies the user to servers"},
	{names: "client-key", use: refused, why: "it identifies the user to servers"},
	{names: "server", use: refused, why: "it sends a token of the user"},
	{names: "token-file", use: refused, why: "it sends a token of the user"},
	{names: "allow-port", use: refused, why: "it reaches services that browsers protect from web pages"},
	{names: "frontier workers-here frontier-lease frontier-log frontier-delete frontier-patience frontier-password-file frontier-ca-file frontier-insecure frontier-client-cert frontier-client-key",
		use: refused, why: "it sends what is read to another machine"},
	{names: "mail-probe", use: refused, why: "it can bring the address of this machine onto blocklists of mail servers"},
}

// isShortWait reports whether a duration is at most 10 minutes. The compiler reports those
// that cannot be read.
func isShortWait(text string) bool {
	d, err := quantity.ParseDuration(text)
	return err != nil || d <= 10*time.Minute
}

// isUsualBody reports whether a size is at most 25 MiB.
func isUsualBody(text string) bool {
	size, err := quantity.ParseSize(text)
	return err != nil || size <= 25<<20
}

// Keys returns the keys that the table names, in its order.
func Keys() []string {
	var names []string
	for _, row := range keys {
		names = append(names, strings.Fields(row.names)...)
	}
	return names
}

// May returns an error that tells why a found configuration may not set a key to these values, nil if it may.
// A switch that is set has no values.
func May(key string, values []string) error {
	why, use := mayNotSet(key, values)
	if why != "" {
		return fmt.Errorf("%s: a configuration that was not named cannot set it, because %s", key, why)
	}
	if use != reads && use != writes {
		return nil
	}
	for _, path := range values {
		if err := mayUse(key, path, use); err != nil {
			return fmt.Errorf("%s: a configuration that was not named cannot use %s: %w", key, path, err)
		}
	}
	return nil
}

// mayNotSet returns why a found configuration cannot set a key to these values, "" if it can,
// and what it may do with the key.
func mayNotSet(key string, values []string) (why string, use use) {
	for _, row := range keys {
		if !slices.Contains(strings.Fields(row.names), key) {
			continue
		}
		isRefused := func(value string) bool { return !row.but(value) }
		if row.use != refused || row.but != nil && len(values) > 0 && !slices.ContainsFunc(values, isRefused) {
			return "", row.use
		}
		return row.why, row.use
	}
	return "it is not among those that are safe", refused
}
