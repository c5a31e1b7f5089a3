package main

import (
	"fmt"
	"path/filepath"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// evidenceOptions are the flags of evidence.
type evidenceOptions struct {
	path string // "" for none
	all  bool
	max  int64 // bytes
}

// compileEvidence reads the flags of evidence. It follows the other files of a run, which must not
// be the same.
func compileEvidence(c *compiler, o *options) {
	e := &o.evidence
	e.path = read(c, "evidence", func(path string) (string, error) { return path, evidence.CheckName(path) })
	e.all = c.Text("evidence-of") == "all"
	e.max = read(c, "evidence-max", quantity.ParseSize)
	for _, name := range []string{"evidence-of", "evidence-max"} {
		if c.Given(name) && c.Text("evidence") == "" {
			c.faults = append(c.faults, fmt.Errorf("%s: it needs --evidence", c.Named(name)))
		}
	}
	if e.path == "" {
		return
	}
	others := append(o.between.files(), o.writeClean)
	for _, out := range o.outputs {
		others = append(others, out.File)
	}
	for _, file := range others {
		if file != "" && filepath.Clean(file) == filepath.Clean(e.path) {
			c.faults = append(c.faults, fmt.Errorf("%s: %s is another file of the run", c.Named("evidence"), file))
		}
	}
}

// keepEvidence begins to keep what the fetchers of a run ask. It returns nil without --evidence.
// Its errors are usage errors.
func keepEvidence(o *options, p *plan, cfg *crawler.Config, web *fetch.HTTP, note func(string, ...any)) (*evidence.Keeper, error) {
	if o.evidence.path == "" {
		return nil, nil
	}
	k, err := evidence.Create(evidence.Options{Path: o.evidence.path, All: o.evidence.all, MaxSize: o.evidence.max,
		MaxBody: max(o.crawl.Limits.MaxBody, 10<<20), Software: "orbweaver/" + version(), Secrets: o.secrets(p, web), Note: note})
	if err != nil {
		return nil, fmt.Errorf("--evidence: %w", err)
	}
	web.Record(k)
	if mux, ok := cfg.Fetch.(fetch.Mux); ok {
		for scheme, of := range mux {
			if scheme != "http" && scheme != "https" && scheme != "file" {
				mux[scheme] = k.Fetcher(of)
			}
		}
	}
	cfg.Keep.Refresh = true
	show := &cfg.Deliver.Show
	show.Broken, show.Unverified, show.Warning, show.Skipped = true, true, true, true
	return k, nil
}

// secrets returns what the user gave that must not be kept.
func (o *options) secrets(p *plan, web *fetch.HTTP) (s evidence.Secrets) {
	s.Passwords, s.Texts, s.Headers = web.Secrets()
	for _, rule := range o.crawl.Judging.Rules {
		for name, values := range rule.Header {
			s.Headers, s.Texts = append(s.Headers, name), append(s.Texts, values...)
		}
	}
	for _, login := range o.login.configs {
		s.Texts = append(s.Texts, login.Password.Reveal(), login.TOTP.Reveal())
		for _, f := range login.Fields {
			s.Texts = append(s.Texts, f.Value.Reveal())
		}
	}
	for _, t := range p.targets {
		if !t.url.IsZero() && t.url.HasUserinfo() {
			s.Texts = append(s.Texts, t.url.Password())
		}
	}
	return s
}

// finish writes what is kept to its place.
func (e *evidenceOptions) finish(k *evidence.Keeper, p *plan, s *result.Summary) error {
	if k == nil {
		return nil
	}
	run := evidence.Run{Complete: s.Soundness.Complete(), Targets: s.Targets}
	for _, seed := range p.seeds {
		if seed.Named {
			run.Starts = append(run.Starts, seed.URL.WithoutFragment().Printed())
		}
	}
	return k.Finish(run)
}
