package crawler

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
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
//	load     every target with its outcome, redirects linked to where they lead
//	judge    every (target, fragment) pair once; the ones to show are remembered
//	gather   the places that refer to the pairs to show
//	tell     results in order of their URL

// node is one target.
type node struct {
	job     frontier.Job
	outcome []byte
	anchors check.EncodedAnchors
	next    frontier.ID // where a redirect or a refresh leads, 0 otherwise
	need    frontier.Need
	state   nodeState
}

// nodeState is what is known of a target apart from its references.
type nodeState uint16

const (
	redirects nodeState = 1 << iota // another target answers for it
	clean                           // it is there, without redirect or warning: only a fragment or a mark can matter
	readable                        // its anchors are known
	isHTML                          // its content is HTML
	counted                         // its pair without a fragment was met
	flagged                         // and is not simply ok
	open                            // its answer is still out
	handsOn                         // it is there, and hands its readers on to another page
)

// pair is a target with a fragment that is not simply ok, or that is to be shown.
type pair struct {
	id          frontier.ID
	fragment    string
	hasFragment bool
	marks       uint64
	expects     uint8 // set of extract.Expect met
	open        bool  // its verdict is still out; only while results are streamed
	judgement   check.Judgement
	route       route
	references  []Reference
}

type pairKey struct {
	id       frontier.ID
	fragment string
	has      bool
}

// route is where a target's redirects lead.
type route struct {
	hops     []frontier.ID // the redirecting targets
	end      frontier.ID   // the target that answers, or one of the hops again; 0 when it was never asked
	internal bool          // it never left the site
}

type join struct {
	r      *run
	nodes  []node
	seed   maphash.Seed
	seen   map[uint64]struct{} // pairs with a fragment that were judged
	pairs  map[pairKey]*pair
	sum    *Summary
	cut    []byte // the outcome of what was not reached
	scrawl []byte

	streaming bool // the run goes on: what is not settled is open
}

func newJoin(r *run) *join {
	sum := &Summary{Started: r.started, StoppedBy: r.stoppedBy, Complete: r.stoppedBy == "", Pages: int(r.pages.Load()),
		Requests: int(r.requests.Load()), ByCode: map[check.Code]int{}}
	return &join{r: r, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, pairs: map[pairKey]*pair{}, sum: sum,
		cut: check.AppendOutcome(nil, notReached(r.stoppedBy))}
}

// report judges every reference and tells the sink.
func (r *run) report() (*Summary, error) {
	j := newJoin(r)
	sum := j.sum
	for i := range r.seeds {
		sum.Crawled = sum.Crawled || r.seeds[i].Crawl
		if r.seeds[i].Named && !slices.Contains(sum.Targets, r.seeds[i].Raw) {
			sum.Targets = append(sum.Targets, r.seeds[i].Raw)
		}
	}
	for _, step := range []func() error{j.load, j.named, j.judge, j.alone, j.gather, j.tell, j.notes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	sum.Elapsed = time.Since(r.started)
	return sum, nil
}

// load reads every target.
func (j *join) load() error {
	c, err := j.r.frontier.Count(j.r.always)
	if err != nil {
		return fmt.Errorf("count the targets: %w", err)
	}
	j.nodes = make([]node, 0, c.Known)
	return j.r.frontier.Store().Scan(j.r.always, func(rec *frontier.Record) error {
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		n := node{job: job, need: rec.Need}
		outcome := rec.Outcome
		if !rec.Settled || outcome == nil {
			outcome = j.cut
			if last := j.r.pasts[rec.ID].last; last != nil && !j.streaming { // only the second pass is missing
				outcome = last
			}
		}
		if err := n.read(outcome); err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if !rec.Settled {
			n.state |= open
		}
		if n.state&(redirects|handsOn) != 0 && len(rec.Found) > 0 {
			n.next = rec.Found[0]
		}
		j.nodes = append(j.nodes, n)
		return nil
	})
}

// read takes an outcome in.
func (n *node) read(outcome []byte) error {
	o, anchors, err := check.DecodeHead(outcome)
	if err != nil {
		return err
	}
	n.outcome, n.anchors = outcome, anchors
	n.state &= counted | flagged
	if o.Code == check.CodeRedirect {
		n.state |= redirects
	}
	if o.Code == check.CodeOK && o.Next != "" {
		n.state |= handsOn
	}
	if o.Read {
		n.state |= readable
	}
	if isPage(&o) {
		n.state |= isHTML
	}
	if o.Code == check.CodeOK && len(o.Warnings) == 0 {
		n.state |= clean
	}
	return nil
}

func (j *join) node(id frontier.ID) *node { return &j.nodes[id-1] }

// follow walks a target's redirects to their end.
func (j *join) follow(id frontier.ID) route {
	p := route{end: id, internal: j.node(id).job.Internal}
	for j.node(p.end).state&redirects != 0 {
		p.hops = append(p.hops, p.end)
		p.end = j.node(p.end).next
		if p.end == 0 || slices.Contains(p.hops, p.end) {
			break
		}
		p.internal = p.internal && j.node(p.end).job.Internal
	}
	return p
}

// judge goes through every reference of every page once.
func (j *join) judge() error {
	var reader frontier.LinkReader
	var l frontier.RawLink
	return j.r.frontier.Store().Scan(j.r.always, func(rec *frontier.Record) error {
		if len(rec.Links) == 0 {
			return nil
		}
		if err := reader.Reset(rec.Links); err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		for {
			more, err := reader.Next(&l)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			if !more {
				return nil
			}
			j.sum.References++
			j.sum.Links++
			j.meet(rec.Found[l.Target], l.Fragment, l.HasFragment, l.Mark)
		}
	})
}

// meet judges a pair when it is met for the first time, and adds up its marks.
// Nearly all pairs are simply ok: those are counted and forgotten.
func (j *join) meet(id frontier.ID, fragment []byte, has bool, mark uint64) {
	n := j.node(id)
	expect := extract.Expect(mark & markExpect)
	plain := n.state&clean != 0 && !j.r.cfg.Show.OK && mark&^uint64(markExpect|markForm|markAside|markChanged) == 0 &&
		(expect == extract.ExpectAny || n.state&isHTML == 0)
	switch {
	case !has:
		if plain && n.state&counted == 0 {
			n.state |= counted
			j.sum.Results++
			j.sum.OK++
		}
		if plain && n.state&flagged == 0 {
			return
		}
	case plain:
		h := j.hash(id, fragment)
		_, known := j.seen[h]
		if !known && n.state&readable != 0 && n.anchors.Has(check.HashAnchor(string(fragment))) {
			j.seen[h] = struct{}{}
			j.sum.Results++
			j.sum.OK++
			return
		}
		if known {
			if _, flagged := j.pairs[pairKey{id, string(fragment), true}]; !flagged {
				return
			}
		}
	}
	j.flag(id, string(fragment), has, mark, expect)
}

// flag remembers a pair that is to be looked at more closely.
func (j *join) flag(id frontier.ID, fragment string, has bool, mark uint64, expect extract.Expect) *pair {
	k := pairKey{id, fragment, has}
	p := j.pairs[k]
	if p == nil {
		p = &pair{id: id, fragment: fragment, hasFragment: has, marks: mark &^ markExpect}
		j.settle(p)
		j.pairs[k] = p
		met := false // as simply ok, until now
		if n := j.node(id); !has {
			met = n.state&counted != 0
			n.state |= counted | flagged
		} else {
			h := j.hash(id, []byte(fragment))
			_, met = j.seen[h]
			j.seen[h] = struct{}{}
		}
		if met {
			j.sum.Results--
			j.sum.OK--
		}
	}
	p.marks |= mark &^ markExpect
	p.expects |= 1 << expect
	return p
}

func (j *join) hash(id frontier.ID, fragment []byte) uint64 {
	j.scrawl = binary.LittleEndian.AppendUint32(j.scrawl[:0], uint32(id))
	j.scrawl = append(j.scrawl, fragment...)
	return maphash.Bytes(j.seed, j.scrawl)
}

// settle finds out where a pair's target leads and what is to be said of it.
func (j *join) settle(p *pair) {
	p.route = j.follow(p.id)
	if p.marks&markExcluded != 0 {
		p.open, p.judgement = false, j.excluded(p)
		return
	}
	p.open = j.streaming && p.route.end != 0 && j.node(p.route.end).state&open != 0
	if !p.open {
		p.judgement = j.verdict(p)
	}
}

// verdict judges a pair, the marks of its references aside.
func (j *join) verdict(p *pair) check.Judgement {
	first := j.node(p.id)
	q := check.Question{Internal: p.route.internal, Fragment: p.fragment, HasFragment: p.hasFragment,
		Accept: j.r.cfg.Accept, IgnoreFragment: j.r.ignoresFragment}
	rule := j.ruleFor(first)
	if rule != nil && rule.Accept != nil {
		q.Accept = rule.Accept
	}
	var links []check.Link
	var next string
	for _, id := range p.route.hops {
		o := j.decode(id)
		links = append(links, check.Link{URL: j.url(id), Status: o.Status})
		next = o.Next
	}
	var end *check.Outcome
	final, _, _ := urinorm.ParseWeb(next)
	if p.route.end != 0 {
		o := j.decode(p.route.end)
		end, q.Local = &o, o.Path != ""
		if len(p.route.hops) == 0 {
			final = j.url(p.route.end)
		}
	}
	q.URL = final
	if len(links) > 0 {
		q.URL = links[0].URL
	}
	g := check.JudgeChain(q, links, final, end, j.r.cfg.MaxRedirects)
	if (g.Code == check.CodeFragmentMissing || g.Code == check.CodeFragmentUnproven) && j.handedOn(p) {
		g = check.Judgement{Verdict: check.OK, Code: check.CodeOK}
	}
	if first.need&(frontier.NeedLinked|frontier.NeedListed) == 0 && g.Verdict == check.Broken && formRefused(end) {
		g = check.Judgement{Verdict: check.OK, Code: check.CodeOK}
	}
	if rule != nil && g.Verdict != check.OK && g.Verdict != check.Skipped {
		switch rule.Verdict {
		case "broken":
			g.Verdict = check.Broken
		case "unverified":
			g.Verdict = check.Unverified
		}
	}
	g.Message = j.r.print.message(g.Message)
	g.Warnings = slices.Clone(g.Warnings)
	if (p.hasFragment || len(p.route.hops) > 0) && p.route.end != 0 && j.node(p.route.end).need&frontier.NeedLinks != 0 {
		// Findings about a page of ours belong to the page, which is told in any case.
		g.Warnings = slices.DeleteFunc(g.Warnings, func(w check.Warning) bool { return check.OfPage(w.Code) })
	}
	for i := range g.Warnings {
		g.Warnings[i].Message = j.r.print.message(g.Warnings[i].Message)
		g.Warnings[i].Proposal = j.r.print.shorten(g.Warnings[i].Proposal)
	}
	return g
}

// excluded is the judgement on a pair that a rule says not to look at.
func (j *join) excluded(p *pair) check.Judgement {
	u := j.url(p.id).String()
	if p.hasFragment {
		u += "#" + p.fragment
	}
	if parsed, _, err := urinorm.ParseWeb(u); err == nil {
		if o := j.r.scope().excluded(viewOf(parsed)); o != nil {
			return check.Judgement{Verdict: check.Skipped, Code: o.Code, Message: o.Message}
		}
	}
	return check.Judgement{Verdict: check.Skipped, Code: check.CodeExcluded}
}

// handedOn reports whether a fragment that a page lacks is on the page that it hands
// its readers on to: documentation tools leave such pages behind when one moves,
// with a script that carries the fragment along.
func (j *join) handedOn(p *pair) bool {
	from := j.node(p.route.end)
	if from.next == 0 || from.state&redirects != 0 {
		return false
	}
	to := j.decode(j.follow(from.next).end)
	q := check.Question{Internal: true, Fragment: p.fragment, HasFragment: true, IgnoreFragment: j.r.ignoresFragment}
	return to.Code == check.CodeOK && to.Read && to.Judge(q).Verdict == check.OK
}

// formRefused reports whether an answer only says that a form's action wants what
// a form would send.
func formRefused(end *check.Outcome) bool {
	return end != nil && end.Status >= 400 && end.Status < 500 && end.Status != 404 && end.Status != 410
}

// decode reads a target's outcome, its anchors included.
func (j *join) decode(id frontier.ID) check.Outcome {
	o, err := check.DecodeOutcome(j.node(id).outcome)
	if err != nil { // load has read it before
		return check.Skip(check.CodeProtocolError, err.Error())
	}
	return o
}

func (j *join) url(id frontier.ID) urinorm.URL {
	n := j.node(id)
	if n.job.Verbatim {
		return urinorm.URL{}
	}
	u, _, _ := urinorm.ParseWeb(string(n.job.URL))
	return u
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
		if p.judgement.Verdict != check.OK && p.judgement.Code != "interrupted" && p.judgement.Code != "limit" {
			j.sum.StartFailed = append(j.sum.StartFailed, urinorm.Redact(s.Raw))
		}
	}
	return nil
}

// keep flags a pair whatever its verdict.
func (j *join) keep(id frontier.ID, fragment string, has bool) *pair {
	return j.flag(id, fragment, has, 0, extract.ExpectAny)
}

// alone meets what no reference told of: documents found by walking a directory
// that cannot be read, and pages with something to say of their content.
func (j *join) alone() error {
	for i := range j.nodes {
		n := &j.nodes[i]
		if n.state&(clean|counted|redirects) != 0 || n.need&frontier.NeedLinks == 0 || n.job.Verbatim {
			continue
		}
		id := frontier.ID(i + 1)
		o := j.decode(id)
		if n.need&frontier.NeedSeed != 0 || o.Code == check.CodeOK && slices.ContainsFunc(o.Warnings, func(w check.Warning) bool { return check.OfPage(w.Code) }) {
			j.keep(id, "", false)
		}
	}
	return nil
}
