// Package verdicts gives every reference of a crawl its verdict.
//
// It knows what was kept of a crawl, its configuration and its seeds, and no worker:
//
//	sum, err := verdicts.Report(ctx, &verdicts.Crawl{Config: cfg, Store: store, …, Sink: sink})
//
// References are judged once the crawl knows all pages. The store is read in its own
// order, never in the order of events, so that one worker and sixty-four give the same
// report:
//
//	load     of every target a few bits: is it there, does it redirect, what was wanted of it   targets.go
//	meetAll  every reference once: what is simply ok is counted, any other pair of a target
//	         and a fragment is flagged                                                          pairs.go
//	settle   every flagged pair gets its verdict                                                verdict.go
//	gather   the places that refer to the pairs to show                                         places.go
//	suggest  what was meant by those that are not there                                         suggest.go
//	report   results in order of their URLs                                                     results.go
//
// Of a target nothing else stays in memory: few pairs are flagged, and of those the store
// is asked again (dossiers.go). Anchors are in memory for a range of targets at a time
// (anchors.go). Links whose places were not kept are read again from their files
// (reread.go).
//
// A [Stream] does the same for sinks that want each result as soon as it is known.
package verdicts
