// Package stored tells what a store knows of a crawl: what its sessions have counted, and what
// follows from its targets. Everything that reads a crawl back from its store reads it here: a run
// that is resumed, a report, and the coordinator of several machines.
//
//	known, err := stored.Load(ctx, store, scope, budgets)
//	if err != nil { … }
//	known.Of[stored.Pages]    // how many pages were read
//	known.Recall(door, uses)  // the scope and the rules are as the last session left them
//
// Sums are added to in the step that ends a visit: [Counts.AppendTallies].
package stored

import (
	"context"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Crawl is what a store knows of a crawl.
type Crawl struct {
	*Sums
	Targets   frontier.Counts
	Widened   []urinorm.URL // where seeds redirect to: sites that are internal, too
	LeftAlone []urinorm.URL // links say that these targets sign out or delete something
}

// Load reads what a store knows of a crawl. The pages that were visited are counted in budgets,
// which may be nil. The scope knows which URLs are in directories; those have no budget.
func Load(ctx context.Context, store frontier.Store, scope *scope.Scope, budgets *trap.Guards) (*Crawl, error) {
	c := &Crawl{}
	var err error
	if c.Targets, err = store.Count(ctx); err != nil {
		return nil, fmt.Errorf("count the targets: %w", err)
	}
	if c.Sums, err = ReadSums(ctx, store); err != nil || c.Targets.Known == 0 {
		return c, err
	}
	var seeds []frontier.ID
	err = store.Scan(ctx, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
		visited := (rec.Settled || len(rec.Note) > 0) && rec.Need&(frontier.NeedLinks|frontier.NeedSeed) != 0
		if !visited && rec.Need&frontier.NeedLeft == 0 {
			return nil
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		u, _, err := urinorm.ParseWeb(string(job.URL))
		if err != nil {
			return nil
		}
		if rec.Need&frontier.NeedLeft != 0 {
			c.LeftAlone = append(c.LeftAlone, u)
		}
		switch {
		case !visited || scope.Sites.Of(u) != nil:
		case rec.Need&frontier.NeedSeed != 0:
			seeds = append(seeds, rec.ID)
		case budgets != nil:
			budgets.Check(u)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, c.findWidened(ctx, store, seeds)
}

// findWidened finds where seeds redirect to.
func (c *Crawl) findWidened(ctx context.Context, store frontier.Store, seeds []frontier.ID) error {
	for _, id := range seeds {
		rec, err := store.Get(ctx, id, frontier.PartJob|frontier.PartOutcome)
		if err != nil {
			return err
		}
		if !rec.Settled {
			continue
		}
		o, _, err := judging.DecodeHead(rec.Outcome)
		if err != nil {
			return fmt.Errorf("target %d: %w", id, err)
		}
		if o.Code != check.CodeRedirect {
			continue
		}
		if next, _, err := urinorm.ParseWeb(o.Next); err == nil {
			c.Widened = append(c.Widened, next)
		}
	}
	return nil
}

// Recall makes the scope of a door, and what is known of the uses of rules and exclusions, as the
// last session left them.
func (c *Crawl) Recall(door *admit.Door, uses []*scope.Use) {
	c.RecallUses(uses)
	for _, u := range c.LeftAlone {
		door.Scope().LeaveAlone(scope.HrefOf(u))
	}
	for _, u := range c.Widened {
		door.Widen(u)
	}
}

// SeedIDs returns the targets of seeds in the store of a frontier, 0 for each that it does not know
// or that has no URL.
func SeedIDs(ctx context.Context, f *frontier.Frontier, seeds []scope.Seed) ([]frontier.ID, error) {
	fingerprints := make([]frontier.Fingerprint, len(seeds))
	for i := range seeds {
		if u := seeds[i].URL; !u.IsZero() {
			fingerprints[i] = f.FingerprintKey(urinorm.KeyOf(u))
		}
	}
	ids, err := f.Store().Find(ctx, fingerprints)
	if err != nil {
		return nil, fmt.Errorf("find the start targets: %w", err)
	}
	for i := range seeds {
		if seeds[i].URL.IsZero() {
			ids[i] = 0
		}
	}
	return ids, nil
}
