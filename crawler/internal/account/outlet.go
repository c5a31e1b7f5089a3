package account

import (
	"context"
	"fmt"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Outlet is the only way from a run to its Sink, whose methods are called one at a
// time. It also keeps what the summary says about an incomplete crawl.
type Outlet struct {
	mu       sync.Mutex
	sink     result.Sink
	err      error            // of the sink
	streamed *verdicts.Stream // from the last page on, if the sink wants results as they become known
	why      gap.Kind         // why the run ended before the crawl was over
	trapped  map[string]int   // pages not read, by pattern
}

// NewOutlet returns the outlet of a run to a sink.
func NewOutlet(sink result.Sink) *Outlet { return &Outlet{sink: sink, trapped: map[string]int{}} }

// Recall restores what earlier sessions left out.
func (o *Outlet) Recall(known *stored.Sums) { o.trapped = known.Trapped }

// Page reports a page. It returns false when the sink has failed: the run must end.
func (o *Outlet) Page(p *result.Page) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return false
	}
	if err := o.sink.Page(p); err != nil {
		o.err = fmt.Errorf("report the page %s: %w", p.URL, err)
	}
	return o.err == nil
}

// Note reports a note.
func (o *Outlet) Note(message string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.sink.Note(result.Note{Message: message}); err != nil && o.err == nil {
		o.err = fmt.Errorf("report a note: %w", err)
	}
}

// Progress reports the progress of the run.
func (o *Outlet) Progress(p result.Progress) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sink.Progress(p)
}

// Failed returns the error of the sink.
func (o *Outlet) Failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// End remembers why the run ends before the crawl is over; the first reason counts.
func (o *Outlet) End(why gap.Kind) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.why == gap.None {
		o.why = why
	}
}

// Ended reports whether the run ends before the crawl is over.
func (o *Outlet) Ended() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.why != gap.None
}

// Trap remembers that a page was not read because its URL looks like one of an endless
// series.
func (o *Outlet) Trap(pattern string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.trapped[pattern]++
}

// Settled is a target that was settled, with the targets that were found there.
type Settled struct {
	ID      frontier.ID
	Content bool // its body was wanted
	Outcome *judging.Outcome
	Found   []frontier.Item
	IDs     []frontier.ID // of those found
}

// Stream reports the results that the settling of a target makes known. The stream begins when
// pagesRead returns the crawl to be judged, which it does once no page is outstanding.
func (o *Outlet) Stream(ctx context.Context, s Settled, pagesRead func(context.Context) (*verdicts.Crawl, error)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.streamed != nil {
		return o.streamed.Settled(s.ID, s.Content, s.Outcome, s.Found, s.IDs)
	}
	c, err := pagesRead(ctx)
	if err != nil || c == nil {
		return err
	}
	o.complete(c)
	o.streamed, err = verdicts.NewStream(ctx, c)
	return err
}

// Report gives every reference its verdict and the sink its results.
func (o *Outlet) Report(ctx context.Context, c *verdicts.Crawl) (*result.Summary, error) {
	o.complete(c)
	return verdicts.Report(ctx, c, o.streamed)
}

// Repeat gives the sink a report that was recorded (verdicts.Repeat).
func (o *Outlet) Repeat(c *verdicts.Crawl, recorded *verdicts.Recording, of func(uint32) *judging.Outcome, cached int) (*result.Summary, error) {
	o.complete(c)
	return verdicts.Repeat(c, recorded, of, cached)
}

// complete adds what the outlet knows about a crawl that is to be judged. The caller
// holds mu, or is the only goroutine.
func (o *Outlet) complete(c *verdicts.Crawl) {
	c.Sink, c.Trapped = o.sink, o.trapped
	c.Ended = o.why
}
