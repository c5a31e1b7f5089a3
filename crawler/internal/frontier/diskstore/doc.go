// Package diskstore is a frontier.Store in a file, for a crawl that outlives its process.
//
// A caller makes the file with Create, or opens it with Open to continue the crawl, and
// gives the Store to frontier.New. OpenReadOnly reads a file that another process may be
// writing. The caller keeps two processes from writing the same file. SetAside renames
// a file that is damaged.
//
// # How it works
//
// The queue is a frontier.Ledger in memory, as in frontier.Memory. The file is a log of
// the changes to the ledger, and holds the bytes that the ledger does not. So no read of
// the file is needed to decide whether a target is known or which is next, there is no
// index by fingerprint, and rows are appended in the order of their IDs. Open reads the
// tables once from beginning to end.
//
//	Add, Complete, Release ──► ledger ──► pending batch ──► one transaction ──► file
//	                                       of all workers    by one of them
//
// A step changes the ledger and the pending batch under one lock, so that a batch holds
// whole steps in the order in which they were made. Complete returns when its batch is
// committed. A worker that comes while no batch is being written waits a few milliseconds
// for the steps of others, if there are others that visit targets, and writes the pending
// batch. A transaction writes at least a page of each table, so few large ones cost half of
// many small ones. After a crash the file holds the first steps up to some point, and targets
// that were leased are queued again. Claim writes nothing; Release and SetPace do not
// wait.
//
// A committed batch is in the hands of the operating system. The write-ahead log is
// flushed to the disk from time to time (flush.go). Tests fail each write in turn, kill
// the process, and cut the power at any instant, with writes since the last flush lost,
// incomplete or in any order (crash_test.go).
//
// # The file
//
// The file is an SQLite database in WAL mode. Its application_id is "orbw", and its
// user_version is the version of the layout (schema.go). A file of an older version is
// converted when it is opened (convert.go). Numbers in records are varints or single bytes,
// and times are nanoseconds since 1970. Opaque values are bytes that the Store was given, in
// the version that meta has under "encoding" (frontier.Encoding).
//
//	meta      name, value        the key of the fingerprints, the encoding, the totals, and
//	                             the values of SetValue
//	tallies   name, record       sums
//	hosts     number, name, record   record: concurrency, interval, not before
//	targets   id, host, record   as they were entered; record: fingerprint of 8 or 16 bytes,
//	                             wave, need, job, which is opaque. IDs and numbers of hosts
//	                             have no gaps
//	changes   number, record     of known targets, in order: id, wave, need, id, wave,
//	                             need, …; the last one of a target counts. In a copy, the first
//	                             one enters the target, and the wave 254 says that its other
//	                             rows are those of this crawl
//	outcomes  id, record         of settled targets: whether the target was entered as
//	                             settled, whether it has a page, the need that the visit
//	                             met, outcome, which is opaque
//	pages     id, record, links  record: IDs found, page, checksum of links; links and page
//	                             are opaque. The page includes what the next crawl needs
//	                             of it, which reads it with OpenPages
//	deferred  id, record         of deferred targets: wave, tries, not before, note, which
//	                             is opaque
//	urls      id, url, host, settled   a view, for people
//
// A crawl may begin as a copy of the file of the crawl before (CreateFrom). It writes which of the
// targets it has found, and only those rows that differ (inherit.go). Such a file has version 5 of the
// layout.
//
// A target without an outcome is queued. So is one whose outcome met fewer needs than the
// target has now. Rows that contradict each other are damage.
//
// # Damage
//
// Each record and each value ends with a checksum of the row (record.go), which is compared
// whenever the row is read. The totals, the number of rows of each table and the sum of their
// checksums, are written in each transaction. Open reads all tables but pages and compares the
// totals, and so does Scan for the tables that it reads. So flipped bits, lost rows and
// outdated rows lead to ErrDamaged and never to another result. A write-ahead log that is
// damaged ends at the damage: its intact beginning is an earlier state of the crawl, or does
// not match the database, which the totals tell.
//
// # What it costs
//
// BenchmarkCrawl follows the access pattern of a crawl: 64 workers that make no requests,
// one target in ten a page with ten new and fifty known targets and 900 bytes of
// references. On a 2.1 GHz Xeon with the file in memory it takes, for each target, these
// microseconds of processor time to crawl, of clock time to read and to open, and bytes:
//
//	targets       crawl    read    open    file    most memory of the process
//	   100,000    51 µs   4.7 µs   2.4 µs  303 B    58 MB
//	 1,000,000    49 µs   5.1 µs   8.5 µs  302 B   122 MB
//	10,000,000    50 µs   5.8 µs   4.4 µs  307 B   754 MB
//
// Other processes used the processors for most of that time. On an idle machine 100,000
// targets take 35, 1.6 and 1.4 µs. The time for a target does not grow with the number of
// targets. The live memory is 30 bytes a target; the garbage collector lets the process
// use about twice as much. The program limits it: a site of 10,020,000 targets on 20,000
// pages took 389 MB to crawl, 380 MB to resume after a kill, and 357 MB to report, all
// included.
//
// Of the 35 µs, about 15 are SQLite's writes, and 9 its lookups of jobs when a thousand hosts
// take turns; the jobs of few hosts are read in blocks (reader.go). A plain log would save
// about half. A crawl spends 60 µs and more on fetching and reading a page, and a log would
// have to be converted before it can be searched, compacted and read by other tools. bbolt
// writes consecutive rows in half the time, but its file is a sixth larger and few tools
// read it.
package diskstore
