package report

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// artifact returns the document that contains a finding: the path of a file, or a URL for
// anything else. Both are empty for standard input. A target that the user named has no
// referring document, so the artifact is the target.
func (f *finding) artifact(p place) (file, url string) {
	page := p.page
	if page == result.CommandLine || page == "" {
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

// inRepository returns the path of a file relative to the root of its repository. The
// given path is relative to the working directory, whose path in the repository is
// prefix.
func inRepository(prefix, file string) string {
	if prefix == "" || path.IsAbs(file) {
		return file
	}
	return path.Join(prefix, file)
}

// region returns the text range of a reference. Lines and columns count from 1, columns
// in code points, and the end is after the last character. Without a place, the region is
// the beginning of the page.
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
