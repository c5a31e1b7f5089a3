package report

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler"
)

// artifact is the document in which a finding stands: a file by its path, or
// anything else by its URL; both are empty for standard input. What the user
// named stands nowhere, so there it is the target itself.
func (f *finding) artifact(p place) (file, url string) {
	page := p.page
	if page == crawler.CommandLine || page == "" {
		page = ownPage(f.result.URL)
		if schemeOf(page) != "" {
			return "", page
		}
	}
	switch {
	case page == "-":
		return "", ""
	case strings.Contains(page, "://") && schemeOf(page) != "":
		return "", page
	}
	return page, ""
}

// inRepository is the path of a file from the root of its repository; the file's
// path is relative to the working directory, which is prefix there.
func inRepository(prefix, file string) string {
	if prefix == "" || path.IsAbs(file) {
		return file
	}
	return path.Join(prefix, file)
}

// region is what a place covers: the reference as it is written. Lines and columns
// count from 1, columns in code points, and the end is behind the last character. A
// place that has none is the beginning of its page.
func (o *occurrence) region() (line, column, endLine, endColumn int) {
	if o.line == 0 || o.ref == nil {
		return 1, 1, 1, 2
	}
	raw := o.ref.Raw
	endLine, endColumn = o.line, o.column
	if n := strings.Count(raw, "\n"); n > 0 {
		endLine, endColumn = endLine+n, 1
		raw = raw[strings.LastIndexByte(raw, '\n')+1:]
	}
	return o.line, o.column, endLine, endColumn + max(utf8.RuneCountInString(raw), 1)
}
