// Package seeds enters the start targets of a run.
package seeds

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

// Targets holds the seeds of a run and their targets.
type Targets struct {
	Env       *references.Env
	Seeds     []scope.Seed
	IDs       []frontier.ID      // of each seed; 0 if it has no URL
	Documents document.Documents // the seeds that are in directories
}

// Inputs returns the names of what seeds let a run read first, as reports print them. "-" is standard input.
func Inputs(in *scope.Scope, seeds []scope.Seed) (names []string) {
	for i := range seeds {
		switch s := &seeds[i]; {
		case in.Excluded(scope.HrefOf(s.URL)) != nil || !s.Named && in.Unfollowed(scope.HrefOf(s.URL)):
		case s.Raw == "-":
			names = append(names, "-")
		default:
			names = append(names, in.Print.URL(s.URL))
		}
	}
	return names
}

// AtOnce is how many seeds are entered in one step: a directory may contain very
// many, and the memory used to enter them should stay small enough for the processor's
// cache.
const AtOnce = 512

// Enter enters the seeds.
func (s *Targets) Enter(ctx context.Context) error {
	var page references.Page
	s.IDs = make([]frontier.ID, len(s.Seeds))
	for from := 0; from < len(s.Seeds); from += AtOnce {
		to := min(from+AtOnce, len(s.Seeds))
		if err := s.enterSome(ctx, &page, from, to); err != nil {
			return err
		}
	}
	return nil
}

// enterSome enters some of the seeds and fills in their IDs.
func (s *Targets) enterSome(ctx context.Context, page *references.Page, from, to int) error {
	page.Reset(s.Env, scope.Href{}, -1)
	index := make([]int, to-from)
	for i := range index {
		index[i] = s.enterOne(page, &s.Seeds[from+i])
	}
	ids, err := s.Env.Frontier.Refer(ctx, page.Targets())
	if err != nil {
		return err
	}
	for i, at := range index {
		if at >= 0 {
			s.IDs[from+i] = ids[at]
			s.Env.Forecast.Seeded(ids[at])
		}
	}
	return nil
}

// enterOne enters a seed and returns its index among the targets of the page; -1 for one
// that is not a target.
func (s *Targets) enterOne(page *references.Page, seed *scope.Seed) int {
	if seed.URL.IsZero() {
		return -1
	}
	v, in := scope.HrefOf(seed.URL), s.Env.Scope()
	excluded := in.Excluded(v)
	if !seed.Named && (excluded != nil || in.Unfollowed(v)) {
		return -1
	}
	if seed.Follow && in.Sites.Of(seed.URL) != nil {
		s.Documents.Add(v.Document())
	}
	inside, _ := in.Internal(v)
	fate := scope.Fate{Wave: in.Rules.Wave(0), Need: frontier.NeedSeed | frontier.NeedLinked, Internal: inside || seed.Follow || !v.IsHTTP(), Outcome: excluded}
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
