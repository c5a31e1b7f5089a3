// Package crawler is the loop: seeds go in, every target is asked once, links are
// found in what comes back, and results leave through a [Sink].
//
// # The journey of one URL
//
//	Run          seeds become targets                       run.go     refer
//	Next         a worker gets a target whose turn it is    frontier   Next
//	barred       limits, traps and robots.txt have a say    gate.go    barred
//	remembered   what an earlier run saw may stand for it   earlier.go remembered
//	ask          one request                                visit.go   ask
//	read         the body's anchors and links, if wanted    read.go    read
//	add          each reference: resolved, keyed, kept      page.go    add
//	Decide       follow, only check, or leave alone         scope.go   Decide
//	learn        what was there is kept for later runs      learn.go   learn
//	again        what a retry may mend goes back            retry.go   again
//	settle       outcome and findings, in one step          visit.go   settle
//	judge        every reference gets its verdict           join.go    judge
//	tell         results reach the sink, sorted             tell.go    tell
//
// # Why it is built this way
//
// A target is asked once, however many references it has. Redirects are no
// exception: a hop is a target like any other, so a page that a hundred links
// are redirected to is asked once. Chains are put together when all is known.
//
// Pages come first. Only when they are read is it known whether a leaf is wanted
// with a fragment, hence with its body. A leaf is asked while pages are
// outstanding only when every page's host must rest.
//
// Verdicts are given at the end. While the crawl runs, a page's references are
// kept as one compact block, and the join reads the blocks in the order of the
// store. The order in which answers came can therefore not be seen in a report:
// one worker and sixty-four give the same.
//
// Few references are ever shown. Where a page is a file, which can be read once more,
// it is not looked for where its links stand and what their text is, and little of
// them is kept: what turns out to be shown is read again (bare.go).
//
// Only the frontier waits. A worker that has a target works on it; politeness,
// backoff, Retry-After and the second pass are all times before which the
// frontier does not hand a target out. A host whose robots.txt has a say gets one
// visit at a time until it is known, so that nobody waits for it twice.
//
// A visit sends one request, and in three cases more: robots.txt before the first
// page of a host, the way that a cookie set on it has opened (cycle.go), and what
// --soft-404 and --check-https ask for.
//
// Every host comes to an end. One that refuses all it is asked, or never answers,
// is given up after minutes, whatever is queued for it (frontier/pace.go).
//
// What this machine lacks is never held against a link. A request that met a limit
// of ours is repeated, and fewer are in flight from then on (governor.go).
//
// What earlier runs observed is no evidence of a fault. With a cache, a target that
// was there may be taken as there; a finding rests on what this run was told
// (earlier.go). The sessions of one crawl are one run.
//
// What a run knows is in its store, or can be made again from what is there: so a
// crawl whose store outlives the process goes on in another (recall.go). What is
// counted, and what is remembered of earlier visits, is kept in the step that ends
// a visit (tally.go, retry.go).
//
// A broken link is data. Run returns an error only when it cannot go on: its sink
// or its store failed. When it returns, no goroutine of it is left.
//
// # Where this departs from the first design
//
// The frontier does not keep waiting referrers and answer them one by one when
// their target settles. References wait in their page's block for the join
// instead: it costs less memory than a list of waiters for each target, it makes
// the report independent of order without any further care, and the blocks are
// what a store on disk has to keep anyway.
package crawler
