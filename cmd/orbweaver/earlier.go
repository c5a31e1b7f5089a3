package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/report"
)

// earlierRuns is the data of earlier runs, and what this run adds to it.
type earlierRuns struct {
	options   betweenRuns
	failOn    report.Policy
	note      func(string, ...any)
	cache     *store.Cache
	history   *store.Cache // the same as cache, unless it has its own file
	baseline  *report.Baseline
	histories map[string]store.History
	started   time.Time
	watching  bool // a round of --watch, which does not count as a run

	watched                        []result.Watched // verdicts on targets that were broken in an earlier run
	broken, fixed                  []store.Result
	recentInternal, recentExternal int
}

// openEarlierRuns opens the files that the options name. Its errors are usage errors.
func openEarlierRuns(cmd *cobra.Command, o *options, note func(string, ...any)) (*earlierRuns, error) {
	m := &earlierRuns{options: o.between, failOn: o.failOn, note: note, started: time.Now(), watching: o.watching}
	if m.options.hint != "" {
		note("%s", m.options.hint)
	}
	if file := m.options.baseline; file != "" {
		known, err := report.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("baseline: %w", err)
		}
		m.baseline = report.NewBaseline(known)
	}
	open := func(file string) (*store.Cache, error) {
		c, err := store.OpenCache(file, store.CacheOptions{})
		if err == nil {
			for _, remark := range c.Notes() {
				note("%s", remark)
			}
		}
		return c, err
	}
	var err error
	if m.options.cache != "" {
		if m.cache, err = open(m.options.cache); err != nil {
			return nil, err
		}
		m.history = m.cache
	}
	if file := m.options.history; file != "" && (m.cache == nil || filepath.Clean(file) != filepath.Clean(m.options.cache)) {
		if m.history, err = open(file); err != nil {
			m.close()
			return nil, err
		}
	}
	if m.history != nil {
		if m.histories, _, err = m.history.Histories(); err != nil {
			m.close()
			return nil, err
		}
	}
	return m, nil
}

// configure passes the cache to the engine, and asks for the results that are compared with
// those of earlier runs.
func (m *earlierRuns) configure(cfg *crawler.Config) {
	if m.cache != nil {
		cfg.Keep.Cache, cfg.Keep.MaxAge, cfg.Keep.Edition = m.cache, m.options.maxAge, edition()
	}
	if m.baseline == nil && m.history == nil {
		return
	}
	cfg.Deliver.Show.Broken = true
	cfg.Deliver.Watched = map[string]bool{}
	for url := range m.histories {
		cfg.Deliver.Watched[url] = true
	}
	if m.baseline != nil {
		cfg.Deliver.Show.Unverified, cfg.Deliver.Show.Warning = true, true
		for _, url := range m.baseline.URLs() {
			cfg.Deliver.Watched[url] = true
		}
	}
	cfg.Deliver.Watch = &m.watched
}

// observe takes the verdicts on targets that were broken in an earlier run.
func (m *earlierRuns) observe() {
	for _, w := range m.watched {
		if m.baseline != nil {
			m.baseline.RecordVerdict(w.URL, w.Verdict)
		}
		if _, known := m.histories[w.URL]; known && w.Verdict == check.OK {
			m.fixed = append(m.fixed, store.Result{URL: w.URL})
		}
	}
}

func (m *earlierRuns) annotate(r *result.Result) *result.Result {
	if m.baseline != nil {
		r = m.baseline.Mark(r)
	}
	if m.history == nil || r.Verdict != check.Broken || r.Kind != result.KindTarget {
		return r
	}
	m.broken = append(m.broken, store.Result{URL: r.URL, Code: r.Code})
	if m.options.history == "" && m.options.failAfter == 0 {
		return r // not asked for: leave the report as it is
	}
	out := *r
	past := m.histories[r.URL]
	out.BrokenRuns, out.BrokenSince = past.Runs+1, past.Since
	if past.Runs == 0 {
		out.BrokenSince = m.started
	}
	if out.BrokenRuns < m.options.failAfter && !slices.Contains(r.Known, r.Code) {
		out.FailsAfter = m.options.failAfter
		if r.Internal {
			m.recentInternal++
		} else {
			m.recentExternal++
		}
	}
	return &out
}

// subtractKnown subtracts known and recent findings from those that may fail the run.
func (m *earlierRuns) subtractKnown(s *result.Summary) {
	if m.baseline != nil {
		m.baseline.ExcludeKnown(s)
	}
	s.Recent = m.recentInternal + m.recentExternal
	if m.options.baselineFound {
		s.Hidden += s.Known.Broken + s.Known.Unverified + s.Known.Warnings
	}
	if m.options.failAfterFound {
		s.Hidden += s.Recent
	}
	s.Internal.Broken -= m.recentInternal
	s.External.Broken -= m.recentExternal
	if m.options.failOnFound {
		s.Hidden += m.failOn.Excused(s)
	}
}

// record stores the findings of this run for later ones, and notes how many findings of the
// baseline no longer occur. It returns an error if a history that was asked for cannot be
// stored. run is the run as in cacheentry.Record.
func (m *earlierRuns) record(run int64, s *result.Summary) error {
	m.observe()
	if m.baseline != nil && s.Soundness.Complete() {
		if gone, places := m.baseline.Gone(s); gone > 0 {
			m.note("%s: %d of %d findings no longer occur; -o %s updates the file", m.options.baseline, gone, places, m.options.baseline)
		}
	}
	if m.history == nil || m.watching {
		return nil
	}
	err := m.history.AddRun(run, m.started, s.Soundness.Complete(), m.broken, m.fixed)
	if err != nil && m.options.history == "" && m.options.failAfter == 0 {
		m.note("%v", err)
		return nil // it was only kept along with the cache
	}
	return err
}

// close closes the files. Its error is that something is missing in them, which the next run
// would need.
func (m *earlierRuns) close() error {
	var lost []error
	for _, c := range []*store.Cache{m.cache, m.history} {
		if c == nil {
			continue
		}
		before := len(c.Notes())
		lost = append(lost, c.Close())
		for _, remark := range c.Notes()[before:] {
			m.note("%s", remark)
		}
	}
	return errors.Join(lost...)
}

// applyBaseline marks the findings of a saved report that are in a baseline.
func applyBaseline(b *report.Baseline, saved *report.Report) {
	for i, r := range saved.Results {
		saved.Results[i] = b.Mark(r)
	}
	b.ExcludeKnown(&saved.Summary)
	saved.Head.Baseline = b
}
