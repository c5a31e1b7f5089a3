package report

import "io"

// Format is one way to write a report.
type Format struct {
	Name       string
	Extensions []string // file name extensions with the dot, in lower case; the usual one comes first
	// Files are complete file names, in lower case, that select this format although
	// their extension belongs to another one.
	Files []string
	Use   string // what the format is for, in a few words
	// Streams is true when results are written as they arrive. Other formats get them
	// after the crawl, sorted by URL, with the summary in the head.
	Streams bool
	// Collects is true when a Writer keeps what it needs of results until the end, and needs no
	// summary in the head. It gets results as they arrive if they are sorted
	// ([Options.Sorted]).
	collects bool
	// Binary is true when a report is not text that a terminal can show.
	Binary bool
	// Pages is true when the Writer is a [PageWriter] and needs the graph of the site.
	Pages bool
	// References is true when the format lists all references to each result. Other
	// formats list only the references that need a fix. They list no references for a
	// result whose only findings are about the page itself (check.OfPage), so such a
	// result may arrive without its references.
	References bool
	// NewOnly is true when the format omits findings that a baseline has, unless
	// [ShowKnown] asks for them: the format tells people or a CI system what to fix.
	// Other formats list these findings and mark them.
	NewOnly bool
	// New returns the format's own Writer, which expects filtered, clean and sorted
	// results. Callers use [Open].
	New func(io.Writer, Options) Writer
}
