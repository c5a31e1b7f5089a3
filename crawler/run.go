package crawler

import (
	"context"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/account"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/crew"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/formlogin"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/local"
	"github.com/orbweaver/orbweaver/crawler/internal/reading"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/repeat"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/seeds"
	"github.com/orbweaver/orbweaver/crawler/internal/signin"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/view"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// run is a crawl in progress.
type run struct {
	cfg      *Config
	always   context.Context // not cancelled with the run, so that finished work is kept
	print    *scope.Printer
	door     *admit.Door
	frontier *frontier.Frontier
	seeds    *seeds.Targets
	env      *references.Env // of all pages
	out      *account.Outlet
	clock    *account.Clock
	counts   account.Counts

	visitor   *visitor
	reader    *reading.Reader
	settling  *settling
	describer *describer

	governor *local.Governor
	sessions *signin.Sessions[settlement]
	opened   []*formlogin.Session
	inFlight *local.InFlight
	memory   *recall.Memory // what earlier runs observed; nil without a cache

	reports *repeat.Reports
}

// Run crawls from the seeds until every target is settled, or the run is stopped, and
// gives the sink what it finds. The summary is complete in any case; an error means
// that the run could not continue: the sink or the store failed. A run with the store, the seeds and the
// configuration of one that ended early continues it, and its summary counts both. If cfg.Keep.Store is
// a store.File, the caller calls its Finish when it has written its reports.
//
// When ctx ends, or cfg.Limits.Grace after cfg.Stop is closed, requests in flight are cut off;
// targets that were not visited are reported as skipped. When Run returns, none of its
// goroutines is running.
//
// With a store that other processes share (store.Join), Run visits targets until the crawl is over. The
// sink gets notes only, and the summary, which comes even with an error then, has the pages and requests
// of this process alone. With Keep.Coordination, Run coordinates such processes and reports the crawl.
func Run(ctx context.Context, cfg *Config, seeds []Seed, sink result.Sink) (*result.Summary, error) {
	if cfg.Keep.Coordination != nil {
		return coordinate(ctx, cfg, seeds, sink)
	}
	if cfg.shared() != nil {
		return takePart(ctx, cfg, seeds, sink)
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := newRun(ctx, cfg, seeds, sink)
	if cfg.Keep.Store == nil { // it is ours
		defer r.cfg.Keep.Store.Close()
	}
	return r.crawlAndReport(ctx)
}

// crawlAndReport crawls from the seeds, or goes on with what the store has, and reports the crawl.
func (r *run) crawlAndReport(ctx context.Context) (*result.Summary, error) {
	ctx = r.door.WithIssuers(ctx)
	defer r.door.Library.Close()
	if err := r.resume(); err != nil {
		return nil, err
	}
	if err := r.reports.Enter(r.always); err != nil {
		return nil, err
	}
	if err := r.settling.signIn(ctx, newWorkspace(r.reader.Slots)); err != nil {
		return nil, err
	}
	if err := r.crawl(ctx); err != nil {
		return nil, err
	}
	return r.report(ctx)
}

func newRun(ctx context.Context, given *Config, from []Seed, sink result.Sink) *run {
	cfg := given.withDefaults()
	opened := formlogin.Open(cfg.Login.Logins)
	r := &run{cfg: cfg, opened: opened, out: account.NewOutlet(sink), clock: account.NewClock(cfg.Keep.Store), sessions: signin.New[settlement](opened, signin.Client{Fetch: cfg.Login.Fetch, Browser: cfg.Login.Browser}, cfg.Login.Retries, cfg.Politeness.Backoff)}
	r.door = newDoor(cfg, from)
	r.print = r.door.Scope().Print
	r.always = r.door.WithIssuers(context.WithoutCancel(ctx))
	facts := crew.Facts{Always: r.always}
	if s := cfg.shared(); s != nil {
		facts.Common = s.Common()
		r.frontier = frontier.NewShared(s, r.door, cfg.Keep.Lease, r.learnFact)
	} else {
		r.frontier = frontier.New(cfg.Keep.Store, r.door)
	}
	r.door.Open(r.always, r.frontier, facts.Common)
	r.inFlight = local.NewInFlight()
	r.env = references.NewEnv(r.door.Current, r.frontier)
	r.env.Pages, r.env.Markup = cfg.Deliver.Pages, cfg.Reading.Options.ReadsMarkup()
	// Links found by a content check are in no file that can be read again.
	if cfg.Reading.ReadAgain && !cfg.Deliver.Pages && !cfg.Deliver.Stream && cfg.Keep.Cache == nil && !r.frontier.Durable() && !cfg.Judging.Inspector.Needs().FindsLinks {
		r.env.Forecast = references.NewForecast(cfg.Deliver.Show, r.door.Current, r.counts.Counter(stored.Pages))
	}
	r.seeds = &seeds.Targets{Env: r.env, Seeds: from}
	r.memory = newMemory(r)
	r.env.Keeps = r.memory != nil
	r.reader = newReader(r)
	if r.reader.Browser = newBrowser(r); r.reader.Browser != nil {
		r.env.Forecast, r.env.Routes = nil, true
	}
	r.visitor = &visitor{always: r.always, store: cfg.Keep.Store, politeness: &cfg.Politeness, maxRedirects: cfg.Limits.MaxRedirects, renderedBy: cfg.Render.By,
		door: r.door, frontier: r.frontier, memory: r.memory, facts: facts,
		sessions: r.sessions, reader: r.reader}
	r.reports = &repeat.Reports{
		Settings: repeat.Settings{Decides: cfg.reportSettings(), Store: cfg.Keep.Store, Cache: cfg.Keep.Cache, Previous: cfg.Keep.Previous, Pages: cfg.Keep.Pages, Refresh: cfg.Keep.Refresh, Watched: cfg.Deliver.Watched},
		Engine:   repeat.Engine{Door: r.door, Frontier: r.frontier, Memory: r.memory, Seeds: r.seeds, Counts: &r.counts, Clock: r.clock, Out: r.out},
	}
	r.describer = &describer{cfg: cfg, reader: r.reader, seeds: r.seeds, clock: r.clock, counts: &r.counts}
	r.settling = &settling{always: r.always, store: cfg.Keep.Store, politeness: &cfg.Politeness, streams: cfg.Deliver.Stream,
		door: r.door, frontier: r.frontier, memory: r.memory, env: r.env, reader: r.reader,
		sessions: r.sessions, describer: r.describer, counts: &r.counts, reports: r.reports, out: r.out}
	return r
}

// newMemory returns what a run knows from earlier ones, nil without a cache.
func newMemory(r *run) *recall.Memory {
	cfg := r.cfg
	fetcher, ok := cfg.Fetch.(fetch.CacheableFetcher)
	if cfg.Keep.Cache == nil || !ok {
		return nil
	}
	return recall.New(recall.Sources{Cache: cfg.Keep.Cache, Previous: cfg.Keep.Previous, Fetcher: fetcher, Rules: r.door.Rules, Frontier: r.frontier, Print: r.print},
		recall.Settings{MaxAge: cfg.Keep.MaxAge, Refresh: cfg.Keep.Refresh, MaxRedirects: cfg.Limits.MaxRedirects, MaxBody: cfg.Limits.MaxBody,
			RobotsFirst: cfg.Scope.Robots == RobotsStrict, Inspects: cfg.Judging.Inspector != nil, Sketches: cfg.Judging.Drift != nil, Scans: cfg.Judging.Inspector.Needs().ScansOthers, CheckHTTPS: cfg.Judging.CheckHTTPS,
			Remaps: len(cfg.Scope.Remaps) > 0, ReportsLinks: cfg.Deliver.Pages || cfg.Scope.Changed != nil, LimitsDepth: r.door.Scope().Rules.LimitsDepth(), Renders: cfg.Renders(),
			PagesInStore: cfg.Keep.Pages, ReadsSitemaps: cfg.Scope.Sitemaps, Fragment: judging.Question{IgnoreFragment: r.door.Scope().Judging.IgnoreFragment}}, r.clock.Started)
}

// newReader returns what reads the documents of a run.
func newReader(r *run) *reading.Reader {
	cfg := r.cfg
	return reading.New(reading.Engine{Selects: !cfg.Reading.Select.IsZero(), Door: r.door, Env: r.env, Memory: r.memory, Sessions: r.opened, Out: r.out, Files: &r.seeds.Documents, Asks: cfg.Deliver.Asks},
		document.Settings{
			Input: extract.Input{Acts: r.door.Scope().Acts(), Select: cfg.Reading.Select, IgnoreSelect: cfg.Reading.IgnoreSelect, Options: cfg.Reading.Options, Publisher: cfg.Reading.Publisher},
			Types: cfg.Reading.Types, MaxBody: cfg.Limits.MaxBody, MaxBodyGiven: cfg.Limits.MaxBodyGiven, Print: r.print, Inspector: cfg.Judging.Inspector,
			AtOnce: cfg.Judging.Inspector != nil || r.memory != nil || cfg.Deliver.Pages,
		})
}

// newBrowser returns what renders the pages of a run, nil if none is rendered.
func newBrowser(r *run) *view.Browser {
	cfg := r.cfg
	if !cfg.Renders() {
		return nil
	}
	return view.New(view.Settings{Renderer: cfg.Render.Renderer, Trouble: cfg.Render.Trouble, Door: r.door, Print: r.door.Scope().Print, Buffers: &r.reader.Buffers, MaxBody: cfg.Limits.MaxBody,
		Memory: r.memory, Input: extract.Input{Acts: r.door.Scope().Acts(), Select: cfg.Reading.Select, IgnoreSelect: cfg.Reading.IgnoreSelect}})
}

// newDoor returns the door for the requests of a run.
func newDoor(cfg *Config, seeds []Seed) *admit.Door {
	in := cfg.newScope(seeds)
	return admit.New(admit.Config{
		Fetch: cfg.Fetch, Types: cfg.Reading.Types, SkipExternal: cfg.Scope.External == SkipExternal, LeavesSome: in.LeavesSomeAlone(),
		Robots: cfg.Scope.Robots, RobotsGiven: cfg.Scope.RobotsGiven, RobotsAgent: cfg.Scope.RobotsAgent,
		MaxPages: cfg.Limits.MaxPages, MaxWait: cfg.Politeness.MaxWait, Retries: cfg.Politeness.Retries, Backoff: cfg.Politeness.Backoff,
		Renders: cfg.Renders(), MaxBody: cfg.Limits.MaxBody, Includes: len(cfg.Scope.Include) > 0, Cookies: cfg.Keep.Cookies,
		Pacing: admit.Pacing{Concurrency: cfg.Politeness.Concurrency, PerHost: cfg.Politeness.PerHost, PerHostGiven: cfg.Politeness.PerHostGiven,
			PerDomain: cfg.Politeness.PerDomain, PerAddress: cfg.Politeness.PerAddress,
			Rate: cfg.Politeness.Rate, Delay: cfg.Politeness.Delay, Shared: cfg.shared() != nil, Still: cfg.Politeness.Still},
	}, in, scope.NewTargetRules(in, seeds))
}

// learnFact learns what some process of a shared crawl has found out.
func (r *run) learnFact(f frontier.Fact) {
	kind, name, _ := strings.Cut(f.Name, " ")
	switch kind + " " {
	case crew.FactScope:
		if to, _, err := urinorm.ParseWeb(name); err == nil {
			r.door.Widen(to)
		}
	case crew.FactSitemap:
		r.door.Sitemaps.Add(name)
	case crew.FactCut:
		r.door.Growth.CutSite(name)
	case crew.FactCookied:
		r.door.Cycles.Touched(name, name, true)
	case admit.FactCookie:
		if r.cfg.Keep.Cookies != nil {
			r.cfg.Keep.Cookies.LearnCookie(f.Value)
		}
	}
}

// report judges and reports the crawl.
func (r *run) report(ctx context.Context) (sum *result.Summary, err error) {
	r.door.CloseIdle()
	if r.reports.Again() {
		sum, err = r.reports.GiveAgain(r.describer.crawl())
	} else {
		if s, ok := r.cfg.Keep.Store.(frontier.Sealer); ok {
			s.Seal()
		}
		r.door.Traps = nil
		r.describer.release()
		sum, err = r.reports.Give(ctx, r.describer.crawl())
	}
	if sum != nil {
		sum.Elapsed = r.clock.Elapsed()
	}
	return sum, err
}

// crawl runs the workers until nothing is left.
func (r *run) crawl(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.governor = local.NewGovernor(fetch.Affordable(r.cfg.Politeness.Concurrency))
	var watching sync.WaitGroup
	over := make(chan struct{})
	watching.Go(func() { r.watch(ctx, cancel, over) })
	keeping, kept := context.WithCancel(r.always)
	defer kept()
	if sharing := r.frontier.Sharing(); sharing != nil {
		watching.Go(func() { sharing.Keep(keeping) })
	}
	err := r.visitAll(ctx)
	if err == nil {
		var more bool
		if more, err = r.reports.GoOn(r.always, r.describer.crawl()); more && err == nil {
			err = r.visitAll(ctx)
		}
	}
	for more := r.frontier.Sharing() == nil; more && err == nil && ctx.Err() == nil; {
		if more, err = r.renderMore(r.always); more && err == nil {
			err = r.visitAll(ctx)
		}
	}
	if err == nil { // a run that was stopped may hold visits
		err = r.settling.lastProofs(ctx, newWorkspace(r.reader.Slots))
	}
	close(over)
	kept()
	watching.Wait()
	if why := r.inFlight.WhereTimeWent(); why != "" {
		r.out.Note(why)
	}
	if err == nil && r.frontier.Sharing() == nil {
		err = r.clock.KeepTime(r.always)
	}
	if err == nil {
		err = r.out.Failed()
	}
	if err == nil && ctx.Err() != nil {
		r.out.End(gap.Interrupt)
	}
	return err
}

// visitAll lets workers visit targets until none is left.
func (r *run) visitAll(ctx context.Context) error {
	workers, working := errgroup.WithContext(ctx)
	r.governor.Workers = workers
	defer context.AfterFunc(working, r.door.Pages.Release)()
	for range r.governor.Most {
		r.addWorker(working)
	}
	return workers.Wait()
}

// renderMore queues the pages again that are to be rendered because of a link to them, and reports
// whether there are any. It is called when nothing is queued.
func (r *run) renderMore(ctx context.Context) (more bool, err error) {
	if r.reader.Browser == nil {
		return false, nil
	}
	items, err := stored.ToRender(ctx, r.cfg.Keep.Store, r.door.Scope(), r.cfg.Limits.MaxRedirects, r.seeds.Seeds, r.seeds.IDs)
	if err != nil || len(items) == 0 {
		return false, err
	}
	_, err = r.frontier.Refer(ctx, items)
	return err == nil, err
}

// progressEvery is how often the progress of the run is reported.
const progressEvery = 200 * time.Millisecond

// timeKeptEvery is after how many ticks of the watch the time spent is kept.
const timeKeptEvery = int(time.Second / progressEvery)

// watch reports progress, and ends the run, after the visits under way, when a stop is
// requested or its time is up.
func (r *run) watch(ctx context.Context, cancel func(), over <-chan struct{}) {
	var limit, cut <-chan time.Time
	if r.cfg.Limits.MaxTime > 0 {
		t := time.NewTimer(r.cfg.Limits.MaxTime)
		defer t.Stop()
		limit = t.C
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	ticks := 0
	stop, spent := r.cfg.Stop, r.cfg.Limits.Spent
	end := func(why gap.Kind) {
		r.out.End(why)
		r.frontier.Drain()
		limit, stop, spent = nil, nil, nil
		cut = time.After(r.cfg.Limits.Grace)
	}
	for {
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-stop:
			end(gap.Interrupt)
		case <-limit:
			end(gap.MaxTime)
		case <-spent:
			end(gap.Requests)
		case <-cut:
			cancel()
			return
		case <-tick.C:
			if r.frontier.Sharing() != nil {
				continue // the coordinator reports the progress of all
			}
			r.reportProgress()
			if ticks++; ticks%timeKeptEvery == 0 {
				_ = r.clock.KeepTime(r.always) // a store that fails reports that to the workers, too
			}
		}
	}
}

// addWorker starts a worker.
func (r *run) addWorker(ctx context.Context) {
	r.governor.Workers.Go(func() error { return r.work(ctx) })
}

// adaptWorkers lets the governor learn from the outcome of a request that began at a
// time, and starts a worker if the machine can handle one more.
func (r *run) adaptWorkers(ctx context.Context, o *judging.Outcome, began time.Time) {
	if o.LocalLimit {
		r.door.CloseIdle()
		r.governor.Starved(began)
	} else if r.governor.Succeeded() {
		r.addWorker(ctx)
	}
}

func (r *run) reportProgress() {
	c, err := r.frontier.Count(r.always)
	if err != nil {
		return
	}
	now := time.Now()
	p := result.Progress{Elapsed: now.Sub(r.clock.Started), Pages: r.counts.Of(stored.Pages), Checked: r.counts.Of(stored.Checked),
		Queued: c.Queued, InFlight: c.Leased, Broken: r.counts.Of(stored.Broken), Requests: r.counts.Of(stored.Requests)}
	p.WaitingHost, p.WaitingUntil = r.frontier.Hosts().Resting()
	if t, since := r.inFlight.Look(now, p.WaitingHost, r.door.Scope().Sites.SyntheticHost); t != nil {
		p.Slowest = r.slowest(t, now.Sub(since))
	}
	r.out.Progress(p)
}

// slowest describes a target that is visited.
func (r *run) slowest(t *frontier.Target, age time.Duration) result.InFlight {
	slow := result.InFlight{URL: t.URL, Internal: t.Internal, Age: age}
	if u, _, err := urinorm.ParseWeb(t.URL); err == nil {
		slow.URL = r.print.URL(u)
	}
	if past, err := frontier.DecodePast(t.Lease.Note); err == nil {
		slow.Try = past.Tries + 1
	}
	if !t.Second {
		slow.Tries = max(r.cfg.Politeness.Retries, 0) + 1
	}
	return slow
}
