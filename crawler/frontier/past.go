package frontier

import (
	"encoding/binary"
	"errors"
)

// Past is what is remembered of the earlier visits of a target that was put back.
type Past struct {
	Requests int // sent so far
	Asked    bool
	Tries    int    // visits that came to an outcome
	Starved  int    // visits that met a limit of our own machine
	Waited   int    // visits in which it was not asked yet
	Last     []byte // its outcome, when only the second pass is missing
	Answer   []byte // its outcome so far, should its host be given up
}

// A past as the store keeps it: the numbers, asked and the lengths of the outcomes
// as varints in this order, then the outcomes.

// Encode writes the past as a note for the store.
func (p *Past) Encode() []byte {
	asked := uint64(0)
	if p.Asked {
		asked = 1
	}
	b := make([]byte, 0, 16+len(p.Last)+len(p.Answer))
	for _, n := range [...]uint64{uint64(p.Requests), uint64(p.Tries), uint64(p.Starved), uint64(p.Waited), asked,
		uint64(len(p.Last)), uint64(len(p.Answer))} {
		b = binary.AppendUvarint(b, n)
	}
	return append(append(b, p.Last...), p.Answer...)
}

// maxPast bounds the numbers of a past: there is no more of anything in one.
const maxPast = 1 << 30

var errPast = errors.New("the note of its earlier visits is damaged")

// DecodePast reads a note; none is the past of a target that was not visited. The
// outcomes are parts of the note.
func DecodePast(note []byte) (Past, error) {
	if len(note) == 0 {
		return Past{}, nil
	}
	var n [7]int
	for i := range n {
		v, size := binary.Uvarint(note)
		if size <= 0 || v > maxPast {
			return Past{}, errPast
		}
		n[i], note = int(v), note[size:]
	}
	if n[4] > 1 || len(note) != n[5]+n[6] {
		return Past{}, errPast
	}
	p := Past{Requests: n[0], Tries: n[1], Starved: n[2], Waited: n[3], Asked: n[4] == 1}
	if n[5] > 0 {
		p.Last = note[:n[5]]
	}
	if n[6] > 0 {
		p.Answer = note[n[5]:]
	}
	return p, nil
}
