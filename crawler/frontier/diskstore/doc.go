// Package diskstore is a frontier.Store in a file: a crawl that outlives its process.
//
// # How it works
//
// The queue is a frontier.Ledger in memory, as that of frontier.Memory; the file is
// a log of what happened to it, and holds the bytes that the ledger does not. So
// nothing is looked up on disk to learn whether a target is known or which is next,
// no index by fingerprint is kept, and IDs are handed out in sequence: rows are
// appended. Opening reads the tables once from beginning to end.
//
//	Add, Complete, Release ──► ledger ──► pending batch ──► one transaction ──► file
//	                                       of all workers    by whoever comes first
//
// A step enters the ledger and the pending batch under one lock, so batches hold
// whole steps in the order they were made. Complete returns when its batch is
// committed. Whoever comes while none is being written writes the pending one, for
// all who came until then: batches are as large as the disk is slow. What another
// process sees after a kill is a beginning of the steps; what was out is queued
// again. Claim writes nothing, Release and SetPace do not wait.
//
// Commits are in the hands of the operating system; the log is flushed to the disk
// with every one that follows a flush by four times what that took (sync.go). Tests
// fail each write in turn, kill the process, and cut the power at any instant, with
// writes that were not flushed lost, torn and in any order (crash_test.go).
//
// # The file
//
// An SQLite database in WAL mode: application_id "orbw", user_version the version of
// the layout (schema.go, with the way from each older one to the next). Numbers are
// varints, times nanoseconds since 1970, and what is said to be opaque is what the
// Store was given, in the version that meta tells (frontier.Encoding).
//
//	meta      name, value        the fingerprints' key, the encoding, and what Keep keeps
//	tallies   name, value        sums
//	hosts     number, name, concurrency, interval, not_before
//	targets   id, fingerprint, host, wave, need, job
//	          as they were entered; job is opaque. IDs and hosts have no gaps. A wide
//	          fingerprint is 16 bytes, a narrow one a number
//	changes   number, changes    of targets entered before, in order: id, wave, need,
//	                             id, wave, need, …; the last one counts
//	outcomes  id, need, outcome  settled: by a visit that met a need, or, where that is
//	                             null, as it was entered; outcome is opaque
//	pages     id, found, links, page   found are IDs; links and page are opaque
//	deferred  id, wave, not_before, tries, note   put back; note is opaque
//	urls      id, url, host, settled   a view, for people
//
// A target without an outcome is queued. So is one whose outcome met less than what
// changes ask for. Every other combination that cannot be is damage.
//
// # What it costs
//
// BenchmarkCrawl on the access pattern of a crawl (64 workers that ask nobody, one
// target in ten a page with ten new and fifty known targets, 900 bytes of references
// each), 2.1 GHz Xeon, file in memory; for each target µs of processor time to crawl,
// µs by the clock to read and to open, and bytes:
//
//	targets       crawl    read    open    file    memory of the process, at most
//	   100,000    51 µs   4.7 µs   2.4 µs  303 B    58 MB
//	 1,000,000    49 µs   5.1 µs   8.5 µs  302 B   122 MB
//	10,000,000    50 µs   5.8 µs   4.4 µs  307 B   754 MB
//
// Others had the processors meanwhile, for most of the time: left alone, 100,000
// targets take 35, 1.6 and 1.4 µs. The time for a target does not grow with their
// number. The memory is that of a collector that lets garbage be until there is as
// much of it as of the rest, 30 bytes a target. The program bounds it: a site of
// 10,020,000 targets on 20,000 pages took 439 MB to crawl, 424 to go on with after a
// kill, and 457 to report on, everything included.
//
// Of the 35 µs some 15 are SQLite's writing, 3 steps to a transaction as the disk
// of the test is so quick, and 9 its looking up jobs of a thousand hosts that take
// turns; those of few hosts are read ahead (ahead.go). A plain log would save about
// half, in a crawl that spends 60 µs and more on fetching and reading a page, and
// would have to be turned into something that can be searched, compacted and read
// by other tools. bbolt writes rows in sequence in half the time, but its file is a
// sixth larger and nobody's tool reads it.
package diskstore
