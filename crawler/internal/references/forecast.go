package references

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Forecast predicts, while pages are read, which references will be shown. A link may be
// kept bare if it will not be shown. The findings of settled targets are known, missing
// files are found at once, and those of pages that are not read yet are guessed. A wrong
// prediction only costs time: a bare link that is shown is read again. A Forecast is safe
// for concurrent use.
type Forecast struct {
	show     result.Show
	scope    *scope.Current
	pages    *atomic.Int64 // the number of pages read so far
	findings idSet         // targets to which all references will be shown
	warned   idSet         // targets to which the references without a fragment will be shown
	warnings atomic.Int64  // the number of targets in warned
	checked  idSet         // targets whose files were checked for existence
	outside  outsideTargets
	lastSeed atomic.Uint64
}

// outsideTargets finds the targets on other sites to which many pages refer, as in a footer. They
// are requested after the pages, so it is not known yet whether their references will be
// shown. To read every page again for one of them costs more than to keep these references whole.
type outsideTargets struct {
	known  idSet // those that are counted
	common idSet // those that many pages refer to
	done   idSet // those that have an outcome
	mu     sync.Mutex
	pages  map[frontier.ID]uint8 // that refer to the others
}

const (
	manyPages      = 16      // from which on a target is common
	maxOutsideHeld = 1 << 12 // targets that are counted
)

// add counts a page that refers to a target on another site.
func (o *outsideTargets) add(id frontier.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, counted := o.pages[id]
	switch n++; {
	case o.common.has(id), !counted && len(o.pages) == maxOutsideHeld:
	case n == manyPages:
		delete(o.pages, id)
		o.common.add(id)
	default:
		if o.pages == nil {
			o.pages = map[frontier.ID]uint8{}
		}
		o.pages[id] = n
		o.known.add(id)
	}
}

// isOpen reports whether a target is common and has no outcome yet.
func (o *outsideTargets) isOpen(id frontier.ID) bool { return o.common.has(id) && !o.done.has(id) }

// NewForecast returns the forecast of a run that shows some results. It returns nil, so that every
// link is kept whole, if a link without a finding may be shown. pages is the
// number of pages read so far.
func NewForecast(show result.Show, scope *scope.Current, pages *atomic.Int64) *Forecast {
	if s := scope.Scope(); show.OK || show.Skipped || s.Rules.Changed != nil || s.Judging.HasLevels() {
		return nil
	}
	return &Forecast{show: show, scope: scope, pages: pages}
}

// Seeded records the ID of a start target. Start targets are requested in any case. f may
// be nil.
func (f *Forecast) Seeded(id frontier.ID) {
	if f != nil {
		f.lastSeed.Store(max(f.lastSeed.Load(), uint64(id)))
	}
}

// Settled records the outcome of a target. f may be nil.
func (f *Forecast) Settled(id frontier.ID, o *judging.Outcome) {
	if f == nil {
		return
	}
	if f.outside.known.has(id) {
		f.outside.done.add(id)
	}
	if e, _ := check.Lookup(o.Code); e.Severity != check.SeverityInfo {
		f.findings.add(id)
		return
	}
	for _, w := range o.Warnings {
		switch {
		case w.IsInfo():
		case !check.OfPage(w.Code):
			f.findings.add(id)
			return
		case !f.show.SkipPageReferences && !f.warned.has(id):
			f.warned.add(id)
			f.warnings.Add(1)
		}
	}
}

// Found checks which of the files that occur for the first time on a page are missing.
// They are requested only after all documents of the directory have been read. It counts the page
// for its targets on other sites.
func (f *Forecast) Found(ctx context.Context, items []frontier.Item, ids []frontier.ID) {
	for i, id := range ids {
		if f.outside.known.has(id) {
			f.outside.add(id)
			continue
		}
		if it := &items[i]; it.ID != 0 || it.Outcome != nil || uint64(id) <= f.lastSeed.Load() || f.checked.has(id) {
			continue
		}
		f.checked.add(id)
		job, err := frontier.DecodeJob(items[i].Job)
		if err != nil {
			continue
		}
		u, _, err := urinorm.ParseWeb(string(job.URL))
		if err != nil {
			continue
		}
		switch site := f.scope.Scope().Sites.Of(u); {
		case site == nil:
			f.outside.add(id)
		case !disk.Finds(ctx, site, u):
			f.findings.add(id)
		}
	}
}

// manyWarned reports whether many pages of this site have warnings. Then pages that are
// not read yet are expected to have some as well.
func (f *Forecast) manyWarned() bool {
	const few, share = 16, 4 // one in so many pages
	n := f.warnings.Load()
	return n >= few && n*share > f.pages.Load()
}

// shownAs tells which references to a target are expected to be shown.
type shownAs uint8

const (
	notShown   shownAs = iota
	shownWhole         // only those without a fragment
	shownAll
)

// shownAs returns the prediction for a target with a fate. The ID is 0 if it is not known
// yet.
func (f *Forecast) shownAs(id frontier.ID, fate *scope.Fate) shownAs {
	switch {
	case fate.Outcome == scope.LeftOut:
	case fate.Outcome != nil:
		if e, _ := check.Lookup(fate.Outcome.Code); e.Severity != check.SeverityInfo {
			return shownAll
		}
	case f.findings.has(id), f.outside.isOpen(id):
		return shownAll
	case f.warned.has(id), fate.Need&frontier.NeedLinks != 0 && f.manyWarned():
		return shownWhole
	}
	return notShown
}
