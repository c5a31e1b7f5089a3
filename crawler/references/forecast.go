package references

import (
	"context"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Forecast is what is known, while pages are read, of the references that will be shown:
// whether a link may stay bare depends on it. Which targets have findings is known as far
// as they are settled; a file that is missing is known at once; and of pages that are not
// read yet it is guessed. It need not be right: what is shown and was kept bare is read
// again. It is safe for concurrent use.
type Forecast struct {
	show     rules.Show
	scope    func() *rules.Scope
	pages    func() int   // how many were read
	dubious  idSet        // targets to which all references will be shown, as far as is known
	remarked idSet        // and those without a fragment
	remarks  atomic.Int64 // how many are in remarked
	checked  idSet        // targets whose files were looked for
	lastSeed atomic.Uint64
}

// NewForecast returns the forecast of a run; nil where every link is kept whole, as the
// configuration says, the store outlives the process, or earlier runs have a say. Pages
// counts those that were read.
func NewForecast(c *rules.Config, durable bool, scope func() *rules.Scope, pages func() int) *Forecast {
	if !c.ReadAgain || c.Show.OK || c.Show.Skipped || c.Pages || c.Stream || c.Changed != nil || c.Cache != nil || durable {
		return nil
	}
	return &Forecast{show: c.Show, scope: scope, pages: pages}
}

// Seeded takes note of the ID of a start target: all of them are asked anyway.
func (f *Forecast) Seeded(id frontier.ID) {
	if f != nil {
		f.lastSeed.Store(max(f.lastSeed.Load(), uint64(id)))
	}
}

// Settled takes note of what an outcome means for the references to its target.
func (f *Forecast) Settled(id frontier.ID, o *check.Outcome) {
	if f == nil {
		return
	}
	if e, _ := check.Lookup(o.Code); e.Severity != check.SeverityInfo {
		f.dubious.add(id)
		return
	}
	for _, w := range o.Warnings {
		switch {
		case rules.Informational(w.Code):
		case !check.OfPage(w.Code):
			f.dubious.add(id)
			return
		case !f.show.PagesAlone && !f.remarked.has(id):
			f.remarked.add(id)
			f.remarks.Add(1)
		}
	}
}

// Found looks which of the files that a page was the first to name are missing: their
// turn comes when all documents of a directory have been read.
func (f *Forecast) Found(ctx context.Context, items []frontier.Item, ids []frontier.ID) {
	for i, id := range ids {
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
		if site := f.scope().SiteOf(u); site != nil {
			if _, err := site.Fetch(ctx, &fetch.Request{URL: u}); err != nil {
				f.dubious.add(id)
			}
		}
	}
}

// manyRemarked reports whether there is much to say of the pages of this site: then that
// goes for those, too, that are not read yet.
func (f *Forecast) manyRemarked() bool {
	const few, share = 16, 4 // of so many pages one
	n := int(f.remarks.Load())
	return n >= few && n*share > f.pages()
}

// shownAs says which references to a target will be shown, as far as that is known.
type shownAs uint8

const (
	notShown   shownAs = iota
	shownWhole         // those without a fragment
	shownAll
)

// shownAs answers for a target, whose ID is 0 while it is not known, and its fate.
func (f *Forecast) shownAs(id frontier.ID, fate *rules.Fate) shownAs {
	switch {
	case fate.Outcome == rules.LeftOut:
	case fate.Outcome != nil:
		if e, _ := check.Lookup(fate.Outcome.Code); e.Severity != check.SeverityInfo {
			return shownAll
		}
	case f.dubious.has(id):
		return shownAll
	case f.remarked.has(id), fate.Need&frontier.NeedLinks != 0 && f.manyRemarked():
		return shownWhole
	}
	return notShown
}
