// Package redisstore is a frontier.Shared on one or several Redis or Valkey servers, for a crawl of
// several processes.
//
// ParseAddresses reads the addresses of a crawl and Open returns a Crawl, which checks the servers
// and makes, fills, controls and deletes the crawl. Lead.Store returns the store that one
// process gives to the crawl engine.
//
// # How it works
//
// Each operation is a Lua script, which the server runs as one step: it claims targets of
// hosts whose time has come, or settles pages and enters what was found there. Times come
// from the clock of the server. All keys begin with {orbweaver:NAME}:, or with {orbweaver:NAME:N}: on
// server N of several. On a cluster the crawl is divided into parts in the same way, each of which has a
// number N whose slot spreads the parts over the nodes.
//
// The server is what all processes wait for, so it gets little to do: a script reads and writes
// each key once; a process settles in one step all pages that were read meanwhile; and it
// remembers targets (knownTargets), to send only those links that may change something.
// Numbers that change together are in one value.
//
//	c           settings of the crawl, and counters that seldom change; cfg: its Header; own: its coordinator
//	N           the other counters, with those of each wave
//	k:N         fingerprints with IDs, some 64 in a hash, by linear hashing
//	s:N         8 bytes for each target: host, wave, lowest wave, need, state and tries
//	j:N         fingerprints and jobs of 64 targets; removed when no visit can follow
//	hn, h:N     hosts: their numbers, and the pace and state of each
//	q:N:W:      queued targets of a host and a wave: c with content, o others, d deferred
//	w:W         hosts of a wave by the time at which they are ready
//	ds, dw:KEY  leases of the hosts that share a limit, and hosts that wait for a place in it
//	l, d        leases, and their deadlines
//	t, n, x, r  tallies, notes, losses, redirects
//	ff, fv      facts and their versions; o, ol: what one process finds out for all
//	ws, w@NAME  workers
//	log         what the coordinator has not stored yet
//	f:N         how many items of a large page were entered
//	ob:N, or:N  outbox for server N, and what its relays have done
//	bp          leases of other servers that count as pages
//
// The server forgets outcomes, links and pages: they are only in the log, from where the
// coordinator applies them to a file of its state directory, one for each server (package shards). An entry
// counts when it is two seconds old and still there. Entries name targets by their fingerprints: a file has its
// own IDs. A server whose power was cut may lose the last second and
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
//
// # Several servers
//
// A target is on the server of its registrable domain (ServerOf), so that one server keeps the limits of
// a domain and its hosts. A Store has a part for each server. One server is the same code, without what
// follows.
//
//	page on server 1 ── Complete ──► targets of server 1, log, outbox for server 2   one step
//	                                                             │ relay of any process
//	                                                             ▼
//	                                           Add on server 2, then removed here
//
// An entry stays in the outbox until it has been entered, so it is entered at least once. Adding it
// again changes nothing. A process takes a target for known only on the server to which it has sent it.
//
// Claim asks one server after the other, and does not wait long for one. A wave of pages begins, and the
// crawl ends, when no server has anything left of the waves before, neither queued, leased nor in an
// outbox. Two rounds of looks with the same counts tell that (looks). Then the coordinator applies all
// logs. It enters again what its state knows and a server has lost, and only then lets the crawl end.
//
// The log of a server has each target that its pages refer to before the first reference, also those of other
// servers. So it makes a whole file by itself.
//
// The hosts at an address may be on all servers. So each server has its part of the limit of an address.
//
// The first server counts pages for a limit, cycles and budgets, since these belong to no host. Each
// server has all facts. A server that has lost the crawl is filled again by itself.
package redisstore
