package crawler

import (
	"context"
	"fmt"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// outlet is the only way from a run to its Sink, whose methods are called one at a
// time. It also keeps what the summary says about an incomplete crawl.
type outlet struct {
	mu      sync.Mutex
	sink    result.Sink
	err     error            // of the sink
	stream  *verdicts.Stream // from the last page on, if the sink wants results as they become known
	end     check.Gap        // why the run ended before the crawl was over
	trapped map[string]int   // pages not read, by pattern
}

func newOutlet(sink result.Sink) *outlet { return &outlet{sink: sink, trapped: map[string]int{}} }

// recall restores what earlier sessions left out.
func (o *outlet) recall(known *stored.Sums) { o.trapped = known.Trapped }

// page reports a page. It returns false when the sink has failed: the run must end.
func (o *outlet) page(p *result.Page) bool {
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

// note reports a note.
func (o *outlet) note(message string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.sink.Note(result.Note{Message: message}); err != nil && o.err == nil {
		o.err = fmt.Errorf("report a note: %w", err)
	}
}

// progress reports the progress of the run.
func (o *outlet) progress(p result.Progress) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sink.Progress(p)
}

// failed returns the error of the sink.
func (o *outlet) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// ended remembers why the run ends before the crawl is over; the first reason counts.
func (o *outlet) ended(why check.Gap) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end == check.NoGap {
		o.end = why
	}
}

// trap remembers that a page was not read because its URL looks like one of an endless
// series.
func (o *outlet) trap(pattern string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.trapped[pattern]++
}

// settled is a target that was settled, with the targets that were found there.
type settled struct {
	id      frontier.ID
	content bool // its body was wanted
	outcome *judging.Outcome
	found   []frontier.Item
	ids     []frontier.ID // of those found
}

// streamResults reports the results that the settling of a target makes known. The stream
// begins when no page is outstanding.
func (o *outlet) streamResults(ctx context.Context, s settled, j *describer) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stream != nil {
		return o.stream.Settled(s.id, s.content, s.outcome, s.found, s.ids)
	}
	c, err := j.pagesRead(ctx)
	if err != nil || c == nil {
		return err
	}
	o.complete(c)
	o.stream, err = verdicts.NewStream(ctx, c)
	return err
}

// report gives every reference its verdict and the sink its results.
func (o *outlet) report(ctx context.Context, c *verdicts.Crawl) (*result.Summary, error) {
	o.complete(c)
	return verdicts.Report(ctx, c, o.stream)
}

// complete adds what the outlet knows about a crawl that is to be judged. The caller
// holds mu, or is the only goroutine.
func (o *outlet) complete(c *verdicts.Crawl) {
	c.Sink, c.Trapped = o.sink, o.trapped
	c.Ended = o.end
}
