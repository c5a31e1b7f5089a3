package lsp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
)

// refreshCommand requests external targets now.
const refreshCommand = "orbweaver.refresh"

// minAge is the time in which a target is requested once, although nothing is kept for any time.
const minAge = time.Minute

// external is what is known of the external targets of a folder, by their printed URLs.
type external struct {
	mu       sync.Mutex
	seen     map[string]*workspace.Target
	recalled map[string]bool      // what earlier runs know was looked up
	asked    map[string]time.Time // when this process requested them
	due      map[string]bool      // those that the user wants to have requested now
}

func newExternal() *external {
	return &external{seen: map[string]*workspace.Target{}, recalled: map[string]bool{}, asked: map[string]time.Time{}, due: map[string]bool{}}
}

func (x *external) known() map[string]*workspace.Target {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.seen)
}

// add notes an observation.
func (x *external) add(t *workspace.Target) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen[t.URL] = t
}

// renew notes that targets are to be requested now.
func (x *external) renew(targets map[string]*workspace.Target) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for url := range targets {
		x.due[url] = true
	}
}

// take returns which targets are to be observed in some way, and notes that they are.
func (x *external) take(targets map[string]*workspace.Target, how workspace.Asking, maxAge time.Duration) (urls []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := time.Now()
	fresh := func(at time.Time) bool { return now.Sub(at) < max(maxAge, minAge) }
	for url := range targets {
		seen := x.seen[url]
		switch {
		case how == workspace.Recall && x.recalled[url], how == workspace.Renew && !x.due[url]:
			continue
		case how == workspace.Ask && (fresh(x.asked[url]) || seen != nil && !seen.Unconfirmed && fresh(seen.Observed)):
			continue
		}
		urls = append(urls, url)
		if x.recalled[url] = true; how != workspace.Recall {
			x.asked[url] = now
			delete(x.due, url)
		}
	}
	slices.Sort(urls)
	return urls
}

// giveBack notes that targets were not requested, unless they were observed.
func (x *external) giveBack(urls []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, url := range urls {
		if t := x.seen[url]; t == nil || t.Observed.Before(x.asked[url]) {
			delete(x.asked, url)
		}
	}
}

// observing observes external targets in the background, one folder at a time.
type observing struct {
	server *Server
	wake   chan struct{}

	mu      sync.Mutex
	stop    context.CancelFunc // ends the requests that are sent; nil if there are none
	stopped bool               // until a document is saved
}

// rouse tells that there may be targets to observe.
func (w *observing) rouse() {
	select {
	case w.wake <- struct{}{}:
	default: // it has been told
	}
}

// halt ends the requests until a document is saved.
func (w *observing) halt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped = true; w.stop != nil {
		w.stop()
	}
}

// resume allows requests again.
func (w *observing) resume() {
	w.mu.Lock()
	w.stopped = false
	w.mu.Unlock()
	w.rouse()
}

// begin returns the context of a round; false if requests are stopped and it would send some.
func (w *observing) begin(ctx context.Context, how workspace.Asking) (context.Context, context.CancelFunc, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if how == workspace.Recall {
		return ctx, func() {}, true
	}
	if w.stopped {
		return nil, nil, false
	}
	ctx, w.stop = context.WithCancel(ctx)
	return ctx, w.stop, true
}

func (w *observing) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		for _, o := range w.server.folders.list() {
			for _, how := range []workspace.Asking{workspace.Recall, workspace.Renew, workspace.Ask} {
				w.observe(ctx, o, how)
			}
		}
	}
}

// observe observes the targets of a folder in one way. Nothing is requested before the folder was judged,
// nor what is only in a text that is not saved.
func (w *observing) observe(ctx context.Context, o *folder, how workspace.Asking) {
	f := w.server.folders
	f.mu.Lock()
	state, x := o.state, o.external
	ready := o.pending == 0 && o.running == 0 && !o.removed && state.index != nil && len(state.index.Due) == 0 && state.judge != nil && state.fault == nil
	f.mu.Unlock()
	if !ready || state.judge.External() < min(how, workspace.Ask) {
		return
	}
	ctx, done, ok := w.begin(ctx, how)
	if !ok {
		return
	}
	defer done()
	urls := x.take(state.index.External(func(path string) bool {
		return how == workspace.Recall || state.isSaved(path)
	}), how, state.judge.MaxAge())
	if len(urls) == 0 {
		return
	}
	err := state.judge.Observe(ctx, urls, how, func(t *workspace.Target) {
		x.add(t)
		f.mu.Lock()
		defer f.mu.Unlock()
		if o.external == x { // its configuration is still the same
			o.change.Observed = true
			f.touch(o)
			w.server.judging.rouse()
		}
	})
	if ctx.Err() != nil {
		x.giveBack(urls)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		w.server.client.log(o.dir + ": " + err.Error())
	}
}

// isSaved reports whether a document is the file that it was read from.
func (j *judged) isSaved(path string) bool {
	text, open := j.index.Texts[path]
	return !open || strings.TrimPrefix(string(text), "\ufeff") == strings.TrimPrefix(j.judge.Text(path), "\ufeff")
}

type executeParams struct {
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// executeCommand requests the external targets of a document, or of all folders.
func executeCommand(ctx context.Context, s *Server, p *executeParams) (any, error) {
	if p.Command != refreshCommand {
		return nil, errorf(codeInvalidParams, "there is no command %.100q: use %s", p.Command, refreshCommand)
	}
	asked := false
	for _, o := range s.folders.list() {
		only := ""
		if len(p.Arguments) > 0 {
			abs, ok := pathOfURI(p.Arguments[0])
			if !ok || !s.folders.owns(o, abs) {
				continue
			}
			only = o.rel(abs)
		}
		o, state, known, err := s.folders.await(ctx, o.probe(), true)
		if err != nil {
			return nil, err
		}
		if !known || state.fault != nil || state.judge == nil || state.judge.External() != workspace.Ask {
			continue
		}
		asked = true
		s.folders.mu.Lock()
		x := o.external
		s.folders.mu.Unlock()
		x.renew(state.index.External(func(path string) bool { return only == "" || path == only }))
	}
	if !asked {
		return nil, errorf(codeFailed, "no external target is requested here: see --external")
	}
	s.observing.resume()
	return nil, nil
}

// cancelProgress ends the requests in the background until a document is saved, and never the judging.
func cancelProgress(_ context.Context, s *Server, _ *struct{}) error {
	s.observing.halt()
	return nil
}
