package references

import (
	"hash/maphash"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// The pages of a site repeat each other: navigation, header and footer are the same on all
// pages of a directory, and a page often links to a target more than once. decisions
// remembers the results of references, so that a known reference need not be parsed.
//
// The result for an ordinary link depends on its reference, its kind, the directory of the
// base URL, and some properties that the links of a page share. All but the first two are
// hashed into one number, the context. Usually the fragment does not matter: then the
// reference is remembered without it.

// decisions is a direct-mapped cache: each reference has one slot, and a new entry replaces
// the old one. Entries are compared by a 64-bit hash with a random seed.
type decisions struct {
	seed    maphash.Seed
	scope   *scope.Scope
	context uint64
	page    uint32 // number of the current page
	slots   []remembered
}

// remembered is the result for a reference. It has the size of a cache line.
type remembered struct {
	hash        uint64 // of the reference and the context
	fingerprint frontier.Fingerprint
	fate        scope.Fate
	page        uint32 // number of the page that item belongs to
	item        int32
	id          frontier.ID // 0 if not known yet
	kind        extract.Kind
	noFollow    bool
	_           [8]byte
}

const decisionSlots = 1 << 12

// reset begins a page.
func (h *decisions) reset() {
	if h.page++; h.page == 0 {
		clear(h.slots)
		h.page = 1
	}
}

// setContext sets what the links of a page have in common.
func (h *decisions) setContext(r *referrer) {
	if h.slots == nil {
		h.slots, h.seed = make([]remembered, decisionSlots), maphash.MakeSeed()
	}
	if h.scope != r.scope {
		clear(h.slots)
		h.scope = r.scope
	}
	var m maphash.Hash
	m.SetSeed(h.seed)
	_, _ = m.Write(r.url.Bytes[:r.url.Offsets.PathStart])
	_ = m.WriteByte(0)
	_, _ = m.WriteString(r.source.Base.Directory())
	flags := byte(0)
	if r.source.NoFollow {
		flags |= 1
	}
	if r.source.Local {
		flags |= 2
	}
	_ = m.WriteByte(flags)
	if r.scope.Rules.LimitsDepth() { // the wave depends on the depth
		_, _ = m.Write([]byte{byte(r.depth), byte(r.depth >> 8), byte(r.depth >> 16), byte(r.depth >> 24)})
	}
	h.context = m.Sum64()
}

// find returns the slot for a link's reference, the hash of the reference, and whether the
// slot holds it. The slot is nil if the reference must not be remembered.
func (h *decisions) find(l *extract.Link, ref string) (k *remembered, hash uint64, found bool) {
	if ref == "" || ref[0] == '?' {
		return nil, 0, false
	}
	hash = maphash.String(h.seed, ref) ^ h.context
	k = &h.slots[hash%decisionSlots]
	return k, hash, k.hash == hash && k.kind == l.Kind && k.noFollow == l.NoFollow
}

// keep stores the result for a link of the current page in its slot.
func (h *decisions) keep(k *remembered, hash uint64, l *extract.Link, res *resolution) {
	*k = remembered{hash: hash, kind: l.Kind, noFollow: l.NoFollow, page: h.page, item: int32(res.Target), fingerprint: res.fingerprint, fate: res.fate}
}

// itemIndex is a hash table that finds the items of a page by their fingerprints. It
// holds a part of each fingerprint and compares the rest with the item.
type itemIndex struct {
	slots []itemSlot
	count int
	page  uint32
}

type itemSlot struct {
	fingerprint uint32 // its lowest bits
	page        uint32 // number of the page for which the slot is in use
	item        int32
}

// release gives up the memory.
func (x *itemIndex) release() { *x = itemIndex{page: x.page} }

func (x *itemIndex) reset() {
	if x.page++; x.page == 0 || len(x.slots) > 1<<16 && x.count < len(x.slots)/64 {
		*x = itemIndex{page: 1}
	}
	x.count = 0
}

func (x *itemIndex) find(items []frontier.Item, fp frontier.Fingerprint) (item int32, ok bool) {
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

// put adds the last one of the items, which must be new.
func (x *itemIndex) put(items []frontier.Item) {
	if 2*(x.count+1) > len(x.slots) {
		old := x.slots
		x.slots = make([]itemSlot, max(64, 2*len(old)))
		for _, s := range old {
			if s.page == x.page {
				x.place(s)
			}
		}
	}
	last := len(items) - 1
	x.place(itemSlot{uint32(items[last].Fingerprint.Low), x.page, int32(last)})
	x.count++
}

func (x *itemIndex) place(s itemSlot) {
	mask := len(x.slots) - 1
	i := int(s.fingerprint) & mask
	for x.slots[i].page == x.page {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

// knownIDs remembers the IDs of targets, so that the store need not look them up again. It
// is a direct-mapped cache.
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

// learn remembers the IDs that the store assigned to items. It leaves out targets that are
// not requested: the store does not know their hosts, so they must be entered in full if
// another link requests them.
func (k *knownIDs) learn(list []frontier.Item, ids []frontier.ID) {
	for i := range ids {
		if item := &list[i]; item.ID == 0 && item.Outcome == nil {
			k.put(item.Fingerprint, ids[i])
		}
	}
}

func (k *knownIDs) put(fp frontier.Fingerprint, id frontier.ID) {
	if k.slots == nil {
		k.slots = make([]knownID, idSlots)
	}
	k.slots[fp.Low%idSlots] = knownID{fp, id}
}
