package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Format is one way to write a report.
type Format struct {
	Name       string
	Extensions []string // of file names, with the dot, lower case; the first is the usual one
	// Files are whole names of files, lower case, that are written in this format
	// although their extension is another's.
	Files []string
	Use   string // what for, in a few words
	// Streams is true when results are written as they come. The others get them
	// after the run, sorted by URL, with the summary in the head.
	Streams bool
	// Binary is true when a report is nothing to look at.
	Binary bool
	// Pages is true when the Writer is a [PageWriter] and wants the site's graph.
	Pages bool
	// References is true when all references to each result are listed. The others
	// list those at which there is something to mend, and of a page of which there is
	// nothing to say but what is about itself (check.OfPage) none: such a result may
	// come without its references.
	References bool
	// NewOnly is true when findings that a baseline has are left out, unless they are
	// asked for (ShowKnown): the format shows people what to mend, or CI what to
	// complain of. Others list them, marked.
	NewOnly bool
	// New returns the format's own Writer, for results that are shown, clean and in
	// order; [New] is what callers want.
	New func(io.Writer, Options) Writer
}

// Formats are all there are. A format is one row and one file.
var Formats = []*Format{
	&textFormat,
	&jsonFormat,
	&ndjsonFormat,
	&csvFormat,
	&htmlFormat,
	&markdownFormat,
	&junitFormat,
	&sarifFormat,
	&githubFormat,
	&codequalityFormat,
	&xmlFormat,
	&dotFormat,
	&gmlFormat,
	&graphmlFormat,
	&sitemapFormat,
	&sqliteFormat,
	&linkcheckerCSVFormat,
	&linkcheckerXMLFormat,
	&linkcheckerSQLFormat,
	&linkcheckerGMLFormat,
	&linkcheckerDotFormat,
	&linkcheckerGXMLFormat,
}

// Names lists the formats' names.
func Names() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}

// ByName finds a format. Letter case does not count. The error names the nearest
// format.
func ByName(name string) (*Format, error) {
	for _, f := range Formats {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%q is no format: %s", name, oneOf(name, Names()))
}

// ByExtension finds the format of a file by its name or its name's ending. The
// longest extension wins.
func ByExtension(file string) (*Format, error) {
	base := strings.ToLower(filepath.Base(file))
	for _, f := range Formats {
		if slices.Contains(f.Files, base) {
			return f, nil
		}
	}
	var best *Format
	longest := 0
	for _, f := range Formats {
		for _, ext := range f.Extensions {
			if len(ext) > longest && len(base) > len(ext) && strings.HasSuffix(base, ext) {
				best, longest = f, len(ext)
			}
		}
	}
	if best != nil {
		return best, nil
	}
	const how = "name the format, as in json:FILE"
	if ext := filepath.Ext(base); ext != "" {
		return nil, fmt.Errorf("no format has the extension %q: %s", ext, how)
	}
	return nil, fmt.Errorf("%q has no extension to tell the format by: %s", file, how)
}

// Stdout is the file name that stands for standard output.
const Stdout = "-"

// Output is one report to write.
type Output struct {
	Format *Format
	File   string // [Stdout] is standard output
	// To takes the report when there is no File.
	To io.Writer
	// Append adds to what the file holds. What is in it counts against the size of
	// a Markdown report, which then is a job's summary.
	Append bool
}

// ParseOutput reads "FORMAT:FILE" or "FILE", whose extension tells the format. A
// drive letter is part of the file name. A file whose name begins with a word and
// a colon is written with its directory: "./a:b.json".
func ParseOutput(s string) (Output, error) {
	if prefix, file, found := strings.Cut(s, ":"); found && formatLike(prefix) {
		f, err := ByName(prefix)
		switch {
		case err != nil:
			return Output{}, err
		case file == "":
			return Output{}, fmt.Errorf("%q names no file", s)
		}
		return Output{Format: f, File: file}, nil
	}
	switch s {
	case "":
		return Output{}, errors.New("an output needs a file name")
	case Stdout:
		return Output{}, errors.New(`standard output has no extension to tell the format by: name it, as in "json:-"`)
	}
	f, err := ByExtension(s)
	if err != nil {
		return Output{}, err
	}
	return Output{Format: f, File: s}, nil
}

// formatLike tells a format's name, right or mistyped, from a drive letter and
// from the directory of a path.
func formatLike(s string) bool {
	if len(s) < 2 {
		return false
	}
	for i := range len(s) {
		c := s[i] | 0x20
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || s[i] == '-') {
			return false
		}
	}
	return true
}

// oneOf says what is allowed, and which of it may have been meant.
func oneOf(got string, allowed []string) string {
	all := "use " + allowed[0]
	if last := len(allowed) - 1; last > 0 {
		all = "use " + strings.Join(allowed[:last], ", ") + " or " + allowed[last]
	}
	if near := nearest(got, allowed); near != "" {
		return "did you mean " + near + "? " + all
	}
	return all
}

// nearest returns the name that a typing mistake may have been meant for, or "".
func nearest(got string, names []string) string {
	const longest = 40 // no name of ours is longer, and the distance costs the product of both lengths
	if got == "" || len(got) > longest {
		return ""
	}
	got = strings.ToLower(got)
	best, least := "", 3
	for _, name := range names {
		d := levenshtein.Distance(got, name, nil)
		// Two letters changed places cost two, and few mistake the first letter.
		likely := d < 2 && len(name) > 2 || d == 2 && len(name) > 3 && got[0] == name[0]
		if likely && d < least {
			best, least = name, d
		}
	}
	return best
}
