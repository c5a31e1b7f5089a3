package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

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
