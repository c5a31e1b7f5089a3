package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/report"
)

// editorExternal is how an editor learns about links to other sites.
type editorExternal struct {
	word         string // of --external
	given        bool   // the command line has it
	cache        string // the file of observations
	allowPrivate []netip.Prefix
	gates        *fetch.Gates // the pace of all folders together
}

// externalWords are the values of --external of lsp.
var externalWords = map[string]workspace.Asking{"cache": workspace.Recall, "check": workspace.Ask, "skip": workspace.Never}

// Limits of the requests for an editor, which nobody waits for.
const (
	editorRequests, editorPerHost = 4, 1
	forEver                       = time.Duration(math.MaxInt64 / 2)
)

// options returns how external targets are judged with settings that are those of a folder. If the
// folder or the editor asks for requests, a stranger may have, and they reach public web servers only.
func (x *editorExternal) options(s *settings, stranger bool) (*options, workspace.Asking, error) {
	asking := externalWords[x.word]
	if !x.given && s.Given("external") {
		asking = externalWords[s.Text("external")]
	} else {
		stranger = false
	}
	o, err := compile(s, option.Check)
	if err != nil {
		return nil, asking, err
	}
	o.crawl.Scope.External = crawler.CheckExternal
	o.between = betweenRuns{cache: x.cache, maxAge: o.between.maxAge}
	o.progress, o.show = "never", report.ShowAll
	p := &o.crawl.Politeness
	p.Concurrency, p.PerHost, p.PerHostGiven = editorRequests, editorPerHost, true
	o.crawl.Limits.Grace = agentGrace
	if stranger {
		o.net.NoEnvironment, o.net.DenyPrivate = true, true
		o.net.AllowPrivate = append(o.net.AllowPrivate, x.allowPrivate...)
		o.schemes = []string{"http", "https", "file"} // file is the page of links
	}
	return o, asking, nil
}

// editorCache returns the file of observations if the command line names none.
func editorCache() (string, error) {
	dir := os.Getenv("XDG_CACHE_HOME")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "orbweaver", "lsp.db"), nil
}

func (f *editorFolder) External() workspace.Asking { return f.asking }
func (f *editorFolder) MaxAge() time.Duration      { return f.external.between.maxAge }

func (f *editorFolder) Observe(ctx context.Context, urls []string, how workspace.Asking, add func(*workspace.Target)) error {
	o := *f.external
	gate := f.engine.external.gates.Run(math.MaxInt)
	if how == workspace.Recall {
		if _, err := os.Stat(o.between.cache); err != nil {
			return nil // nothing was observed
		}
		o.between.maxAge, gate = forEver, fetch.NewGates(0, 0).Run(0)
	} else if err := os.MkdirAll(filepath.Dir(o.between.cache), 0o700); err != nil {
		return err
	}
	past, err := pastOf(&o, urls, f.engine.note)
	if err != nil {
		return err
	}
	x := &observation{folder: f, options: &o, gate: gate, how: how, past: past, add: add}
	if how != workspace.Recall {
		return x.run(ctx, urls)
	}
	return x.recall(ctx, urls)
}

type observation struct {
	folder  *editorFolder
	options *options
	gate    *fetch.Gate
	how     workspace.Asking
	past    past
	add     func(*workspace.Target)
}

// recall observes what earlier runs know. A page is known with all of its fragments that are asked for, or not at
// all: so those of which nothing good is known are not asked for.
func (x *observation) recall(ctx context.Context, urls []string) error {
	var pages, fragments []string
	for _, url := range urls {
		_, _, fragment := strings.Cut(url, "#")
		switch h := x.past.broken[url]; {
		case h.Runs > 0:
			x.add(brokenBefore(&h))
		case fragment:
			fragments = append(fragments, url)
		default:
			pages = append(pages, url)
		}
	}
	for _, some := range [][]string{pages, fragments} {
		if len(some) > 0 {
			if err := x.run(ctx, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// brokenBefore returns a target that an earlier run found broken. That is no finding.
func brokenBefore(h *store.History) *workspace.Target {
	r := &result.Result{URL: h.URL, Verdict: check.Broken, Code: h.Code, Message: "an earlier run found it broken"}
	return &workspace.Target{URL: h.URL, Verdict: r.Verdict, Code: h.Code, Result: r, Observed: h.Last, Unconfirmed: true}
}

// run observes targets by a run of the engine.
func (x *observation) run(ctx context.Context, urls []string) error {
	quiet := func(string, ...any) {}
	plan, err := planRun(ctx, x.options, []string{"-"}, &targetReader{stdin: pageOf(urls), note: quiet})
	if err != nil {
		return err
	}
	defer plan.close()
	r := &toolRun{options: x.options, plan: plan, seeds: plan.seeds, gate: x.gate, note: quiet, deliver: x.result}
	return r.crawl(ctx, func(cfg *crawler.Config) error {
		cfg.Keep.Refresh = x.how == workspace.Renew
		if x.how == workspace.Recall {
			cfg.Politeness.Still, cfg.Limits.Spent = true, nil
		}
		seedsOnly(cfg)
		cfg.Deliver.Stream = true
		return nil
	})
}

// result passes on what was observed.
func (x *observation) result(res *result.Result) {
	switch {
	case res.Kind != result.KindTarget, res.Internal, res.Verdict == check.Skipped, res.Code == check.CodeLimit, res.Code == check.CodeInterrupted, res.Code == check.CodeAddressDenied, x.how == workspace.Recall && !res.Cached:
		return // it was not observed
	}
	show := x.folder.options.shows()
	found := workspace.Found{Result: res, Listed: show.Lists(res)}
	for _, w := range res.Warnings {
		if found.Listed && show.ListsWarning(w) {
			found.Warnings = append(found.Warnings, w)
		}
	}
	t := found.Target()
	if t.Observed = time.Now(); res.Cached {
		page, _, _ := strings.Cut(t.URL, "#")
		t.Observed = x.past.seen[page]
	}
	if !t.Observed.IsZero() {
		x.add(t)
	}
}

// pageOf returns a page with links to printed URLs. Those with a password that is hidden are left out.
func pageOf(urls []string) io.Reader {
	var b strings.Builder
	b.WriteString("<!doctype html><title>links</title>\n")
	for _, printed := range urls {
		if !strings.Contains(printed, "***@") {
			fmt.Fprintf(&b, "<a href=\"%s\">x</a>\n", html.EscapeString(printed))
		}
	}
	return strings.NewReader(b.String())
}

// past is what earlier runs know of external targets.
type past struct {
	seen   map[string]time.Time     // when they were last in order, or redirected, by printed URL without fragment
	broken map[string]store.History // by printed URL
}

// pastOf returns what earlier runs know of targets.
func pastOf(o *options, urls []string, note func(string, ...any)) (p past, err error) {
	if _, err := os.Stat(o.between.cache); errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	earlier, err := openEarlierRuns(&cobra.Command{}, o, note)
	if err != nil {
		return p, err
	}
	defer earlier.close()
	pages := make([]string, len(urls))
	for i, printed := range urls {
		pages[i], _, _ = strings.Cut(printed, "#")
	}
	p.broken = earlier.histories
	p.seen, err = earlier.cache.LastSeen(pages, 399)
	return p, err
}
