package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Stdout is the file name of standard output.
const Stdout = "-"

// Output is one report to write.
type Output struct {
	Format *Format
	File   string // [Stdout] is standard output
	// To receives the report when File is empty.
	To io.Writer
	// Append appends to the file instead of replacing it. The file's size then counts
	// toward the limit of a Markdown report, 1 MiB.
	Append bool
}

// ParseOutput parses "FORMAT:FILE", or "FILE" whose extension selects the format. A drive
// letter is part of the file name. To write a file whose name begins with a word and a
// colon, put its directory before it: "./a:b.json".
func ParseOutput(s string) (Output, error) {
	if prefix, file, found := strings.Cut(s, ":"); found && formatLike(prefix) {
		f, err := ByName(prefix)
		switch {
		case err != nil:
			return Output{}, err
		case file == "":
			return Output{}, fmt.Errorf("%q does not name a file", s)
		}
		return Output{Format: f, File: file}, nil
	}
	switch s {
	case "":
		return Output{}, errors.New("an output needs a file name")
	case Stdout:
		return Output{}, errors.New(`standard output has no extension that selects a format: name the format, as in "json:-"`)
	}
	f, err := byExtension(s)
	if err != nil {
		return Output{}, err
	}
	return Output{Format: f, File: s}, nil
}

// formatLike reports whether s looks like the name of a format, correct or mistyped, and
// not like a drive letter or the directory of a path.
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
