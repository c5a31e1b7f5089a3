package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/urinorm"
)

type target struct {
	raw  string
	kind targetKind
	url  urinorm.URL // of a website, without user name and password if it is http or https
	user string      // the user name and password in the URL, as NAME:PASSWORD; "" for none
	path string      // of a directory or file, as written
	gone bool        // the user named one file, which does not exist
	hint string      // for such a file: what the user may have meant
}

// targetKind is the kind of a target. Targets are prepared in the order of their kinds.
type targetKind uint8

const (
	directory targetKind = iota
	website
	document
	stdinDocument
)

// maxTargets limits the lines of --from and the matches of a glob.
const maxTargets = 1_000_000

type targetReader struct {
	stdin      io.Reader
	note       func(format string, args ...any)
	commands   []string    // names of commands, for hints
	types      fetch.Types // that --type sets
	preprocess disk.Preprocessors
	noIgnore   bool // --no-ignore: globs match also what git or .ignore files leave out
	stdinUses  int
	seen       map[string]bool
}

// read returns the targets that the arguments name, then those in the --from files.
// Errors are usage errors.
func (t *targetReader) read(args, from []string) ([]target, error) {
	t.seen = map[string]bool{}
	files := map[string]bool{}
	var targets []target
	add := func(raw string) error {
		if t.seen[raw] {
			return nil
		}
		t.seen[raw] = true
		more, err := t.classify(raw)
		more = slices.DeleteFunc(more, func(x target) bool { // such as files that match two globs
			if x.kind != document && x.kind != directory {
				return false
			}
			again := files[filepath.Clean(x.path)]
			files[filepath.Clean(x.path)] = true
			return again
		})
		if err == nil && len(targets)+len(more) > maxTargets {
			err = usageError("more than %d targets", maxTargets)
		}
		targets = append(targets, more...)
		return err
	}
	for _, raw := range args {
		if err := add(raw); err != nil {
			return nil, err
		}
	}
	for _, file := range from {
		if file == "" {
			continue // it only drops the values of the configuration file
		}
		lines, err := t.lines(file)
		if err != nil {
			return nil, usageError("--from: read %s: %w", file, withoutPath(err))
		}
		for _, raw := range lines {
			if err := add(raw); err != nil {
				return nil, err
			}
		}
	}
	if t.stdinUses > 1 {
		return nil, usageError("standard input can be read only once, but it is named %d times", t.stdinUses)
	}
	return targets, nil
}

// lines reads a list of targets, one per line, without blank lines and comments.
func (t *targetReader) lines(file string) ([]string, error) {
	in := t.stdin
	if file == "-" {
		t.stdinUses++
	} else {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	var lines []string
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(scan.Text(), "\ufeff"))
		for _, remark := range []string{" #", "\t#"} {
			line, _, _ = strings.Cut(line, remark)
		}
		line = strings.TrimSpace(line)
		if isWebURL(line) { // URLs contain no spaces, so the rest is a comment
			line, _, _ = strings.Cut(line, " ")
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if len(lines) == 0 && line[0] == '<' {
			return nil, errors.New("it is a document, such as a sitemap, and not a list of targets, one per line: name it as a target instead")
		}
		if lines = append(lines, line); len(lines) > maxTargets {
			return nil, fmt.Errorf("it has more than %d targets", maxTargets)
		}
	}
	return lines, scan.Err()
}

// classify determines what an argument means. An existing file takes precedence over all
// other meanings.
func (t *targetReader) classify(raw string) ([]target, error) {
	switch {
	case raw == "":
		return nil, usageError("a target is empty")
	case raw == "-":
		t.stdinUses++
		return []target{{raw: raw, kind: stdinDocument, path: "-"}}, nil
	case isWebURL(raw), isTreeURL(raw):
		return t.website(raw, raw)
	case hasScheme(raw, "file"):
		path, err := localPath(raw)
		if err != nil {
			return nil, usageError("%s: %w", raw, err)
		}
		return []target{fileTarget(raw, path)}, nil
	}
	if info, err := os.Stat(raw); err == nil {
		if info.IsDir() {
			return []target{{raw: raw, kind: directory, path: raw}}, nil
		}
		return []target{{raw: raw, kind: document, path: raw}}, nil
	} else if errors.Is(err, fs.ErrPermission) {
		return []target{{raw: raw, kind: document, path: raw}}, nil // it may exist; the run reports why it cannot be read
	}
	if strings.HasPrefix(strings.ToLower(raw), "www.") {
		// RFC 3986 section 4.5: a suffix reference. Today most hosts answer over https.
		t.note("no file %s: checking https://%s", raw, raw)
		return t.website(raw, "https://"+raw)
	}
	if host, _, _ := strings.Cut(raw, "/"); isLoopbackPort(host) {
		t.note("no file %s: checking http://%s", raw, raw)
		return t.website(raw, "http://"+raw)
	}
	if isOtherAddress(raw) {
		return t.website(raw, raw)
	}
	if isGlob(raw) {
		return t.glob(raw)
	}
	if scheme, _, found := strings.Cut(raw, "://"); found {
		return nil, usageError("%s: a target is an http, https, ftp or gopher URL, a directory or a file; %q URLs are not supported", urinorm.Redact(raw), scheme)
	}
	return []target{{raw: raw, kind: document, path: raw, gone: true, hint: absentHint(raw, t.commands)}}, nil
}

// isGlob tells a pattern from a URL without a scheme that has a query.
func isGlob(raw string) bool {
	if strings.Contains(raw, "://") {
		return false
	}
	host, _, _ := strings.Cut(raw, "/")
	return strings.ContainsAny(raw, "*[{") || strings.Contains(raw, "?") && !looksLikeHost(host)
}

func fileTarget(raw, path string) target {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return target{raw: raw, kind: directory, path: path}
	}
	return target{raw: raw, kind: document, path: path}
}

func (t *targetReader) website(raw, ref string) ([]target, error) {
	u, _, err := urinorm.ParseWeb(ref)
	if err != nil {
		return nil, usageError("%w", err)
	}
	if !isWeb(u) || !u.HasUserinfo() {
		return []target{{raw: raw, kind: website, url: u}}, nil
	}
	name, err := url.PathUnescape(u.Username())
	password, err2 := url.PathUnescape(u.Password())
	if err != nil || err2 != nil || strings.Contains(name, ":") {
		return nil, usageError("%s: its user name or password cannot be sent", urinorm.Redact(raw))
	}
	return []target{{raw: raw, kind: website, url: u.WithoutUserinfo(), user: name + ":" + password}}, nil
}

// logins returns the names and passwords in the URLs of targets, by authority.
func logins(targets []target) []fetch.Login {
	var found []fetch.Login
	for _, t := range targets {
		if t.user != "" {
			found = append(found, fetch.Login{URL: t.url, Credentials: t.user})
		}
	}
	return found
}

// origins returns what secrets may be sent to: the targets that are URLs, and the URL
// that a directory will be published at, if it is not zero.
func origins(targets []target, base urinorm.URL) *fetch.Origins {
	urls := []urinorm.URL{base}
	for _, t := range targets {
		if t.kind == website {
			urls = append(urls, t.url)
		}
	}
	return fetch.NewOrigins(urls...)
}

// glob returns the documents that match a pattern. If there are none, it returns a
// document with the name of the pattern, which the run reports as unreadable.
func (t *targetReader) glob(pattern string) ([]target, error) {
	if !doublestar.ValidatePathPattern(pattern) {
		return nil, usageError("%s: invalid glob: use *, **, ?, [class] and {a,b}", pattern)
	}
	matches, err := doublestar.FilepathGlob(pattern, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	if err != nil {
		t.note("%s: %v", pattern, err)
	}
	matches = t.leaveOut(pattern, matches)
	slices.Sort(matches)
	var targets []target
	anyText := !isGlob(filepath.Ext(pattern)) && filepath.Ext(pattern) != "" // the pattern names the extension
	for _, m := range matches {
		if readableFile(t.types, t.preprocess, m, anyText) {
			targets = append(targets, target{raw: m, kind: document, path: m})
		}
	}
	if len(targets) == 0 {
		targets = append(targets, target{raw: pattern, kind: document, path: pattern})
		switch {
		case len(matches) > 0:
			t.note("%s matches %s, but none has a format that can be read for links", pattern, counted(len(matches), "file"))
		case err == nil:
			t.note("no file matches %s", pattern)
		}
	}
	return targets, nil
}

// leaveOut returns the files that match a pattern without those that its directory as a target leaves
// out: what git or .ignore files ignore, and what is in the directories of version control. What the fixed part of the
// pattern names is wanted, as a directory is.
func (t *targetReader) leaveOut(pattern string, matches []string) []string {
	base, _ := doublestar.SplitPattern(filepath.ToSlash(pattern))
	base = filepath.FromSlash(base)
	var ignored *disk.Ignore
	if !t.noIgnore {
		ignored, _ = disk.OpenIgnore(base) // a directory that cannot be read has no matches
	}
	return slices.DeleteFunc(matches, func(file string) bool {
		rel, err := filepath.Rel(base, file)
		if err != nil {
			return false
		}
		rel = filepath.ToSlash(rel)
		return !t.noIgnore && disk.InVersionControl(rel) || ignored.Ignored(rel, false)
	})
}

// isWebURL reports whether a target is an http or https URL. Like browsers, the URL
// parser accepts such a URL with fewer than two slashes.
func isWebURL(s string) bool { return hasScheme(s, "http") || hasScheme(s, "https") }

// isTreeURL reports whether a target has another scheme that can be crawled: FTP
// directories and gopher menus link to their entries.
func isTreeURL(s string) bool {
	return hasScheme(s, "ftp") || hasScheme(s, "ftps") || hasScheme(s, "gopher")
}

// isOtherAddress reports whether a target is an address that is judged without a request, such as
// mailto:joe@example.com, and not a name with a colon in it.
func isOtherAddress(s string) bool {
	scheme, rest, found := strings.Cut(s, ":")
	return found && len(scheme) > 1 && !strings.HasPrefix(rest, "//") && urinorm.KnownScheme(scheme)
}

func hasScheme(s, scheme string) bool {
	return len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) && s[len(scheme)] == ':'
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Root().Commands() {
		names = append(names, c.Name())
	}
	return names
}

// absentHint suggests what a path that does not exist may mean.
func absentHint(raw string, commands []string) string {
	if name, _, _ := strings.Cut(raw, "/"); looksLikeHost(name) {
		return fmt.Sprintf("for the website write https://%s", raw)
	}
	if !strings.ContainsAny(raw, "/.\\") {
		if near := nearest(raw, commands); near != "" {
			return fmt.Sprintf("did you mean the command %s?", near)
		}
	}
	return ""
}

// isLoopbackPort reports whether a name is a server on this machine: a loopback host with a
// port. Such servers rarely have a certificate.
func isLoopbackPort(name string) bool {
	host, port, err := net.SplitHostPort(name)
	if err != nil || port == "" || strings.Trim(port, "0123456789") != "" {
		return false
	}
	u, _, err := urinorm.ParseWeb("http://" + net.JoinHostPort(host, port))
	return err == nil && urinorm.IsLoopback(u.Host())
}

// looksLikeHost tells a host name, which may have a port, from a file name: its last
// label is not the extension of a file that is read.
func looksLikeHost(name string) bool {
	host, port, hasPort := strings.Cut(name, ":")
	if hasPort && port != "" && strings.Trim(port, "0123456789") == "" {
		return host != ""
	}
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || dot == len(host)-1 || readableByName(nil, host) {
		return host == "localhost"
	}
	for _, c := range host[dot+1:] {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return !strings.ContainsAny(host, " _\\") && !slices.Contains(fileEndings, strings.ToLower(host[dot+1:]))
}

// fileEndings are common file extensions. A name with one of them is a mistyped file name
// and not a website, even if the extension is also a top-level domain (md).
var fileEndings = []string{"md", "txt", "pdf", "png", "jpg", "jpeg", "gif", "svg", "css", "js", "json", "xml", "yml", "yaml", "toml", "htm", "html", "xhtml", "adoc", "rst", "docx", "epub", "csv", "bak", "log", "gz", "sqlite", "plist", "webmanifest"}

func isWeb(u urinorm.URL) bool { return u.Scheme() == "http" || u.Scheme() == "https" }
