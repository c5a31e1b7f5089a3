// Package lazy compiles regular expressions when they are first needed, not at every start: the
// program has about a hundred, and a run needs few of them.
//
//	var draft = lazy.Regexp(`(?i)\bdraft\b`)
//
//	found := draft().MatchString(text)
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled pattern, and panics if it is not valid.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
