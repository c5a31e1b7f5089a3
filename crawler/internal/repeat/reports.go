package repeat

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/account"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/seeds"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Settings are the settings of a run with which its report has to do.
type Settings struct {
	// Decides has all settings that decide about reports, as text, apart from those that decide about
	// links (scope.Scope.Decides). "" means that the run neither keeps its report nor gives another one.
	Decides string
	// Cache, or the Store of a state, keeps the report; Previous are the pages that the state before has.
	// Pages is set if the Store keeps what the next run needs of pages.
	Store    frontier.Store
	Cache    *store.Cache
	Previous *store.Pages
	Pages    bool
	Refresh  bool            // use nothing of earlier runs
	Watched  map[string]bool // the printed URLs of the targets of which a verdict is awaited
}

// Engine are the parts of a run that a report has to do with.
type Engine struct {
	Door     *admit.Door
	Frontier *frontier.Frontier
	Memory   *recall.Memory
	Seeds    *seeds.Targets
	Counts   *account.Counts
	Clock    *account.Clock
	Out      *account.Outlet
}

// Reports gives the report of a run, and keeps it for the next one; or it gives that of the run before
// once more. Observe, Read and Count may be called concurrently.
type Reports struct {
	Settings
	Engine
	basis   []byte         // nil if no run can give the report again
	survey  *Survey        // of the targets outside, all of whose outcomes are those of the run before
	outside account.Counts // what their visits have counted
	entered chan struct{}  // is closed when the start targets are entered, if again was not nil at first
	again   atomic.Pointer[Repetition]

	// Of a run without directories:
	before *Kept // the report of the run before, which is given if all turns out to be as it was; nil for none
	mu     sync.Mutex
	read   verdicts.Sum // of what pages refer to
	secret bool         // an answer must not be stored
}

// Again reports whether the report of the run before is to be given, unless an answer differs, or was given.
func (r *Reports) Again() bool { return r.again.Load() != nil }

// Enter enters the start targets, or, if nothing may have changed since the run before, the targets on
// other sites that it knew.
func (r *Reports) Enter(ctx context.Context) error {
	kept, err := r.recall(ctx)
	if kept != nil && len(r.Door.Scope().Sites) == 0 {
		r.before, kept = kept, nil
	}
	if kept == nil || err != nil {
		return cmp.Or(err, r.Seeds.Enter(ctx))
	}
	again, err := kept.Repeat(r.Frontier, r.Memory, r.Door.Scope())
	if again == nil || err != nil {
		return cmp.Or(err, r.Seeds.Enter(ctx))
	}
	r.entered = make(chan struct{})
	r.again.Store(again)
	return again.Enter(ctx)
}

// recall finds out what the report of this run depends on. It returns the one that the run before has
// kept, if that depends on the same, and else nil.
func (r *Reports) recall(ctx context.Context) (*Kept, error) {
	if known, err := r.Frontier.Count(ctx); err != nil || r.Decides == "" || known.Known > 0 { // it is resumed
		return nil, err
	}
	if _, durable := r.Store.(*diskstore.Store); durable && !r.Pages {
		return nil, nil
	}
	if r.basis = Basis(r.Door.Scope(), r.Decides, r.Seeds.Seeds); r.basis == nil || r.Refresh {
		return nil, nil
	}
	recorded, err := r.recorded()
	if err != nil || recorded == nil {
		return nil, err
	}
	if kept := Decode(recorded); kept != nil && bytes.Equal(kept.Basis, r.basis) && kept.Recording.Answers(r.Watched) {
		return kept, nil
	}
	return nil, nil
}

// recorded returns the report that an earlier run has kept, nil if there is none.
func (r *Reports) recorded() ([]byte, error) {
	on, durable := r.Store.(*diskstore.Store)
	if !durable {
		entry, _ := r.Cache.Get(r.key())
		return entry.Data, nil
	}
	if before := r.Previous; before != nil && on.IsCopyOf(before) {
		return before.Value(reportValue)
	}
	return nil, nil
}

// Observe takes in the outcome of a target, before what it leads to is entered. If it differs from that
// of the run before, Observe enters the start targets: there is more to visit, and pages come first.
func (r *Reports) Observe(ctx context.Context, u urinorm.URL, o *judging.Outcome) error {
	if r.entered == nil {
		return nil
	}
	if again := r.again.Load(); again != nil && again.AsBefore(u, o) {
		return nil
	}
	return r.giveUp(ctx)
}

// giveUp lets the run go on as any other.
func (r *Reports) giveUp(ctx context.Context) error {
	if r.again.Swap(nil) == nil { // another worker does so
		<-r.entered
		return nil
	}
	defer close(r.entered)
	return r.Seeds.Enter(ctx)
}

// Read takes in what a visit of a target has found. noStore is set if its answer must not be stored.
func (r *Reports) Read(url string, step *frontier.Settlement, noStore bool) {
	if r.basis == nil || len(step.Found) == 0 && len(step.Links) == 0 && !noStore {
		return
	}
	identity := referencesOf(url, step)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read.Add(identity)
	r.secret = r.secret || noStore
}

// Count takes in what a visit of a target has counted.
func (r *Reports) Count(u urinorm.URL, counts *stored.Counts) {
	if r.basis != nil && !u.IsZero() && r.Door.Scope().Sites.Of(u) == nil {
		r.outside.Add(counts, nil)
	}
}

// GoOn is called when no target is queued. If the report of the run before is to be given once more, but
// not everything is as it was, GoOn enters the start targets and reports that there is more to visit.
func (r *Reports) GoOn(ctx context.Context, c *verdicts.Crawl) (more bool, err error) {
	again := r.again.Load()
	if again == nil {
		return false, nil
	}
	survey, err := SurveyOf(ctx, r.Frontier, r.Door.Scope())
	if err != nil {
		return false, err
	}
	if survey.IsLike(again.Kept) && c.Gaps == (gap.Counts{}) {
		r.survey = survey
		return false, nil
	}
	return true, r.giveUp(ctx)
}

// GiveAgain gives the report of the run before once more. What the visits of other targets counted then is
// added to the counts of this run.
func (r *Reports) GiveAgain(c *verdicts.Crawl) (*result.Summary, error) {
	kept, uses := r.again.Load().Kept, r.Door.Scope().Uses
	counts := &stored.Counts{Of: kept.Counts}
	for _, u := range uses {
		if slices.Contains(kept.Matched, u.Name()) {
			u.Recall()
			u.KeepAgain()
		}
	}
	sums := counts.AppendTallies(nil, nil, uses)
	if s, ok := r.Store.(*diskstore.Store); ok {
		if err := s.TakeRest(sums); err != nil {
			return nil, err
		}
	}
	r.Counts.Add(counts, nil)
	c.Of = r.Counts.Sums().Of
	cached := 0
	for i := range r.survey.Outcomes {
		if r.survey.Outcomes[i].Cached {
			cached++
		}
	}
	return r.giveKept(c, r.survey.Outcome, cached)
}

// giveKept gives the report of the run before. of returns what this run has observed of a target outside,
// by its number, and cached is how many of them an earlier run has observed.
func (r *Reports) giveKept(c *verdicts.Crawl, of func(uint32) *judging.Outcome, cached int) (*result.Summary, error) {
	kept := r.again.Load().Kept
	sum, err := r.Out.Repeat(c, kept.Recording, of, cached)
	if err != nil {
		return nil, err
	}
	return sum, r.keep(kept)
}

// Give gives every reference its verdict and the sink its results, and keeps the report for the next
// run if that may give it again. ctx is that of the requests that this takes.
func (r *Reports) Give(ctx context.Context, c *verdicts.Crawl) (*result.Summary, error) {
	if len(r.Door.Scope().Sites) == 0 {
		return r.giveOrRepeat(ctx, c)
	}
	var survey *Survey
	if r.basis != nil && c.Gaps == (gap.Counts{}) {
		var err error
		if survey, err = SurveyOf(context.WithoutCancel(ctx), r.Frontier, r.Door.Scope()); err != nil {
			return nil, err
		}
		if survey.Alone {
			c.Recorder = verdicts.NewRecorder(survey.Numbers)
		}
	}
	sum, err := r.Out.Report(ctx, c)
	if err != nil {
		return nil, err
	}
	if recording := c.Recorder.Recording(); recording != nil && sum.Soundness.Complete() && ctx.Err() == nil {
		kept := &Kept{Basis: r.basis, Outside: survey.Outside, Recording: recording}
		for n := range kept.Counts {
			kept.Counts[n] = r.Counts.Of(stored.Counter(n)) - r.outside.Of(stored.Counter(n))
		}
		for _, u := range r.Door.Scope().Uses {
			if u.Matched() {
				kept.Matched = append(kept.Matched, u.Name())
			}
		}
		err = r.keep(kept)
	}
	return sum, err
}

// giveOrRepeat is Give for a run without directories. It gives the report of the run before once more if
// all that was observed is as it was.
func (r *Reports) giveOrRepeat(ctx context.Context, c *verdicts.Crawl) (*result.Summary, error) {
	if _, durable := r.Store.(*diskstore.Store); r.basis == nil || r.secret && !durable || c.Gaps != (gap.Counts{}) || ctx.Err() != nil || r.Out.Ended() {
		return r.Out.Report(ctx, c)
	}
	if before := r.before; before != nil {
		tally := verdicts.NewTally(before.Recording.Targets)
		if err := r.Store.Scan(context.WithoutCancel(ctx), frontier.PartJob|frontier.PartOutcome, tally.Add); err != nil {
			return nil, fmt.Errorf("add up what was observed: %w", err)
		}
		if tally.Settled && bytes.Equal(before.Observed, r.observed(tally)) {
			r.again.Store(&Repetition{Kept: before})
			return r.giveKept(c, tally.Outcome, tally.Cached)
		}
	}
	tally := verdicts.NewTally(nil)
	c.Recorder = verdicts.NewRecorderOfAll(tally)
	sum, err := r.Out.Report(ctx, c)
	if err != nil {
		return nil, err
	}
	if recording := c.Recorder.Recording(); recording != nil && tally.Settled && sum.Soundness.Complete() && ctx.Err() == nil {
		err = r.keep(&Kept{Basis: r.basis, Observed: r.observed(tally), Recording: recording})
	}
	return sum, err
}

// reportValue is the name of the value of a store that has the report.
const reportValue = "report"

// keep keeps a report for the next run. A cache keeps no passwords.
func (r *Reports) keep(kept *Kept) error {
	if _, durable := r.Store.(*diskstore.Store); !durable && kept.Recording.Secret {
		return nil
	}
	recorded := kept.Encode()
	if s, ok := r.Store.(*diskstore.Store); ok {
		return s.SetValue(reportValue, recorded)
	}
	r.Cache.Put(r.key(), cacheentry.Record{Checked: time.Now(), Run: r.Clock.Began.UnixNano(), Data: recorded, URL: r.Door.Scope().Print.URL(r.first()), Kind: "report"})
	return nil
}

// first returns the address of the first directory, or of the first start target.
func (r *Reports) first() urinorm.URL {
	if sites := r.Door.Scope().Sites; len(sites) > 0 {
		return sites[0].Base()
	}
	return r.Seeds.Seeds[0].URL
}

// key returns the name of the report in a cache.
func (r *Reports) key() cacheentry.Key {
	in, dir := r.Door.Scope(), ""
	if len(in.Sites) > 0 {
		dir = in.Sites[0].Dir()
	}
	return r.Cache.Key(urinorm.KeyOf(r.first()), traffic.Identity{Open: "report on " + dir + "\n" + r.Decides + in.Decides()})
}
