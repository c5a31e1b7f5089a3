package verdicts

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// pair is a target with a fragment that is not simply ok, or that may be shown. The
// references that inline marks exclude have a pair of their own, which is skipped.
type pair struct {
	id          frontier.ID
	expects     uint8 // set of the extract.Expect values of its references
	hasFragment bool
	ignored     bool   // inline marks exclude its references
	linked      bool   // some of its references are not set aside
	open        bool   // its verdict is not known yet; only while results are streamed
	textWanted  bool   // the text of its fragment is to be read, or was read
	unread      bool   // the text was not found, as a file has changed
	document    bool   // the user named it, and it is a document on disk
	off         bool   // the user removed its finding from the report
	hidden      bool   // a configuration that was not named hides a finding
	wanted      bool   // its references are collected
	cites       uint32 // number of references on pages; more if they were scanned several times
	index       uint32 // in the urlOrder of the shown pairs
	fragment    string
	marks       uint64
	*decision
	route      *route         // shared by the pairs of a target
	references *referenceList // those that a spool does not hold; nil for none
}

// decision is what was decided about a pair. Most pairs of a report with everything are simply
// ok and share one.
type decision struct {
	judgement  judging.Judgement
	ruleLevels check.Levels
	isShared   bool // it must not be changed
}

// undecided is the decision about a pair that was not judged.
var undecided = &decision{isShared: true}

// judged sets the judgement of a pair.
func (p *pair) judged(g judging.Judgement) {
	p.decision = &decision{judgement: g, ruleLevels: p.ruleLevels}
}

// own returns the judgement of a pair to change it.
func (p *pair) own() *judging.Judgement {
	if p.isShared {
		p.judged(p.judgement)
	}
	return &p.judgement
}

func (p *pair) key() pairKey {
	if !p.hasFragment {
		return pairKey{id: p.id, ignored: p.ignored}
	}
	return pairKey{p.id, true, p.ignored, judging.HashAnchor(p.fragment)}
}

// pairKey identifies a pair. It holds the hash of the fragment.
type pairKey struct {
	id      frontier.ID
	has     bool
	ignored bool
	hash    uint64
}

// keyOf returns the key of a reference's pair.
func keyOf(id frontier.ID, b *frontier.Brief) pairKey {
	return pairKey{id, b.HasFragment, b.Mark&scope.MarkIgnored != 0, b.Hash}
}

// pairs are the pairs of a target and a fragment that references have. Those that are
// simply ok are only counted.
type pairs struct {
	targets *targets
	show    result.Show
	anchors anchorWindow
	byKey   map[pairKey]*pair
	flagged []*pair // in the order of their first references
	sum     *result.Summary
}

// add adds a reference. A pair that is simply ok, as nearly all are, is counted with its
// first reference, and the result is nil. Any other pair is flagged and returned, with the
// marks of all its references. The mark that a page has changed is ignored for a reference
// that is simply ok, as it does not cause a finding.
func (ps *pairs) add(id frontier.ID, b *frontier.Brief) *pair {
	b.Mark &^= scope.NeutralMarks
	s := &ps.targets.states[id-1]
	expect := extract.Expect(b.Mark & scope.MarkExpect)
	fine := clean
	if b.HasFragment {
		fine |= warned // warnings about the content are reported with the page
	}
	simple := *s&fine != 0 && *s&watched == 0 && !ps.show.OK && b.Mark&^uint64(scope.MarkExpect|scope.MarkForm|scope.MarkAside|scope.MarkChanged|scope.MarkRemapped) == 0 &&
		(expect == extract.ExpectAny || *s&isHTML == 0)
	key := keyOf(id, b)
	switch {
	case key.ignored:
		return ps.ignore(key, b.Mark)
	case *s&leftBits != 0 && !b.HasFragment && ps.isOnlyCounted(*s, b):
		if *s&counted == 0 {
			*s |= counted
			ps.countLeft(*s, +1)
		}
		return nil
	case !simple:
	case !b.HasFragment:
		if *s&flagged != 0 {
			break
		}
		if *s&counted == 0 {
			*s |= counted
			ps.countOK(id, +1)
		}
		return nil
	case b.Hash == emptyFragment:
		if *s&fragmentFlagged != 0 && ps.byKey[key] != nil {
			break
		}
		if *s&emptyCounted == 0 {
			*s |= emptyCounted
			ps.countOK(id, +1)
		}
		return nil
	case *s&readable != 0:
		at, found := ps.anchors.find(id, b.Hash)
		if simple = found; !found || *s&fragmentFlagged != 0 && ps.byKey[key] != nil {
			break
		}
		if ps.anchors.mark(at) {
			ps.countOK(id, +1)
		}
		return nil
	default:
		simple = false // it is not known whether the fragment exists
	}
	mark := b.Mark
	if simple {
		mark &^= scope.MarkChanged
	}
	p := ps.flag(key, mark, expect)
	p.cites++
	return p
}

// isOnlyCounted reports whether a reference to a target that was not checked is counted
// but not looked at in detail.
func (ps *pairs) isOnlyCounted(s state, b *frontier.Brief) bool {
	return s&(flagged|watched|suspect) == 0 && !ps.show.Skipped && b.Mark&(scope.MarkExcluded|scope.MarkOutsideBase) == 0 && !(ps.targets.streaming && s&pending != 0)
}

// countOK changes the count of targets that are simply ok.
func (ps *pairs) countOK(id frontier.ID, by int) {
	ps.sum.Results += by
	ps.sum.OK += by
	ps.targets.hosts.count(id, by)
}

// countLeft changes the count of targets that were not checked.
func (ps *pairs) countLeft(s state, by int) {
	ps.sum.Results += by
	ps.sum.Skipped += by
	if code := s.left(); ps.sum.ByCode[code] == -by {
		delete(ps.sum.ByCode, code)
	} else {
		ps.sum.ByCode[code] += by
	}
}

// ignore returns the pair of references that inline marks exclude.
func (ps *pairs) ignore(key pairKey, mark uint64) *pair {
	p := ps.byKey[key]
	if p == nil {
		p = &pair{id: key.id, hasFragment: key.has, ignored: true, decision: undecided}
		ps.byKey[key] = p
		ps.flagged = append(ps.flagged, p)
	}
	p.marks |= mark &^ scope.MarkExpect
	p.cites++
	return p
}

// flag returns the flagged pair with a key, and adds marks to it.
func (ps *pairs) flag(key pairKey, mark uint64, expect extract.Expect) *pair {
	p := ps.byKey[key]
	if p == nil {
		p = &pair{id: key.id, hasFragment: key.has, decision: undecided}
		ps.byKey[key] = p
		ps.flagged = append(ps.flagged, p)
		wasCounted := false // as simply ok
		s := &ps.targets.states[key.id-1]
		switch {
		case !key.has:
			wasCounted = *s&counted != 0
			*s |= counted | flagged
		case key.hash == emptyFragment:
			wasCounted = *s&emptyCounted != 0
			*s |= emptyCounted | fragmentFlagged
		default:
			at, found := ps.anchors.find(key.id, key.hash)
			wasCounted = found && !ps.anchors.mark(at)
			if found || ps.targets.streaming || !ps.anchors.holds(key.id) { // missing fragments are flagged each time
				*s |= fragmentFlagged
			}
		}
		switch {
		case wasCounted && !key.has && *s&leftBits != 0:
			ps.countLeft(*s, -1)
		case wasCounted:
			ps.countOK(key.id, -1)
		}
	}
	p.marks |= mark &^ scope.MarkExpect
	p.linked = p.linked || mark&scope.MarkAside == 0
	p.expects |= 1 << expect
	return p
}

// flagAlways flags a pair even if it is simply ok.
func (ps *pairs) flagAlways(id frontier.ID, fragment string, has bool) *pair {
	p := pair{id: id, fragment: fragment, hasFragment: has}
	kept := ps.flag(p.key(), 0, extract.ExpectAny)
	kept.fragment = fragment
	return kept
}

// differs reports whether the mark of one of the pair's references differs from the union of
// all marks.
func (p *pair) differs(mark uint64) bool {
	return p.marks != mark&^scope.MarkExpect || p.expects != 1<<(mark&scope.MarkExpect)
}
