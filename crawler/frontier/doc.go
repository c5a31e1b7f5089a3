// Package frontier knows which target is next, when its host may be visited, and
// when the crawl is over.
//
// Four verbs make up its life: Refer enters seeds, Next hands out a target whose
// host may be visited now, Settle says what became of it and what was found
// there, Defer puts it back until later. Next answers io.EOF when nothing is
// queued and nothing is out: that one count is the only end a crawl has.
//
//	Refer ──► queued ──Next──► out ──Settle──► settled (and what was found: queued)
//	             ▲              │
//	             └────Defer─────┘
//
// Work is ordered by [Wave]: pages first, then leaves (targets that are only
// checked), then the second pass over what failed. Pages first, because only
// when they are read is it known whether a leaf is wanted with a fragment, so
// that it is asked once and in the right way; and because a report that depends
// on which of two answers came first is no report.
//
// What a target is, where its bytes are kept and how they survive a crash is the
// [Store]'s business; what the bytes mean is this package's. The subpackage
// storetest holds every store to the same contract.
package frontier
