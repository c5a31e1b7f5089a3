package crawler

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/references"
	"github.com/orbweaver/orbweaver/crawler/robots"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/crawler/trap"
	"github.com/orbweaver/orbweaver/crawler/verdicts"
	"github.com/orbweaver/orbweaver/urinorm"
)

// run is one crawl under way.
type run struct {
	cfg      *Config
	sink     Sink
	print    *rules.Printer
	frontier *frontier.Frontier
	robots   *robots.Cache
	traps    *trap.Guards
	seeds    []Seed
	env      *references.Env     // of all pages
	seeded   map[string]struct{} // URLs of the seeds that lie in directories
	seedIDs  []frontier.ID       // of each seed, 0 when it has no URL
	started  time.Time
	windowed int             // anchors that the join holds at once; 0 for the usual number
	began    time.Time       // the first session of the crawl
	always   context.Context // outlives a cancelled run: what was done is kept

	scoped atomic.Pointer[rules.Scope] // read by every worker; only a seed's redirect writes it

	places  *places
	pages   stock[*references.Page]
	buffers fetch.Buffers
	paths   realPaths

	begun  atomic.Int64 // pages that were begun, against --max-pages
	counts [len(tallyNames)]atomic.Int64
	before time.Duration // what earlier sessions of the same crawl took

	workers  *errgroup.Group
	governor *governor
	cycles   cycles
	probes   probes
	turns    *turns // nil without a limit of pages
	plain    plainHosts
	earlier  *earlier               // nil without a cache
	shell    atomic.Bool            // a start page is made by a script
	lacked   atomic.Pointer[string] // how this machine stopped a request, of the first it stopped

	mu        sync.Mutex // the Sink, and what follows
	stoppedBy string
	timed     time.Time        // up to when the store knows the time spent
	stream    *verdicts.Stream // from the last page on, when the sink wants results as they come
	trapped   map[string]int
	listed    map[string]bool // sitemaps that robots.txt names, by key
	sinkErr   error
}

// Run crawls from the seeds until every target is settled, or the run is stopped,
// and gives the sink what it finds. The summary is complete in any case; an error
// means that the run could not go on: the sink or the store failed.
//
// When ctx ends, or cfg.Grace after cfg.Stop is closed, requests in
// flight are cut off; what was not looked at is reported as skipped. When Run
// returns, nothing of it is left running.
func Run(ctx context.Context, cfg *Config, seeds []Seed, sink Sink) (*Summary, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := newRun(ctx, cfg, seeds, sink)
	if cfg.Store == nil { // it is ours
		defer r.cfg.Store.Close()
	}
	if err := r.recall(); err != nil {
		return nil, err
	}
	if r.looksBack() {
		r.env.Earlier = r.standsFor
	}
	if err := r.keepStart(); err != nil {
		return nil, err
	}
	if err := r.refer(); err != nil {
		return nil, err
	}
	if err := r.crawl(ctx); err != nil {
		return nil, err
	}
	return r.conclude(ctx)
}

// judge gives every reference its verdict and the sink its results.
func (r *run) judge(ctx context.Context) (*Summary, error) {
	if r.onlyScriptPages() {
		r.stopped(rules.StoppedByScript)
	}
	sum, err := verdicts.Report(ctx, r.judged())
	if err == nil {
		sum.Elapsed = r.before + time.Since(r.started)
	}
	return sum, err
}

// judged is the crawl as the verdicts see it. The caller holds mu, or is alone.
func (r *run) judged() *verdicts.Crawl {
	c := &verdicts.Crawl{Config: r.cfg, Scope: r.scope(), Print: r.print, Store: r.cfg.Store, Sink: r.sink, Fetch: r.fetch,
		Seeds: r.seeds, SeedIDs: r.seedIDs, Began: r.began, Started: r.started, StoppedBy: r.stoppedBy,
		Pages: r.counted(countPages), Requests: r.counted(countRequests), Unfollowed: r.counted(countUnfollowed),
		ScriptStart: r.shell.Load(), ScriptPages: r.onlyScriptPages(), Trapped: r.trapped,
		MaxAnchors: r.windowed, Streamed: r.stream}
	if why := r.lacked.Load(); why != nil {
		c.LocalLimit = *why
	}
	return c
}

// spare lets go of what only visits need: while verdicts are given, most memory is used.
func (r *run) spare() {
	if s, ok := r.cfg.Store.(frontier.Sealer); ok {
		s.Seal()
	}
	if idle, ok := r.cfg.Fetch.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
	r.pages.empty()
	r.buffers.Release()
	r.traps = nil
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Kind() != metrics.KindUint64 || heap[0].Value.Uint64() > mostSpared {
		runtime.GC() // by itself the collector would first let as much come again
	}
}

// mostSpared is how much memory may be in use, in bytes, for nothing to be let go of: a
// small run has no peak.
const mostSpared = 32 << 20

// conclude reports, and tells the store when there is nothing to go on with.
func (r *run) conclude(ctx context.Context) (*Summary, error) {
	r.spare()
	sum, err := r.judge(ctx)
	if err != nil || rules.EndsSession(sum.StoppedBy) {
		return sum, err
	}
	if err := r.cfg.Store.Tally(r.always, []frontier.Tally{{Name: tallyFinished, By: 1}}); err != nil {
		return nil, fmt.Errorf("note that the crawl is finished: %w", err)
	}
	return sum, nil
}

func newRun(ctx context.Context, given *Config, seeds []Seed, sink Sink) *run {
	cfg := given.WithDefaults()
	r := &run{cfg: cfg, sink: sink, seeds: seeds, always: context.WithoutCancel(ctx),
		print: rules.NewPrinter(cfg.Sites, cfg.WorkingDir), trapped: map[string]int{}, listed: map[string]bool{}}
	r.started = time.Now()
	r.began, r.timed = r.started, r.started
	processors := runtime.GOMAXPROCS(0)
	r.places = newPlaces(processors)
	r.pages = stock[*references.Page]{most: 2 * processors, make: func() *references.Page { return &references.Page{} }}
	r.buffers.Most = 4 * processors
	r.scoped.Store(rules.NewScope(cfg, seeds, r.print))
	r.frontier = frontier.New(cfg.Store, frontier.Politeness{Pace: r.pace, Start: r.begin, Gated: r.gated})
	r.robots = robots.NewCache(cfg.RobotsAgent)
	r.traps = trap.New(trap.Limits{})
	if cfg.MaxPages > 0 {
		r.turns = newTurns()
	}
	r.earlier = newEarlier(cfg, r.started)
	r.env = references.NewEnv(cfg, r.scope, r.print, r.frontier)
	r.env.Forecast = references.NewForecast(cfg, r.frontier.Durable(), r.scope, func() int { return r.counted(countPages) })
	return r
}

// pace is what a host gets to begin with. Loopback hosts and directories have no
// limit below the run's own.
func (r *run) pace(host string) frontier.Pace {
	p := frontier.Pace{Concurrency: r.cfg.PerHost, Interval: r.cfg.Delay}
	name := hostOf(host)
	local := name == "" || urinorm.IsLoopback(name) || r.scope().SyntheticHost(host)
	if local && !r.cfg.PerHostGiven {
		p.Concurrency = 0
	}
	if r.cfg.Rate > 0 {
		p.Interval = max(p.Interval, time.Duration(float64(time.Second)/r.cfg.Rate))
	}
	if r.scope().SyntheticHost(host) {
		p = frontier.Pace{}
	}
	if p.Concurrency == 0 && p.Interval == 0 {
		p.Concurrency = r.cfg.Concurrency
	}
	return p
}

// begin is how many visits at once a host begins with that may have as many as there
// are workers: a server on this machine may be a large one or a very small one.
func (r *run) begin(host string) int {
	if !urinorm.IsLoopback(hostOf(host)) || r.cfg.PerHostGiven || r.scope().SyntheticHost(host) {
		return 0
	}
	return beginWith
}

const beginWith = 4

// seedsAtOnce is how many seeds are entered in one step: a directory may hold very
// many, and what is made to enter them should stay small, and near the processor.
const seedsAtOnce = 512

// refer enters the seeds.
func (r *run) refer() error {
	var page references.Page
	r.seeded, r.seedIDs = make(map[string]struct{}, len(r.seeds)), make([]frontier.ID, len(r.seeds))
	for from := 0; from < len(r.seeds); from += seedsAtOnce {
		to := min(from+seedsAtOnce, len(r.seeds))
		if err := r.referTo(&page, r.seeds[from:to], r.seedIDs[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// referTo enters some of the seeds and fills in their IDs.
func (r *run) referTo(page *references.Page, seeds []Seed, seedIDs []frontier.ID) error {
	page.Reset(r.env, rules.Href{}, -1)
	index := make([]int, len(seeds))
	for i := range seeds {
		index[i] = r.enterSeed(page, &seeds[i])
	}
	ids, err := r.frontier.Refer(r.always, page.Targets())
	if err != nil {
		return err
	}
	for i, at := range index {
		if at >= 0 {
			seedIDs[i] = ids[at]
			r.env.Forecast.Seeded(ids[at])
		}
	}
	return nil
}

// enterSeed enters a seed and returns its index among the targets; -1 for one that is
// not a target.
func (r *run) enterSeed(page *references.Page, s *Seed) int {
	if s.URL.IsZero() {
		return -1
	}
	v := rules.HrefOf(s.URL)
	excluded := r.scope().Excluded(v)
	if !s.Named && (excluded != nil || r.scope().Unfollowed(v)) {
		return -1
	}
	if s.Follow && r.scope().SiteOf(s.URL) != nil {
		r.seeded[string(v.Document())] = struct{}{}
	}
	fate := rules.Fate{Wave: r.scope().Wave(0), Need: frontier.NeedSeed | frontier.NeedLinked, Internal: true, Outcome: excluded}
	if s.Follow {
		fate.Need |= frontier.NeedLinks | frontier.NeedContent
	}
	if s.Named {
		fate.Need |= frontier.NeedListed
	}
	if fragment, ok := v.Fragment(); ok && references.WantsAnchors(fragment) {
		fate.Need |= frontier.NeedContent
	}
	return page.AddSeed(v, fate)
}

// crawl runs the workers until nothing is left.
func (r *run) crawl(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers, working := errgroup.WithContext(ctx)
	r.workers, r.governor = workers, newGovernor(Affordable(r.cfg.Concurrency))
	defer context.AfterFunc(working, r.turns.release)()
	for range r.governor.most {
		workers.Go(func() error { return (&worker{run: r}).work(working) })
	}
	var watching sync.WaitGroup
	over := make(chan struct{})
	watching.Go(func() { r.watch(working, cancel, over) })
	err := workers.Wait()
	close(over)
	watching.Wait()
	if err == nil {
		err = r.keepTime()
	}
	if err == nil {
		r.mu.Lock()
		err = r.sinkErr
		r.mu.Unlock()
	}
	if err == nil && ctx.Err() != nil {
		r.stopped("interrupt")
	}
	return err
}

// progressEvery is how often the sink hears how far the run is.
const progressEvery = 200 * time.Millisecond

// watch ends the run softly when it is asked to or its time is up, and tells how it goes.
func (r *run) watch(ctx context.Context, cancel func(), over <-chan struct{}) {
	var limit, cut <-chan time.Time
	if r.cfg.MaxTime > 0 {
		t := time.NewTimer(r.cfg.MaxTime)
		defer t.Stop()
		limit = t.C
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	ticks := 0
	stop := r.cfg.Stop
	end := func(why string) {
		r.stopped(why)
		r.frontier.Drain()
		limit, stop = nil, nil
		cut = time.After(r.cfg.Grace)
	}
	for {
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-stop:
			end("interrupt")
		case <-limit:
			end("max-time")
		case <-cut:
			cancel()
			return
		case <-tick.C:
			r.progress()
			if ticks++; ticks%timeKeptEvery == 0 {
				_ = r.keepTime() // a store that fails says so to who waits for it, too
			}
		}
	}
}

func (r *run) progress() {
	c, err := r.frontier.Count(r.always)
	if err != nil {
		return
	}
	p := Progress{Elapsed: time.Since(r.started), Pages: r.counted(countPages), Checked: r.counted(countChecked),
		Queued: c.Queued, Broken: r.counted(countTroubled), Requests: r.counted(countRequests)}
	p.WaitingHost, p.WaitingUntil = r.frontier.Hosts().Resting()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sink.Progress(p)
}

// stopped remembers why the run is not complete; the first reason counts.
func (r *run) stopped(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stoppedBy == "" || slices.Contains(rules.LeavesOut, r.stoppedBy) && !slices.Contains(rules.LeavesOut, why) {
		r.stoppedBy = why
	}
}

// tellPage gives the sink a page. A sink that fails ends the run.
func (r *run) tellPage(p *Page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sinkErr != nil {
		return
	}
	if err := r.sink.Page(p); err != nil {
		r.sinkErr = fmt.Errorf("report the page %s: %w", p.URL, err)
		r.frontier.Drain()
	}
}

func (r *run) scope() *rules.Scope { return r.scoped.Load() }

// widen makes the site that a seed redirects to internal.
func (r *run) widen(to urinorm.URL) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scoped.Store(r.scope().Widened(to))
}

// fetch asks the directory that holds the URL, or else the network.
func (r *run) fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	if site := r.scope().SiteOf(req.URL); site != nil {
		return site.Fetch(ctx, req)
	}
	return r.cfg.Fetch.Fetch(ctx, req)
}

// trap remembers that a page was not read because its URL looks like one of an endless series.
func (r *run) trap(pattern string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trapped[pattern]++
	if r.stoppedBy == "" {
		r.stoppedBy = "trap"
	}
}
