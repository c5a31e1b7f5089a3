package frontier

import (
	"encoding/binary"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Job describes a target, apart from its key. Items carry it in its stored form.
type Job struct {
	URL      []byte // absolute, without fragment
	Internal bool
	Verbatim bool // URL is a reference as written, not a URL
	Depth    int  // links followed from the nearest seed
	Hops     int  // redirects followed to the target, stored as at most 255
}

// MaxJobHead is the most bytes by which the stored form of a job is longer than its URL.
const MaxJobHead = 2 + binary.MaxVarintLen64

// Flags of the stored form of a job.
const (
	jobInternal = 1 << iota
	jobPage     // see EarlierNeed
	jobVerbatim
)

// AppendJob appends the stored form of a job.
func AppendJob(dst []byte, j Job) []byte {
	var flags byte
	if j.Internal {
		flags |= jobInternal
	}
	if j.Verbatim {
		flags |= jobVerbatim
	}
	return JoinJob(dst, flags, byte(min(j.Hops, 255)), j.Depth, j.URL)
}

// JoinJob appends the stored form of a job that SplitJob has split. The depth may be another.
func JoinJob(dst []byte, flags, hops byte, depth int, url []byte) []byte {
	dst = binary.AppendUvarint(append(dst, flags, hops), uint64(depth))
	return append(dst, url...)
}

// SplitJob returns the parts of a stored job. The URL is a part of b. All are zero if b is not a
// stored job.
func SplitJob(b []byte) (flags, hops byte, depth int, url []byte) {
	if len(b) < 3 {
		return 0, 0, 0, nil
	}
	if depth, n := binary.Uvarint(b[2:]); n > 0 {
		return b[0], b[1], int(depth), b[2+n:]
	}
	return 0, 0, 0, nil
}

// IsInternal reports whether the flags that SplitJob returned are those of an internal target.
func IsInternal(flags byte) bool { return flags&jobInternal != 0 }

// EarlierNeed returns the need that earlier versions kept among the flags of a stored job.
func EarlierNeed(flags byte) Need {
	if flags&jobPage != 0 {
		return NeedPage
	}
	return 0
}

// DecodeJob decodes the stored form of a job. The URL is a part of b.
func DecodeJob(b []byte) (Job, error) {
	if len(b) < 3 {
		return Job{}, fmt.Errorf("read a job: %w: it is too short", check.ErrMalformed)
	}
	depth, n := binary.Uvarint(b[2:])
	if n <= 0 || depth > 1<<30 {
		return Job{}, fmt.Errorf("read a job: %w: its depth is not a number", check.ErrMalformed)
	}
	return Job{Internal: b[0]&jobInternal != 0, Verbatim: b[0]&jobVerbatim != 0, Hops: int(b[1]), Depth: int(depth), URL: b[2+n:]}, nil
}
