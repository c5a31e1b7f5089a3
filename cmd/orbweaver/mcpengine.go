package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/mcp"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/patternsize"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Bounds of the options of a call where the command line has none, and their defaults.
const (
	agentPages, usualPages = 10_000, 100
	agentTime, usualTime   = 10 * time.Minute, time.Minute
	agentGrace             = 500 * time.Millisecond // for the requests in flight of a call that is cancelled
)

// agentEngine executes what the tools of `orbweaver mcp` ask for. What check does with its flags,
// it does with the options of a call: they pass through the same table and the same compiler.
type agentEngine struct {
	base         *settings // the command line and the environment
	roots        []string  // directories below which files may be read
	allowPrivate []netip.Prefix
	gates        *fetch.Gates
	maxPages     int
	maxTime      time.Duration
	note         func(string, ...any)
}

// agentOptions are the options that a call of check may have, in the order of the contract.
var agentOptions = []string{"depth", "max-pages", "max-time", "external", "scope", "include", "exclude", "no-follow", "ignore-fragment", allFragments,
	"host-style", "base-url", "index-files", "check", "render", "soft-404", "check-https", "level"}

// allFragments is an option that is no flag of check: without it, no fragment is looked for.
const allFragments = "fragments"

type agentAsked struct {
	target  string              // a URL, or a path relative to root; "" for none
	root    string              // the root of a path; "" for a URL
	options map[string][]string // by name
}

func (e *agentEngine) Options() []mcp.Option {
	var all []mcp.Option
	for _, name := range agentOptions {
		if name == allFragments {
			all = append(all, mcp.Option{Name: name, Kind: mcp.Switch})
			continue
		}
		f := option.Named(option.Check, name)
		o := mcp.Option{Name: name, Kind: mcp.Text, Words: f.Words, Number: f.TakesNumbers()}
		switch {
		case f.IsSwitch():
			o.Kind = mcp.Switch
		case f.Many != option.Once:
			o.Kind, o.Words = mcp.Texts, nil
		}
		all = append(all, o)
	}
	return all
}

func (e *agentEngine) Left() int { return e.gates.Left() }

// interval returns the time between two requests to one host that the flags ask for.
func interval(o *options) time.Duration {
	p := &o.crawl.Politeness
	if p.Rate > 0 {
		return max(p.Delay, time.Duration(float64(time.Second)/p.Rate))
	}
	return p.Delay
}

// options compiles the settings of a call.
func (e *agentEngine) options(a *agentAsked) (*options, error) {
	s := addFlags(&cobra.Command{}, option.Check)
	for _, f := range option.Of(option.Agent) {
		if e.base.Given(f.Name) {
			s.Set(f.Name, e.base.Origin(f.Name), e.base.List(f.Name)...)
		}
	}
	if err := boundOptions(a.options); err != nil {
		return nil, err
	}
	for name, texts := range a.options {
		if name == allFragments {
			if slices.Equal(texts, []string{"false"}) {
				s.Set("ignore-fragment", "options."+name, append(slices.Clone(s.List("ignore-fragment")), ".*")...)
			}
			continue
		}
		if f := option.Named(option.Check, name); f.Many == option.List {
			texts = slices.Concat(s.List(name), texts)
		}
		s.Set(name, "options."+name, texts...)
	}
	if a.root == "" && !s.Given("config") {
		s.Set("no-config", "", "true")
	}
	if err := loadConfig(s, a.root); err != nil {
		return nil, err
	}
	o, err := compile(s, option.Check)
	if err != nil {
		return nil, err
	}
	if o.checks.Groups.Has(inspect.Virus) && a.options["check"] != nil {
		return nil, errors.New(`options.check: "virus" is not allowed here, because it sends pages to another program: leave it out`)
	}
	limits := &o.crawl.Limits
	limits.MaxPages = bounded(limits.MaxPages, s.Given("max-pages") && s.Origin("max-pages") != "--max-pages", usualPages, e.maxPages)
	limits.MaxTime = bounded(limits.MaxTime, s.Given("max-time") && s.Origin("max-time") != "--max-time", usualTime, e.maxTime)
	limits.Grace = agentGrace
	o.net.NoEnvironment, o.net.DenyPrivate = true, true
	o.net.AllowPrivate = append(o.net.AllowPrivate, e.allowPrivate...)
	o.schemes = []string{"http", "https"}
	o.show, o.progress = report.ShowAll, "never"
	if o.directory = a.root; a.root != "" {
		o.roots = []string{a.root}
	}
	return o, nil
}

// boundOptions returns an error if the patterns or names of a call are too large or too many. What an agent asks for
// may have been written by a stranger.
func boundOptions(options map[string][]string) error {
	budget := patternsize.Untrusted("the options")
	for _, name := range agentOptions {
		switch f := option.Named(option.Check, name); {
		case f == nil: // allFragments
		case f.Pattern == nil:
			if len(options[name]) > maxFoundValues {
				return fmt.Errorf("options.%s: it has more than %d values", name, maxFoundValues)
			}
		default:
			for _, text := range options[name] {
				if err := budget.Spend(text, f.Pattern); err != nil {
					return fmt.Errorf("options.%s: %w", name, err)
				}
			}
		}
	}
	return nil
}

// bounded returns the limit of a call: what it asks for, or the usual one, and never more than the
// bound. 0 asks for no limit.
func bounded[T cmp.Ordered](value T, given bool, usual, bound T) T {
	var none T
	switch {
	case !given:
		return min(usual, bound)
	case value == none:
		return bound
	}
	return min(value, bound)
}

// errOutside is the error about a path that may not be opened. It does not tell whether it exists.
var errOutside = errors.New("target: it is outside the roots: name an http or https URL, or a path below a --root of the server")

func (e *agentEngine) locate(target string) (*agentAsked, error) {
	lower := strings.ToLower(target)
	switch {
	case strings.TrimSpace(target) == "" || target == "-" || strings.ContainsRune(target, 0):
		return nil, errors.New("target: it names nothing that can be checked: give an http or https URL, or a path below a --root of the server")
	case isWebURL(target):
		if _, err := (&targetReader{}).website(target, target); err != nil {
			return nil, fmt.Errorf("target: %w: use an http or https URL, such as https://example.com/", err)
		}
		return &agentAsked{target: target}, nil
	case strings.HasPrefix(lower, "www."):
		return e.locate("https://" + target)
	}
	if hasScheme(target, "file") || strings.Contains(target, "://") {
		return nil, errOutside
	}
	for _, root := range e.roots {
		rel, err := below(root, target)
		if err != nil {
			return nil, err
		}
		if rel == "" {
			continue
		}
		info, err := os.Stat(filepath.Join(root, rel))
		if err != nil {
			if filepath.IsAbs(target) || root == e.roots[len(e.roots)-1] {
				return nil, fmt.Errorf("target: there is no such file: %s: name a file or directory that is below a --root of the server", printable(target))
			}
			continue // another root may have it
		}
		if !info.Mode().IsRegular() && !info.IsDir() {
			return nil, errOutside
		}
		if root == e.roots[0] { // the working directory
			return &agentAsked{target: rel, root: root}, nil
		}
		return &agentAsked{target: filepath.Join(root, rel), root: root}, nil
	}
	return nil, errOutside
}

// below returns a path relative to a root, "" if it is not in it. A path that symbolic links lead out
// of the root is an error.
func below(root, target string) (rel string, err error) {
	path := filepath.FromSlash(target)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	path = filepath.Clean(path)
	if path != root && !inside(root, path) {
		return "", nil
	}
	for there := path; ; there = filepath.Dir(there) { // what is missing leads nowhere else
		at, err := filepath.EvalSymlinks(there)
		if err == nil && (at == root || inside(root, at)) {
			return filepath.Rel(root, path)
		}
		if _, missing := os.Lstat(there); err == nil || missing == nil || there == root {
			return "", errOutside
		}
	}
}

func (e *agentEngine) Check(ctx context.Context, m *mcp.Asked) (*mcp.Run, error) {
	a, err := e.locate(m.Target)
	if err != nil {
		return nil, err
	}
	a.options = m.Options
	o, err := e.options(a)
	if err != nil {
		return nil, err
	}
	plan, err := planRun(ctx, o, []string{a.target}, &targetReader{note: e.note, types: o.crawl.Reading.Types, noIgnore: o.noIgnore})
	if err != nil {
		return nil, err
	}
	defer plan.close()
	r := &toolRun{options: o, plan: plan, seeds: plan.seeds, gate: e.gates.Run(m.Requests), note: e.note, progress: m.Progress}
	if err := r.crawl(ctx, nil); err != nil {
		return nil, err
	}
	r.summary.Targets = []string{m.Target}
	run := &mcp.Run{Results: r.results, Summary: r.summary, Exit: o.failOn.Exit(r.summary)}
	if a.root != "" {
		run.Fixes = fixesIn(a.root, r.results, o.fixLevel)
	}
	return run, nil
}

// fixesIn returns a function that plans the edits of results in the files below a directory. It
// keeps only the results that propose one.
func fixesIn(root string, results []*result.Result, level fix.Level) func(func(*result.Reference) bool) (*fix.Plan, error) {
	var proposing []*result.Result
	for _, r := range results {
		_, certain := report.Propose(r)
		if _, likely := report.Guess(r); certain || likely {
			proposing = append(proposing, r)
		}
	}
	return func(only func(*result.Reference) bool) (*fix.Plan, error) {
		chosen := make([]*result.Result, len(proposing))
		for i, r := range proposing {
			some := *r
			some.References = slices.DeleteFunc(slices.Clone(r.References), func(ref result.Reference) bool {
				return !filepath.IsLocal(filepath.FromSlash(ref.At().File)) || !only(&ref)
			})
			chosen[i] = &some
		}
		return fix.Make(fix.Root(root), root, chosen, level, nil)
	}
}

// Verify implements mcp.Engine: it judges addresses by a run that has no other target.
func (e *agentEngine) Verify(ctx context.Context, urls []string, requests int, progress func(result.Progress)) ([]mcp.Judged, error) {
	o, err := e.options(&agentAsked{options: map[string][]string{}})
	if err != nil {
		return nil, err
	}
	judged := make([]mcp.Judged, len(urls))
	var seeds []crawler.Seed
	printed := make([]string, len(urls))
	for i, url := range urls {
		u, _, err := urinorm.ParseWeb(url)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable(url), err)
		}
		printed[i] = u.Printed()
		seeds = append(seeds, crawler.Seed{URL: u, Named: true, Raw: url})
	}
	earlier, asked, err := e.earlier(o, seeds) // before this run changes what is known
	if err != nil {
		return nil, err
	}
	r := &toolRun{options: o, plan: &plan{}, seeds: seeds, gate: e.gates.Run(requests), note: e.note, progress: progress}
	if err := r.crawl(ctx, func(cfg *crawler.Config) error {
		seedsOnly(cfg)
		cfg.Limits.MaxPages = 0
		cfg.Reading.Select, err = extract.CompileSelector("orbweaver-no-element") // links are not asked for
		return err
	}); err != nil {
		return nil, err
	}
	now := time.Now()
	for i := range judged {
		judged[i].Observed = now
		of := keyOf(seeds[i].URL) // addresses that differ only in user information have one result
		same := slices.IndexFunc(seeds, func(s crawler.Seed) bool { return keyOf(s.URL) == of })
		for _, res := range r.results {
			if res.Kind == result.KindTarget && res.URL == printed[same] && res.Code != check.CodeLimit && res.Code != check.CodeInterrupted {
				judged[i].Result = res
			}
		}
		judged[i].Sources, judged[i].LastOK = sourcesOf(judged[i].Result, o, asked), earlier[i]
	}
	return judged, nil
}

// keyOf identifies the target of an address.
func keyOf(u urinorm.URL) string {
	fragment, _ := u.Fragment()
	return fmt.Sprint(urinorm.KeyOf(u), "#", fragment)
}

// earlier returns when earlier runs last saw each of some targets in order, the zero time for never, and
// whether there is a history. A page in the cache says nothing about a fragment.
func (e *agentEngine) earlier(o *options, of []crawler.Seed) (ok []time.Time, asked bool, err error) {
	ok = make([]time.Time, len(of))
	if o.between.history == "" && o.between.cache == "" {
		return ok, false, nil
	}
	past, err := openEarlierRuns(&cobra.Command{}, o, e.note)
	if err != nil {
		return nil, false, err
	}
	defer past.close()
	urls := make([]string, len(of))
	for i, seed := range of {
		urls[i] = seed.URL.Printed()
	}
	var cached map[string]time.Time
	if past.cache != nil {
		if cached, err = past.cache.LastSeen(urls, 299); err != nil {
			return nil, false, err
		}
	}
	for i, url := range urls {
		h := past.histories[url]
		switch {
		case !h.OK.IsZero():
			ok[i] = h.OK
		case h.Checked > h.Broken:
			ok[i] = h.First
		}
		if at := cached[url]; at.After(ok[i]) {
			ok[i] = at
		}
	}
	return ok, true, nil
}

// sourcesOf returns what was asked about a target. An archive that gave no answer is not among it.
func sourcesOf(r *result.Result, o *options, history bool) []string {
	sources := []string{}
	if r != nil && r.Attempts > 0 && r.Code != check.CodeAddressDenied {
		sources = append(sources, "request")
	}
	if o.between.cache != "" {
		sources = append(sources, "cache")
	}
	if history {
		sources = append(sources, "history")
	}
	if r != nil && r.Archive != nil { // it is not asked about hosts without a public name
		sources = append(sources, "archive")
	}
	return sources
}

func (e *agentEngine) ExplainURL(url string) (*mcp.Explanation, error) {
	u, _, err := urinorm.ParseWeb(url)
	if err != nil || u.Scheme() == "file" {
		return nil, errors.New("url: use an absolute URL, such as https://example.com/")
	}
	o, err := e.options(&agentAsked{})
	if err != nil {
		return nil, err
	}
	x := &mcp.Explanation{Printed: u.Printed()}
	w := &helpWriter{out: io.Discard, entries: func(term, text string) {
		switch term {
		case "printed":
			x.Printed = text
		case "scope":
			x.Scope = text
		default:
			x.Rules = append(x.Rules, term+": "+text)
		}
	}}
	return x, explainURL(w, o, url)
}
