package mcp

import (
	"context"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Engine does what the tools ask for. Its methods are called from several goroutines. An error is
// one sentence for the client.
type Engine interface {
	// Check runs a check and waits for its end. When ctx ends, the run ends soon and is
	// interrupted, which is no error.
	Check(ctx context.Context, a *Asked) (*Run, error)
	// Verify judges addresses as links of another site.
	Verify(ctx context.Context, urls []string, requests int, progress func(result.Progress)) ([]Judged, error)
	// ExplainURL says which settings apply to a URL. It requests nothing.
	ExplainURL(url string) (*Explanation, error)
	// Left returns how many requests the process may still send.
	Left() int
	// Options returns what [Asked.Options] may have, in the order of the help.
	Options() []Option
}

// Option is one of the options of a check.
type Option struct {
	Name   string
	Kind   Kind     // of its values
	Words  []string // the allowed values, nil if they cannot be listed
	Number bool     // a string that may be given as a number
}

// Asked is a check that a client asks for.
type Asked struct {
	Target   string
	Options  map[string][]string // as on a command line, by name
	Requests int                 // that it may send; 0 for no limit of its own
	Progress func(result.Progress)
}

// Run is a check that has ended.
type Run struct {
	Results []*result.Result // all, in the order of a report
	Summary *result.Summary
	Exit    int // the exit status of the command check
	// Fixes plans the edits of the run's files, at those references that only permits. It is nil
	// if the run read no file.
	Fixes func(only func(*result.Reference) bool) (*fix.Plan, error)
}

// Judged is the verdict on a URL.
type Judged struct {
	Result   *result.Result // nil if no verdict was reached
	Observed time.Time
	LastOK   time.Time // when an earlier run saw it in order; zero if none did
	Sources  []string  // that were asked: request, cache, history, archive
}

// Explanation says which settings apply to a URL.
type Explanation struct {
	Printed string
	Scope   string
	Rules   []string
}
