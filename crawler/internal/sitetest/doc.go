// Package sitetest reads sites for tests from text archives.
//
//	site := sitetest.ParseFile(t, "testdata/links.txtar")
//	base, requests := site.Serve(t) // crawl the site at base; requests are what it was asked
//
// An archive has the pages, the answers of the server, and the findings that a crawl must report.
// A test reads it with [ParseFile], serves the site with [Site.Serve] or writes it to a directory with
// [Site.WriteDir], crawls it, and compares the findings with [Diff]. [Serve] serves any other handler.
//
// # The archive
//
// An archive is in txtar format (golang.org/x/tools/txtar). Each section is a file of the
// site, with its path without a leading slash. Before the first section there is prose,
// which is ignored, and there are lines that begin with a slash: a request target and its
// answer, if that is not the file of the name. Indented lines below have further header
// fields:
//
//	What happens to pages that moved.
//
//	/old.html: status 301, Location: /new.html
//	/busy.html: status 503
//		Retry-After: 120
//		Content-Type: text/plain
//
//	-- index.html --
//	<a href="old.html">Old</a> <a href="gone.html">Gone</a>
//	-- new.html --
//	<p>Here it is.
//	-- wants --
//	# page line:column code url
//	index.html 1:10 redirect-permanent old.html
//	index.html 1:38 http-404 gone.html
//
// The section wants has a line for each reference to a target that is broken or
// unverified, with its code, and for each warning except informational ones
// (redirect-temporary). The section skipped has, in the same form, the references that are
// not checked. Empty lines and lines that begin with "#" are ignored. Pages and URLs of the
// site are percent-encoded, without the host and a leading slash. Other URLs are written
// in full.
//
// A code may differ between server and directory: "http-404/file-case" is http-404 over
// HTTP and file-case in a directory. "-" is no finding. A plain http-404 means
// http-404/file-missing.
package sitetest
