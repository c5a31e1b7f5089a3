// Package crawlertest makes websites for tests.
//
//   - [Parse] reads a site from a text archive: pages, the answers of its server, and
//     the findings a checker must come to, all in one file to read and to edit.
//     The same site is served over HTTP ([Site.Serve]) or written as a directory
//     ([Site.WriteDir]); both must lead to the same findings.
//   - [Generate] makes a site of any size out of a number, with its faults known.
//   - [Traps] are sites without end.
//   - [FileServer] serves a directory as plain web servers do.
//
// # The archive
//
// An archive is in txtar format (golang.org/x/tools/txtar). Each section is a file of
// the site, by its path without a leading slash. What stands before the first
// section is prose, and lines that begin with a slash: the request target and how
// it is answered, other than by the file of that name. Indented lines below give
// further header fields:
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
// The section wants lists every reference to a target that is broken or unverified,
// with its code, and one line for each warning of a target. The section skipped
// lists, in the same form, the references that are not checked. Informational
// warnings (redirect-temporary) are left out. Empty lines and those that begin with
// "#" are remarks. Pages and URLs of the site are written without host and leading
// slash, percent-encoded; others in full.
//
// A code may differ between server and directory: "http-404/file-case" is the
// first over HTTP and the second in a directory, and "-" is no finding at all.
// http-404 alone stands for http-404/file-missing.
package crawlertest
