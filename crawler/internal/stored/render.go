package stored

import (
	"context"
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// candidates are the pages that may have to be rendered because of a link to them: what is
// known of those that have scripts and were not rendered.
type candidates map[frontier.ID][]byte

// ToRender returns the pages of a crawl that are to be rendered because a link with a fragment
// leads to them that their HTML lacks. ids are the targets of the seeds.
func ToRender(ctx context.Context, s frontier.Store, in *scope.Scope, maxRedirects int, seeds []scope.Seed, ids []frontier.ID) ([]frontier.Item, error) {
	pages, next, err := candidatesOf(ctx, s, in)
	if err != nil || len(pages) == 0 {
		return nil, err
	}
	wanted := map[frontier.ID]bool{}
	want := func(id frontier.ID, fragment string) error {
		for hops := 0; hops <= maxRedirects; hops++ {
			to, redirects := next[id]
			if !redirects {
				break
			}
			id = to
		}
		outcome := pages[id]
		if outcome == nil || wanted[id] {
			return nil
		}
		o, anchors, err := judging.DecodeHead(outcome)
		if err != nil {
			return err
		}
		q := judging.Question{Internal: true, Local: o.Path != "", Fragment: fragment, HasFragment: true, IgnoreFragment: in.Judging.IgnoreFragment}
		if o.JudgeIn(q, anchors).Code == check.CodeFragmentMissing {
			wanted[id] = true
		}
		return nil
	}
	for i := range seeds {
		if f, has := seeds[i].URL.Fragment(); has && ids[i] != 0 {
			if err := want(ids[i], f); err != nil {
				return nil, err
			}
		}
	}
	var reader frontier.LinkReader
	err = s.Scan(ctx, frontier.PartFound|frontier.PartLinks, func(rec *frontier.Record) error {
		if len(rec.Links) == 0 {
			return nil
		}
		if err := reader.Reset(rec.Links); err != nil {
			return err
		}
		for {
			var l frontier.RawLink
			found, err := reader.Next(&l)
			if err != nil || !found {
				return err
			}
			if l.HasFragment && len(l.Fragment) > 0 && l.Target < len(rec.Found) && l.Mark&(scope.MarkIgnored|scope.MarkAnyFragment|scope.MarkExcluded) == 0 {
				if err := want(rec.Found[l.Target], string(l.Fragment)); err != nil {
					return err
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	items := make([]frontier.Item, 0, len(wanted))
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		items = append(items, frontier.Item{ID: id, Wave: frontier.Leaves, Need: frontier.NeedRender})
	}
	return items, nil
}

// candidatesOf returns the pages that may have to be rendered, and where redirects lead.
func candidatesOf(ctx context.Context, s frontier.Store, in *scope.Scope) (candidates, map[frontier.ID]frontier.ID, error) {
	pages, next := candidates{}, map[frontier.ID]frontier.ID{}
	err := s.Scan(ctx, frontier.AllParts, func(rec *frontier.Record) error {
		if !rec.Settled || rec.Outcome == nil {
			return nil
		}
		glance, err := judging.GlanceAt(rec.Outcome)
		switch {
		case err != nil:
			return err
		case glance.Redirect && len(rec.Found) > 0:
			next[rec.ID] = rec.Found[0]
		case glance.OK && glance.Read && glance.HTML && rec.Need&frontier.NeedLinks != 0 && rec.Need&frontier.NeedRender == 0:
			o, _, err := judging.DecodeHead(rec.Outcome)
			if err != nil {
				return err
			}
			job, err := frontier.DecodeJob(rec.Job)
			if err != nil {
				return err
			}
			if o.Static || o.RenderFailed() || !job.Internal || in.RenderModeOf(in.Print.Job(&job)) != scope.RenderAuto {
				return nil
			}
			pages[rec.ID] = slices.Clone(rec.Outcome)
		}
		return nil
	})
	return pages, next, err
}
