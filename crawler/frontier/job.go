package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Job is what a target is, apart from its key: as Refer and Settle enter it.
type Job struct {
	URL      []byte // absolute, without fragment
	Internal bool
	Page     bool // should it turn out to be a page, it is to be read
	Verbatim bool // URL is a reference as written, not a URL
	Depth    int
	Hops     int
}

// MaxJobHead is how much longer a job's stored form is than its URL, at most.
const MaxJobHead = 2 + binary.MaxVarintLen64

// AppendJob appends the job's stored form.
func AppendJob(dst []byte, j Job) []byte {
	var flags byte
	if j.Internal {
		flags |= 1
	}
	if j.Page {
		flags |= 2
	}
	if j.Verbatim {
		flags |= 4
	}
	dst = append(dst, flags, byte(min(j.Hops, 255)))
	dst = binary.AppendUvarint(dst, uint64(j.Depth))
	return append(dst, j.URL...)
}

// ErrMalformed is in the error of reading what a store has given back and nobody
// can have kept there.
var ErrMalformed = errors.New("it is malformed")

// DecodeJob reads a job's stored form; URL is a part of b.
func DecodeJob(b []byte) (Job, error) {
	if len(b) < 3 {
		return Job{}, fmt.Errorf("read a job: %w: it is too short", ErrMalformed)
	}
	depth, n := binary.Uvarint(b[2:])
	if n <= 0 || depth > 1<<30 {
		return Job{}, fmt.Errorf("read a job: %w: its depth is no number", ErrMalformed)
	}
	return Job{Internal: b[0]&1 != 0, Page: b[0]&2 != 0, Verbatim: b[0]&4 != 0, Hops: int(b[1]), Depth: int(depth), URL: b[2+n:]}, nil
}
