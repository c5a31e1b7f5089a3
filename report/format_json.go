package report

import (
	"io"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var jsonFormat = Format{
	Name:       "json",
	Extensions: []string{".json"},
	Use:        "programs; input of `report` and `compare`",
	References: true,
	New:        func(w io.Writer, o Options) Writer { return &jsonWriter{json: jsonEncoder{w: w}} },
}

// jsonWriter writes one object. The summary precedes the results, so that readers of a
// large report get it at once.
type jsonWriter struct{ json jsonEncoder }

func (j *jsonWriter) Begin(h *Head) error {
	j.json.object()
	j.json.run(h, h.Summary)
	j.json.key("results").array()
	return j.json.err
}

func (j *jsonWriter) Result(r *result.Result) error {
	j.json.result(r)
	return j.json.err
}

func (j *jsonWriter) End(*result.Summary) error {
	return j.json.finish()
}
