package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/filelock"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

type evidenceOptions struct {
	path string // "" for none
	all  bool
	max  int64 // bytes
	lost error // why nothing can be kept, although the user asked for it

	replay  []string          // files to judge from
	archive *evidence.Archive // the same, once they are open; nil without --replay
}

// compileEvidence reads the flags of evidence. It follows the other files of a run, which must not
// be the same.
func compileEvidence(c *compiler, o *options) {
	e := &o.evidence
	e.path = read(c, "evidence", func(path string) (string, error) { return path, evidence.CheckName(path) })
	e.all = c.Text("evidence-of") == "all"
	e.max = read(c, "evidence-max", quantity.ParseSize)
	for _, name := range []string{"evidence-of", "evidence-max"} {
		c.refuse(c.Given(name) && c.Text("evidence") == "", name, "it needs --evidence")
	}
	compileReplay(c, o)
	if e.path == "" {
		return
	}
	others := append(o.between.files(), o.writeClean)
	for _, out := range o.outputs {
		others = append(others, out.File)
	}
	path, err := filepath.Abs(e.path)
	for _, file := range others {
		abs, absErr := filepath.Abs(file)
		c.refuse(file != "" && err == nil && absErr == nil && (abs == path || abs == path+".part" || strings.HasPrefix(abs, path+string(filepath.Separator))), "evidence", "%s is another file of the run", file)
	}
}

// compileReplay reads the files of --replay, with which a run keeps nothing.
func compileReplay(c *compiler, o *options) {
	if o.evidence.replay = c.List("replay"); len(o.evidence.replay) == 0 {
		return
	}
	for _, name := range []string{"cache", "history", "state", "frontier", "evidence", "watch", "drift"} {
		c.refuse(c.Text(name) != "" || c.On(name), "replay", "it cannot be used with %s: a replay requests nothing", c.Named(name))
	}
	o.login.configs, o.net.Proxy = nil, "" // nobody signs in; what was read signed in counts as such
	p := &o.crawl.Politeness
	p.Still, p.Delay, p.Rate, p.Backoff, p.SecondPassAfter = true, 0, 0, 1, 1
}

// openReplay opens the files of --replay. Without a target, it returns those of the files.
func openReplay(o *options, args []string) ([]string, error) {
	if len(o.evidence.replay) == 0 {
		return args, nil
	}
	var err error
	if o.evidence.archive, err = evidence.Open(o.evidence.replay...); err != nil {
		return nil, usageError("--replay: %w", err)
	}
	if len(args) > 0 || len(o.from) > 0 {
		return args, nil
	}
	if args = o.evidence.archive.Targets(); len(args) == 0 {
		return nil, usageError("--replay: %s does not tell its targets: name a target", o.evidence.replay[0])
	}
	return args, nil
}

func replayEvidence(o *options, p *plan, cfg *crawler.Config, web *fetch.HTTP) {
	a := o.evidence.archive
	if a == nil {
		return
	}
	web.Replay(a)
	cfg.Judging.Resolver = a.Resolver()
	if cfg.Judging.MailProbe != nil {
		cfg.Judging.MailProbe = a
	}
	known := map[string]bool{}
	for _, seed := range p.seeds {
		known[seed.URL.WithoutFragment().String()] = true
	}
	for _, page := range a.Pages() { // nothing may lead to them
		if u, _, err := urinorm.ParseWeb(page); err == nil && !known[u.String()] {
			p.seeds = append(p.seeds, crawler.Seed{URL: u, Follow: true})
		}
	}
}

// noteReplay tells what the evidence lacked.
func (e *evidenceOptions) noteReplay(note func(string, ...any)) {
	if e.archive == nil {
		return
	}
	if n := e.archive.Damaged(); n > 0 {
		note("--replay: %s damaged, and not used", counted(n, "record"))
	}
	if n := e.archive.Beyond(); n > 0 {
		note("--replay: %s more than can be held in memory, and not used", counted(n, "exchange"))
	}
	if n := e.archive.Missing(); n > 0 {
		note("--replay: the answers to %s beside those of links were not kept", counted(n, "request"))
	}
	e.archive.Close()
}

// keepEvidence begins to keep what the fetchers of a run ask. It returns nil without --evidence.
// Its errors are usage errors.
func keepEvidence(o *options, p *plan, cfg *crawler.Config, web *fetch.HTTP, of evidence.Options) (*evidence.Keeper, error) {
	if o.evidence.path == "" {
		return nil, nil
	}
	of.Path, of.All, of.MaxSize, of.MaxBody = o.evidence.path, o.evidence.all || of.Apart, o.evidence.max, max(o.crawl.Limits.MaxBody, 10<<20)
	of.Software, of.Secrets, of.Lock = "orbweaver/"+version(), o.secrets(p, web), filelock.Try
	k, err := evidence.Create(of)
	if errors.Is(err, fs.ErrPermission) { // as if it had been lost later
		o.evidence.lost = fmt.Errorf("the evidence cannot be written to %s: %w", of.Path, errors.Unwrap(err))
		fmt.Fprintf(of.Note, "%v; the run goes on without it\n", o.evidence.lost)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--evidence: %w", err)
	}
	web.Record(k)
	cfg.Judging.Resolver = k.Resolver(cfg.Judging.Resolver)
	if cfg.Judging.MailProbe != nil {
		cfg.Judging.MailProbe = k.Probe(cfg.Judging.MailProbe)
	}
	cfg.Keep.Refresh = true
	show := &cfg.Deliver.Show
	show.Broken, show.Unverified, show.Warning, show.Skipped = true, true, true, true
	return k, nil
}

// evidence returns what evidence needs to know of the sessions of a crawl.
func (s *state) evidence(targets []string, note func(string, ...any)) evidence.Options {
	of := evidence.Options{Targets: targets, Note: notes(note)}
	if s != nil {
		of.Earlier, of.Resumes = filepath.Join(s.dir, evidenceFile), s.store != nil
	}
	return of
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
	if o.archive != nil && o.archive.service.Key != "" {
		key := o.archive.service.Key
		_, secret, _ := strings.Cut(key, ":")
		s.Texts = append(s.Texts, key, secret)
	}
	for _, t := range p.targets {
		if !t.url.IsZero() && t.url.HasUserinfo() {
			s.Texts = append(s.Texts, t.url.Password())
		}
	}
	return s
}

func (e *evidenceOptions) finish(k *evidence.Keeper, p *plan, s *result.Summary, over bool) error {
	if k == nil {
		return e.lost
	}
	run := evidence.Run{Complete: s.Soundness.Complete(), Over: over}
	for _, seed := range p.seeds {
		if seed.Named {
			run.Starts = append(run.Starts, seed.URL.WithoutFragment().Printed())
		}
	}
	return k.Finish(run)
}
