package verdicts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// join combines the references of all pages with the outcomes of their targets.
type join struct {
	ctx     context.Context
	crawl   *Crawl
	pairs   *pairs
	details *detailCache
	judge   *judge
	again   *rereader
	names   pageNames     // of the pages with shown references
	order   *urlOrder     // of the shown pairs; from gather on
	spool   *result.Spool // their references
	record  []byte

	inspected bool // content checks have looked at some targets
	around    int  // references that lead to the directory around that of their page
}

func newJoin(ctx context.Context, c *Crawl) *join {
	t := newTargets(ctx, c)
	sum := &result.Summary{Started: c.Began, Pages: c.Of[stored.Pages],
		Requests: c.Of[stored.Requests], ByCode: map[check.Code]int{}}
	d := &detailCache{targets: t}
	judge := &judge{crawl: c, targets: t, details: d, shared: map[check.Code]*decision{}}
	judge.strict = judge.strictly()
	return &join{ctx: ctx, crawl: c, details: d, again: newRereader(ctx, c), judge: judge,
		pairs: &pairs{targets: t, show: c.Show, anchors: anchorWindow{most: c.maxAnchors()}, byKey: map[pairKey]*pair{}, sum: sum}}
}

// load reads every target.
func (j *join) load() error {
	j.pairs.anchors.reset(1)
	return j.targets().load(j.crawl.watches(), func(rec *frontier.Record, g judging.Glance) error {
		if g.Cached {
			j.pairs.sum.Cached++
		}
		j.inspected = j.inspected || g.Inspected
		j.pairs.anchors.add(rec.ID, g)
		if j.targets().of(rec.ID)&(clean|leftBits) == 0 { // its pairs are judged
			if err := j.details.offer(rec); err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
		}
		return j.crawl.Recorder.target(rec)
	})
}

// targets returns the states of all targets.
func (j *join) targets() *targets { return j.pairs.targets }

// addReferences adds every reference of every page to the pairs. If the anchors of all
// pages do not fit in memory, it scans the references once for each range of targets.
func (j *join) addReferences() error {
	for first := true; ; first = false {
		if err := j.scanUntilRead(first); err != nil {
			return err
		}
		if int(j.pairs.anchors.to) > len(j.targets().states) {
			j.pairs.anchors = anchorWindow{}
			return j.leaveUnread()
		}
		if err := j.nextAnchors(); err != nil {
			return err
		}
	}
}

// scanUntilRead scans the references until the texts of all wanted fragments are known. If
// a text was to be read from a file that has changed, another scan may find it in another
// file. A further scan counts nothing twice.
func (j *join) scanUntilRead(first bool) error {
	const most = 4
	for range most {
		if err := j.scan(first); err != nil {
			return err
		}
		if more, err := j.again.texts(); err != nil || !more {
			return err
		}
		first = false
	}
	return nil
}

// nextAnchors reads the next range of anchors.
func (j *join) nextAnchors() error {
	j.pairs.anchors.reset(j.pairs.anchors.to)
	err := j.crawl.Store.Scan(j.ctx, frontier.PartOutcome, func(rec *frontier.Record) error {
		switch {
		case rec.ID < j.pairs.anchors.from:
			return nil
		case j.pairs.anchors.full || int(rec.ID) > len(j.targets().states):
			return errEnough
		}
		g, err := judging.GlanceAt(j.targets().outcomeOf(rec))
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		j.pairs.anchors.add(rec.ID, g)
		return nil
	})
	if err == errEnough {
		return nil
	}
	return err
}

// errEnough ends a scan of the store early.
var errEnough = errors.New("the scan has read enough")

// scan adds the references to targets whose anchors are in memory. The first scan also adds
// those without a fragment, and records the targets of redirects.
func (j *join) scan(first bool) error {
	var briefs frontier.BriefReader
	var reader pageReader
	var b frontier.Brief
	return j.crawl.Store.Scan(j.ctx, frontier.PartFound|frontier.PartLinks, func(rec *frontier.Record) error {
		if first && int(rec.ID) <= len(j.targets().states) {
			j.targets().lead(rec.ID, rec.Found)
		}
		if len(rec.Links) == 0 || j.targets().known(rec.ID) && j.targets().isLeft(rec.ID) {
			return nil
		}
		if err := briefs.Reset(rec.Links); err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		reader.begin(rec.Links)
		for n := 0; ; n++ {
			more, err := briefs.Next(&b)
			switch {
			case err != nil:
				return fmt.Errorf("target %d: %w", rec.ID, err)
			case !more && first:
				j.pairs.sum.References += n
				j.pairs.sum.Links += n
			}
			if !more {
				return nil
			}
			if b.Target >= len(rec.Found) {
				return fmt.Errorf("target %d: a reference has the index %d, but the page has only %d targets", rec.ID, b.Target, len(rec.Found))
			}
			if first && b.Mark&scope.MarkAround != 0 {
				j.around++
			}
			id := rec.Found[b.Target]
			if b.HasFragment && !j.pairs.anchors.holds(id) || !b.HasFragment && !first {
				continue
			}
			if p := j.pairs.add(id, &b); p != nil && j.wantsText(p, &b) {
				l, err := reader.to(n)
				if err != nil {
					return fmt.Errorf("target %d: %w", rec.ID, err)
				}
				switch {
				case l.Tag == 0 || l.Fragment != nil:
					p.fragment, p.unread = string(l.Fragment), false
				default:
					j.again.want(p, rec.ID, &b, l.Tag)
				}
			}
		}
	})
}

// wantsText reports whether the text of a pair's fragment must still be read, for its
// verdict or for the report.
func (j *join) wantsText(p *pair, b *frontier.Brief) bool {
	s := j.targets().of(p.id)
	return b.HasFragment && b.Hash != emptyFragment && p.fragment == "" && !p.textWanted && (p.ignored || s&leftBits == 0 || !j.pairs.isOnlyCounted(s, b))
}

// emptyFragment is the hash of an empty fragment, which exists on every page. Many links
// for scripts have one.
var emptyFragment = judging.HashAnchor("")

// pageReader reads whole references of a page by their index, in increasing order.
type pageReader struct {
	frontier.LinkReader
	links frontier.RawLink
	block []byte // until the first read
	at    int    // number of references read
}

func (r *pageReader) begin(block []byte) { r.block, r.at = block, 0 }

// to reads up to reference n.
func (r *pageReader) to(n int) (*frontier.RawLink, error) {
	if r.block != nil {
		if err := r.Reset(r.block); err != nil {
			return nil, err
		}
		r.block = nil
	}
	for ; r.at <= n; r.at++ {
		if _, err := r.Next(&r.links); err != nil {
			return nil, err
		}
	}
	return &r.links, nil
}

// leaveUnread removes the pairs whose fragment could not be read.
func (j *join) leaveUnread() error {
	n := len(j.pairs.flagged)
	j.pairs.flagged = slices.DeleteFunc(j.pairs.flagged, func(p *pair) bool { return p.unread })
	maps.DeleteFunc(j.pairs.byKey, func(_ pairKey, p *pair) bool { return p.unread })
	if n -= len(j.pairs.flagged); n == 0 {
		return nil
	}
	j.crawl.Gaps[gap.FileChange] += n
	return j.crawl.note(changedFiles(len(j.again.changed)) + ": links from there to " + quantity(n, "target") + " with a fragment are left out of the report")
}

// addSeeds adds the targets that the user named.
func (j *join) addSeeds() error {
	j.eachNamed(func(s *scope.Seed, p *pair) {
		j.pairs.sum.References++
		p.document = !s.Crawl && s.Follow
	})
	return nil
}

// eachNamed calls do for each target that the user named, with its pair.
func (j *join) eachNamed(do func(*scope.Seed, *pair)) {
	for i := range j.crawl.Seeds {
		s := &j.crawl.Seeds[i]
		if id := j.crawl.SeedIDs[i]; s.Named && id != 0 {
			f, has := s.URL.Fragment()
			do(s, j.pairs.flagAlways(id, f, has))
		}
	}
}

// referSeeds adds the references of the targets that the user named. They have no marks, and
// what is wrong with other references does not concern them.
func (j *join) referSeeds() {
	j.eachNamed(func(s *scope.Seed, p *pair) {
		p.hold(appendReference(nil, 0, &frontier.RawLink{Raw: []byte(urinorm.Redact(s.Raw))}, p))
	})
}

// listFailedSeeds lists in the summary the targets named by the user that could not be read.
func (j *join) listFailedSeeds() error {
	j.eachNamed(func(s *scope.Seed, p *pair) {
		if g := &p.judgement; s.Follow && g.Verdict != check.OK && g.Code != check.CodeInterrupted && g.Code != check.CodeLimit && g.Code != check.CodeFragmentMissing {
			j.pairs.sum.StartFailed = append(j.pairs.sum.StartFailed, urinorm.Redact(s.Raw))
		}
	})
	return nil
}

// noteUnreadable notes each document that the user named and of which nothing could be read.
// Its links are unknown, so the run is not complete. Those found by walking a directory are
// not named.
func (j *join) noteUnreadable() error {
	for i := range j.crawl.Seeds {
		s := &j.crawl.Seeds[i]
		id := j.crawl.SeedIDs[i]
		if id == 0 || s.Crawl && j.crawl.Scope.Sites.Of(s.URL) != nil {
			continue
		}
		end := j.targets().follow(id).end
		if end == 0 {
			continue
		}
		cause := j.details.get(end).outcome.Unreadable()
		if cause == "" {
			continue
		}
		j.crawl.Gaps[gap.Document]++
		if err := j.crawl.note(urinorm.Redact(s.Raw) + " cannot be read: " + cause); err != nil {
			return err
		}
	}
	return j.details.err
}

// addUnreferenced adds targets without references: documents found by walking a directory
// that cannot be read, and pages with warnings about their content.
func (j *join) addUnreferenced() error {
	named := map[frontier.ID]bool{} // final targets of the seeds that the user named
	for i := range j.crawl.Seeds {
		if id := j.crawl.SeedIDs[i]; j.crawl.Seeds[i].Named && id != 0 {
			named[j.targets().follow(id).end] = true
		}
	}
	for i, s := range j.targets().states {
		if s&(clean|counted|redirects) != 0 || j.targets().isLeft(frontier.ID(i+1)) || j.targets().needs[i]&frontier.NeedLinks == 0 {
			continue
		}
		id := frontier.ID(i + 1)
		if j.targets().needs[i]&(frontier.NeedLinked|frontier.NeedSeed|frontier.NeedListed) == 0 && s&exists == 0 {
			continue // the document of a view, which has the same outcome
		}
		if s&warned != 0 || j.targets().needs[i]&frontier.NeedSeed != 0 && !named[id] || hasPageWarning(&j.details.get(id).outcome) {
			j.pairs.flagAlways(id, "", false)
		}
	}
	return j.details.err
}

// hasPageWarning reports whether a page is OK but has warnings about its content.
func hasPageWarning(o *judging.Outcome) bool {
	return o.Code == check.CodeOK && slices.ContainsFunc(o.Warnings, func(w check.Warning) bool { return check.OfPage(w.Code) })
}

// byTarget is the order of the store.
func byTarget(a, b *pair) int { return cmp.Compare(a.id, b.id) }

// judgeAll judges every flagged pair, in the order of the store.
func (j *join) judgeAll() error {
	slices.SortStableFunc(j.pairs.flagged, byTarget)
	var before *pair
	for _, p := range j.pairs.flagged {
		j.judge.decide(p)
		j.judge.noteHidden(p)
		if before != nil && before.id == p.id && before.ignored == p.ignored {
			p.route = before.route // an equal one
		}
		before = p
	}
	return j.details.err
}
