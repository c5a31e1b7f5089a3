// Package frontier decides which target a crawl visits next and when, and knows when
// the crawl is over.
//
// A caller makes a Frontier with New over a Store, enters the seeds with Refer, and then
// runs workers. Each worker takes a target from Next, visits it, and returns it with
// Settle, which also enters the targets that were found there, or with Defer, which
// queues it again for later. Next returns io.EOF when no target is queued and none is
// leased; nothing else ends a crawl.
//
//	Refer ──► queued ──Next──► leased ──Settle──► settled (targets found there: queued)
//	             ▲               │
//	             └─────Defer─────┘
//
// Targets are ordered by [Wave]: first the pages, then the leaves, which are only
// checked, then the second pass over targets that failed. Pages come first because only
// their links tell whether a leaf is needed with its content, for a fragment. So each
// leaf is requested once and in the right way, and the report does not depend on the
// order of answers.
//
// [Hosts] bounds the visits to each host and adapts its pace to the host's answers.
//
// A [Store] keeps targets, queues and findings as bytes; this package gives the bytes
// their meaning. [Memory] is the store of a crawl that ends with its process; package
// diskstore has one in a file. A store of one process keeps its queue in a [Ledger].
// Package storetest tests a store against the contract, and one that several processes share
// ([Shared]) against theirs.
package frontier
