package inspect

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/clamd"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/inspected"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/plugin"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/siterules"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/validator"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// fingerprint returns a hash of what determines the findings about a document, 0 if other
// programs do.
func fingerprint(cfg *Config) uint64 {
	if len(cfg.Plugins) > 0 || cfg.Validator != "" || cfg.Tidy {
		return 0
	}
	var rules uint64
	if cfg.Content != nil {
		rules = cfg.Content.set.Fingerprint()
	}
	return max(xxhash.Sum64String(fmt.Sprint(cfg.Edition, rules, cfg.Groups&^Virus, cfg.SyntaxMax)), 1)
}

// isZero reports whether nothing is looked for.
func (c *Config) isZero() bool { return c.Groups == 0 && c.Content == nil && len(c.Plugins) == 0 }

// Glob selects pages, or printed URLs.
type Glob = page.Glob

// Inspector looks at documents. It is safe for concurrent use. A nil Inspector looks at none.
type Inspector struct {
	cfg     Config
	checks  uint64
	pairs   siterules.Config
	scanner *clamd.Scanner     // nil without the group virus
	service *validator.Service // nil without a validator
	tidy    *validator.Tidy    // nil without tidy
	plugins []*plugin.Plugin
	readers sync.Pool // of *reader
}

// Open connects to the programs that the checks need, or starts them. It returns nil if there is
// nothing to look for. The caller closes the Inspector.
func Open(ctx context.Context, cfg Config) (i *Inspector, err error) {
	if cfg.isZero() {
		return nil, nil
	}
	i = Recall(cfg)
	i.readers.New = func() any { return newReader(i) }
	defer func() {
		if err != nil {
			i.Close()
			i = nil
		}
	}()
	if cfg.Groups.Has(Virus) {
		if i.scanner, err = clamd.Open(ctx, cfg.Clamd.address, cfg.VirusTimeout); err != nil {
			return i, err
		}
	}
	switch {
	case cfg.Validator == AutoValidator:
		i.service, err = validator.Launch(ctx)
	case cfg.Validator != "":
		i.service, err = validator.Connect(ctx, cfg.Validator)
	}
	if err != nil {
		return i, err
	}
	if cfg.Tidy {
		if i.tidy, err = validator.FindTidy(); err != nil {
			return i, err
		}
	}
	i.plugins, err = plugin.Start(ctx, configsOf(cfg.Plugins))
	return i, err
}

// ClamdVersion returns what clamd says about itself, "" if there is none.
func (i *Inspector) ClamdVersion() string {
	if i == nil || i.scanner == nil {
		return ""
	}
	return i.scanner.Version()
}

// Declared returns the codes that the plugins declared.
func (i *Inspector) Declared() (all []PluginCode) {
	if i == nil {
		return nil
	}
	for _, p := range i.plugins {
		for _, d := range p.Declared() {
			all = append(all, PluginCode(d))
		}
	}
	return all
}

// Notes returns remarks for the user about the programs that are used.
func (i *Inspector) Notes(now time.Time) (notes []string) {
	if i != nil && i.scanner != nil {
		if note := i.scanner.Note(now); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// Close ends the programs that the Inspector has started.
func (i *Inspector) Close() {
	if i == nil {
		return
	}
	for _, p := range i.plugins {
		p.Close()
	}
	if i.service != nil {
		i.service.Close()
	}
}

// Lost returns why the rest of the run is not checked completely: the name of what was lost,
// as Summary.StoppedBy has it, and the reason. The name is "" if nothing was lost.
func (i *Inspector) Lost() (name string, why error) {
	if i == nil {
		return "", nil
	}
	if i.scanner != nil {
		if why := i.scanner.Lost(); why != nil {
			return "clamd", why
		}
	}
	if i.service != nil {
		if why := i.service.Lost(); why != nil {
			return "validator", why
		}
	}
	for _, p := range i.plugins {
		if why := p.Lost(); why != nil {
			return "plugin", why
		}
	}
	return "", nil
}

// Recall returns an Inspector that looks at nothing, for a report on a crawl whose documents were
// looked at before.
func Recall(cfg Config) *Inspector {
	if cfg.isZero() {
		return nil
	}
	return &Inspector{cfg: cfg, checks: fingerprint(&cfg), pairs: siterules.Config{Groups: cfg.Groups.pageRules(), ImageMax: cfg.ImageMax}}
}

// Scan scans a body. It returns the name of the virus that was found, or why the body could
// not be scanned.
func (i *Inspector) Scan(ctx context.Context, body []byte) (virus, unscanned string) {
	r := i.scanner.Scan(ctx, body)
	return r.Signature, r.Reason
}

// Needs says what the Inspector needs of a run: nothing without one.
func (i *Inspector) Needs() inspected.Needs {
	if i == nil {
		return inspected.Needs{}
	}
	scans := i.scanner != nil
	return inspected.Needs{ScansPages: scans, ScansOthers: scans && i.cfg.VirusAll, ScanMax: i.cfg.VirusMax,
		Waits: i.service != nil || i.tidy != nil || len(i.plugins) > 0, FindsLinks: len(i.plugins) > 0,
		Pairs: i.pairs}
}

// Knows reports whether an outcome has what the Inspector would find in the same document. Without
// an Inspector, each has.
func (i *Inspector) Knows(o *judging.Outcome, internal bool) bool {
	if i == nil {
		return true
	}
	checks, made := judging.MadeChecks(o.Inspection)
	return made && checks == i.checks && checks != 0 && !i.Needs().Scans(internal)
}

// Target looks at the content of a target that is not looked at as a page, such as an image or
// a script of another site. It reads no more than it needs, and at most the limit, in bytes. The header
// is that of the answer, and origin the one that the request named, "" for none.
func (i *Inspector) Target(body io.Reader, limit int64, header http.Header, origin string) judging.Inspection {
	in := judging.Inspection{Checks: i.checks}
	if !i.cfg.Groups.Has(Images | Security) {
		return in
	}
	if t, err := facts.TargetOf(body, limit); err == nil {
		t.Origin, t.AllowOrigin = origin, ""
		if origin != "" {
			t.AllowOrigin = facts.Cut(strings.Join(header.Values("Access-Control-Allow-Origin"), ", "))
		}
		in.Facts = facts.AppendTarget(nil, &t)
	}
	return in
}
