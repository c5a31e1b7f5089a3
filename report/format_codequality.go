package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var codequalityFormat = Format{
	Name:       "codequality",
	Extensions: []string{".codequality.json"},
	Files:      []string{"codequality.json", "gl-code-quality-report.json"},
	Use:        "GitLab merge requests, as an artifact `reports: codequality`",
	NewOnly:    true,
	New: func(w io.Writer, o Options) Writer {
		return &codequalityWriter{json: jsonEncoder{w: w}, show: o.Show.orDefault(), prefix: o.Prefix}
	},
}

// codequalityWriter writes the fields of Code Climate issues that GitLab reads, one issue
// for each finding at each place. GitLab identifies issues by their fingerprints: it
// shows only the first of several with the same one, and recognizes them in later runs.
type codequalityWriter struct {
	json   jsonEncoder
	show   Show
	prefix string
	prints fingerprints
}

var codequalitySeverities = [levels]string{levelError: "major", levelWarning: "minor", levelNote: "info"}

func (c *codequalityWriter) Begin(*Head) error {
	c.json.array()
	return nil
}

func (c *codequalityWriter) Result(r *result.Result) error {
	var all occurrences
	all.add(c.show, r)
	j := &c.json
	for _, o := range all {
		if !o.isProblem() {
			continue
		}
		file, page := o.artifact(o.place)
		switch {
		case page != "":
			file = page
		case file != "":
			file = inRepository(c.prefix, file)
		default:
			file = "-"
		}
		print := sha256.Sum256([]byte(c.prints.next(o)))
		j.row()
		j.key("description").string(visible(o.sentence()))
		j.key("check_name").string(string(ruleID(o.code)))
		j.key("fingerprint").string(hex.EncodeToString(print[:16]))
		j.key("severity").string(codequalitySeverities[o.level])
		j.key("location").row()
		j.key("path").string(file)
		j.key("lines").row()
		j.key("begin").int(int64(max(o.line, 1)))
		j.end()
		j.end()
		j.end()
	}
	return j.err
}

func (c *codequalityWriter) End(*result.Summary) error {
	return c.json.finish()
}
