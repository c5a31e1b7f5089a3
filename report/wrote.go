package report

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// markSize is how much of each end of a file is searched for the mark of a report, in bytes.
const markSize = 8 << 10

// marks tell the reports of this program from other files. A format without a mark has none in its
// reports. Text and ndjson are recognized by their ends, all others by their beginnings.
var marks = map[string]string{
	"text":            ` · [0-9,]+ links? to [0-9,]+ targets? on [0-9,]+ pages? · [^\n]*\n$`,
	"json":            `^\{\s*"schema": "orbweaver\.report/`,
	"ndjson":          `(^|\n)\{"type":"summary","schema":"orbweaver\.report/[^\n]*\n$`,
	"csv":             `^` + regexp.QuoteMeta(strings.Join(csvHeader, ",")) + `\r?\n`,
	"html":            `^<!DOCTYPE html>(?s:.*)<meta name="generator" content="orbweaver `,
	"markdown":        `^## Link check: `,
	"junit":           `^<\?xml [^>]*>\s*<testsuites name="orbweaver" `,
	"sarif":           `^\{[^\[]*"runs": \[\s*\{\s*"tool": \{\s*"driver": \{\s*"name": "orbweaver"`,
	"codequality":     `^\[(\]|\s*\{"description": "[^\n]*"check_name": "[^\n]*"fingerprint": "[0-9a-f]{32}")`,
	"xml":             `^<\?xml [^>]*>\s*<report xmlns="urn:orbweaver:report:`,
	"dot":             `^digraph orbweaver \{`,
	"gml":             `^Creator "orbweaver `,
	"graphml":         `^<\?xml [^>]*>\s*<graphml [^>]*>\s*<key id="url" for="node" attr\.name="url" attr\.type="string"/>(?s:.*)<graph id="site" edgedefault="directed"`,
	"sqlite":          `^SQLite format 3\x00(?s:.{52})orbw`,
	"linkchecker-csv": linkcheckerMark, "linkchecker-xml": linkcheckerMark, "linkchecker-sql": linkcheckerMark,
	"linkchecker-gml": linkcheckerMark, "linkchecker-dot": linkcheckerMark, "linkchecker-gxml": linkcheckerMark,
}

const linkcheckerMark = `^[^\n]*\n?[^\n]*\borbweaver [^\n]* created this report at `

// Wrote reports whether a regular file is a report of this program in the format. It is false
// for formats whose reports have no mark.
func (f *Format) Wrote(name string) bool {
	mark := marks[f.Name]
	if mark == "" {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	if mark == marks["text"] || mark == marks["ndjson"] {
		info, err := file.Stat()
		if err != nil {
			return false
		}
		if _, err := file.Seek(max(info.Size()-markSize, 0), io.SeekStart); err != nil {
			return false
		}
	}
	text, err := io.ReadAll(io.LimitReader(file, markSize))
	return err == nil && regexp.MustCompile(mark).Match(text)
}

// FinalExtensions returns the extensions that a file in the format may have after its last dot,
// such as ".xml" for junit.
func (f *Format) FinalExtensions() []string {
	var all []string
	for _, name := range slices.Concat(f.Extensions, f.Files) {
		if extension := filepath.Ext(name); !slices.Contains(all, extension) {
			all = append(all, extension)
		}
	}
	return all
}
