package report

import "io"

// Format is one way to write a report.
type Format struct {
	Name       string
	Extensions []string // of file names, with the dot, lower case; the first is the usual one
	// Files are whole names of files, lower case, that are written in this format
	// although their extension is another's.
	Files []string
	Use   string // what for, in a few words
	// Streams is true when results are written as they come. The others get them
	// after the run, sorted by URL, with the summary in the head.
	Streams bool
	// Binary is true when a report is nothing to look at.
	Binary bool
	// Pages is true when the Writer is a [PageWriter] and wants the site's graph.
	Pages bool
	// References is true when all references to each result are listed. The others
	// list those at which there is something to mend, and of a page of which there is
	// nothing to say but what is about itself (check.OfPage) none: such a result may
	// come without its references.
	References bool
	// NewOnly is true when findings that a baseline has are left out, unless they are
	// asked for (ShowKnown): the format shows people what to mend, or CI what to
	// complain of. Others list them, marked.
	NewOnly bool
	// New returns the format's own Writer, for results that are shown, clean and in
	// order; [New] is what callers want.
	New func(io.Writer, Options) Writer
}
