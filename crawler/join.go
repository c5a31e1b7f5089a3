package crawler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// The join gives every reference its verdict once the crawl knows all pages. It
// reads what the store kept in the order of the store, never in the order of
// events, so that one worker and sixty-four give the same report.
//
//	load     of every target a few bits: is it there, does it redirect, what was wanted of it
//	judge    every reference once: what is simply ok is counted, the rest flagged; and where redirects lead
//	settle   every flagged (target, fragment) pair gets its verdict
//	gather   the places that refer to the pairs to show
//	suggest  what was meant by those that are not there
//	tell     results in order of their URL
//
// Of a target nothing else stays in memory: what is flagged is few, and of those the
// store is asked again (shelf.go). Anchors are there for a range of targets at a
// time (anchors.go).

// nodeState is what is known of a target apart from its references.
type nodeState uint32

const (
	redirects nodeState = 1 << iota // another target answers for it
	clean                           // it is there, without redirect or warning: only a fragment or a mark can matter
	warned                          // it is there, and all its warnings are about its own content: with a fragment the same holds
	readable                        // its anchors are known
	isHTML                          // its content is HTML
	counted                         // its pair without a fragment was met
	flagged                         // and is not simply ok
	pieced                          // a pair with a fragment is flagged that is there, or may be
	topped                          // its pair with an empty fragment was met
	open                            // its answer is still out
	internal                        // it is on one of the seeds' sites
	entered                         // its job is known
	watching                        // somebody waits for its verdicts, whatever they are
	recalled                        // it was not asked: an earlier run had
	existing                        // it is there, be it with something to warn of
	leads                           // and it is a page that hands its readers on

	// leftBits say why a target was not checked, for the reasons that may leave out
	// millions: the place in leftCodes.
	leftBits  nodeState = 3 << leftShift
	leftShift           = 30
)

var leftCodes = [...]check.Code{1: check.CodeExternal, 2: check.CodeInterrupted, 3: check.CodeLimit}

// left is why a target was not checked, as far as leftCodes say.
func (s nodeState) left() check.Code { return leftCodes[s&leftBits>>leftShift] }

// pair is a target with a fragment that is not simply ok, or that is to be shown.
type pair struct {
	id          frontier.ID
	fragment    string
	hasFragment bool
	marks       uint64
	expects     uint8 // set of extract.Expect met
	linked      bool  // not all of its references are such as are left aside
	open        bool  // its verdict is still out; only while results are streamed
	sought      bool  // the text of its fragment is, or was, among those sought
	unread      bool  // and was not found: a file has changed
	judgement   check.Judgement
	route       route
	references  []Reference
	unlike      []unlike      // of them
	archived    *archivedCopy // of a target that is gone; nil when none is known
}

func (p *pair) key() pairKey {
	if !p.hasFragment {
		return pairKey{id: p.id}
	}
	return pairKey{p.id, true, check.HashAnchor(p.fragment)}
}

// pairKey names a pair. Of two fragments of one page, one in 2^64 shares a hash.
type pairKey struct {
	id   frontier.ID
	has  bool
	hash uint64
}

// route is where a target's redirects lead.
type route struct {
	hops     []frontier.ID // the redirecting targets
	end      frontier.ID   // the target that answers, or one of the hops again; 0 when it was never asked
	internal bool          // it never left the site
}

// answers are all the targets whose answers make the way.
func (r *route) answers() []frontier.ID {
	if r.end == 0 || slices.Contains(r.hops, r.end) {
		return r.hops
	}
	return append(slices.Clip(r.hops), r.end)
}

type join struct {
	r       *run
	states  []nodeState                 // by ID-1
	needs   []frontier.Need             // likewise
	next    map[frontier.ID]frontier.ID // where a redirect or a refresh leads
	anchors anchorWindow
	shelf   dossierShelf
	meant   *suggester   // nil until suggest
	effort  check.Effort // for each suggestion of a fragment
	pairs   map[pairKey]*pair
	flagged []*pair // in the order they were met
	sum     *Summary
	cut     []byte               // the outcome of what was not reached
	sought  []soughtText         // in bare references, page by page
	lost    map[frontier.ID]bool // pages that have changed, so that nothing is sought there
	targets map[string]bool      // those that are watched, without fragments

	streaming bool // the run goes on: what is not settled is open
}

func newJoin(r *run) *join {
	sum := &Summary{Started: r.began, StoppedBy: r.stoppedBy, Complete: r.stoppedBy == "", Pages: r.counted(countPages),
		Requests: r.counted(countRequests), ByCode: map[check.Code]int{}}
	return &join{r: r, next: map[frontier.ID]frontier.ID{}, anchors: anchorWindow{most: r.windowed}, pairs: map[pairKey]*pair{}, lost: map[frontier.ID]bool{}, sum: sum,
		cut: check.AppendOutcome(nil, notReached(r.stoppedBy))}
}

// report judges every reference and tells the sink.
func (r *run) report(ctx context.Context) (*Summary, error) {
	if r.emptyBuild() {
		r.stopped(stoppedByScript)
	}
	j := newJoin(r)
	sum := j.sum
	for i := range r.seeds {
		sum.Crawled = sum.Crawled || r.seeds[i].Crawl
		if r.seeds[i].Named && !slices.Contains(sum.Targets, r.seeds[i].Raw) {
			sum.Targets = append(sum.Targets, r.seeds[i].Raw)
		}
	}
	archived := func() error { return j.archived(ctx) }
	for _, step := range []func() error{j.load, j.named, j.judge, j.alone, j.settleAll, j.started, j.watched, j.gather, j.suggest, archived, j.tell, j.notes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	sum.Elapsed = r.before + time.Since(r.started)
	return sum, nil
}

// load reads every target.
func (j *join) load() error {
	c, err := j.r.frontier.Count(j.r.always)
	if err != nil {
		return fmt.Errorf("count the targets: %w", err)
	}
	j.states = make([]nodeState, 0, c.Known)
	j.needs = make([]frontier.Need, 0, c.Known)
	j.anchors.reset(1)
	err = j.r.frontier.Store().Scan(j.r.always, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		j.states = append(j.states, stateOf(&job)|j.watch(&job))
		j.needs = append(j.needs, rec.Need)
		g, err := j.read(rec.ID, j.outcomeOf(rec))
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if !rec.Settled {
			j.states[rec.ID-1] |= open
		}
		if g.Cached {
			j.sum.Cached++
		}
		j.anchors.add(rec.ID, g)
		return nil
	})
	return err
}

func stateOf(job *frontier.Job) nodeState {
	if job.Internal {
		return entered | internal
	}
	return entered
}

// outcomeOf is a target's outcome, that of not having been reached where there is none.
func (j *join) outcomeOf(rec *frontier.Record) []byte {
	if rec.Settled && rec.Outcome != nil {
		return rec.Outcome
	}
	if before, err := decodePast(rec.Note); err == nil && before.last != nil && !j.streaming { // only the second pass is missing
		return before.last
	}
	return j.cut
}

// read takes an outcome in.
func (j *join) read(id frontier.ID, outcome []byte) (check.Glance, error) {
	g, err := check.GlanceAt(outcome)
	if err != nil {
		return g, err
	}
	s := &j.states[id-1]
	*s &= counted | flagged | pieced | topped | internal | entered | watching
	set := func(is bool, bit nodeState) {
		if is {
			*s |= bit
		}
	}
	set(g.Redirect, redirects)
	set(g.Read, readable)
	set(g.HTML, isHTML)
	set(g.OK, existing)
	set(g.OK && g.Leads, leads)
	set(g.OK && !g.Warned, clean)
	set(g.OK && g.OfPage && j.needs[id-1]&frontier.NeedLinks != 0 && j.r.cfg.Changed == nil, warned)
	set(g.Cached, recalled)
	if i := slices.Index(leftCodes[1:], g.Code); i >= 0 {
		*s |= nodeState(i+1) << leftShift
	}
	return g, nil
}

// lead notes where a redirect or a refresh leads: to the first that was found there.
func (j *join) lead(id frontier.ID, found []frontier.ID) {
	if j.states[id-1]&(redirects|leads) != 0 && len(found) > 0 {
		j.next[id] = found[0]
	}
}

// judge goes through every reference of every page once; where the anchors of all
// pages are too many to be held at once, once for each range of them.
func (j *join) judge() error {
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
		lost := len(j.lost)
		if err := j.pass(first); err != nil {
			return err
		}
		if err := j.bareTexts(); err != nil || len(j.lost) == lost {
			return err
		}
		first = false
	}
	return nil
}

// nextAnchors reads the next range of anchors.
func (j *join) nextAnchors() error {
	j.anchors.reset(j.anchors.to)
	err := j.r.frontier.Store().Scan(j.r.always, frontier.PartOutcome, func(rec *frontier.Record) error {
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
	return j.r.frontier.Store().Scan(j.r.always, frontier.PartFound|frontier.PartLinks, func(rec *frontier.Record) error {
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
				case j.lost[rec.ID]:
					p.unread = true
				default:
					p.sought = true
					j.sought = append(j.sought, soughtText{pair: p, hash: b.Hash, page: rec.ID, tag: l.Tag})
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

// meet counts a pair that is simply ok, as nearly all are, when it is met for the
// first time; any other is flagged, its marks added up, and returned. A reference that
// is simply ok has no part in what others are to blame for: that it stands on a changed
// page does not count, whether it comes before them or after.
func (j *join) meet(id frontier.ID, b *frontier.Brief) *pair {
	s := &j.states[id-1]
	expect := extract.Expect(b.Mark & markExpect)
	fine := clean
	if b.HasFragment {
		fine |= warned // a page's own warnings are told with the page
	}
	plain := *s&fine != 0 && *s&watching == 0 && !j.r.cfg.Show.OK && b.Mark&^uint64(markExpect|markForm|markAside|markChanged) == 0 &&
		(expect == extract.ExpectAny || *s&isHTML == 0)
	key := pairKey{id, b.HasFragment, b.Hash}
	switch {
	case *s&leftBits != 0 && !b.HasFragment && j.passedOver(*s, b):
		if *s&counted == 0 {
			*s |= counted
			j.countLeft(*s, +1)
		}
		return nil
	case !plain:
	case !b.HasFragment:
		if *s&flagged != 0 {
			break
		}
		if *s&counted == 0 {
			*s |= counted
			j.sum.Results++
			j.sum.OK++
		}
		return nil
	case b.Hash == noFragment:
		if *s&pieced != 0 && j.pairs[key] != nil {
			break
		}
		if *s&topped == 0 {
			*s |= topped
			j.sum.Results++
			j.sum.OK++
		}
		return nil
	case *s&readable != 0:
		at, there := j.anchors.find(id, b.Hash)
		if plain = there; !there || *s&pieced != 0 && j.pairs[key] != nil {
			break
		}
		if j.anchors.meet(at) {
			j.sum.Results++
			j.sum.OK++
		}
		return nil
	default:
		plain = false // nobody knows whether the fragment is there
	}
	mark := b.Mark
	if plain {
		mark &^= markChanged
	}
	return j.flag(key, mark, expect)
}

// passedOver reports whether all that is to be said of a reference to a target that
// was not checked is that there is one more.
func (j *join) passedOver(s nodeState, b *frontier.Brief) bool {
	return s&(flagged|watching) == 0 && !j.r.cfg.Show.Skipped && b.Mark&markExcluded == 0 && !(j.streaming && s&open != 0)
}

// countLeft counts a target that was not checked.
func (j *join) countLeft(s nodeState, by int) {
	j.sum.Results += by
	j.sum.Skipped += by
	if code := s.left(); j.sum.ByCode[code] == -by {
		delete(j.sum.ByCode, code)
	} else {
		j.sum.ByCode[code] += by
	}
}

// flag remembers a pair that is to be looked at more closely.
func (j *join) flag(key pairKey, mark uint64, expect extract.Expect) *pair {
	p := j.pairs[key]
	if p == nil {
		p = &pair{id: key.id, hasFragment: key.has}
		j.pairs[key] = p
		j.flagged = append(j.flagged, p)
		met := false // as simply ok, until now
		s := &j.states[key.id-1]
		switch {
		case !key.has:
			met = *s&counted != 0
			*s |= counted | flagged
		case key.hash == noFragment:
			met = *s&topped != 0
			*s |= topped | pieced
		default:
			at, there := j.anchors.find(key.id, key.hash)
			met = there && !j.anchors.meet(at)
			if there || j.streaming || !j.anchors.holds(key.id) { // what is not there is flagged each time
				*s |= pieced
			}
		}
		switch {
		case met && !key.has && *s&leftBits != 0:
			j.countLeft(*s, -1)
		case met:
			j.sum.Results--
			j.sum.OK--
		}
	}
	p.marks |= mark &^ markExpect
	p.linked = p.linked || mark&markAside == 0
	p.expects |= 1 << expect
	return p
}

// keep flags a pair whatever its verdict.
func (j *join) keep(id frontier.ID, fragment string, has bool) *pair {
	p := pair{id: id, fragment: fragment, hasFragment: has}
	kept := j.flag(p.key(), 0, extract.ExpectAny)
	kept.fragment = fragment
	return kept
}

// named meets the targets the user named.
func (j *join) named() error {
	for i := range j.r.seeds {
		s := &j.r.seeds[i]
		id := j.r.seedIDs[i]
		if !s.Named || id == 0 {
			continue
		}
		j.sum.References++
		f, has := s.URL.Fragment()
		p := j.keep(id, f, has)
		p.references = append(p.references, Reference{Page: CommandLine, Raw: urinorm.Redact(s.Raw)})
	}
	return nil
}

// started names the targets of the user that could not be read.
func (j *join) started() error {
	for i := range j.r.seeds {
		s := &j.r.seeds[i]
		if !s.Named || j.r.seedIDs[i] == 0 {
			continue
		}
		f, has := s.URL.Fragment()
		g := &j.keep(j.r.seedIDs[i], f, has).judgement
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
	for i := range j.r.seeds {
		if id := j.r.seedIDs[i]; j.r.seeds[i].Named && id != 0 {
			told[j.follow(id).end] = true
		}
	}
	for i, s := range j.states {
		if s&(clean|counted|redirects) != 0 || j.needs[i]&frontier.NeedLinks == 0 {
			continue
		}
		id := frontier.ID(i + 1)
		if s&warned != 0 || j.needs[i]&frontier.NeedSeed != 0 && !told[id] || saysOfItself(&j.dossier(id).outcome) {
			j.keep(id, "", false)
		}
	}
	return j.shelf.err
}

// saysOfItself reports whether a page is there, and has something to say of its content.
func saysOfItself(o *check.Outcome) bool {
	return o.Code == check.CodeOK && slices.ContainsFunc(o.Warnings, func(w check.Warning) bool { return check.OfPage(w.Code) })
}
