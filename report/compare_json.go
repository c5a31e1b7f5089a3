package report

import (
	"io"
)

// compareSchemaID is the value of "schema" in a JSON comparison.
const compareSchemaID = "orbweaver.compare/1"

// WriteJSON writes a comparison as one JSON object. Its references have the form of a
// report's references; [Schema] describes it as "comparison". Parts that show does not have are
// empty, and counted.
func (d Diff) WriteJSON(w io.Writer, show Parts) error {
	j := &jsonEncoder{w: w}
	j.object()
	j.key("schema").string(compareSchemaID)
	j.runBrief("before", &d.before)
	j.runBrief("after", &d.after)
	j.key("summary").object()
	for _, part := range d.parts() {
		j.key(part.key).int(int64(len(part.changes)))
	}
	j.end()
	for _, part := range d.parts() {
		j.key(part.key).array()
		for i := range part.changes {
			if show.orAll()&part.show == 0 {
				break
			}
			j.change(&part.changes[i])
		}
		j.end()
	}
	return j.finish()
}

func (j *jsonEncoder) runBrief(key string, h *Head) {
	j.key(key).object()
	j.key("started").time(h.Started)
	j.key("targets").strings(h.Targets)
	j.end()
}

func (j *jsonEncoder) change(c *change) {
	j.object()
	j.key("page").string(c.page)
	j.key("url").string(c.url)
	j.key("code").string(string(c.code))
	optional(j, "was", string(c.was))
	optional(j, "kind", string(c.kind))
	optional(j, "rule", c.rule)
	j.key("message").string(c.message)
	optional(j, "proposal", c.proposal)
	j.key("scope").string(scope(c.internal))
	j.key("suggestions").suggestions(c.suggestions)
	j.key("references").references(c.references)
	j.end()
}
