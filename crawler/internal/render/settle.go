package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
)

// settle waits until the page is quiet: it has loaded, no request is outstanding, and
// neither a request nor a change of the document was seen for the time Options.Quiet. If
// that takes too long, it returns why.
func (t *tab) settle() (unsettled string, err error) {
	began := time.Now()
	found := t.options.Selector == ""
	var looked time.Time
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-t.moved:
		case <-timer.C:
		case <-t.process.lost:
			return "", errLost
		case <-t.ctx.Done():
			return "", t.ctx.Err()
		}
		now := time.Now()
		at := t.now()
		if at.failed != nil || at.leads != "" {
			return "", at.failed
		}
		deadline := began.Add(t.options.Timeout + at.waited)
		if !now.Before(deadline) {
			return t.why(at, found), nil
		}
		next := deadline
		switch {
		case at.loaded.IsZero(), at.pending > 0:
		case now.Before(at.loaded.Add(t.options.Wait)):
			next = at.loaded.Add(t.options.Wait)
		case !found:
			const often = 50 * time.Millisecond
			if now.Sub(looked) >= often {
				looked = now
				if found = t.has(t.options.Selector, deadline); found {
					t.touch()
					continue
				}
			}
			next = looked.Add(often)
		default:
			next = later(at.active, at.loaded.Add(t.options.Wait)).Add(t.options.Quiet)
			if !now.Before(next) {
				if catchUp(t, deadline) && t.now().isQuiet(at.active) {
					return "", nil
				}
				next = time.Now()
			}
		}
		if deadline.Before(next) {
			next = deadline
		}
		timer.Reset(time.Until(next))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// why says what the page was doing when its time was up.
func (t *tab) why(at progress, found bool) string {
	limit := t.options.Timeout.String()
	switch {
	case at.loaded.IsZero():
		return "it had not finished loading after " + limit
	case at.pending > 0:
		return "a request had no answer after " + limit
	case !found:
		return "nothing matched --render-wait " + t.options.Selector + " within " + limit
	}
	return "it still changed after " + limit
}

// has reports whether a selector matches something in the document.
func (t *tab) has(selector string, deadline time.Time) bool {
	ctx, cancel := context.WithDeadline(t.ctx, deadline)
	defer cancel()
	res, err := call(ctx, t.page, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.querySelector(" + quoteJS(selector) + ") !== null", ReturnByValue: yes()})
	return err == nil && res.Result != nil && string(res.Result.Value) == "true"
}

// checkSelector returns an error for a selector that the browser cannot parse.
func (p *process) checkSelector(ctx context.Context, selector string) error {
	t := &tab{options: &Options{}, req: &Request{}}
	return p.blank(ctx, t, func() error {
		if _, err := call(ctx, t.page, runtime.RunIfWaitingForDebugger, cdp.Empty{}); err != nil {
			return err
		}
		res, err := call(ctx, t.page, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.querySelector(" + quoteJS(selector) + ")"})
		if err == nil && res.ExceptionDetails != nil {
			err = fmt.Errorf("%q is not a CSS selector", selector)
		}
		return err
	})
}

// catchUp waits until the page has done what it had to do until now: on a machine under
// load, the answers to its last requests may not have been processed. It reports false if a
// script of the page does not end.
func catchUp(t *tab, deadline time.Time) bool {
	ctx, cancel := context.WithDeadline(t.ctx, deadline)
	defer cancel()
	_, _ = call(ctx, t.page, runtime.Evaluate, runtime.EvaluateParams{Expression: "new Promise((done) => setTimeout(done, 20))", AwaitPromise: yes()})
	return ctx.Err() == nil
}

// read reads the page. Scripts that do not end are ended first, for which there are five
// seconds.
func (t *tab) read(unsettled string) (*Rendered, error) {
	const patience = 5 * time.Second
	r := &Rendered{Unsettled: unsettled, Leads: t.now().leads}
	t.mu.Lock()
	for url, a := range t.requests.asked {
		if a.Type == Other && !t.workers[url] {
			delete(t.requests.asked, url)
		}
	}
	r.Asked = sortedAsked(t.requests.asked)
	r.Errors = sortedErrors(t.errors, t.requests.refused)
	t.mu.Unlock()
	if r.Leads != "" {
		return r, nil
	}
	limit := t.options.Timeout
	if unsettled != "" {
		limit = patience
		terminating, stop := context.WithCancel(t.ctx)
		defer stop()
		t.do(func() { t.terminate(terminating) })
	}
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	defer cancel()
	if unsettled != "" {
		if _, err := call(ctx, t.page, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
			return nil, t.unreadable(ctx, err)
		}
	}
	for ctx.Err() == nil {
		kind, err := call(ctx, t.page, runtime.Evaluate, runtime.EvaluateParams{Expression: "typeof window.$docsify", ReturnByValue: yes()})
		if err != nil {
			return nil, t.unreadable(ctx, err)
		}
		if kind.ExceptionDetails == nil && kind.Result != nil { // else this was ended like the scripts of the page
			r.Docsify = string(kind.Result.Value) == `"object"` || string(kind.Result.Value) == `"function"`
			break
		}
	}
	if ctx.Err() != nil {
		return nil, t.unreadable(ctx, ctx.Err())
	}
	if unsettled != "" { // no script runs any more
		ctx = t.ctx
	}
	if _, err := call(ctx, t.page, dom.Enable, dom.EnableParams{IncludeWhitespace: dom.EnableIncludeWhitespaceAll}); err != nil {
		return nil, t.unreadable(ctx, err)
	}
	all := int64(-1)
	doc, err := call(ctx, t.page, dom.GetDocument, dom.GetDocumentParams{Depth: &all, Pierce: yes()})
	if err != nil {
		return nil, t.unreadable(ctx, err)
	}
	if err := r.take(doc.Root); err != nil {
		return nil, err
	}
	if !r.unseen && !t.req.Text {
		return r, nil
	}
	snap, err := call(ctx, t.page, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{ComputedStyles: []string{}})
	if err != nil {
		return nil, t.unreadable(ctx, err)
	}
	r.Text = visibleText(&snap)
	r.Empty = r.Empty || r.unseen && r.Text == ""
	return r, nil
}

// unreadable returns why the page could not be read.
func (t *tab) unreadable(ctx context.Context, err error) error {
	switch {
	case t.now().failed != nil:
		return t.now().failed
	case ctx.Err() != nil && t.ctx.Err() == nil:
		return errEndless
	case errors.Is(err, errLost):
		return errLost
	}
	return err
}

// terminate ends the scripts of the page, again and again until ctx ends: timers may start
// more of them.
func (t *tab) terminate(ctx context.Context) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		short, cancel := context.WithTimeout(ctx, time.Second)
		_, _ = call(short, t.page, runtime.TerminateExecution, cdp.Empty{})
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// quoteJS returns a string as JavaScript writes it.
func quoteJS(s string) string {
	b, _ := json.Marshal(s) // a string always has an encoding
	return string(b)
}

// isQuiet reports whether nothing has happened since a time.
func (p progress) isQuiet(since time.Time) bool { return p.pending == 0 && p.active.Equal(since) }
