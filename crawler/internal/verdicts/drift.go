package verdicts

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/drift"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// drifted adds to the judgement on an external target that it no longer says what it said when it
// was first seen. The cache remembers its text otherwise. It may be called again for a target: the
// result is the same.
func (j *judge) drifted(p *pair, g *judging.Judgement) {
	asked := j.crawl.Judging.Drift
	if asked == nil || j.crawl.Cache == nil || p.route.end == 0 || g.Verdict != check.OK || j.targets.of(p.id)&internal != 0 {
		return
	}
	now := &j.details.get(p.route.end).outcome
	sketch, err := drift.Parse(now.Sketch)
	if err != nil { // it was not read as text
		return
	}
	first, at := j.details.get(p.id), j.crawl.Began.UTC().Truncate(time.Second)
	printed := j.crawl.Print.Job(&first.job)
	key := j.crawl.Cache.Key(urinorm.KeyOf(first.url), traffic.Identity{Open: cacheentry.KindSketch})
	record, known := j.crawl.Cache.Get(key)
	was, err := drift.ParseFirst(record.Data)
	if known && drift.IsOtherVersion(err) {
		j.otherSketches++
	}
	if err != nil || slices.ContainsFunc(asked.Accept, func(re *regexp.Regexp) bool { return re.MatchString(printed) }) {
		was = drift.First{Seen: at, Title: now.Title, Sketch: sketch}
	}
	similarity, drifts := was.Sketch.Drifts(&sketch, asked.Below)
	if !drifts {
		was.LastSame = at
		j.crawl.Cache.Put(key, cacheentry.Record{Checked: at, Run: at.UnixNano(), Data: was.Append(nil), URL: printed, Kind: cacheentry.KindSketch})
		return
	}
	d := &check.Drift{Similarity: similarity, FirstSeen: was.Seen, LastSame: was.LastSame, Change: "replaced"}
	if was.Title != now.Title && now.Title != "" {
		d.TitleWas, d.TitleIs = was.Title, now.Title
	}
	switch {
	case slices.ContainsFunc(g.Warnings, func(w check.Warning) bool { return w.Code == judging.CodeDomainParked }):
		d.Change = "parked"
	case sketch.IsEmpty():
		d.Change = "emptied"
	}
	g.Warnings = append(g.Warnings, check.Warning{Code: judging.CodeContentDrift, Drift: d,
		Message: fmt.Sprintf("%d%% of the text that was first seen on %s is still there; it was last the same on %s", int(similarity*100+0.5), was.Seen.Format(time.DateOnly), was.LastSame.Format(time.DateOnly))})
}

// driftNotes returns what is said about the texts that are remembered.
func (j *judge) driftNotes() []string {
	if j.otherSketches == 0 {
		return nil
	}
	return []string{fmt.Sprintf("--drift: the texts of %s were remembered by another version of this program; they are compared with those of this run from now on", quantity(j.otherSketches, "target"))}
}
