package report

import (
	"io"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var ndjsonFormat = Format{
	Name:       "ndjson",
	Extensions: []string{".ndjson", ".jsonl"},
	Use:        "programs that need each result as soon as it is known",
	References: true,
	Streams:    true,
	New:        func(w io.Writer, o Options) Writer { return &ndjsonWriter{json: jsonEncoder{w: w, compact: true}} },
}

// ndjsonWriter writes a line for each result as soon as it is known, and a last line with
// the type "summary" and all fields of a JSON report except "results". Unless a line is very long, it is written
// at once.
type ndjsonWriter struct {
	json jsonEncoder
	head *Head
}

func (n *ndjsonWriter) Begin(h *Head) error {
	n.head = h
	return nil
}

func (n *ndjsonWriter) Result(r *result.Result) error {
	n.json.result(r)
	return n.json.finish()
}

func (n *ndjsonWriter) End(s *result.Summary) error {
	n.json.object()
	n.json.key("type").string("summary")
	n.json.run(n.head, s)
	return n.json.finish()
}
