// Package cacheentry declares what the cache keeps of a target, and by which key.
package cacheentry

import "time"

// Key identifies a request, with all that may change its answer.
type Key [16]byte

// Record is what a run observed of a target that answered.
type Record struct {
	// Checked is when the target last gave this answer, to the second.
	Checked time.Time
	// Run is the run that observed it: the start of its crawl in nanoseconds since 1970,
	// 0 if unknown. A crawl that is resumed in another process is the same run.
	Run int64
	// Before is when another run last observed the same, to the second; the zero time
	// means never.
	Before time.Time
	// Data is the observation, opaque to this package. It must not be changed.
	Data []byte
	// URL, Kind and Status are for people. Get does not return them. Records of KindSketch are kept
	// for longer than others.
	URL, Kind string
	Status    int
}

// KindSketch is the Kind of records that remember the texts of pages.
const KindSketch = "sketch"

// Earlier returns when a run other than the given one last made the observation, the zero
// time for never.
func (r *Record) Earlier(run int64) time.Time {
	if r.Run == run {
		return r.Before
	}
	return r.Checked
}

// SealBytes is the number of bytes by which the data of a record is longer in the file. With so
// much room behind it, it need not be copied to be written.
const SealBytes = 8
