package crawler

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/account"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/repeat"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// repetition is what a run over directories keeps of its report for the next one, or gives again of the
// run before: see package repeat.
type repetition struct {
	basis   []byte                            // nil if no run can give the report again
	survey  *repeat.Survey                    // of the targets outside, all of whose outcomes are those of the run before
	outside account.Counts                    // what their visits have counted
	enter   func() error                      // enters the start targets
	entered chan struct{}                     // is closed when they are entered, if kept was not nil at first
	kept    atomic.Pointer[repeat.Repetition] // what is given again; nil for nothing
}

// observe takes in the outcome of a target, before what it leads to is entered. If it differs from that
// of the run before, it enters the start targets: there is more to visit, and pages come first.
func (a *repetition) observe(t *admit.Target, o *judging.Outcome) error {
	if a.entered == nil {
		return nil
	}
	if kept := a.kept.Load(); kept != nil && kept.AsBefore(t.At, o) {
		return nil
	}
	return a.giveUp()
}

// giveUp lets the run go on as any other.
func (a *repetition) giveUp() error {
	if a.kept.Swap(nil) == nil { // another worker does so
		<-a.entered
		return nil
	}
	defer close(a.entered)
	return a.enter()
}

// reportSettings returns, as text, the settings that decide about reports, apart from those that decide
// about links (scope.Scope.Decides). ok is false if a report depends on more than these and the answers
// to its targets.
func (c *Config) reportSettings() (text string, ok bool) {
	j, d := &c.Judging, &c.Deliver
	if len(c.Sites) == 0 || c.Keep.Cache == nil || c.shared() != nil || c.Keep.Coordination != nil || c.Scope.Changed != nil || c.Limits.MaxPages > 0 || c.Renders() || len(c.Login.Sessions) > 0 ||
		j.SoftNotFound || j.CheckHTTPS || j.TextFragments || j.Drift != nil || j.Archive != nil || j.Inspector != nil || d.Stream || d.Pages {
		return "", false
	}
	var b strings.Builder
	add := func(name string, value any) { fmt.Fprintf(&b, "%s %+v\n", name, value) }
	add("show", d.Show)
	add("sitemaps", c.Scope.Sitemaps)
	add("root", c.Scope.RootGiven)
	add("body", []any{c.Limits.MaxBody, c.Limits.MaxBodyGiven})
	add("redirects", c.Limits.MaxRedirects)
	if j.Accept != nil {
		add("accept", *j.Accept)
	}
	add("fragments", j.IgnoreFragment)
	add("levels", j.Levels)
	if j.Hides != nil {
		add("hides", *j.Hides)
	}
	add("https", j.RequireHTTPS)
	for i := range j.Rules {
		r := &j.Rules[i]
		add("rule", []any{r.Levels, r.BrokenHosts, r.BrokenTexts})
		if r.Accept != nil {
			add("accept", *r.Accept)
		}
	}
	if c.Reading.Publisher != nil {
		for _, site := range c.Sites { // files around the directory may tell it
			add("publisher", c.Reading.Publisher(site.Dir()+"/index.html"))
		}
	}
	return b.String(), true
}

// reportKey returns the name of the report in a cache.
func (r *run) reportKey(settings string) store.Key {
	site := r.cfg.Sites[0]
	return r.cfg.Keep.Cache.Key(urinorm.KeyOf(site.Base()), fetch.Identity{Open: "report on " + site.Dir() + "\n" + settings + r.door.Scope().Decides()})
}

// enter enters the start targets, or, if nothing may have changed since the run before, the targets on
// other sites that it knew.
func (r *run) enter() error {
	again := &r.repetition
	again.enter = func() error { return r.seeds.Enter(r.always) }
	kept, err := r.recallReport()
	if kept == nil || err != nil {
		return cmp.Or(err, again.enter())
	}
	repetition, err := kept.Repeat(r.frontier, r.memory, r.door.Scope())
	if repetition == nil || err != nil {
		return cmp.Or(err, again.enter())
	}
	again.entered = make(chan struct{})
	again.kept.Store(repetition)
	return repetition.Enter(r.always)
}

// recallReport finds out what the report of this run depends on. It returns the one that the run before
// has kept, if that depends on the same, and else nil.
func (r *run) recallReport() (*repeat.Kept, error) {
	settings, ok := r.cfg.reportSettings()
	if known, err := r.frontier.Count(r.always); err != nil || !ok || known.Known > 0 { // it is resumed
		return nil, err
	}
	var recorded []byte
	switch on := r.cfg.Keep.Store.(type) {
	case *frontier.Memory:
		entry, _ := r.cfg.Keep.Cache.Get(r.reportKey(settings))
		recorded = entry.Data
	case *diskstore.Store:
		if !r.cfg.Keep.Pages {
			return nil, nil
		}
		if before, ok := r.cfg.Keep.Previous.(*diskstore.Pages); ok && on.IsCopyOf(before) {
			var err error
			if recorded, err = before.Value(reportValue); err != nil {
				return nil, err
			}
		}
	default:
		return nil, nil
	}
	again := &r.repetition
	if again.basis = repeat.Basis(r.door.Scope(), settings, r.seeds.Seeds); again.basis == nil || recorded == nil || r.cfg.Keep.Refresh {
		return nil, nil
	}
	if kept := repeat.Decode(recorded); kept != nil && bytes.Equal(kept.Basis, again.basis) && kept.Recording.Answers(r.cfg.Deliver.Watched) {
		return kept, nil
	}
	return nil, nil
}

// reportValue is the name of the value of a store that has the report.
const reportValue = "report"

// goOn is called when no target is queued. If the report of the run before is to be given once more, but
// not everything is as it was, goOn enters the start targets and reports that there is more to visit.
func (r *run) goOn() (more bool, err error) {
	again := &r.repetition
	kept := again.kept.Load()
	if kept == nil {
		return false, nil
	}
	survey, err := repeat.SurveyOf(r.always, r.frontier, r.door.Scope())
	if err != nil {
		return false, err
	}
	if survey.IsLike(kept.Kept) && r.describer.crawl().Gaps == (result.GapCounts{}) {
		again.survey = survey
		return false, nil
	}
	return true, again.giveUp()
}

// repeatReport gives the report of the run before once more.
func (r *run) repeatReport(kept *repeat.Kept) (*result.Summary, error) {
	survey := r.repetition.survey
	r.door.CloseIdle()
	counts, uses := &stored.Counts{Of: kept.Counts}, r.door.Scope().Uses
	for _, u := range uses {
		if slices.Contains(kept.Matched, u.Name()) {
			u.Recall()
			u.KeepAgain()
		}
	}
	sums := counts.AppendTallies(nil, nil, uses)
	if s, ok := r.cfg.Keep.Store.(*diskstore.Store); ok {
		if err := s.TakeRest(sums); err != nil {
			return nil, err
		}
	}
	r.counts.Add(counts, nil)
	cached := 0
	for i := range survey.Outcomes {
		if survey.Outcomes[i].Cached {
			cached++
		}
	}
	sum, err := r.out.Repeat(r.describer.crawl(), kept.Recording, survey.Outcome, cached)
	if err != nil {
		return nil, err
	}
	sum.Elapsed = r.clock.Elapsed()
	return sum, r.keepReport(kept)
}

// judge gives every reference its verdict and the sink its results, and keeps the report for the
// next run if that may give it again.
func (r *run) judge(ctx context.Context) (*result.Summary, error) {
	again, c := &r.repetition, r.describer.crawl()
	var survey *repeat.Survey
	if again.basis != nil && c.Gaps == (result.GapCounts{}) {
		var err error
		if survey, err = repeat.SurveyOf(r.always, r.frontier, r.door.Scope()); err != nil {
			return nil, err
		}
		if survey.Alone {
			c.Recorder = verdicts.NewRecorder(survey.Numbers)
		}
	}
	sum, err := r.out.Report(ctx, c)
	if err != nil {
		return nil, err
	}
	sum.Elapsed = r.clock.Elapsed()
	if recording := c.Recorder.Recording(); recording != nil && sum.Soundness.Complete() && ctx.Err() == nil {
		kept := &repeat.Kept{Basis: again.basis, Outside: survey.Outside, Recording: recording}
		for n := range kept.Counts {
			kept.Counts[n] = r.counts.Of(stored.Counter(n)) - again.outside.Of(stored.Counter(n))
		}
		for _, u := range r.door.Scope().Uses {
			if u.Matched() {
				kept.Matched = append(kept.Matched, u.Name())
			}
		}
		err = r.keepReport(kept)
	}
	return sum, err
}

// keepReport keeps a report for the next run.
func (r *run) keepReport(kept *repeat.Kept) error {
	recorded := kept.Encode()
	if s, ok := r.cfg.Keep.Store.(*diskstore.Store); ok {
		return s.SetValue(reportValue, recorded)
	}
	settings, _ := r.cfg.reportSettings()
	r.cfg.Keep.Cache.Put(r.reportKey(settings), store.Record{Checked: time.Now(), Run: r.clock.Began.UnixNano(), Data: recorded, URL: r.cfg.Sites[0].Base().String(), Kind: "report"})
	return nil
}
