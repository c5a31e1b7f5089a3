package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/orbweaver/orbweaver/crawler"
)

var codequalityFormat = Format{
	Name:       "codequality",
	Extensions: []string{".codequality.json"},
	Files:      []string{"codequality.json", "gl-code-quality-report.json"},
	Use:        "GitLab's merge requests, as an artifact `reports: codequality`",
	NewOnly:    true,
	New: func(w io.Writer, o Options) Writer {
		return &codequalityWriter{json: jsonText{w: w}, show: o.Show.orDefault(), prefix: o.Prefix}
	},
}

// codequalityWriter writes the part of Code Climate's issues that GitLab reads, one
// for each finding at each place. GitLab shows the first of those that have the same
// fingerprint, and knows them again in another run by it.
type codequalityWriter struct {
	json   jsonText
	show   Show
	prefix string
	prints fingerprints
}

var codequalitySeverities = [levels]string{levelError: "major", levelWarning: "minor", levelNote: "info"}

func (c *codequalityWriter) Begin(*Head) error {
	c.json.array()
	return nil
}

func (c *codequalityWriter) Result(r *crawler.Result) error {
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
		print := sha256.Sum256([]byte(c.prints.of(o)))
		j.row()
		j.key("description").string(visible(o.sentence()))
		j.key("check_name").string(string(sarifID(o.code)))
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

func (c *codequalityWriter) End(*crawler.Summary) error {
	c.json.end()
	c.json.newline()
	return c.json.flush()
}
