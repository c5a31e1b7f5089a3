package page

import (
	"errors"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob selects pages by their printed URLs: * matches within a path segment, ** across segments,
// ? one character, [class] and {a,b} alternatives. A glob that begins with "/" is compared with the
// path of the URL; that of a file of a directory is the path below the directory. The empty one
// selects all pages.
type Glob string

// Validate reports what is wrong with the glob, nil if nothing is.
func (g Glob) Validate() error {
	if !doublestar.ValidatePattern(string(g)) {
		return errors.New("use a glob: *, **, ?, [class] and {a,b}")
	}
	return nil
}

// Match reports whether the glob selects a page.
func (g Glob) Match(p *Page) bool {
	switch {
	case g == "":
		return true
	case g[0] == '/':
		return g.MatchString(pathOf(p.Address.Printed()))
	}
	return g.MatchString(p.URL)
}

// MatchString reports whether the glob matches a printed URL, whole. A URL copied from a report
// matches itself, even if it contains brackets. The glob must be valid.
func (g Glob) MatchString(printed string) bool {
	return printed == string(g) || doublestar.MatchUnvalidated(string(g), printed)
}

// pathOf returns the path of a printed URL.
func pathOf(printed string) string {
	_, rest, _ := strings.Cut(printed, "://")
	if n := strings.IndexAny(rest, "?#"); n >= 0 {
		rest = rest[:n]
	}
	n := strings.IndexByte(rest, '/')
	if n < 0 {
		return "/"
	}
	return rest[n:]
}
