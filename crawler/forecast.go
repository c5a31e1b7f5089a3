package crawler

import (
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Whether a link may stay bare (bare.go) hangs on whether it will be shown. Which targets
// have findings is known as far as they are settled; of a file that is missing it can be
// told at once; and of pages that are not read yet it is guessed.

// forecast is what is known, while pages are read, of the references that will be shown.
// It need not be right: what is shown and was kept bare is read again.
type forecast struct {
	dubious  idSet        // targets to which all references will be shown, as far as is known
	remarked idSet        // and those without a fragment
	remarks  atomic.Int64 // how many are in remarked
	foreseen idSet        // targets that were looked at for that
	lastSeed frontier.ID  // the greatest that was known from the start
}

// asFarAsKnown notes what the settling of a target tells of the references to it.
func (r *run) asFarAsKnown(id frontier.ID, o *check.Outcome) {
	if !r.cfg.ReadAgain {
		return
	}
	if e, _ := check.Lookup(o.Code); e.Severity != check.SeverityInfo {
		r.forecast.dubious.add(id)
		return
	}
	for _, w := range o.Warnings {
		switch {
		case rules.Informational(w.Code):
		case !check.OfPage(w.Code):
			r.forecast.dubious.add(id)
			return
		case !r.cfg.Show.PagesAlone && !r.forecast.remarked.has(id):
			r.forecast.remarked.add(id)
			r.forecast.remarks.Add(1)
		}
	}
}

// manyRemarked reports whether there is much to say of the pages of this site: then that
// goes for those, too, that are not read yet.
func (r *run) manyRemarked() bool {
	const few, share = 16, 4 // of so many pages one
	n := int(r.forecast.remarks.Load())
	return n >= few && n*share > r.counted(countPages)
}

// foresee looks which of the files that a page was the first to name are missing: their
// turn comes when all documents of a directory have been read.
func (w *worker) foresee(items []frontier.Item, ids []frontier.ID) {
	for i, id := range ids {
		if it := &items[i]; it.ID != 0 || it.Outcome != nil || id <= w.forecast.lastSeed || w.forecast.foreseen.has(id) {
			continue
		}
		w.forecast.foreseen.add(id)
		job, err := frontier.DecodeJob(items[i].Job)
		if err != nil {
			continue
		}
		u, _, err := urinorm.ParseWeb(string(job.URL))
		if err != nil {
			continue
		}
		if site := w.scope().SiteOf(u); site != nil {
			if _, err := site.Fetch(w.always, &fetch.Request{URL: u}); err != nil {
				w.forecast.dubious.add(id)
			}
		}
	}
}

// shownAs says which references to a target will be shown, as far as that is known.
type shownAs uint8

const (
	notShown   shownAs = iota
	shownWhole         // those without a fragment
	shownAll
)

// shownAs answers for a target, whose ID is 0 while it is not known, and its fate.
func (r *run) shownAs(id frontier.ID, fate *rules.Fate) shownAs {
	switch {
	case fate.Outcome == rules.LeftOut:
	case fate.Outcome != nil:
		if e, _ := check.Lookup(fate.Outcome.Code); e.Severity != check.SeverityInfo {
			return shownAll
		}
	case r.forecast.dubious.has(id):
		return shownAll
	case r.forecast.remarked.has(id), fate.Need&frontier.NeedLinks != 0 && r.manyRemarked():
		return shownWhole
	}
	return notShown
}
