package report

import (
	"io"

	"github.com/orbweaver/orbweaver/crawler"
)

var jsonFormat = Format{
	Name:       "json",
	Extensions: []string{".json"},
	Use:        "programs; what `report` and `compare` read",
	References: true,
	New:        func(w io.Writer, o Options) Writer { return &jsonWriter{text: jsonText{w: w}} },
}

// jsonWriter writes one object. The summary stands before the results, so that a
// reader of a large report has it at once.
type jsonWriter struct{ text jsonText }

func (j *jsonWriter) Begin(h *Head) error {
	j.text.object()
	j.text.run(h, h.Summary)
	j.text.key("results").array()
	return j.text.err
}

func (j *jsonWriter) Result(r *crawler.Result) error {
	j.text.result(r)
	return j.text.err
}

func (j *jsonWriter) End(*crawler.Summary) error {
	j.text.end()
	j.text.end()
	j.text.newline()
	return j.text.flush()
}
