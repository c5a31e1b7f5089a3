package diskstore

import "time"

// flusher decides which batches are flushed to the disk.
//
// A committed batch survives the end of the process. To survive a power failure, the
// write-ahead log must be flushed to the disk, which takes milliseconds. A flush covers
// all batches before it. So a flush is followed by batches without one, until flushes take
// only a part of the time. A power failure undoes the steps since the last flush, whose
// targets are then queued again.
type flusher struct {
	last time.Time
	cost time.Duration // of the last flush
}

const (
	// flushShare is the time without a flush after one, in multiples of its duration.
	flushShare = 4
	// maxUnflushed is the most time between a flush and the next batch that is flushed.
	maxUnflushed = time.Second
)

// due reports whether the next batch is to be flushed.
func (f *flusher) due(now time.Time) bool {
	return now.Sub(f.last) >= min(flushShare*f.cost, maxUnflushed)
}

// flushed notes that a batch was flushed.
func (f *flusher) flushed(began, ended time.Time) { f.last, f.cost = ended, ended.Sub(began) }
