package crawler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A crawl whose store knows targets from an earlier session is resumed from there.
// Most of a run is in the store: targets, outcomes, references, retries, counts,
// the pace of hosts. What else a run knows is either computed again from that (the
// budgets of traps, the sites that seeds were redirected to), or requested again
// (robots.txt, cookies, the answers to made-up addresses).

// resumption fills a run with what its store knows about earlier sessions.
type resumption struct{ run *run }

// Report reports what a store knows of a crawl, without sending a request: cfg and seeds
// are those of the crawl. A crawl that has not ended is reported as interrupted. If the store
// is a frontier.Sealer, it can only be read from then on.
func Report(ctx context.Context, cfg *Config, seeds []Seed, sink result.Sink) (*result.Summary, error) {
	asking := *cfg
	asking.Judging.Archive = ""
	return judgeStore(ctx, &asking, seeds, sink, check.NoGap)
}

// judgeStore judges and reports what a store knows of a crawl. stoppedBy is why the crawl ended
// early, if the caller knows.
func judgeStore(ctx context.Context, cfg *Config, seeds []Seed, sink result.Sink, stoppedBy check.Gap) (*result.Summary, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := newRun(ctx, cfg, seeds, sink)
	ctx = r.door.WithIssuers(ctx)
	c, err := r.frontier.Count(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the targets: %w", err)
	}
	earlier := resumption{r}
	if err := earlier.recallTallies(); err != nil {
		return nil, err
	}
	if err := earlier.recallTargets(); err != nil {
		return nil, err
	}
	if err := r.seeds.find(r.always); err != nil {
		return nil, err
	}
	switch {
	case stoppedBy != check.NoGap:
		r.out.ended(stoppedBy)
	case c.Queued+c.Leased > 0:
		r.out.ended(check.GapInterrupt)
	}
	sum, err := r.report(ctx)
	if err != nil {
		return nil, err
	}
	sum.Elapsed = r.clock.before
	return sum, nil
}

// recall restores what the store knows about earlier sessions.
func (r resumption) recall() error {
	c, err := r.run.frontier.Count(r.run.always)
	if err != nil {
		return fmt.Errorf("count the targets: %w", err)
	}
	if err := r.recallTallies(); err != nil {
		return err
	}
	r.run.memory.Begin(r.run.clock.began)
	if c.Known == 0 {
		return nil
	}
	if err := r.run.frontier.Hosts().Resume(r.run.always, r.run.intervalBefore); err != nil {
		return err
	}
	if err := r.recallTargets(); err != nil {
		return err
	}
	return r.run.memory.RecallWays(r.run.always, r.run.door.Scope())
}

// keepInterval records the configured interval in the store, for a later session.
func (r resumption) keepInterval() error {
	by := r.run.door.Interval() - r.run.intervalBefore
	if by == 0 {
		return nil
	}
	return r.run.cfg.Keep.Store.Tally(r.run.always, []frontier.Tally{{Name: tallyInterval, By: int64(by)}})
}

// recallTallies restores the counts of earlier sessions.
func (r resumption) recallTallies() error {
	run := r.run
	kept, err := run.cfg.Keep.Store.Tallies(run.always)
	if err != nil {
		return fmt.Errorf("read what was counted: %w", err)
	}
	for c, name := range tallyNames {
		run.counts.all[c].Store(kept[name])
	}
	run.door.Pages.Resume(int(kept[tallyNames[countPages]]))
	run.clock.before = time.Duration(kept[tallyElapsed])
	run.intervalBefore = time.Duration(kept[tallyInterval])
	if at := kept[tallyStarted]; at != 0 {
		run.clock.began = time.Unix(0, at)
	}
	for _, u := range run.cfg.Uses() {
		if kept[tallyRule+u.Name()] > 0 {
			u.Recall()
		}
	}
	for name, n := range kept {
		if pattern, ok := strings.CutPrefix(name, tallyTrap); ok && n > 0 {
			run.out.trapped[pattern] = int(n)
			run.counts.gaps[check.GapTrap].Store(1) // states of older versions have only the patterns
		}
		if key, ok := strings.CutPrefix(name, tallySitemap); ok {
			run.door.Sitemaps.Add(key)
		}
	}
	for g := range run.counts.gaps {
		if n := kept[tallyStopped+check.Gap(g).String()]; n > 0 {
			run.counts.gaps[g].Store(n)
		}
	}
	if n := kept["too long"]; n > 0 {
		run.counts.gaps[check.GapURLLength].Store(n)
	}
	return nil
}

// recallTargets computes from the targets what the store does not keep directly.
func (r resumption) recallTargets() error {
	seeds, err := r.recallTraps()
	if err != nil {
		return err
	}
	if err := r.recallScope(seeds); err != nil {
		return err
	}
	if !r.run.cfg.Deliver.Pages {
		return nil
	}
	return r.recallPages()
}

// recallTraps counts the pages that were visited in the budgets of traps, and returns
// the seeds that are in no directory.
func (r resumption) recallTraps() (seeds []frontier.ID, err error) {
	err = r.run.cfg.Keep.Store.Scan(r.run.always, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
		if rec.Need&frontier.NeedLeft != 0 {
			if err := r.recallLeft(rec); err != nil {
				return err
			}
		}
		visited := rec.Settled || len(rec.Note) > 0
		if !visited {
			return nil
		}
		if rec.Need&(frontier.NeedLinks|frontier.NeedSeed) == 0 {
			return nil
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		u, _, err := urinorm.ParseWeb(string(job.URL))
		if err != nil || r.run.door.Scope().SiteOf(u) != nil {
			return nil
		}
		if rec.Need&frontier.NeedSeed != 0 {
			seeds = append(seeds, rec.ID)
			return nil
		}
		r.run.door.Traps.Check(u)
		return nil
	})
	return seeds, err
}

// recallLeft recalls that a link says that a target signs out or deletes something.
func (r resumption) recallLeft(rec *frontier.Record) error {
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return fmt.Errorf("target %d: %w", rec.ID, err)
	}
	if u, _, err := urinorm.ParseWeb(string(job.URL)); err == nil {
		r.run.door.Scope().LeaveAlone(rules.HrefOf(u))
	}
	return nil
}

// recallScope makes the sites that the seeds were redirected to internal.
func (r resumption) recallScope(seeds []frontier.ID) error {
	for _, id := range seeds {
		rec, err := r.run.cfg.Keep.Store.Get(r.run.always, id, frontier.PartJob|frontier.PartOutcome)
		if err != nil {
			return err
		}
		if !rec.Settled {
			continue
		}
		o, _, err := check.DecodeHead(rec.Outcome)
		if err != nil {
			return fmt.Errorf("target %d: %w", id, err)
		}
		if o.Code != check.CodeRedirect {
			continue
		}
		if next, _, err := urinorm.ParseWeb(o.Next); err == nil {
			r.run.door.Widen(next)
		}
	}
	return nil
}

// recallPages reports the pages that were read before to the sink.
func (r resumption) recallPages() error {
	var printed []string
	err := r.run.cfg.Keep.Store.Scan(r.run.always, frontier.PartJob, func(rec *frontier.Record) error {
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		printed = append(printed, r.run.print.Job(&job))
		return nil
	})
	if err != nil {
		return err
	}
	var reader frontier.LinkReader
	return r.run.cfg.Keep.Store.Scan(r.run.always, frontier.AllParts, func(rec *frontier.Record) error {
		if len(rec.Page) == 0 {
			return nil
		}
		page, err := decodePage(rec, printed, &reader)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		r.run.settling.reportPage(page)
		return nil
	})
}

// decodePage restores a page from what the store keeps of it.
func decodePage(rec *frontier.Record, printed []string, reader *frontier.LinkReader) (*result.Page, error) {
	page, _, err := rules.DecodePage(rec.Page)
	if err != nil {
		return nil, err
	}
	o, err := check.DecodeOutcome(rec.Outcome)
	if err != nil {
		return nil, err
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return nil, err
	}
	page.URL, page.Title, page.Depth, page.Modified = printed[rec.ID-1], o.Title, job.Depth, o.Modified
	page.Status, page.Elapsed, page.Size = o.Status, o.Elapsed, o.Size
	if err := reader.Reset(rec.Links); err != nil {
		return nil, err
	}
	var l frontier.RawLink
	for {
		more, err := reader.Next(&l)
		if err != nil || !more {
			return page, err
		}
		if l.Target >= len(rec.Found) {
			return nil, errors.New("a reference leads to none of the targets that were found")
		}
		edge := result.Edge{URL: printed[rec.Found[l.Target]-1], Text: string(l.Text)}
		if l.HasFragment {
			edge.URL += "#" + string(l.Fragment)
		}
		page.Links = append(page.Links, edge)
	}
}

// Finish records in a store that its crawl is finished: it is over, and its reports are
// written. Until then, Run with the store reports the crawl again, without visiting a target
// that is settled. The Summary tells whether the crawl is over (result.Soundness).
func Finish(ctx context.Context, store frontier.Store) error {
	if err := store.Tally(ctx, []frontier.Tally{{Name: tallyFinished, By: 1}}); err != nil {
		return fmt.Errorf("note that the crawl is finished: %w", err)
	}
	return nil
}

// IsFinished reports whether sums are those of a store whose crawl is finished: see Finish.
func IsFinished(sums map[string]int64) bool { return sums[tallyFinished] > 0 }

// Standing is the progress of the crawl in a store.
type Standing struct {
	Known, Settled int
	Started        time.Time     // start of its first session; the zero time if there was none
	Elapsed        time.Duration // all of them
	Finished       bool          // the crawl is over, and its reports are written: see Finish
}

// StandingOf reads a store's standing.
func StandingOf(ctx context.Context, store frontier.Store) (Standing, error) {
	c, err := store.Count(ctx)
	if err != nil {
		return Standing{}, fmt.Errorf("count the targets: %w", err)
	}
	kept, err := store.Tallies(ctx)
	if err != nil {
		return Standing{}, fmt.Errorf("read what was counted: %w", err)
	}
	s := Standing{Known: c.Known, Settled: c.Settled, Elapsed: time.Duration(kept[tallyElapsed]), Finished: IsFinished(kept)}
	if at := kept[tallyStarted]; at != 0 {
		s.Started = time.Unix(0, at)
	}
	return s, nil
}
