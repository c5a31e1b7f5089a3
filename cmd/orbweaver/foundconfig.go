package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/report"
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
	why   string // the reason; for a key that is refused: what the key does, for messages
}{
	{"base-url host-style index-files fallback-extensions stdin-type scope include no-follow type exclude exclude-except skip-reserved remap external depth " +
		"max-pages max-time robots robots-agent sitemaps since watch fingerprint-bits select ignore-select no-ignore dump-inputs wiki-links " +
		"include-verbatim mail-in-text link-attributes", foundAllowed, "they choose what is read, starting from the targets that the user names"},
	{"accept soft-404 check-https require-https text-fragments archive tls-expiry ignore-fragment max-redirects level fail-on fail-after max-age baseline", foundAllowed,
		"they judge what was read; the documents themselves could be changed as well"},
	{"rule header user", foundAllowed, "what they send is written in the file; ${NAME} needs --allow-env NAME"},
	{"check content syntax-max image-max virus-scope virus-max virus-timeout", foundAllowed, "they look at what was read; clamd is only asked if it is there"},
	{"render render-tabs render-timeout render-quiet render-wait", foundAllowed, "the browser of the user shows the pages, as readers do"},
	{"timeout user-agent max-body deny-private nntp-server", foundAllowed, "a link can do no less; --deny-private of the user takes precedence"},
	{"concurrency per-host rate delay retries second-pass-after max-wait", foundAllowed, "the pace still adapts to each host"},
	{"format show ci markdown-size fix dry-run progress quiet verbose color", foundAllowed, "they print; the CI system names its own files"},

	{"sources", foundReads, "--fix --write of the user edits files in it"},
	{"output write-clean cache history state", foundWrites, "they are written"},

	{"from", foundRefused, "it names targets, to which the user's credentials are sent"},
	{"render-browser", foundRefused, "it runs a program"},
	{"render-sandbox", foundRefused, "it takes the browser's protection away"},
	{"plugin", foundRefused, "it runs a program"},
	{"preprocess", foundRefused, "it runs a program"},
	{"tidy", foundRefused, "it runs a program"},
	{"validator", foundRefused, "it sends the pages to another program"},
	{"clamd", foundRefused, "it sends the pages to another program"},
	{"write", foundRefused, "it changes files"},
	{"overwrite", foundRefused, "it replaces files"},
	{"proxy", foundRefused, "it redirects all requests"},
	{"connect-to", foundRefused, "it redirects requests, with the credentials in them"},
	{"dns-server", foundRefused, "it redirects all requests"},
	{"ca-file", foundRefused, "it changes which servers are trusted"},
	{"insecure", foundRefused, "it changes which servers are trusted"},
	{"netrc", foundRefused, "it sends passwords of the user"},
	{"netrc-any-port", foundRefused, "it sends passwords of the user"},
	{"cookies", foundRefused, "it sends cookies of the user"},
	{"login login-user login-password-file login-field login-form login-check login-check-text login-fresh login-retries login-render login-allow-unsafe",
		foundRefused, "it signs in with a password of the user"},
	{"client-cert", foundRefused, "it identifies the user to servers"},
	{"client-key", foundRefused, "it identifies the user to servers"},
	{"server", foundRefused, "it sends a token of the user"},
	{"token-file", foundRefused, "it sends a token of the user"},
	{"allow-port", foundRefused, "it reaches services that browsers protect from web pages"},
	{"frontier workers-here frontier-lease frontier-log frontier-delete frontier-patience frontier-password-file frontier-ca-file frontier-insecure frontier-client-cert frontier-client-key",
		foundRefused, "it sends what is read to another machine"},
	{"mail-probe", foundRefused, "it can bring the address of this machine onto blocklists of mail servers"},
}

// foundUseOf returns what a found configuration may do with a key, and why.
func foundUseOf(key string) (foundUse, string) {
	for _, row := range foundKeys {
		if slices.Contains(strings.Fields(row.names), key) {
			return row.use, row.why
		}
	}
	return foundRefused, "it is not among those that are safe"
}

// configFile is a source of settings: a configuration file, or the environment.
type configFile struct {
	name     string
	found    bool     // it was found in the working directory, and not named by the user
	allowEnv []string // environment variables that a found file may read
	env      func(string) (string, bool)
	expanded []string // environment variables that were read
}

// permit returns an error if the file was found, and a found file may not set a key to these
// values.
func (f *configFile) permit(key string, values []string) error {
	if !f.found {
		return nil
	}
	use, why := foundUseOf(key)
	switch use {
	case foundAllowed:
		return nil
	case foundRefused:
		return f.refuse("%s: a configuration that was not named cannot set it, because %s", key, why)
	}
	for _, path := range values {
		if key == "output" {
			out, err := report.ParseOutput(path)
			if err != nil || out.File == report.Stdout {
				continue // the compiler reports the error
			}
			path = out.File
		}
		if path == "" {
			continue
		}
		if err := staysInside(path, use == foundWrites); err != nil {
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

var (
	errOutside    = errors.New("it is outside the working directory")
	errRepository = errors.New("it is in the directory of a repository")
)

// staysInside returns an error if a path is not in the working directory, or is in a .git
// directory, where git would execute it. Symbolic links are resolved. With writes, the same
// holds for the files that are written together with it: those in it, if it is a directory,
// and those beside it whose names begin with its name without the extension.
func staysInside(path string, writes bool) error {
	wd, err := os.Getwd()
	if err == nil {
		wd, err = filepath.EvalSymlinks(wd)
	}
	if err != nil {
		return withoutPath(err)
	}
	if err := realPathInside(wd, path); err != nil || !writes {
		return err
	}
	beside, stem := filepath.Split(path)
	if beside == "" {
		beside = "."
	}
	stem = strings.TrimSuffix(stem, filepath.Ext(stem))
	for _, dir := range []string{beside, path} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // it is a file, or there is nothing yet
		}
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink == 0 || dir == beside && !strings.HasPrefix(e.Name(), stem) {
				continue
			}
			if err := realPathInside(wd, filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("%s: %w", filepath.ToSlash(filepath.Join(dir, e.Name())), err)
			}
		}
	}
	return nil
}

// realPathInside returns an error if a path leads out of the directory wd or into a
// repository's own directory. The end of the path need not exist.
func realPathInside(wd, path string) error {
	existing, missing := path, ""
	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			existing = real
			break
		}
		if _, dangling := os.Lstat(existing); dangling == nil || !errors.Is(err, fs.ErrNotExist) {
			return errOutside // it leads nowhere, or cannot be followed
		}
		dir, base := filepath.Split(strings.TrimRight(filepath.ToSlash(existing), "/"))
		if base == ".." {
			return errOutside
		}
		missing = filepath.Join(base, missing)
		if existing = dir; existing == "" {
			existing = "."
		}
	}
	real := filepath.Join(existing, missing)
	if !filepath.IsAbs(real) {
		real = filepath.Join(wd, real)
	}
	rel, err := filepath.Rel(wd, real)
	if err != nil || !filepath.IsLocal(rel) {
		return errOutside
	}
	for element := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.EqualFold(element, ".git") {
			return errRepository
		}
	}
	return nil
}
