package frontier

import (
	"encoding/binary"
	"errors"
)

// Past is what a deferred target keeps of its earlier visits.
type Past struct {
	Requests int    // requests sent so far
	Asked    bool   // a visit has sent a request for the target itself
	Tries    int    // visits with an outcome
	Starved  int    // visits that failed by a limit of this machine
	Waited   int    // visits that sent no request for the target yet
	Last     []byte // the outcome of the first pass, for a target of the second pass
	Answer   []byte // the last outcome, for the case that its host is given up
}

// Encode returns the past as a note: Requests, Tries, Starved, Waited, Asked and the
// lengths of the outcomes as varints, then the outcomes.
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

// maxPast is the greatest number in a past.
const maxPast = 1 << 30

var errPast = errors.New("the note of its earlier visits is damaged")

// DecodePast decodes a note. An empty note is the past of a target that was not visited.
// The outcomes are parts of the note.
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
