// Package local knows what one process can do at once: how many workers the machine handles, how many documents are read at the same
// time, and where the time of a run goes.
//
//	governor.go     Governor: fewer workers when the machine runs out of something
//	slots.go        Slots: as many documents are read at once as there are processors
//	pool.go         Pool: memory for reuse
//	garbage.go      CollectGarbage: before verdicts are given
//	inflight.go     InFlight: what the workers visit, and for how long
package local
