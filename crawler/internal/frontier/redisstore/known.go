package redisstore

import (
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// knownTargets remembers targets that were sent to a server, so that it need not look at links that
// change nothing: most links of most pages. It is a cache, in which each target has one place. What
// was sent to one server says nothing about another: either may lose its last second.
//
// A server that is restarted may have lost its last second, and give the IDs of that second to
// other targets. Then the crawl has another generation, and what was known is forgotten.
type knownTargets struct {
	at         place // of the server
	mu         sync.Mutex
	generation string
	slots      []knownTarget
	used       int
}

// knownTarget is what the server at least knows of a target.
type knownTarget struct {
	fingerprint frontier.Fingerprint
	number      uint32        // on the server; 0 if another one has it
	wave        frontier.Wave // at most this one
	need        frontier.Need // these, and perhaps others
	visited     bool          // it was not only entered as settled
	used        bool
}

// A cache begins with room for a few targets and grows to 24 MB.
const (
	fewestSlots = 1 << 10
	mostSlots   = 1 << 20
)

// covers reports whether the target stays as it is when an item is entered.
func (k *knownTarget) covers(it *frontier.Item) bool {
	return k.used && k.fingerprint == it.Fingerprint && k.need&it.Need == it.Need && (it.Outcome != nil || k.visited && k.wave <= it.Wave)
}

// learn takes over what the server knows after an item was entered.
func (k *knownTarget) learn(it *frontier.Item, number uint32) {
	visited := it.Outcome == nil
	switch {
	case !k.used || k.fingerprint != it.Fingerprint || visited && !k.visited:
		*k = knownTarget{it.Fingerprint, number, it.Wave, it.Need, visited, true}
	case visited:
		k.wave, k.need = min(k.wave, it.Wave), k.need|it.Need
	case !k.visited:
		k.need |= it.Need
	}
}

// current returns the generation.
func (k *knownTargets) current() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.generation
}

// covering returns, for each of the items, whether entering it changes nothing, and the ID of the
// target then.
func (k *knownTargets) covering(items []frontier.Item) (ids []frontier.ID, covered []bool) {
	ids, covered = make([]frontier.ID, len(items)), make([]bool, len(items))
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range items {
		if it := &items[i]; it.ID == 0 && k.slots != nil {
			if slot := k.slot(it.Fingerprint); slot.covers(it) {
				covered[i] = true
				if slot.number != 0 {
					ids[i] = k.at.id(slot.number)
				}
			}
		}
	}
	return ids, covered
}

// learn remembers items that were entered.
func (k *knownTargets) learn(items []frontier.Item, ids []frontier.ID, generation string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.generation != generation {
		return
	}
	for i := range items {
		if items[i].ID == 0 {
			k.learnOne(&items[i], ids[i])
		}
	}
}

// learnLeases remembers targets that were claimed, by an answer to a call that began in a generation.
func (k *knownTargets) learnLeases(leases []frontier.Lease, generation string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.generation != generation {
		return
	}
	for i := range leases {
		l := &leases[i]
		k.learnOne(&frontier.Item{Fingerprint: l.Fingerprint, Wave: l.Wave, Need: l.Need}, l.ID)
	}
}

// learnOne remembers a target. Callers hold mu.
func (k *knownTargets) learnOne(it *frontier.Item, id frontier.ID) {
	if k.slots == nil || 2*k.used > len(k.slots) && len(k.slots) < mostSlots {
		k.grow()
	}
	slot := k.slot(it.Fingerprint)
	if !slot.used {
		k.used++
	}
	slot.learn(it, k.at.local(id))
}

func (k *knownTargets) slot(fp frontier.Fingerprint) *knownTarget {
	return &k.slots[(fp.Low^fp.High)%uint64(len(k.slots))]
}

func (k *knownTargets) grow() {
	old := k.slots
	k.slots, k.used = make([]knownTarget, max(fewestSlots, 4*len(old))), 0
	for _, one := range old {
		if one.used {
			*k.slot(one.fingerprint) = one
			k.used++
		}
	}
}

// forget begins another generation.
func (k *knownTargets) forget(generation string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.generation != generation {
		k.generation, k.slots, k.used = generation, nil, 0
	}
}
