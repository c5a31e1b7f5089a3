package main

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/orbweaver/orbweaver/crawler/inspect"
)

// globMatcher matches printed URLs by a glob: * matches within a path segment, ** across
// segments. A URL copied from a report matches itself, even if it contains brackets.
func globMatcher(glob string) func(string) bool {
	return func(printed string) bool {
		return printed == glob || doublestar.MatchUnvalidated(glob, printed)
	}
}

// pageMatcher matches pages by a glob on their printed URL, as globMatcher does. A glob that
// begins with "/" is compared with the path of the URL; that of a file of a directory is the
// path below the directory.
func pageMatcher(glob string) func(*inspect.Page) bool {
	matches := globMatcher(glob)
	if !strings.HasPrefix(glob, "/") {
		return func(p *inspect.Page) bool { return matches(p.URL) }
	}
	return func(p *inspect.Page) bool { return matches(pathOf(p.Address.Printed())) }
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
