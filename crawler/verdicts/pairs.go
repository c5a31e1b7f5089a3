package verdicts

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

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
	references  []rules.Reference
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

// pairs are the pairs met so far. Those that are simply ok are only counted.
type pairs struct {
	*targets
	show    rules.Show
	anchors anchorWindow
	byKey   map[pairKey]*pair
	flagged []*pair // in the order they were met
	sum     *rules.Summary
}

// meet counts a pair that is simply ok, as nearly all are, when it is met for the
// first time; any other is flagged, its marks added up, and returned. A reference that
// is simply ok has no part in what others are to blame for: that it stands on a changed
// page does not count, whether it comes before them or after.
func (ps *pairs) meet(id frontier.ID, b *frontier.Brief) *pair {
	s := &ps.states[id-1]
	expect := extract.Expect(b.Mark & rules.MarkExpect)
	fine := clean
	if b.HasFragment {
		fine |= warned // a page's own warnings are told with the page
	}
	plain := *s&fine != 0 && *s&watching == 0 && !ps.show.OK && b.Mark&^uint64(rules.MarkExpect|rules.MarkForm|rules.MarkAside|rules.MarkChanged) == 0 &&
		(expect == extract.ExpectAny || *s&isHTML == 0)
	key := pairKey{id, b.HasFragment, b.Hash}
	switch {
	case *s&leftBits != 0 && !b.HasFragment && ps.passedOver(*s, b):
		if *s&counted == 0 {
			*s |= counted
			ps.countLeft(*s, +1)
		}
		return nil
	case !plain:
	case !b.HasFragment:
		if *s&flagged != 0 {
			break
		}
		if *s&counted == 0 {
			*s |= counted
			ps.sum.Results++
			ps.sum.OK++
		}
		return nil
	case b.Hash == noFragment:
		if *s&pieced != 0 && ps.byKey[key] != nil {
			break
		}
		if *s&topped == 0 {
			*s |= topped
			ps.sum.Results++
			ps.sum.OK++
		}
		return nil
	case *s&readable != 0:
		at, there := ps.anchors.find(id, b.Hash)
		if plain = there; !there || *s&pieced != 0 && ps.byKey[key] != nil {
			break
		}
		if ps.anchors.meet(at) {
			ps.sum.Results++
			ps.sum.OK++
		}
		return nil
	default:
		plain = false // nobody knows whether the fragment is there
	}
	mark := b.Mark
	if plain {
		mark &^= rules.MarkChanged
	}
	return ps.flag(key, mark, expect)
}

// passedOver reports whether all that is to be said of a reference to a target that
// was not checked is that there is one more.
func (ps *pairs) passedOver(s state, b *frontier.Brief) bool {
	return s&(flagged|watching) == 0 && !ps.show.Skipped && b.Mark&rules.MarkExcluded == 0 && !(ps.streaming && s&open != 0)
}

// countLeft counts a target that was not checked.
func (ps *pairs) countLeft(s state, by int) {
	ps.sum.Results += by
	ps.sum.Skipped += by
	if code := s.left(); ps.sum.ByCode[code] == -by {
		delete(ps.sum.ByCode, code)
	} else {
		ps.sum.ByCode[code] += by
	}
}

// flag remembers a pair that is to be looked at more closely.
func (ps *pairs) flag(key pairKey, mark uint64, expect extract.Expect) *pair {
	p := ps.byKey[key]
	if p == nil {
		p = &pair{id: key.id, hasFragment: key.has}
		ps.byKey[key] = p
		ps.flagged = append(ps.flagged, p)
		met := false // as simply ok, until now
		s := &ps.states[key.id-1]
		switch {
		case !key.has:
			met = *s&counted != 0
			*s |= counted | flagged
		case key.hash == noFragment:
			met = *s&topped != 0
			*s |= topped | pieced
		default:
			at, there := ps.anchors.find(key.id, key.hash)
			met = there && !ps.anchors.meet(at)
			if there || ps.streaming || !ps.anchors.holds(key.id) { // what is not there is flagged each time
				*s |= pieced
			}
		}
		switch {
		case met && !key.has && *s&leftBits != 0:
			ps.countLeft(*s, -1)
		case met:
			ps.sum.Results--
			ps.sum.OK--
		}
	}
	p.marks |= mark &^ rules.MarkExpect
	p.linked = p.linked || mark&rules.MarkAside == 0
	p.expects |= 1 << expect
	return p
}

// keep flags a pair whatever its verdict.
func (ps *pairs) keep(id frontier.ID, fragment string, has bool) *pair {
	p := pair{id: id, fragment: fragment, hasFragment: has}
	kept := ps.flag(p.key(), 0, extract.ExpectAny)
	kept.fragment = fragment
	return kept
}
