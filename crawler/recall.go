package crawler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A crawl whose store knows targets from an earlier session goes on from there.
// Most of a run is in the store: targets, outcomes, references, retries, counts,
// the pace of hosts. What else a run knows is either made again from that (the
// budgets of traps, the sites that seeds were redirected to), or asked for once
// more (robots.txt, cookies, the answers to made-up addresses).

// Report says what a store knows of a crawl, without asking anything: cfg and seeds
// are those of the crawl. What was not reached by now is reported as interrupted.
func Report(ctx context.Context, cfg *Config, seeds []Seed, sink Sink) (*Summary, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	asking := *cfg
	asking.Archive = ""
	r := newRun(ctx, &asking, seeds, sink)
	c, err := r.frontier.Count(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the targets: %w", err)
	}
	if err := r.recallTallies(); err != nil {
		return nil, err
	}
	if err := r.recallAll(); err != nil {
		return nil, err
	}
	if err := r.findSeeds(); err != nil {
		return nil, err
	}
	if c.Queued+c.Leased > 0 {
		r.stopped("interrupt")
	}
	sum, err := r.judge(ctx)
	if err != nil {
		return nil, err
	}
	sum.Elapsed = r.before
	return sum, nil
}

// findSeeds finds the seeds that the store knows.
func (r *run) findSeeds() error {
	fingerprints := make([]frontier.Fingerprint, len(r.seeds))
	for i := range r.seeds {
		if u := r.seeds[i].URL; !u.IsZero() {
			fingerprints[i] = r.frontier.FingerprintKey(urinorm.KeyOf(u))
		}
	}
	ids, err := r.cfg.Store.Find(r.always, fingerprints)
	if err != nil {
		return fmt.Errorf("find the start targets: %w", err)
	}
	for i := range r.seeds {
		if r.seeds[i].URL.IsZero() {
			ids[i] = 0
		}
	}
	r.seedIDs = ids
	return nil
}

// recall takes up what the store knows of earlier sessions.
func (r *run) recall() error {
	c, err := r.frontier.Count(r.always)
	if err != nil {
		return fmt.Errorf("count the targets: %w", err)
	}
	if err := r.recallTallies(); err != nil {
		return err
	}
	r.earlier.begin(r.began)
	if c.Known == 0 {
		return nil
	}
	if err := r.frontier.Hosts().Resume(r.always); err != nil {
		return err
	}
	if err := r.recallAll(); err != nil {
		return err
	}
	return r.recallWays()
}

// recallAll makes what is not kept as such from the targets.
func (r *run) recallAll() error {
	seeds, err := r.recallTargets()
	if err != nil {
		return err
	}
	if err := r.recallScope(seeds); err != nil {
		return err
	}
	if !r.cfg.Pages {
		return nil
	}
	return r.recallPages()
}

// recallTargets charges the pages that were visited to the budgets of traps, and
// returns the seeds that lie in no directory.
func (r *run) recallTargets() (seeds []frontier.ID, err error) {
	err = r.cfg.Store.Scan(r.always, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
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
		if err != nil || r.scope().SiteOf(u) != nil {
			return nil
		}
		if rec.Need&frontier.NeedSeed != 0 {
			seeds = append(seeds, rec.ID)
			return nil
		}
		r.traps.Check(u)
		return nil
	})
	return seeds, err
}

// recallWays follows the redirects that earlier sessions took from memory, so that
// whoever finds out that the way is not so any more has them asked. Where a session
// has found that out and not come so far as to ask, they are asked now.
func (r *run) recallWays() error {
	if !r.looksBack() {
		return nil
	}
	var begins []frontier.ID
	err := r.cfg.Store.Scan(r.always, frontier.PartOutcome, func(rec *frontier.Record) error {
		if !rec.Settled {
			return nil
		}
		g, err := check.GlanceAt(rec.Outcome)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if g.Redirect && g.Cached {
			begins = append(begins, rec.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	gone := map[frontier.ID]bool{}
	for _, id := range begins {
		if err := r.recallWay(id, gone); err != nil {
			return err
		}
	}
	for _, id := range begins {
		if err := r.recheckWay(id); err != nil {
			return err
		}
	}
	return nil
}

// recallWay notes the steps of a way that begins with a redirect, but for those that
// were gone already.
func (r *run) recallWay(id frontier.ID, gone map[frontier.ID]bool) error {
	for !gone[id] {
		gone[id] = true
		rec, err := r.cfg.Store.Get(r.always, id)
		if err != nil {
			return err
		}
		from, o, err := r.redirectIn(&rec)
		if err != nil {
			return fmt.Errorf("target %d: %w", id, err)
		}
		if o == nil || len(rec.Found) == 0 {
			return nil
		}
		next, _, err := urinorm.ParseWeb(o.Next)
		if err != nil {
			return nil // it leads nowhere
		}
		s := step{from: r.printOf(from)}
		if o.Cached {
			s.item = &frontier.Item{Fingerprint: s.from, Host: []byte(from.Authority()), Wave: frontier.Leaves,
				Need: frontier.NeedContent | frontier.NeedLinked, Job: rec.Job}
		}
		to := r.printOf(next)
		r.earlier.via[to] = append(r.earlier.via[to], s)
		id = rec.Found[0]
	}
	return nil
}

// redirectIn returns the URL and the outcome of a redirect, nil for anything else.
func (r *run) redirectIn(rec *frontier.Record) (u urinorm.URL, o *check.Outcome, err error) {
	if !rec.Settled {
		return u, nil, nil
	}
	head, _, err := check.DecodeHead(rec.Outcome)
	if err != nil || !head.IsRedirect() {
		return u, nil, err
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return u, nil, err
	}
	u, _, err = urinorm.ParseWeb(string(job.URL))
	return u, &head, err
}

// recheckWay has the redirects of a way asked when something on it is known by now
// not to be what it was.
func (r *run) recheckWay(id frontier.ID) error {
	sound, err := r.soundFrom(id)
	if err != nil || sound {
		return err
	}
	rec, err := r.cfg.Store.Get(r.always, id)
	if err != nil {
		return err
	}
	_, o, err := r.redirectIn(&rec)
	if err != nil || o == nil || !o.Cached {
		return err // it is to be asked already
	}
	next, _, err := urinorm.ParseWeb(o.Next)
	if err != nil {
		return err
	}
	return r.askWayTo(r.printOf(next))
}

// recallScope makes the sites internal that the seeds were redirected to.
func (r *run) recallScope(seeds []frontier.ID) error {
	for _, id := range seeds {
		rec, err := r.cfg.Store.Get(r.always, id)
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
			r.widen(next)
		}
	}
	return nil
}

// recallPages tells the sink of the pages that were read before.
func (r *run) recallPages() error {
	var printed []string
	err := r.cfg.Store.Scan(r.always, frontier.PartJob, func(rec *frontier.Record) error {
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		printed = append(printed, r.print.Job(&job))
		return nil
	})
	if err != nil {
		return err
	}
	var reader frontier.LinkReader
	return r.cfg.Store.Scan(r.always, frontier.AllParts, func(rec *frontier.Record) error {
		if len(rec.Page) == 0 {
			return nil
		}
		page, err := r.pageAgain(rec, printed, &reader)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		r.tellPage(page)
		return nil
	})
}

// pageAgain makes a page from what was kept of it.
func (r *run) pageAgain(rec *frontier.Record, printed []string, reader *frontier.LinkReader) (*Page, error) {
	page, err := rules.DecodePage(rec.Page)
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
		edge := Edge{URL: printed[rec.Found[l.Target]-1], Text: string(l.Text)}
		if l.HasFragment {
			edge.URL += "#" + string(l.Fragment)
		}
		page.Links = append(page.Links, edge)
	}
}

// Standing says how far a crawl is that a store keeps.
type Standing struct {
	Known, Settled int
	Started        time.Time     // its first session; the zero time when there was none
	Elapsed        time.Duration // all of them
	Finished       bool          // it came to its end
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
	s := Standing{Known: c.Known, Settled: c.Settled, Elapsed: time.Duration(kept[tallyElapsed]), Finished: kept[tallyFinished] > 0}
	if at := kept[tallyStarted]; at != 0 {
		s.Started = time.Unix(0, at)
	}
	return s, nil
}
