package verdicts

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// Sum adds up what identifies things, in any order.
type Sum [2]uint64

// Add adds a thing by its identity.
func (s *Sum) Add(identity [sha256.Size]byte) {
	s[0] += binary.LittleEndian.Uint64(identity[:])
	s[1] += binary.LittleEndian.Uint64(identity[8:])
}

// TargetName returns a name for a target by its stored job: a hash of all but what depends on where it was
// found. It may be kept even if the URL has a password.
func TargetName(job []byte) TargetHash {
	flags, _, _, url := frontier.SplitJob(job)
	sum := sha256.Sum256(append([]byte{flags}, url...))
	return TargetHash(sum[:16])
}

// TargetHash is a name of a target.
type TargetHash [16]byte

// Tally adds up what a store knows of all targets.
type Tally struct {
	Settled  bool // all of them
	Cached   int  // outcomes of earlier runs
	Targets  Sum
	numbers  map[TargetHash]int // of the named targets
	outcomes []judging.Outcome  // of these, by number
	buffer   []byte             // reused
}

// NewTally returns an empty tally, which will have the outcomes of targets with the given names
// (TargetName).
func NewTally(names []TargetHash) *Tally {
	t := &Tally{Settled: true, numbers: make(map[TargetHash]int, len(names)), outcomes: make([]judging.Outcome, len(names))}
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
	name := TargetName(rec.Job)
	b, err := judging.AppendObserved(append(append(t.buffer[:0], name[:]...), 0, byte(rec.Need)), rec.Outcome)
	if err != nil {
		return err
	}
	t.Targets.Add(sha256.Sum256(b))
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
