package references

import (
	"hash/maphash"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// The pages of a site repeat each other: navigation, header and footer are the same
// on all pages of a directory, byte for byte, and a page often links to a place more
// than once. decisions remembers what became of references, so that those are known by
// their bytes before they are parsed.
//
// What becomes of an ordinary link hangs on its reference and its kind, on the
// directory of the base URL, and on a few things that a page's links have in common.
// All but the first two are mixed into one number, the context. A fragment mostly only
// says where in the document: references are remembered without it then.

// decisions is a cache: a reference has one place in it, and the last one that came
// there stays. It is known by a hash of 64 bits, whose seed nobody else knows, as the
// targets of a run are.
type decisions struct {
	seed    maphash.Seed
	scope   *rules.Scope
	context uint64
	page    uint32 // number of the page at hand
	slots   []remembered
}

// remembered is what became of a reference: one line of a processor's cache.
type remembered struct {
	hash        uint64 // of the reference and the context
	fingerprint frontier.Fingerprint
	fate        rules.Fate
	page        uint32 // the page whose item it last was
	item        int32
	id          frontier.ID // 0 while it is not known
	kind        extract.Kind
	noFollow    bool
	_           [8]byte
}

const decisionSlots = 1 << 12

// reset turns to another page.
func (h *decisions) reset() {
	if h.page++; h.page == 0 {
		clear(h.slots)
		h.page = 1
	}
}

// within takes in what a page's links have in common.
func (h *decisions) within(p *Page) {
	if h.slots == nil {
		h.slots, h.seed = make([]remembered, decisionSlots), maphash.MakeSeed()
	}
	if h.scope != p.scope {
		clear(h.slots)
		h.scope = p.scope
	}
	var m maphash.Hash
	m.SetSeed(h.seed)
	_, _ = m.Write(p.page.Bytes[:p.page.Offsets.PathStart])
	_ = m.WriteByte(0)
	_, _ = m.WriteString(p.Base.Directory())
	flags := byte(0)
	if p.NoFollow {
		flags |= 1
	}
	if p.Local {
		flags |= 2
	}
	_ = m.WriteByte(flags)
	if p.Config.Depth >= 0 { // then the wave is the depth
		_, _ = m.Write([]byte{byte(p.depth), byte(p.depth >> 8), byte(p.depth >> 16), byte(p.depth >> 24)})
	}
	h.context = m.Sum64()
}

// find returns the place of a link's reference, nil when it can have none, the
// reference's hash, and whether it is known.
func (h *decisions) find(l *extract.Link, ref string) (k *remembered, hash uint64, met bool) {
	if ref == "" || ref[0] == '?' {
		return nil, 0, false
	}
	hash = maphash.String(h.seed, ref) ^ h.context
	k = &h.slots[hash%decisionSlots]
	return k, hash, k.hash == hash && k.kind == l.Kind && k.noFollow == l.NoFollow
}

// keep remembers what became of a link of the page at hand.
func (h *decisions) keep(k *remembered, hash uint64, l *extract.Link, res *resolution) {
	*k = remembered{hash: hash, kind: l.Kind, noFollow: l.NoFollow, page: h.page, item: int32(res.Target), fingerprint: res.fingerprint, fate: res.fate}
}

// pageIndex finds the items of a page by their fingerprints. It holds half of each, and
// asks the items for the rest.
type pageIndex struct {
	slots []pageSlot
	count int
	page  uint32
}

type pageSlot struct {
	fingerprint uint32 // the lowest bits of it
	page        uint32 // for which the slot holds
	item        int32
}

func (x *pageIndex) reset() {
	if x.page++; x.page == 0 || len(x.slots) > 1<<16 && x.count < len(x.slots)/64 {
		*x = pageIndex{page: 1}
	}
	x.count = 0
}

func (x *pageIndex) find(items []frontier.Item, fp frontier.Fingerprint) (item int32, ok bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	short, mask := uint32(fp.Low), len(x.slots)-1
	for i := int(short) & mask; x.slots[i].page == x.page; i = (i + 1) & mask {
		if s := &x.slots[i]; s.fingerprint == short && items[s.item].Fingerprint == fp {
			return s.item, true
		}
	}
	return 0, false
}

// put enters the last of the items, which is not there.
func (x *pageIndex) put(items []frontier.Item) {
	if 2*(x.count+1) > len(x.slots) {
		old := x.slots
		x.slots = make([]pageSlot, max(64, 2*len(old)))
		for _, s := range old {
			if s.page == x.page {
				x.place(s)
			}
		}
	}
	last := len(items) - 1
	x.place(pageSlot{uint32(items[last].Fingerprint.Low), x.page, int32(last)})
	x.count++
}

func (x *pageIndex) place(s pageSlot) {
	mask := len(x.slots) - 1
	i := int(s.fingerprint) & mask
	for x.slots[i].page == x.page {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

// knownIDs remembers the IDs of targets that were entered, so that the store need not
// look them up again: a cache as decisions is one.
type knownIDs struct{ slots []knownID }

type knownID struct {
	fingerprint frontier.Fingerprint
	id          frontier.ID
}

const idSlots = 1 << 12

func (k *knownIDs) find(fp frontier.Fingerprint) frontier.ID {
	if k.slots == nil {
		return 0
	}
	if s := &k.slots[fp.Low%idSlots]; s.fingerprint == fp {
		return s.id
	}
	return 0
}

func (k *knownIDs) put(fp frontier.Fingerprint, id frontier.ID) {
	if k.slots == nil {
		k.slots = make([]knownID, idSlots)
	}
	k.slots[fp.Low%idSlots] = knownID{fp, id}
}
