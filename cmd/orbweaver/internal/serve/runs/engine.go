package runs

import (
	"context"
	"encoding/json"
	"io"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// Job is what a run checks, and how. Secrets are in clear: it is stored without them.
type Job struct {
	Targets []string       `json:"targets"`
	Options map[string]any `json:"options"` // long flags of check, without --
	Listing Listing        `json:"-"`       // of a run that begins; one that is resumed keeps its own
}

// Listing are URLs that are checked like targets, but are no pages to follow.
type Listing struct {
	URLs []ListedURL `json:"urls,omitempty"`
	// Only reports whether nothing else is checked.
	Only bool `json:"only,omitempty"`
	// Kept are results, as in a JSON report, that are reported again as they are: to request their
	// targets would say nothing about them.
	Kept []json.RawMessage `json:"kept,omitempty"`
}

// ListedURL is a URL of a Listing, and whether it is on the site of a target although no target says so.
type ListedURL struct {
	URL      string `json:"url"`
	Internal bool   `json:"internal,omitempty"`
}

// Names of files in the directory of a run.
const (
	StateFile    = "crawl.sqlite"  // its crawl; a run that has just begun has none
	EvidenceFile = "evidence.wacz" // what it kept
)

// Request asks an Engine to execute a crawl.
type Request struct {
	Dir string // the --state directory; it may hold a crawl to resume
	Job *Job
	// Stop, when closed, ends the crawl early: requests in flight are finished.
	Stop <-chan struct{}
	// Progress is called a few times a second.
	Progress func(result.Progress)
}

// Result is how a crawl ended.
type Result struct {
	// Over reports whether the crawl ended by itself; otherwise it can be resumed.
	Over       bool
	ExitStatus int    // as of check
	Because    string // why it is not sound, see result.Soundness.Because
	Summary    json.RawMessage
}

// Engine executes crawls in this process, and reads their state directories.
type Engine interface {
	// Check returns what is wrong with a job, in the order of the options' names. Fields
	// are named as in the API. It ends with the context, and then the faults are not complete.
	Check(ctx context.Context, job *Job, order []string) []api.Fault
	// CheckTarget returns a target as it is checked, or an error that says what is wrong
	// with it.
	CheckTarget(target string) (string, error)
	// Crawl executes a crawl, or continues the one in the directory. Broken links are
	// results; an error means that the crawl could not be carried out.
	Crawl(ctx context.Context, r *Request) (*Result, error)
	// Judge judges the crawl in a directory and writes all results to w. The result is that of
	// the report command.
	Judge(ctx context.Context, dir string, w report.PageWriter) (*Result, error)
	// Report writes the bytes that `orbweaver report DIR -f FORMAT --show SHOW` writes.
	Report(ctx context.Context, dir, format, show string, w io.Writer) error
	// Recheck requests one target, which the run printed as url.
	Recheck(ctx context.Context, job *Job, url string, internal bool) (api.Outcome, error)
}
