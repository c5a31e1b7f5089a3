// Package recall knows what earlier runs observed: nothing, or an observation that may replace a
// request or the reading of a page. It also decides what this run keeps for later ones.
//
// An observation may replace a request to an external target. The cache is consulted when a
// reference is found, so that such a target is never queued and no host's pace delays it:
//
//	StandsFor    a target that was ok is settled at once. One that was not ok, or lacks
//	             the anchor that a reference needs, is entered to be requested
//	Stands       a redirect is answered from the cache when its turn comes: its target
//	             is entered as known
//	Changed      if a target is requested anyway and has changed, the redirects that led
//	             to it from the cache are to be requested
//
// So a finding never depends on the cache alone: every target that is not simply ok was
// requested in this run. A crawl of several sessions is one run: an observation of one session
// is not an earlier one for the next, because a single session would have sent the request, too.
//
// A document is requested conditionally (Condition). If it has not changed, it has the outcome and
// the links that it had (Restore). A page in a directory is opened, and not read if the file is the
// same version (Unchanged), unless what its links lead to depends on other files, too.
//
// What is kept for later runs (Learn) depends on what was observed:
//
//	a target that exists                   its status, type and size; its anchors
//	                                       when its body was read
//	a page of the site, with a validator   its references and their targets, too, as they
//	                                       were decided about; nothing without one
//	a permanent redirect to another site   where it leads
//	Cache-Control: no-store                only that the target exists;
//	                                       likewise an answer that varies by
//	                                       something not known beforehand
//	anything else                          nothing, and what was kept is deleted
//
// Such an [Entry] is an observation and not a verdict: each run judges it by its own rules. A run
// with other settings, which might decide otherwise about the links of a page, reads the page again
// (Page.Reader).
//
// With a state, what is kept of pages is in the store, and a page is looked up in the store of the
// crawl before.
//
// Nothing is kept of an answer to a request that is part of a session, or answers one. In a
// run that renders pages, of the site nothing is kept but pages: the browser may need the
// contents of other files.
//
// A page is not rendered again in a later run if neither it nor anything that it loaded has
// changed. What it loaded is asked about first, with a conditional HEAD request for each file in
// a run. So the body of the page is requested only if it is to be rendered, and no URL is
// requested twice with GET. A document with views is always read again, as each view needs it.
package recall
