package main

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/urinorm"
)

func newExplainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [CODE|URL|FILE] [flags]",
		Short: "explain a code, or show which rules apply to a URL",
		Long:  "Given a code, tells what it means and what to do. Given a URL, or the path of a local file as reports print it, shows its printed form, which is the one that patterns and rules match, and the flags and rules that apply to it. Without an argument, lists all codes.",
		Example: `orbweaver explain fragment-missing
orbweaver explain https://example.com/a --exclude '/a$'`,
	}
	s := addFlags(cmd, option.Explain)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w := &helpWriter{out: cmd.OutOrStdout(), width: helpWidth()}
		switch {
		case len(args) == 0:
			explainAll(w)
			return nil
		case len(args) > 1:
			return usageError("explain: name one code or URL")
		case !strings.ContainsAny(args[0], ":/."):
			return explainCode(cmd, w, s, args[0])
		}
		if err := loadSettings(s); err != nil {
			return err
		}
		o, err := compile(s, option.Explain)
		if err != nil {
			return usageError("%w", err)
		}
		return explainURL(w, o, args[0])
	}
	return cmd
}

// explainAll lists the codes with their titles.
func explainAll(w *helpWriter) {
	for _, e := range check.All() {
		w.entry(string(e.Code), 26, e.Title)
	}
}

func explainCode(cmd *cobra.Command, w *helpWriter, s *settings, code string) error {
	if len(code) == 3 && strings.Trim(code, "0123456789") == "" {
		code = "http-" + code
	}
	e, ok := check.Lookup(check.Code(code))
	if !ok {
		var err error
		if e, ok, err = declaredCode(cmd, s, code); err != nil {
			return err
		}
	}
	if !ok {
		if near, found := check.Nearest(code); found {
			return usageError("unknown code %q: did you mean %s?", code, near)
		}
		return usageError("unknown code %q; `orbweaver explain` lists the codes, and --config names the file with your plugins", code)
	}
	w.line(string(e.Code) + ": " + e.Title)
	for _, part := range []struct{ title, text string }{
		{"", e.Explanation}, {"What to do", e.Advice}, {"Example", e.Example},
	} {
		if part.text == "" {
			continue
		}
		w.line("")
		if part.title != "" {
			w.line(part.title + ":")
			w.paragraph(2, part.text)
			continue
		}
		w.paragraph(0, part.text)
	}
	return nil
}

// declaredCode asks the plugin of the configuration whose code it may be.
func declaredCode(cmd *cobra.Command, s *settings, code string) (e check.Entry, ok bool, err error) {
	if err := loadSettings(s); err != nil {
		return e, false, err
	}
	for _, p := range s.plugins {
		if !strings.HasPrefix(code, p.Name+"-") {
			continue
		}
		p.Workers, p.Env = 1, childEnvironment(os.Environ(), s.expanded)
		p.Stderr = cmd.ErrOrStderr()
		inspector, err := inspect.Open(cmd.Context(), inspect.Config{Plugins: []inspect.Plugin{p}})
		if err != nil {
			return e, false, usageError("%w", err)
		}
		defer inspector.Close()
		for _, d := range inspector.Declared() {
			if string(d.Code) == code {
				text := fmt.Sprintf("The plugin %s declares this code. Its findings are of severity %s.", p.Name, d.Verdict)
				return check.Entry{Code: d.Code, Title: d.Title, Explanation: text, Advice: d.Advice}, true, nil
			}
		}
	}
	return e, false, nil
}

// explainURL prints which settings apply to a URL or a local file.
func explainURL(w *helpWriter, o *options, ref string) error {
	if isPath(o, ref) {
		return explainPath(w, o, ref)
	}
	u, repairs, err := resolveArgument(o, ref)
	if err != nil {
		return usageError("%w", err)
	}
	row := func(name, text string) { w.entry(name, 12, text) }
	printed := u.Printed()
	row("printed", printed)
	row("key", string(urinorm.KeyOf(u)))
	if codes := repairs.Codes(); len(codes) > 0 {
		row("repairs", strings.Join(codes, ", "))
	}
	w.line("")
	k := &o.crawl
	for i := range k.Scope.Remaps {
		if m := &k.Scope.Remaps[i]; m.Pattern.MatchString(printed) {
			row("remap", fmt.Sprintf("a link to it leads to %s: --remap %s matches", m.Pattern.ReplaceAllString(printed, m.Replacement), m.Pattern))
			return nil
		}
	}
	if !explainRules(w, k, printed) {
		return nil
	}
	if name := k.Scope.Reserved(u); name != "" {
		row("reserved", fmt.Sprintf("not checked unless internal: %s is reserved for examples and tests (RFC 2606)", name))
	}
	if s := u.Scheme(); s != "http" && s != "https" {
		answer, asked := check.AnswerOf(s)
		code, message := k.Judging.Unrequested(u)
		if code != check.CodeOK && (code != check.CodeSchemeUnchecked || !asked) {
			row("scheme", fmt.Sprintf("%s: %s", code, message))
			return nil
		}
		row("scheme", fmt.Sprintf("%s: ok when %s", s, answer))
		return nil
	}
	if reason := fetch.BlockedPort(u.EffectivePort()); reason != "" && !slices.Contains(o.net.AllowPorts, u.EffectivePort()) {
		row("port", fmt.Sprintf("%s: %s; --allow-port %d allows it", check.CodePortBlocked, reason, u.EffectivePort()))
		return nil
	}
	row("scope", scopeOf(k, u, printed))
	if k.Scope.External == crawler.SkipExternal {
		row("external", "if external: skipped because of --external skip")
	} else {
		row("external", "if external: checked once, never crawled")
	}
	return nil
}

// explainRules prints which rules match a printed URL, and reports whether the URL is
// checked.
func explainRules(w *helpWriter, k *crawler.Config, printed string) bool {
	if re := firstMatch(k.Scope.Exclude, printed); re != nil {
		except := firstMatch(k.Scope.ExcludeExcept, printed)
		if except == nil {
			w.entry("exclude", 12, fmt.Sprintf("not checked: --exclude %s matches", re))
			return false
		}
		w.entry("exclude", 12, fmt.Sprintf("checked although --exclude %s matches: --exclude-except %s matches, too", re, except))
	}
	if rule := k.Judging.RuleFor(printed); rule != nil {
		w.entry("rule", 12, rule.Name+": "+ruleEffect(rule))
		if rule.Verdict == "ignore" {
			return false
		}
	} else if len(k.Judging.Rules) > 0 {
		w.entry("rule", 12, fmt.Sprintf("none of the %d rules matches", len(k.Judging.Rules)))
	}
	if _, fragment, ok := strings.Cut(printed, "#"); ok {
		re := firstMatch(k.Judging.IgnoreFragment, fragment)
		if decoded, err := url.PathUnescape(fragment); re == nil && err == nil {
			re = firstMatch(k.Judging.IgnoreFragment, decoded)
		}
		if re != nil {
			w.entry("fragment", 12, fmt.Sprintf("not looked for: --ignore-fragment %s matches", re))
		}
	}
	return true
}

// isPath reports whether an argument is the path of a file. It never is with --base-url,
// because files are then printed by their URLs.
func isPath(o *options, ref string) bool {
	if !o.base.IsZero() || strings.HasPrefix(strings.ToLower(ref), "www.") {
		return false
	}
	_, _, err := urinorm.ParseWeb(ref)
	return err != nil && !strings.Contains(ref, "://")
}

// explainPath prints which settings apply to a local file. The path may be as in a report
// or as in the file system.
func explainPath(w *helpWriter, o *options, ref string) error {
	file, tail := ref, ""
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		file, tail = ref[:i], ref[i:]
	}
	info, err := os.Stat(filepath.FromSlash(file))
	if err != nil { // the path may be percent-encoded, as printed
		if decoded, decoding := unescapePath(file); decoding == nil {
			if there, statErr := os.Stat(filepath.FromSlash(decoded)); statErr == nil {
				file, info, err = decoded, there, nil
			}
		}
	}
	printed, printing := printedPath(file, err == nil)
	if printing != nil {
		return unsound(printing)
	}
	if err == nil && info.IsDir() && !strings.HasSuffix(printed, "/") {
		printed += "/"
	}
	printed += tail
	w.entry("printed", 12, printed)
	switch {
	case err != nil && looksLikeHost(strings.SplitN(file, "/", 2)[0]):
		w.entry("file", 12, "does not exist; for the website write https://"+ref)
	case err != nil:
		w.entry("file", 12, "does not exist")
	case info.IsDir():
		w.entry("file", 12, "a directory: as a target, a site without a server; as a link, its index file")
	case readableByName(o.crawl.Reading.Types, file):
		w.entry("file", 12, "a document that is read for links")
	default:
		w.entry("file", 12, "not read for links")
	}
	w.line("")
	if !explainRules(w, &o.crawl, printed) {
		return nil
	}
	text := "internal: a local file, checked without the network"
	if re := firstMatch(o.crawl.Scope.NoFollow, printed); re != nil {
		text += fmt.Sprintf("; its links are not followed: --no-follow %s matches", re)
	}
	w.entry("scope", 12, text)
	return nil
}

// printedPath returns a path as reports print it: relative to the working directory and
// percent-encoded. The path of a missing file may be encoded already.
func printedPath(file string, there bool) (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	abs, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(wd, abs)
	if err != nil {
		rel = abs
	}
	rel = filepath.ToSlash(rel)
	if there {
		rel = escapedPath(rel)
	}
	ups := 0
	for strings.HasPrefix(rel, "../") {
		rel = rel[len("../"):]
		ups++
	}
	const root = "https://local.invalid/"
	u, _, err := urinorm.ParseWeb(root + rel)
	if err != nil {
		return "", err
	}
	printed := strings.Repeat("../", ups) + strings.TrimPrefix(u.Printed(), root)
	if strings.HasSuffix(file, "/") && !strings.HasSuffix(printed, "/") {
		printed += "/"
	}
	return printed, nil
}

// resolveArgument reads a URL as check does: absolute, relative to --base-url, or with
// https if a www address lacks the scheme.
func resolveArgument(o *options, ref string) (urinorm.URL, urinorm.Repairs, error) {
	if !o.base.IsZero() {
		base, err := urinorm.NewBase(o.base, "")
		if err != nil {
			return urinorm.URL{}, 0, err
		}
		return base.Resolve(ref)
	}
	u, repairs, err := urinorm.ParseWeb(ref)
	if err != nil && strings.HasPrefix(strings.ToLower(ref), "www.") {
		return urinorm.ParseWeb("https://" + ref)
	}
	return u, repairs, err
}

// scopeOf describes the start pages for which the URL is internal.
func scopeOf(k *crawler.Config, u urinorm.URL, printed string) string {
	host := strings.TrimPrefix(u.Authority(), "www.")
	var text string
	switch k.Scope.Rule {
	case crawler.ScopePath:
		text = fmt.Sprintf("internal if the start page is on %s, with or without www., in %s or above it", host, u.Directory())
	case crawler.ScopeHost:
		text = fmt.Sprintf("internal if the start page is on %s, with or without www.", host)
	case crawler.ScopeDomain:
		text = fmt.Sprintf("internal if the start page is on a host of %s", urinorm.RegistrableDomain(u.Host()))
	case crawler.ScopePage:
		text = "internal if it is the start page itself"
	}
	if re := firstMatch(k.Scope.Include, printed); re != nil {
		text = fmt.Sprintf("internal whatever the start page: --include %s matches", re)
	}
	if re := firstMatch(k.Scope.NoFollow, printed); re != nil {
		text += fmt.Sprintf("; its links are not followed: --no-follow %s matches", re)
	}
	return text
}

func firstMatch(res []*regexp.Regexp, printed string) *regexp.Regexp {
	if i := slices.IndexFunc(res, func(re *regexp.Regexp) bool { return re.MatchString(printed) }); i >= 0 {
		return res[i]
	}
	return nil
}

// ruleEffect describes the effect of a rule. Header values may be secrets and are not
// shown.
func ruleEffect(r *crawler.Rule) string {
	var effects []string
	switch r.Verdict {
	case "":
	case "ignore":
		effects = append(effects, "not checked")
	default:
		effects = append(effects, "targets that are not ok count as "+r.Verdict)
	}
	if r.Accept != nil {
		effects = append(effects, "accepts more statuses")
	}
	for _, l := range r.Levels {
		effects = append(effects, fmt.Sprintf("%s counts as %s", l.Code, l.Level))
	}
	if len(r.Header) > 0 {
		effects = append(effects, "sends "+strings.Join(slices.Sorted(maps.Keys(r.Header)), ", "))
	}
	if len(r.BrokenHosts) > 0 {
		effects = append(effects, "broken if one of these hosts answers: "+strings.Join(r.BrokenHosts, ", "))
	}
	for _, t := range r.BrokenTexts {
		effects = append(effects, fmt.Sprintf("broken if the page contains %q", t.Written))
	}
	if r.Rate > 0 {
		effects = append(effects, fmt.Sprintf("at most %g requests a second", r.Rate))
	}
	if effects == nil {
		return "no effect"
	}
	return strings.Join(effects, "; ")
}
