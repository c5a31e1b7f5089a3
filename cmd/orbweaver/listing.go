package main

import (
	"fmt"
	"path/filepath"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// addListing adds the URLs that a run of a server only checks. If it checks nothing else, the targets
// only say who gets secrets, and no page is read for links.
func (p *plan) addListing(o *options) (err error) {
	if o.listing.Only {
		p.seeds = nil
		c := &o.crawl
		seedsOnly(c)
		c.Scope.Exclude, c.Limits.MaxPages = nil, 0
		if c.Reading.Select, err = extract.CompileSelector("orbweaver-no-element"); err != nil {
			return err
		}
	}
	for _, l := range o.listing.URLs {
		seed, fault := p.seedOf(l)
		if fault == nil {
			p.seeds = append(p.seeds, seed)
		}
		err = fault
	}
	if o.listing.Only && len(p.seeds)+len(o.listing.Kept) == 0 {
		return err
	}
	return nil
}

// reportKept reports the results of a listing that are kept, and counts them. A run that requests
// nothing else is as reliable as they are.
func reportKept(l *runs.Listing, sum *result.Summary, out *report.Multi) error {
	asked := sum.Results
	for _, text := range l.Kept {
		r, err := report.ReadResult(text)
		if err != nil {
			return err
		}
		sum.Count(r.Internal, r.Verdict, r.Code, r.Warnings, 1)
		sum.References += len(r.References)
		if err := out.Result(r); err != nil {
			return err
		}
	}
	if asked == 0 && len(l.Kept) > 0 {
		sum.Soundness = result.SoundnessOf(sum, 0)
	}
	return nil
}

// seedsOnly lets a run read no page but its seeds.
func seedsOnly(cfg *crawler.Config) {
	cfg.Scope.Depth, cfg.Scope.Sitemaps = -1, false
}

// seedOf returns a URL as a start target, on the same side of the scope as before. What cannot be
// requested, such as a reference that is no URL, is an error.
func (p *plan) seedOf(l runs.ListedURL) (seed crawler.Seed, err error) {
	seed = crawler.Seed{Crawl: l.Internal, Named: true, Raw: l.URL}
	if seed.URL, _, err = urinorm.ParseWeb(l.URL); err == nil {
		return seed, nil
	}
	path, err := unescapePath(l.URL)
	if err != nil {
		return seed, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.workingDir, filepath.FromSlash(path))
	}
	for dir, site := range p.dirs {
		rel, err := filepath.Rel(dir, path)
		if err != nil || !inside(dir, path) {
			continue
		}
		seed.URL, err = site.URLOf(filepath.ToSlash(rel))
		return seed, err
	}
	return seed, fmt.Errorf("%s: it is in none of the targets", l.URL)
}
