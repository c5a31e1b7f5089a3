package report

import "io"

// New returns a writer of format f. Results are filtered by o.Show, cleaned and,
// unless f streams, sorted on their way; see the package comment. Errors of w are
// returned as they are.
func New(f *Format, w io.Writer, o Options) PageWriter {
	inner := f.newOnly(f.New(w, o), o.Show)
	if !f.Streams {
		inner = &sorter{writers: []Writer{inner}, graph: f.Pages}
	}
	return &sieve{next: inner, show: o.Show.orDefault()}
}
