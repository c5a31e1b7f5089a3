package verdicts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

type join struct {
	*Crawl
	*pairs
	ctx      context.Context
	dossiers *dossiers
	judge    *judge
	again    *rereader
	meant    *suggester   // nil until suggest
	effort   check.Effort // for each suggestion of a fragment
}

func newJoin(ctx context.Context, c *Crawl) *join {
	t := newTargets(ctx, c)
	sum := &rules.Summary{Started: c.Began, StoppedBy: c.StoppedBy, Complete: c.StoppedBy == "", Pages: c.Pages,
		Requests: c.Requests, ByCode: map[check.Code]int{}}
	d := &dossiers{targets: t}
	j := &join{Crawl: c, ctx: ctx, dossiers: d,
		pairs: &pairs{targets: t, show: c.Config.Show, anchors: anchorWindow{most: c.maxAnchors()}, byKey: map[pairKey]*pair{}, sum: sum}}
	j.judge = &judge{Crawl: c, targets: t, dossiers: d}
	j.again = newRereader(ctx, c)
	return j
}

// load reads every target.
func (j *join) load() error {
	j.anchors.reset(1)
	return j.targets.load(j.watch(), func(id frontier.ID, g check.Glance) {
		if g.Cached {
			j.sum.Cached++
		}
		j.anchors.add(id, g)
	})
}

// meetAll goes through every reference of every page once; where the anchors of all
// pages are too many to be held at once, once for each range of them.
func (j *join) meetAll() error {
	for first := true; ; first = false {
		if err := j.passes(first); err != nil {
			return err
		}
		if int(j.anchors.to) > len(j.states) {
			j.anchors = anchorWindow{}
			return j.leaveUnread()
		}
		if err := j.nextAnchors(); err != nil {
			return err
		}
	}
}

// passes is pass until the texts of all fragments are known that are wanted. Where one
// was to be read from a file that has changed, another that names it may be found
// by one more pass, which counts nothing twice.
func (j *join) passes(first bool) error {
	const most = 4
	for range most {
		if err := j.pass(first); err != nil {
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
	j.anchors.reset(j.anchors.to)
	err := j.Store.Scan(j.ctx, frontier.PartOutcome, func(rec *frontier.Record) error {
		switch {
		case rec.ID < j.anchors.from:
			return nil
		case j.anchors.full || int(rec.ID) > len(j.states):
			return errEnough
		}
		g, err := check.GlanceAt(j.outcomeOf(rec))
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		j.anchors.add(rec.ID, g)
		return nil
	})
	if err == errEnough {
		return nil
	}
	return err
}

// errEnough ends a scan that has found what it looked for.
var errEnough = errors.New("enough was read")

// pass meets the references to targets whose anchors are there, and in the first
// pass those without a fragment. That one also notes where redirects lead.
func (j *join) pass(first bool) error {
	var briefs frontier.BriefReader
	var reader pageReader
	var b frontier.Brief
	return j.Store.Scan(j.ctx, frontier.PartFound|frontier.PartLinks, func(rec *frontier.Record) error {
		if first && int(rec.ID) <= len(j.states) {
			j.lead(rec.ID, rec.Found)
		}
		if len(rec.Links) == 0 {
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
				j.sum.References += n
				j.sum.Links += n
			}
			if !more {
				return nil
			}
			if b.Target >= len(rec.Found) {
				return fmt.Errorf("target %d: a reference leads to none of the %d targets that were found", rec.ID, len(rec.Found))
			}
			id := rec.Found[b.Target]
			if b.HasFragment && !j.anchors.holds(id) || !b.HasFragment && !first {
				continue
			}
			if p := j.meet(id, &b); p != nil && j.wantsText(p, &b) {
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

// wantsText reports whether the text of a pair's fragment is still to be read: its
// verdict hangs on it, or it is told.
func (j *join) wantsText(p *pair, b *frontier.Brief) bool {
	s := j.states[p.id-1]
	return b.HasFragment && b.Hash != noFragment && p.fragment == "" && !p.sought && (s&leftBits == 0 || !j.passedOver(s, b))
}

// noFragment is the hash of an empty one, which many a script's link has: it is on
// every page.
var noFragment = check.HashAnchor("")

// pageReader reads the references of a page in full, up to the one that is asked for.
type pageReader struct {
	frontier.LinkReader
	links frontier.RawLink
	block []byte // until it is first asked
	at    int    // how many were read
}

func (r *pageReader) begin(block []byte) { r.block, r.at = block, 0 }

// to reads on to reference n.
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

// leaveUnread drops the pairs with a fragment that nobody can read any more.
func (j *join) leaveUnread() error {
	n := len(j.flagged)
	j.flagged = slices.DeleteFunc(j.flagged, func(p *pair) bool { return p.unread })
	maps.DeleteFunc(j.byKey, func(_ pairKey, p *pair) bool { return p.unread })
	if n -= len(j.flagged); n == 0 {
		return nil
	}
	if j.sum.Complete = false; j.sum.StoppedBy == "" {
		j.sum.StoppedBy = rules.StoppedByChange
	}
	return j.note(changedFiles(len(j.again.changed)) + ": " + quantity(n, "target") + " with a fragment, linked to from there, left out")
}

// named meets the targets the user named.
func (j *join) named() error {
	for i := range j.Seeds {
		s := &j.Seeds[i]
		id := j.SeedIDs[i]
		if !s.Named || id == 0 {
			continue
		}
		j.sum.References++
		f, has := s.URL.Fragment()
		p := j.keep(id, f, has)
		p.references = append(p.references, rules.Reference{Page: rules.CommandLine, Raw: urinorm.Redact(s.Raw)})
	}
	return nil
}

// started names the targets of the user that could not be read.
func (j *join) started() error {
	for i := range j.Seeds {
		s := &j.Seeds[i]
		if !s.Named || j.SeedIDs[i] == 0 {
			continue
		}
		f, has := s.URL.Fragment()
		g := &j.keep(j.SeedIDs[i], f, has).judgement
		if g.Verdict != check.OK && g.Code != check.CodeInterrupted && g.Code != check.CodeLimit {
			j.sum.StartFailed = append(j.sum.StartFailed, urinorm.Redact(s.Raw))
		}
	}
	return nil
}

// alone meets what no reference told of: documents found by walking a directory
// that cannot be read, and pages with something to say of their content.
func (j *join) alone() error {
	told := map[frontier.ID]bool{} // where the starts that the user named lead to
	for i := range j.Seeds {
		if id := j.SeedIDs[i]; j.Seeds[i].Named && id != 0 {
			told[j.follow(id).end] = true
		}
	}
	for i, s := range j.states {
		if s&(clean|counted|redirects) != 0 || j.needs[i]&frontier.NeedLinks == 0 {
			continue
		}
		id := frontier.ID(i + 1)
		if s&warned != 0 || j.needs[i]&frontier.NeedSeed != 0 && !told[id] || saysOfItself(&j.dossiers.get(id).outcome) {
			j.keep(id, "", false)
		}
	}
	return j.dossiers.err
}

// saysOfItself reports whether a page is there, and has something to say of its content.
func saysOfItself(o *check.Outcome) bool {
	return o.Code == check.CodeOK && slices.ContainsFunc(o.Warnings, func(w check.Warning) bool { return check.OfPage(w.Code) })
}

// settleAll gives every flagged pair its verdict, in the order of the store.
func (j *join) settleAll() error {
	slices.SortStableFunc(j.flagged, func(a, b *pair) int { return cmp.Compare(a.id, b.id) })
	for _, p := range j.flagged {
		j.judge.settle(p)
	}
	return j.dossiers.err
}
