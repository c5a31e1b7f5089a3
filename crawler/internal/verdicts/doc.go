// Package verdicts judges every reference of a crawl.
//
// It needs the store, the configuration and the seeds of a finished crawl:
//
//	sum, err := verdicts.Report(ctx, &verdicts.Crawl{Scope: scope, Store: store, …, Sink: sink}, nil)
//
// References are judged when all pages are known. The store is scanned in its own order,
// not in the order of events, so the number of workers does not change the report:
//
//	load           the state of every target: is it OK, does it redirect, …     targets.go
//	addReferences  count references that are simply ok, and flag all other
//	               pairs of a target and a fragment                            pairs.go
//	judgeAll       judge every flagged pair                                    verdict.go
//	gather         order the pairs that are shown by URL, and collect their
//	               references                                                  order.go, places.go
//	suggest        find replacements for missing targets                       suggest.go
//	comparePages   compare the pages that content checks have looked at        pages.go
//	results        the findings of content checks                              findings.go
//	Report         deliver the results                                         report.go
//
// Only the states of all targets are held in memory. Few pairs are flagged, and the details
// of their targets are read from the store again (details.go). Anchors are held in memory
// for a range of targets at a time (anchors.go). Bare references are read again from their
// files (reread.go). Until their results are built, the collected references are bytes
// (reflist.go), and many wait in a temporary file (result.Spool).
//
// A [Stream] delivers each result as soon as it is known.
package verdicts
