package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Job describes a target, apart from its key. Items carry it in its stored form.
type Job struct {
	URL      []byte // absolute, without fragment
	Internal bool
	Page     bool // if the target turns out to be a page, it is to be read
	Verbatim bool // URL is a reference as written, not a URL
	Depth    int  // links followed from the nearest seed
	Hops     int  // redirects followed to the target, stored as at most 255
}

// MaxJobHead is the most bytes by which the stored form of a job is longer than its URL.
const MaxJobHead = 2 + binary.MaxVarintLen64

// AppendJob appends the stored form of a job.
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

// ErrMalformed is wrapped by the errors of decoding what a store returned, when this
// package cannot have encoded it.
var ErrMalformed = errors.New("it is malformed")

// DecodeJob decodes the stored form of a job. The URL is a part of b.
func DecodeJob(b []byte) (Job, error) {
	if len(b) < 3 {
		return Job{}, fmt.Errorf("read a job: %w: it is too short", ErrMalformed)
	}
	depth, n := binary.Uvarint(b[2:])
	if n <= 0 || depth > 1<<30 {
		return Job{}, fmt.Errorf("read a job: %w: its depth is not a number", ErrMalformed)
	}
	return Job{Internal: b[0]&1 != 0, Page: b[0]&2 != 0, Verbatim: b[0]&4 != 0, Hops: int(b[1]), Depth: int(depth), URL: b[2+n:]}, nil
}
