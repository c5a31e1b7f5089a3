package report

import (
	"io"

	"github.com/orbweaver/orbweaver/crawler"
)

var ndjsonFormat = Format{
	Name:       "ndjson",
	Extensions: []string{".ndjson", ".jsonl"},
	Use:        "programs that want each result as soon as it is known",
	References: true,
	Streams:    true,
	New: func(w io.Writer, o Options) Writer {
		return &ndjsonWriter{text: jsonText{w: w, compact: true}}
	},
}

// ndjsonWriter writes a line for each result as soon as it is known, and at last
// a line with all the fields of a JSON report but "results". A line is written
// whole, at once, unless it is very long.
type ndjsonWriter struct {
	text jsonText
	head *Head
}

func (n *ndjsonWriter) Begin(h *Head) error {
	n.head = h
	return nil
}

func (n *ndjsonWriter) Result(r *crawler.Result) error {
	n.text.result(r)
	n.text.newline()
	return n.text.flush()
}

func (n *ndjsonWriter) End(s *crawler.Summary) error {
	n.text.object()
	n.text.run(n.head, s)
	n.text.end()
	n.text.newline()
	return n.text.flush()
}
