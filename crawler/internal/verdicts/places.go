package verdicts

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// gather selects and orders the pairs that are shown and that streamed has not delivered, and
// collects their references.
func (j *join) gather(streamed *Stream) error {
	j.referSeeds()
	shown, w := j.selectPairs(streamed)
	if j.details.err != nil {
		return j.details.err
	}
	var err error
	if j.order, err = j.orderByURL(shown); err != nil || w.pairs == 0 {
		return err
	}
	j.spool = result.NewSpool(len(shown), func(n int) int { return int(shown[j.order.order[n]].cites) })
	if err := j.gatherReferences(&w); err != nil {
		return err
	}
	note, err := j.again.end(j.refer)
	if err == nil && note != "" {
		err = j.crawl.note(note)
	}
	return err
}

// wantedPairs are the pairs whose references are collected.
type wantedPairs struct {
	pairs     int
	targets   idBits // of the pairs
	fragments idBits // of the pairs with a fragment
}

// selectPairs completes the judgements of all pairs, and selects those that are shown. Their
// references are collected, and those of pairs whose verdicts are still open.
func (j *join) selectPairs(streamed *Stream) (shown []*pair, w wantedPairs) {
	shown = make([]*pair, 0, len(j.pairs.flagged))
	w = wantedPairs{targets: j.targets().none(), fragments: j.targets().none()}
	for _, p := range j.pairs.flagged {
		if p.wanted = p.open; !p.open {
			j.judge.addWarnings(p)
			j.judge.skipUnchanged(p)
			j.judge.setLevels(p)
			if !p.off && isShown(j.pairs.show, &p.judgement) && !streamed.has(p.key()) {
				shown = append(shown, p)
				p.wanted = !omitsReferences(j.pairs.show, &p.judgement)
			}
		}
		if p.wanted {
			w.pairs++
			w.targets.set(p.id)
			if p.hasFragment {
				w.fragments.set(p.id)
			}
		}
	}
	return shown, w
}

// gatherReferences collects the references of all pages to the wanted pairs.
func (j *join) gatherReferences(w *wantedPairs) error {
	var briefs frontier.BriefReader
	var reader pageReader
	var b frontier.Brief
	var bare []bareReference
	return j.crawl.Store.Scan(j.ctx, frontier.AllParts, func(rec *frontier.Record) error {
		if len(rec.Links) == 0 || j.targets().isLeft(rec.ID) || !slices.ContainsFunc(rec.Found, w.targets.has) {
			return nil
		}
		if err := briefs.Reset(rec.Links); err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		reader.begin(rec.Links)
		page := uint32(0)
		bare = bare[:0]
		for n := 0; ; n++ {
			if more, err := briefs.Next(&b); err != nil || !more {
				if len(bare) > 0 && err == nil {
					err = j.again.add(rec, page, bare, j.refer)
				}
				return err
			}
			b.Mark &^= scope.NeutralMarks
			id := rec.Found[b.Target]
			if !w.targets.has(id) || b.HasFragment && !w.fragments.has(id) {
				continue
			}
			p := j.pairs.byKey[keyOf(id, &b)]
			if p == nil || !p.wanted {
				continue
			}
			l, err := reader.to(n)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			if page == 0 {
				page = j.names.add(j.pageName(rec))
			}
			if l.Tag != 0 {
				if bare = append(bare, bareReference{pair: p, brief: b, tag: l.Tag}); len(bare) == maxBare {
					if err := j.again.add(rec, page, bare, j.refer); err != nil {
						return err
					}
					bare = bare[:0]
				}
				continue
			}
			j.refer(p, page, l)
		}
	})
}

// refer collects a reference on a page.
func (j *join) refer(p *pair, page uint32, l *frontier.RawLink) {
	j.record = appendReference(j.record[:0], page, l, p)
	if p.open { // nobody knows when its result is delivered
		p.hold(j.record)
		return
	}
	j.spool.Add(p.index, j.record)
}

// idBits is a set of targets with one bit for each.
type idBits []uint64

// none returns an empty set of the targets.
func (t *targets) none() idBits { return make(idBits, (len(t.states)+63)/64) }

func (b idBits) set(id frontier.ID) { b[(id-1)/64] |= 1 << ((id - 1) % 64) }

func (b idBits) has(id frontier.ID) bool { return b[(id-1)/64]&(1<<((id-1)%64)) != 0 }

// pageName returns the printed name of a record's page.
func (j *join) pageName(rec *frontier.Record) string {
	if g, err := judging.GlanceAt(rec.Outcome); err == nil && len(g.Path) > 0 {
		name := j.crawl.Print.Path(string(g.Path))
		if _, route, is := bytes.Cut(rec.Job, []byte("#")); is {
			name += "#" + string(route)
		}
		return name
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil { // load has decoded it before
		return ""
	}
	return j.crawl.Print.Job(&job)
}
