package repeat

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
)

// sum adds up what identifies things, in any order.
type sum [2]uint64

func (s *sum) add(identity [sha256.Size]byte) {
	s[0] += binary.LittleEndian.Uint64(identity[:])
	s[1] += binary.LittleEndian.Uint64(identity[8:])
}

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

// Tally adds up what a store knows of all targets.
type Tally struct {
	Settled  bool // all of them
	Cached   int  // outcomes of earlier runs
	targets  sum
	numbers  map[verdicts.TargetHash]int // of the named targets
	outcomes []judging.Outcome           // of these, by number
	buffer   []byte                      // reused
}

// NewTally returns an empty tally, which will have the outcomes of targets with the given names
// (verdicts.TargetName).
func NewTally(names []verdicts.TargetHash) *Tally {
	t := &Tally{Settled: true, numbers: make(map[verdicts.TargetHash]int, len(names)), outcomes: make([]judging.Outcome, len(names))}
	for n, name := range names {
		t.numbers[name] = n
	}
	return t
}

// Add adds a target, with its job and its outcome.
func (t *Tally) Add(rec *frontier.Record) error {
	if t.Settled = t.Settled && rec.Settled; !t.Settled {
		return nil
	}
	name := verdicts.TargetName(rec.Job)
	b, err := judging.AppendObserved(append(append(t.buffer[:0], name[:]...), 0, byte(rec.Need)), rec.Outcome)
	if err != nil {
		return err
	}
	t.targets.add(sha256.Sum256(b))
	t.buffer = b
	g, err := judging.GlanceAt(rec.Outcome)
	if g.Cached {
		t.Cached++
	}
	if n, is := t.numbers[name]; is && err == nil {
		t.outcomes[n], err = judging.DecodeOutcome(rec.Outcome)
	}
	return err
}

// Outcome returns the outcome of a named target by its number, nil if there is none.
func (t *Tally) Outcome(n uint32) *judging.Outcome {
	if int64(n) >= int64(len(t.outcomes)) {
		return nil
	}
	return &t.outcomes[n]
}

// observed identifies all that a run has observed: targets, what pages refer to, what was counted, and
// which rules and exclusions have matched something.
func (r *Reports) observed(t *Tally) []byte {
	h := sha256.New()
	fmt.Fprintln(h, t.targets, r.read)
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
