package report

import _ "embed"

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of a JSON report. Its definitions
// "result" and "run" describe the lines of ndjson, and "comparison" describes the output
// of [Diff.WriteJSON]. It permits unknown fields, since later versions may add fields.
func Schema() []byte { return []byte(schema) }
