package verdicts

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/siterules"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// pageSite is the crawl as package siterules sees it: the pages with facts, and what is known of
// their targets.
type pageSite struct {
	join   *join
	pages  []frontier.ID          // with facts
	kept   []keptPage             // the first of pages
	room   int                    // bytes of facts that may still be kept
	linked idBits                 // targets that another page of the site links to
	ids    map[uint64]frontier.ID // of the URLs that facts name, by the hashes of their keys
	starts []siterules.Start
	// entries are what the sitemaps list.
	entries  []listed
	sitemaps map[frontier.ID]bool
}

// listed is an address that a sitemap lists.
type listed struct {
	sitemap, id frontier.ID
	place       facts.Place
	raw         string
}

// keptPage is a page that need not be read from the store again.
type keptPage struct {
	url   string
	facts []byte
}

// maxKept is how much of the facts is kept, in bytes: all facts of some thousand pages.
const maxKept = 4 << 20

// comparePages judges what can be said only when all pages are known.
func (j *join) comparePages() (*pageFindings, error) {
	all := &pageFindings{join: j, compared: map[frontier.ID][]comparedFinding{}, names: map[frontier.ID]string{}}
	cfg := j.crawl.Judging.Inspector.Needs().Pairs
	if !j.inspected || cfg.Groups == 0 {
		return all, nil
	}
	s := &pageSite{join: j, linked: j.targets().none(), ids: map[uint64]frontier.ID{}, room: maxKept, sitemaps: map[frontier.ID]bool{}}
	if err := inOrder(s.readPages, s.findTargets, s.findStarts); err != nil {
		return nil, err
	}
	err := siterules.Judge(s, cfg, func(f siterules.Finding) error {
		id, in := frontier.ID(f.ID), frontier.ID(f.In)
		all.compared[id] = append(all.compared[id], comparedFinding{f.Finding, in})
		if in != id {
			all.names[in] = ""
		}
		return nil
	})
	for in := range all.names {
		d := j.details.get(in)
		if all.names[in] = j.crawl.Print.Job(&d.job); d.outcome.Path != "" {
			all.names[in] = j.crawl.Print.Path(d.outcome.Path)
		}
	}
	if err == nil {
		err = j.details.err
	}
	return all, err
}

// comparedFinding is a finding about a target, with a place in a document.
type comparedFinding struct {
	judging.Finding
	in frontier.ID
}

// Pages calls each for every page with facts. It does not scan the store, as each may ask for
// targets.
func (s *pageSite) Pages(each func(*siterules.Page) error) error {
	for n, id := range s.pages {
		if n < len(s.kept) {
			if err := each(&siterules.Page{ID: siterules.ID(id), URL: s.kept[n].url, Facts: s.kept[n].facts, Linked: s.linked.has(id)}); err != nil {
				return err
			}
			continue
		}
		rec, err := s.join.crawl.Store.Get(s.join.ctx, id, frontier.PartJob|frontier.PartOutcome)
		if err != nil {
			return fmt.Errorf("read page %d again: %w", id, err)
		}
		encoded, err := factsOf(s.join.targets().outcomeOf(&rec))
		if err != nil {
			return fmt.Errorf("target %d: %w", id, err)
		}
		if err := each(&siterules.Page{ID: siterules.ID(id), URL: s.join.pageName(&rec), Facts: encoded, Linked: s.linked.has(id)}); err != nil {
			return err
		}
	}
	return nil
}

// factsOf returns the facts in an encoded outcome, nil if there are none or the target is not
// OK.
func factsOf(outcome []byte) ([]byte, error) {
	g, err := judging.GlanceAt(outcome)
	if err != nil || !g.Inspected || !g.OK {
		return nil, err
	}
	o, _, err := judging.DecodeHead(outcome)
	if err != nil {
		return nil, err
	}
	return judging.FactsOf(o.Inspection)
}

// keyHash returns the hash by which a URL is found.
func keyHash(u urinorm.URL) uint64 { return xxhash.Sum64String(string(urinorm.KeyOf(u))) }

// readPages finds the pages with facts, and notes which URLs the facts name, which targets other
// pages link to, and what sitemaps list.
func (s *pageSite) readPages() error {
	var f facts.Page
	var links frontier.BriefReader
	var entries frontier.LinkReader
	t := s.join.targets()
	sitemaps := s.join.crawl.Judging.Inspector.Needs().Pairs.NeedsSitemaps()
	return s.join.crawl.Store.Scan(s.join.ctx, frontier.PartJob|frontier.PartOutcome|frontier.PartFound|frontier.PartLinks, func(rec *frontier.Record) error {
		encoded, err := factsOf(t.outcomeOf(rec))
		if err == nil && facts.IsPage(encoded) && t.of(rec.ID)&internal != 0 {
			s.pages = append(s.pages, rec.ID)
			if s.room -= len(encoded); s.room >= 0 {
				s.kept = append(s.kept, keptPage{s.join.pageName(rec), bytes.Clone(encoded)})
			}
			if err = f.Decode(encoded); err == nil {
				s.noteNamed(&f)
				err = s.noteLinked(rec, &links)
			}
		} else if err == nil && sitemaps {
			err = s.noteListed(rec, &entries)
		}
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		return nil
	})
}

// noteNamed notes which URLs the facts of a page name.
func (s *pageSite) noteNamed(f *facts.Page) {
	want := func(url string) {
		if u, _, err := urinorm.ParseWeb(url); err == nil {
			s.ids[keyHash(u)] = 0
		}
	}
	for i := range f.Canonicals {
		want(f.Canonicals[i].URL)
	}
	for i := range f.Alternates {
		want(f.Alternates[i].URL)
	}
	for i := range f.Images {
		want(f.Images[i].URL)
	}
	for i := range f.Integrities {
		want(f.Integrities[i].URL)
	}
}

// noteLinked notes which targets a page links to, other than itself.
func (s *pageSite) noteLinked(rec *frontier.Record, links *frontier.BriefReader) error {
	if len(rec.Links) == 0 {
		return nil
	}
	if err := links.Reset(rec.Links); err != nil {
		return err
	}
	var b frontier.Brief
	for {
		more, err := links.Next(&b)
		if err != nil || !more {
			return err
		}
		if b.Mark&scope.MarkUnseen != 0 {
			continue
		}
		id := rec.Found[b.Target]
		if end := s.join.targets().follow(id).end; end != rec.ID {
			s.linked.set(id)
			if end != 0 {
				s.linked.set(end)
			}
		}
	}
}

// noteListed notes what a document lists if it is a sitemap.
func (s *pageSite) noteListed(rec *frontier.Record, links *frontier.LinkReader) error {
	if len(rec.Links) == 0 {
		return nil
	}
	g, err := judging.GlanceAt(s.join.targets().outcomeOf(rec))
	if err != nil || g.HTML || !g.OK {
		return err
	}
	if err := links.Reset(rec.Links); err != nil {
		return err
	}
	var link frontier.RawLink
	for {
		more, err := links.Next(&link)
		if err != nil || !more || link.Element != "loc" {
			return err
		}
		s.sitemaps[rec.ID] = true
		if link.Mark&scope.MarkExpect == 0 { // not an image of a page
			s.entries = append(s.entries, listed{rec.ID, rec.Found[link.Target], facts.Place{Line: link.Line, Column: link.Column}, string(link.Raw)})
		}
	}
}

// findTargets finds the targets that the facts name.
func (s *pageSite) findTargets() error {
	if len(s.ids) == 0 {
		return nil
	}
	return s.join.crawl.Store.Scan(s.join.ctx, frontier.PartJob, func(rec *frontier.Record) error {
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if job.Verbatim {
			return nil
		}
		u, _, err := urinorm.ParseWeb(string(job.URL))
		if err != nil {
			return nil
		}
		if _, wanted := s.ids[keyHash(u.WithoutUserinfo())]; wanted {
			s.ids[keyHash(u.WithoutUserinfo())] = rec.ID
		}
		return nil
	})
}

// findStarts finds the start pages: those that the user named, and the index of each directory. A
// directory whose address is not known stands for its host.
func (s *pageSite) findStarts() error {
	c := s.join.crawl
	for i := range c.Seeds {
		seed := &c.Seeds[i]
		if c.SeedIDs[i] == 0 || !seed.Crawl {
			continue
		}
		site := c.Scope.Sites.Of(seed.URL)
		if site == nil && !seed.Named {
			continue
		}
		end := s.join.targets().follow(c.SeedIDs[i]).end
		if end == 0 {
			continue
		}
		d := s.join.details.get(end)
		host := d.url.Scheme() + "://" + d.url.Authority()
		if site != nil {
			if rel, err := filepath.Rel(site.Dir(), d.outcome.Path); err != nil || strings.TrimSuffix(rel, filepath.Ext(rel)) != "index" {
				continue
			}
		}
		s.starts = append(s.starts, siterules.Start{ID: siterules.ID(end), Host: host, Directory: site != nil})
	}
	return s.join.details.err
}

// Starts returns the start pages.
func (s *pageSite) Starts() []siterules.Start { return s.starts }

// Target returns what is known of a URL as facts have it.
func (s *pageSite) Target(url string) (siterules.Target, error) {
	u, _, err := urinorm.ParseWeb(url)
	if err != nil {
		return siterules.Target{}, nil
	}
	id := s.ids[keyHash(u)]
	if id == 0 {
		return siterules.Target{}, nil
	}
	return s.target(id)
}

// target returns what is known of a target.
func (s *pageSite) target(id frontier.ID) (t siterules.Target, err error) {
	r := s.join.targets().follow(id)
	if r.end == 0 {
		return t, nil
	}
	d := s.join.details.get(r.end)
	if s.join.details.err != nil {
		return t, s.join.details.err
	}
	t.ID, t.URL, t.Redirects, t.Size = siterules.ID(r.end), s.join.crawl.Print.Job(&d.job), len(r.hops) > 0, max(d.outcome.Size, 0)
	g, _ := s.join.judge.verdict(&pair{id: id, route: &r, decision: undecided})
	switch g.Verdict {
	case check.OK:
		t.State = siterules.OK
	case check.Broken:
		t.State = siterules.Broken
	}
	if d.outcome.Inspection == nil {
		return t, nil
	}
	encoded, err := judging.FactsOf(d.outcome.Inspection)
	if err != nil {
		return t, fmt.Errorf("target %d: %w", r.end, err)
	}
	if !facts.IsPage(encoded) {
		t.Facts = encoded
	}
	return t, nil
}

// Sitemaps calls each for every address that a sitemap lists.
func (s *pageSite) Sitemaps(each func(*siterules.Entry) error) error {
	starts := map[frontier.ID]bool{}
	indexes := map[string]bool{} // files of directories that are start targets
	for i := range s.starts {
		indexes[s.join.details.get(frontier.ID(s.starts[i].ID)).outcome.Path] = true
	}
	delete(indexes, "")
	for i := range s.join.crawl.Seeds {
		if s.join.crawl.Seeds[i].Named && s.join.crawl.SeedIDs[i] != 0 {
			starts[s.join.crawl.SeedIDs[i]] = true
		}
	}
	for _, e := range s.entries {
		t, err := s.target(e.id)
		if err != nil {
			return err
		}
		if s.sitemaps[frontier.ID(t.ID)] {
			continue // an entry of an index
		}
		if err := each(&siterules.Entry{Sitemap: siterules.ID(e.sitemap), Place: e.place, Raw: e.raw, Listed: siterules.ID(e.id), Target: t,
			Linked: s.linked.has(e.id), Start: starts[e.id] || indexes[s.join.details.get(frontier.ID(t.ID)).outcome.Path]}); err != nil {
			return err
		}
	}
	return nil
}
