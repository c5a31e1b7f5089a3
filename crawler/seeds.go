package crawler

import (
	"context"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// seedTargets holds the seeds of a run and their targets.
type seedTargets struct {
	env       *references.Env
	seeds     []Seed
	ids       []frontier.ID      // of each seed; 0 if it has no URL
	documents document.Documents // the seeds that are in directories
}

// seedsAtOnce is how many seeds are entered in one step: a directory may contain very
// many, and the memory used to enter them should stay small enough for the processor's
// cache.
const seedsAtOnce = 512

// enter enters the seeds.
func (s *seedTargets) enter(ctx context.Context) error {
	var page references.Page
	s.ids = make([]frontier.ID, len(s.seeds))
	for from := 0; from < len(s.seeds); from += seedsAtOnce {
		to := min(from+seedsAtOnce, len(s.seeds))
		if err := s.enterSome(ctx, &page, from, to); err != nil {
			return err
		}
	}
	return nil
}

// enterSome enters some of the seeds and fills in their IDs.
func (s *seedTargets) enterSome(ctx context.Context, page *references.Page, from, to int) error {
	page.Reset(s.env, scope.Href{}, -1)
	index := make([]int, to-from)
	for i := range index {
		index[i] = s.enterOne(page, &s.seeds[from+i])
	}
	ids, err := s.env.Frontier.Refer(ctx, page.Targets())
	if err != nil {
		return err
	}
	for i, at := range index {
		if at >= 0 {
			s.ids[from+i] = ids[at]
			s.env.Forecast.Seeded(ids[at])
		}
	}
	return nil
}

// enterOne enters a seed and returns its index among the targets of the page; -1 for one
// that is not a target.
func (s *seedTargets) enterOne(page *references.Page, seed *Seed) int {
	if seed.URL.IsZero() {
		return -1
	}
	v, in := scope.HrefOf(seed.URL), s.env.Scope()
	excluded := in.Excluded(v)
	if !seed.Named && (excluded != nil || in.Unfollowed(v)) {
		return -1
	}
	if seed.Follow && in.SiteOf(seed.URL) != nil {
		s.documents.Add(v.Document())
	}
	fate := scope.Fate{Wave: in.Wave(0), Need: frontier.NeedSeed | frontier.NeedLinked, Internal: seed.Follow || seed.Crawl || !v.IsHTTP(), Outcome: excluded}
	if excluded == nil && !seed.Follow && !slices.Contains(in.Schemes, string(v.Scheme())) { // judged like a link to it
		if o := judging.UncheckedScheme(string(v.Bytes)); o.Code != check.CodeOK {
			fate.Outcome, fate.Internal = &o, false
		}
	}
	if seed.Follow {
		fate.Need |= frontier.NeedLinks | frontier.NeedContent
	}
	if seed.Named {
		fate.Need |= frontier.NeedListed
	}
	if fragment, ok := v.Fragment(); ok && references.WantsAnchors(fragment) {
		fate.Need |= frontier.NeedContent
	}
	return page.AddSeed(v, fate)
}
