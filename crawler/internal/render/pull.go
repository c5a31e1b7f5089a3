package render

import "context"

// Tab is a page that is opened by a browser. The caller pulls with Next what it asks, and answers
// with Reply, in any order and from any goroutine.
type Tab struct {
	asks   asks
	over   chan struct{} // closed when the rest is set
	cancel context.CancelFunc
	page   *Rendered
	err    error
}

// open waits until a tab is free, and lets use work in it.
func (r *Renderer) open(ctx context.Context, use func(ctx context.Context, asks asks) (*Rendered, error)) (*Tab, error) {
	select {
	case r.tabs <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	t := &Tab{asks: make(asks), over: make(chan struct{}), cancel: cancel}
	go func() {
		defer func() { <-r.tabs }()
		defer close(t.over)
		if t.page, t.err = use(ctx, t.asks); t.err != nil && ctx.Err() != nil {
			t.err = ctx.Err()
		}
	}()
	return t, nil
}

// Next returns what the tab asks next, and nil when it asks nothing any more: the page was read, or
// the sign-in is over. The error is why it could not be.
func (t *Tab) Next(ctx context.Context) (*Ask, error) {
	select {
	case a := <-t.asks:
		return a, nil
	case <-t.over:
		return nil, t.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Reply answers what was asked, once.
func (t *Tab) Reply(a *Ask, r Reply) { a.reply <- r }

// Page returns what was read of the page, after Next has returned nil without an error.
func (t *Tab) Page() *Rendered { return t.page }

// Close closes the tab. What was asked need not be answered any more.
func (t *Tab) Close() {
	t.cancel()
	<-t.over
}

// asks is what a tab asks of the caller.
type asks chan *Ask

// ask lets the caller answer. Without an answer before ctx ends, what was asked is refused.
func (q asks) ask(ctx context.Context, a *Ask) Reply {
	a.ctx, a.reply = ctx, make(chan Reply, 1)
	select {
	case q <- a:
	case <-ctx.Done():
		return Reply{Refused: true}
	}
	select {
	case r := <-a.reply:
		return r
	case <-ctx.Done():
		return Reply{Refused: true}
	}
}
