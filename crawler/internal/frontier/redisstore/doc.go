// Package redisstore is a frontier.Shared on a Redis or Valkey server, for a crawl of several
// processes.
//
// ParseAddress reads the address of a crawl and Open returns a Crawl, which checks the server
// and makes, fills, controls and deletes the crawl. Crawl.Store returns the store that one
// process gives to the crawl engine.
//
// # How it works
//
// Each operation is a Lua script, which the server runs as one step: it claims targets of
// hosts whose time has come, or settles pages and enters what was found there. Times come
// from the clock of the server. All keys begin with {orbweaver:NAME}:, so that a cluster keeps
// them on one node.
//
// The server is what all processes wait for, so it gets little to do: a script reads and writes
// each key once; a process settles in one step all pages that were read meanwhile; and it
// remembers targets (knownTargets), to send only those links that may change something.
//
//	c           counters and settings of the crawl; cfg: its Header; own: its coordinator
//	k:N         fingerprints with IDs, some 64 in a hash, by linear hashing
//	s:N         8 bytes for each target: host, wave, lowest wave, need, state and tries
//	j:N         jobs of 64 targets; a job is removed when no visit can follow
//	hn, h:N     hosts: their numbers, and the pace and state of each
//	q:N:W:      queued targets of a host and a wave: c with content, o others, d deferred
//	w:W         hosts of a wave by the time at which they are ready
//	l, d        leases, and their deadlines
//	t, n, x, r  tallies, notes, losses, redirects
//	ff, fv      facts and their versions; o, ol: what one process finds out for all
//	ws, w@NAME  workers
//	log         what the coordinator has not stored yet
//
// The server forgets outcomes, links and pages: they are only in the log, from where the
// coordinator applies them to its state directory (diskstore.Replica). An entry counts when it
// is two seconds old and still there. A server whose power was cut may lose the last second and
// give the IDs of that second to other targets. It has also forgotten the script session, which
// each new connection calls: then the crawl has another generation, what processes remember of
// targets no longer counts, and hosts wait for some intervals.
//
// A crawl that is deleted leaves no key, only a script that the server has run (tombstone). So
// its processes know that it must not be filled again. Scripts add nothing to a crawl without
// counters.
//
// A lease has a fence, the time of its claim in microseconds. So fences grow even if the server
// loses the last second. Scripts that add begin with a write that a full server refuses, so
// that nothing of them is kept; scripts that must go through begin with one that it accepts.
package redisstore
