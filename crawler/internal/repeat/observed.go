package repeat

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
)

// referencesOf identifies what a visit of a target has found.
func referencesOf(url string, step *frontier.Settlement) (identity [sha256.Size]byte) {
	h := sha256.New() // whose writes never fail
	h.Write(append(append(make([]byte, 0, 256), url...), 0))
	h.Write(step.Links)
	var b [17]byte
	for i := range step.Found {
		it := &step.Found[i]
		binary.LittleEndian.PutUint64(b[:], it.Fingerprint.Low)
		binary.LittleEndian.PutUint64(b[8:], it.Fingerprint.High)
		b[16] = byte(it.Need)
		h.Write(b[:])
	}
	h.Sum(identity[:0])
	return identity
}

// observed identifies all that a run has observed: targets, what pages refer to, what was counted, and
// which rules and exclusions have matched something.
func (r *Reports) observed(t *verdicts.Tally) []byte {
	h := sha256.New()
	fmt.Fprintln(h, t.Targets, r.read)
	for n := range stored.Counter(stored.NumCounters) {
		if n != stored.Requests {
			fmt.Fprintln(h, n, r.Counts.Of(n))
		}
	}
	matched := map[string]bool{}
	for _, u := range r.Door.Scope().Uses {
		if u.Matched() {
			matched[u.Name()] = true
		}
	}
	fmt.Fprintf(h, "%q", slices.Sorted(maps.Keys(matched)))
	return h.Sum(nil)
}
