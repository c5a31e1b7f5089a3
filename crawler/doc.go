// Package crawler checks the links of a site: seeds go in, every target is requested
// once, the links of pages are found, and results leave through a [result.Sink].
//
//	cfg := &crawler.Config{Fetch: client, Politeness: crawler.Politeness{Concurrency: 16}}
//	start, _, err := urinorm.ParseWeb("https://example.com/")
//	if err != nil {
//		return err
//	}
//	seeds := []crawler.Seed{{URL: start, Follow: true, Crawl: true}}
//	summary, err := crawler.Run(ctx, cfg, seeds, sink) // sink.Result is called for each result
//	if err != nil {
//		return err // the sink or the store failed; broken links are results
//	}
//	fmt.Println(summary.Broken)
//
// [Report] reports what a store knows of a crawl without sending a request.
//
// # The journey of one URL
//
//	Run          seeds become targets                          seeds.go            enter
//	Next         a worker gets a target whose turn has come    frontier            Next
//	visit        the target becomes a settlement               visit.go            visit
//	decide       it is requested now, waits, or is refused     decide.go           decide
//	Decide       limits, traps and robots.txt decide           admit/target.go     decideVisit
//	Stands       what earlier runs observed may answer instead recall/memory.go    Stands
//	Send         one request, at its turn                      admit/door.go       Send
//	follow       a redirect's target is entered                redirect.go         follow
//	read         a body's anchors and links, if needed         reading.go          read
//	Add          each link: resolved, decided, kept            references/page.go  Add
//	Decide       follow, only check, or leave alone            scope/scope.go      Decide
//	Learn        the cache keeps what was observed             recall/learn.go     Learn
//	finish       the settlement is ended in one of three ways  settle.go           finish
//	retry        targets that a retry may change are put back  retry.go            retry
//	hold         with a session, it waits for a proof          hold.go             hold
//	settle       outcome and findings are stored in one step   settle.go           settle
//	Report       verdicts; results reach the sink, sorted      verdicts            Report
//
// # Dependencies
//
// A visit is a chain of values, each made by one step and handed on: an admit.Target becomes a
// Decision, an answer, a reading of its document, and a settlement, which has the outcome, what the
// page refers to, and what was counted and left out. So a visit that does not count, because its
// session was lost or another process has the target, is dropped with its settlement, and nothing
// has to be undone.
//
// Four types do the steps. A visitor makes settlements, a pageReader readings; settling ends
// settlements, and describer describes the crawl for package verdicts. None of them knows the run,
// which only makes them and lets its workers use them. A worker has a workspace: memory that its
// visits use one after another.
//
// The other types know none of that: outlet (the way to the sink), counts, clock, seedTargets,
// recall.Memory (what earlier runs observed), slots and governor. A signedIn holds settlements.
// Package admit decides about every request and sends it.
//
// # How it works
//
// A target is requested once, however many references it has. This includes redirects:
// each hop is a target, so a page that a hundred links redirect to is requested once.
// Chains are put together when all targets are known.
//
// Pages come first. Whether the content of a leaf is wanted, because a link to it has a
// fragment, is known only when all pages are read. While pages are outstanding, a leaf is
// requested only when the hosts of all pages must rest.
//
// Verdicts are given at the end. While the crawl runs, the references of a page are kept
// as one compact block, and package verdicts reads the blocks in the order of the store.
// A report does not depend on the order of answers: one worker and sixty-four workers
// produce the same report.
//
// Few references are ever shown. If a page is a file that can be read again, the place
// and the text of most links are not kept: to show such a link, its file is read again
// (package references, block.go).
//
// Only the frontier waits. A worker that has a target works on it; politeness,
// backoff, Retry-After and the second pass are times before which the
// frontier does not hand a target out. A host whose robots.txt applies gets one
// visit at a time until its rules are known, so that no two workers wait for them; a
// start page, which needs no rules, does not count. A robots.txt that is unavailable is
// requested again like a target, and its host rests meanwhile (package admit).
//
// A visit sends one request, and more in these cases: robots.txt before the first
// page of a host, the redirects that a cookie has changed (redirect.go), the requests of
// --soft-404 and --check-https, and /favicon.ico for a start page that --check images looks at.
//
// No host is visited forever. A host that refuses all requests, or never answers, is
// given up after minutes, whatever is queued for it (package frontier, controller.go).
//
// No site is read forever. URLs that look like an endless series are not read, a site that
// makes up its pages is cut, and what sitemaps list is limited (packages trap and admit,
// growth.go). A few large bodies are in memory at a time (package document, largebodies.go).
//
// What a session brought counts only if the session had not ended. Visits that are part of
// one are held, with all that they found, until a later request proves it; after a loss
// their targets are queued again, and one worker signs in again (package proof decides,
// hold.go does what follows, signin.go sends what sessions ask for).
//
// Content checks look at what was fetched anyway: package inspect is called once for each
// document, and what it finds becomes part of the outcome, so that stores, caches and resumed
// crawls keep it. Viruses are looked for in the whole body before it is read. Pages are compared
// with each other when verdicts are given (package document, inspect.go; package verdicts, pages.go).
//
// Limits of this machine are not findings. A request that exceeded one is repeated, and
// fewer are in flight from then on (governor.go).
//
// Observations of earlier runs are no evidence of a fault. With a cache, a target that
// existed may be assumed to exist; a finding depends on what this run observed
// (package recall). The sessions of one crawl count as one run.
//
// Everything that a run knows is in its store, or can be computed from it again: a
// crawl whose store outlives the process can be resumed in another. Package stored reads a crawl
// back: for a run that is resumed (resume.go), for a report, and for several machines (coordinator.go). Counts, gaps,
// and what is remembered of earlier visits, are kept in the step that ends a visit, and count
// from then on (tally.go, retry.go).
//
// A broken link is data. Run returns an error only when it cannot continue: its sink or
// its store failed. When it returns, none of its goroutines is running.
//
// The frontier keeps no list of referrers for each target. References wait in the block
// of their page until verdicts are given, which takes less memory.
package crawler
