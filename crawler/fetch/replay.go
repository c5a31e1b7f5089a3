package fetch

import (
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A Replayer has the answers that a Recorder kept. It is safe for concurrent use.
type Replayer interface {
	// Begin returns what was kept for the next Fetch of a URL for an asker. It is never nil.
	Begin(asker traffic.Asker, u urinorm.URL) Replay
}

// Replay is what was kept of the exchanges of one Fetch. One goroutine uses it.
type Replay interface {
	// Next returns the answer to the next request with a method. It is nil if none was kept.
	Next(method string) *Replayed
	// StartsWith reports whether the first exchange had a method.
	StartsWith(method string) bool
	// Resent reports whether the last request was sent again, because its answer set a cookie or
	// asked for credentials.
	Resent() bool
	// Requests is the number of requests that were sent for all of it.
	Requests() int
	// Other returns the answer to a request over another scheme than http and https. It is nil if
	// none was kept.
	Other() *Other
	// Missing says that an answer was not kept, and where.
	Missing() error
}

// Replayed is an answer that was kept.
type Replayed struct {
	traffic.Received
	Fault *Fault        // why there is no answer, or why the body is not all; may be nil
	At    time.Time     // of the request
	Body  io.ReadCloser // as it came; nil without an answer
}

// EvidenceMissing is the kind of the fault of a request whose answer was not kept.
const EvidenceMissing = "evidence-missing"
