package extract

import (
	"fmt"

	"github.com/andybalholm/cascadia"
)

// Selector is a compiled group of CSS selectors, such as "main a[href], .docs". The zero
// value selects nothing and means that no selector is given. It is safe for concurrent use.
type Selector struct {
	css     string
	matcher cascadia.Selector
}

// CompileSelector compiles a group of selectors: those of Selectors Level 3, and those of
// Level 4 that github.com/andybalholm/cascadia supports (:has, :is, :not with lists).
// Pseudo-elements are an error.
func CompileSelector(css string) (Selector, error) {
	matcher, err := cascadia.Compile(css)
	if err != nil {
		return Selector{}, fmt.Errorf("compile selector %q: %w", css, err)
	}
	return Selector{css, matcher}, nil
}

// IsZero reports whether no selector is given.
func (s Selector) IsZero() bool { return s.matcher == nil }

// String returns the source text of the selector.
func (s Selector) String() string { return s.css }
